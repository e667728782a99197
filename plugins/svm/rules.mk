# rules.mk - attend-svm.so: support vector machines by libsvm. Without its development files it is
# left out, and the program opens no such model.
SVM_FOUND := $(shell printf '\#include <libsvm/svm.h>\n' | $(CC) $(CPPFLAGS) -E -o /dev/null -x c - 2>/dev/null && echo yes)
ifneq ($(SVM_FOUND),yes)
PLUGINS := $(filter-out svm,$(PLUGINS))
PLUGIN_FILES := $(filter-out %/attend-svm.so attend-svm.so,$(PLUGIN_FILES))
$(dir $(PROGRAM))attend-svm.so:
	@echo '  $@ is left out: there is no libsvm/svm.h'
else
$(BUILD)/plugins/svm/fit.o: private CFLAGS += -fvisibility=hidden

$(dir $(PROGRAM))attend-svm.so: $(BUILD)/plugins/svm/fit.o
	@mkdir -p $(@D)
	@echo '  link $@'
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -o $@ $^ -lsvm
endif
