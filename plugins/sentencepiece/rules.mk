# rules.mk - attend-sentencepiece.so: .model files by protobuf-c, its code made from model.proto.
SENTENCEPIECE_MADE := $(BUILD)/made/plugins/sentencepiece/model.pb-c
SENTENCEPIECE_LIBS = $(shell $(PKG_CONFIG) --libs libprotobuf-c)

$(SENTENCEPIECE_MADE).c $(SENTENCEPIECE_MADE).h &: plugins/sentencepiece/model.proto
	@mkdir -p $(BUILD)/made
	$(Q)protoc-c --c_out=$(BUILD)/made $<

$(BUILD)/plugins/sentencepiece/model.pb-c.o: $(SENTENCEPIECE_MADE).c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) -I$(BUILD)/made -std=c11 $(OPT) -w -fPIC -fvisibility=hidden $(filter -fsanitize%,$(EXTRA)) -c -o $@ $<

$(BUILD)/plugins/sentencepiece/model_file.o: $(SENTENCEPIECE_MADE).h
$(BUILD)/plugins/sentencepiece/model_file.o: private CPPFLAGS += -I$(BUILD)/made
$(BUILD)/plugins/sentencepiece/model_file.o: private CFLAGS += -fvisibility=hidden

$(dir $(PROGRAM))attend-sentencepiece.so: $(BUILD)/plugins/sentencepiece/model_file.o $(BUILD)/plugins/sentencepiece/model.pb-c.o
	@mkdir -p $(@D)
	@echo '  link $@'
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -o $@ $^ $(SENTENCEPIECE_LIBS)

build/tidy/plugins/sentencepiece/model_file.c.ok: $(SENTENCEPIECE_MADE).h
build/tidy/plugins/sentencepiece/model_file.c.ok: private CPPFLAGS += -I$(BUILD)/made
