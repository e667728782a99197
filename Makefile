# attend - the README's two commands are `make deps run` and `make deps test`.
PREFIX ?= /usr/local
VERSION := 0.1.0
BUILD ?= build
PROGRAM ?= attend
CC = gcc
PKG_CONFIG ?= pkg-config

# `make Q=` prints whole commands. Optimization is separate, so that `make sanitize` and a debugger can replace it.
OPT ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wcast-align -Wcast-qual -Wformat=2 -Wconversion \
	-Wno-sign-conversion
EXTRA ?=
Q ?= @

LAYERS := kernels engine views app
# The files of these folders, however deep, whose names end so: $(call files,FOLDERS,.c)
files = $(sort $(shell find $(1) -name '*$(2)'))
SOURCES := $(call files,$(LAYERS),.c)
# kernels/cpu_simd.c is compiled once for each instruction set; the program chooses when it starts.
SIMD_LEVELS := baseline avx2 avx512
SIMD_SOURCES := $(wildcard kernels/cpu_simd*.c)
# Each folder plugins/NAME becomes attend-NAME.so, opened when it is first needed.
PLUGINS := $(notdir $(patsubst %/,%,$(wildcard plugins/*/)))
TESTS := $(basename $(notdir $(wildcard tests/test_*.c)))
TEST_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support*.c))

OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out app/main.c $(SIMD_SOURCES),$(SOURCES))) \
	$(foreach level,$(SIMD_LEVELS),$(patsubst %.c,$(BUILD)/%.$(level).o,$(SIMD_SOURCES)))
ARCHIVE := $(BUILD)/libattend.a
PLUGIN_FILES := $(PLUGINS:%=$(dir $(PROGRAM))attend-%.so)

PACKAGES := ncursesw jansson libcmark libutf8proc zlib
# Asked once, when a recipe first needs it, so that `make deps` can come before pkg-config exists.
PACKAGE_CFLAGS = $(eval PACKAGE_CFLAGS := $$(shell $$(PKG_CONFIG) --cflags $(PACKAGES)))$(PACKAGE_CFLAGS)
PACKAGE_LIBS = $(eval PACKAGE_LIBS := $$(shell $$(PKG_CONFIG) --libs $(PACKAGES)))$(PACKAGE_LIBS)

CPPFLAGS_ALL = -D_GNU_SOURCE -DATTEND_VERSION='"$(VERSION)"' -DATTEND_PREFIX='"$(PREFIX)"' -I. $(PACKAGE_CFLAGS) $(CPPFLAGS)
CFLAGS_ALL = -std=c11 $(OPT) $(WARNINGS) -fPIC -ffp-contract=off $(EXTRA) $(CFLAGS)
LIBS = $(PACKAGE_LIBS) -lm -ldl -pthread $(LDLIBS)

.PHONY: all deps peers run test check sanitize bench install uninstall clean format check-format \
	check-layers check-warnings check-tidy check-cppcheck test-build run-now test-now frames contact-sheet assets \
	corpus story-models
.SECONDARY:

all: $(PROGRAM) $(PLUGIN_FILES)

$(PROGRAM): $(BUILD)/app/main.o $(ARCHIVE)
	@echo '  link $@'
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -rdynamic -Wl,--as-needed -o $@ $^ $(LIBS)

$(ARCHIVE): $(OBJECTS)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo '  $(CC) $<'
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

SIMD_baseline := -march=x86-64
SIMD_avx2 := -march=haswell
SIMD_avx512 := -march=skylake-avx512 -mprefer-vector-width=512
ifneq ($(shell uname -m),x86_64)
SIMD_baseline :=
SIMD_avx2 :=
SIMD_avx512 :=
endif
define SIMD_RULE
$$(BUILD)/%.$(1).o: %.c $$(BUILD)/flags
	@mkdir -p $$(@D)
	@echo '  $$(CC) $$< for $(1)'
	$$(Q)$$(CC) $$(CPPFLAGS_ALL) $$(CFLAGS_ALL) -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math $$(SIMD_$(1)) -DSIMD_LEVEL=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach level,$(SIMD_LEVELS),$(eval $(call SIMD_RULE,$(level))))

# A change of compiler or flags builds everything anew.
FLAGS := $(strip $(CC) $(VERSION) $(PREFIX) $(CPPFLAGS) $(CFLAGS_ALL))
ifneq ($(FLAGS),$(strip $(file < $(BUILD)/flags)))
.PHONY: $(BUILD)/flags
endif
$(BUILD)/flags: | $(filter deps,$(MAKECMDGOALS))
	@mkdir -p $(@D)
	@echo '$(FLAGS)' > $@

-include $(wildcard $(addsuffix /rules.mk,$(PLUGINS:%=plugins/%)))

# A test links what it uses of the support, and libvterm only where it starts a terminal.
TEST_ARCHIVE := $(BUILD)/tests/libsupport.a
$(TEST_ARCHIVE): $(TEST_SUPPORT)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(TEST_ARCHIVE) $(ARCHIVE)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -rdynamic -Wl,--as-needed -o $@ $(filter %.o,$^) $(filter %.a,$^) -lcmocka -lvterm $(LIBS)

# What tests of views draw.
$(BUILD)/tests/test_frames $(BUILD)/tests/test_views $(BUILD)/tests/test_view_hits: $(BUILD)/tests/view_world.o

# Rewrites the golden frames; the diff is to be read.
frames: $(BUILD)/tests/test_frames $(BUILD)/tests/test_watch_frames
	@mkdir -p tests/frames
	@for program in $^; do ATTEND_ASSETS=$(CURDIR) $$program --write || exit 1; done

# Every view in every theme on one picture, to look over.
contact-sheet: $(BUILD)/tests/make_contact_sheet
	ATTEND_ASSETS=$(CURDIR) $< docs/contact-sheet.png

# Tests find plugins where every program of ours does: beside themselves.
$(BUILD)/tests/attend-%.so: $(dir $(PROGRAM))attend-%.so
	@mkdir -p $(@D)
	$(Q)cp $< $@

# A device for the tests alone: it is never installed.
$(BUILD)/tests/attend-awkward.so: $(BUILD)/tests/awkward/awkward.o $(BUILD)/tests/awkward/awkward_calls.o
	@echo '  link $@'
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -o $@ $^

# Not run by the tests, but built with them.
TOOLS := bench_kernels bench_screen make_assets make_contact_sheet make_corpus

test-build: all $(TESTS:%=$(BUILD)/tests/%) $(TOOLS:%=$(BUILD)/tests/%) $(PLUGINS:%=$(BUILD)/tests/attend-%.so) \
	$(BUILD)/tests/attend-awkward.so

# ---- what a person asks for: these call make again, since `deps` may just have brought pkg-config

deps:
	@sh tests/install_packages.sh packages.txt

# Python packages that the tests compare with, from PyPI, in a folder of their own; where they cannot
# be had, the tests skip the comparisons.
peers: | $(filter deps,$(MAKECMDGOALS))
	@sh tests/install_peers.sh build/peers tests/peers/packages.txt

# Goals named together take turns: each of these is a make of its own.
BEFORE = $(filter deps all,$(MAKECMDGOALS))
all: | $(filter deps,$(MAKECMDGOALS))

run: | $(BEFORE)
	@$(MAKE) --no-print-directory run-now

test: | $(BEFORE)
	@$(MAKE) --no-print-directory test-now

run-now: all
	@./$(PROGRAM) learn 13

test-now: test-build
	@BUILD=$(BUILD) PROGRAM=$(PROGRAM) sh tests/run.sh

sanitize: | $(BEFORE) $(filter test,$(MAKECMDGOALS))
	@$(MAKE) --no-print-directory BUILD=build/sanitize PROGRAM=build/sanitize/attend \
	OPT='-O1 -g -fno-omit-frame-pointer' EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all' test-now

bench: all $(BUILD)/tests/bench_screen
	@./$(PROGRAM) bench
	@ATTEND_ASSETS=$(CURDIR) $(BUILD)/tests/bench_screen
	@python3 tests/peers/compare.py ./$(PROGRAM)

check: check-format check-layers
	@$(MAKE) --no-print-directory check-warnings check-tidy check-cppcheck

check-warnings:
	@$(MAKE) --no-print-directory CC=gcc BUILD=build/gcc PROGRAM=build/gcc/attend EXTRA=-Werror test-build
	@$(MAKE) --no-print-directory CC=clang BUILD=build/clang PROGRAM=build/clang/attend EXTRA=-Werror test-build

LINTED := $(SOURCES) $(wildcard tests/*.c tests/awkward/*.c) $(call files,plugins,.c)
HEADERS := $(call files,$(LAYERS) plugins,.h) $(wildcard tests/*.h tests/awkward/*.h)

format:
	clang-format -i $(LINTED) $(HEADERS)

check-format:
	$(Q)clang-format --dry-run -Werror $(LINTED) $(HEADERS)

check-layers: $(OBJECTS) $(BUILD)/app/main.o
	$(Q)sh tests/check_layers.sh
	$(Q)sh tests/check_circles.sh $^

check-tidy: $(LINTED:%=build/tidy/%.ok)

# Read anew when it or a header that it includes has changed.
TIDY_FLAGS = $(CPPFLAGS_ALL) -std=c11 -DSIMD_LEVEL=avx2
build/tidy/%.ok: % .clang-tidy
	@mkdir -p $(@D)
	@echo '  clang-tidy $<'
	$(Q)clang-tidy --quiet $< -- $(TIDY_FLAGS) 2> $@.log || { cat $@.log; exit 1; }
	$(Q)$(CC) $(TIDY_FLAGS) -MM -MP -MT $@ -MF $@.d $<
	@touch $@

check-cppcheck:
	$(Q)cppcheck --quiet --std=c11 --enable=warning,style,performance,portability --error-exitcode=1 \
	--inline-suppr --suppressions-list=tests/cppcheck.txt -j 2 -D_GNU_SOURCE -DSIMD_LEVEL=avx2 -I. $(LINTED)

# Trains the small models that ship, from their presets' seeds.
assets: all $(BUILD)/tests/make_assets
	ATTEND_ASSETS=$(CURDIR) $(BUILD)/tests/make_assets assets/models
	rm -rf $(BUILD)/toy-translate
	./$(PROGRAM) train --preset toy-translate -o $(BUILD)/toy-translate
	mkdir -p assets/models/toy-translate
	cp $(BUILD)/toy-translate/config.json $(BUILD)/toy-translate/model.safetensors assets/models/toy-translate/

# What the story models learn from; assets/corpus/README.md describes it.
corpus: $(BUILD)/tests/make_corpus
	$< --folder assets/corpus --megabytes 24 -o $(BUILD)/corpus.txt

# Learns the vocabulary and trains the models; their weights ship in 16 bits.
CHARACTERS := ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,!?:;\"'-
story-models: all corpus
	$(BUILD)/tests/make_corpus --folder assets/corpus --megabytes 6 -o $(BUILD)/words-of-all.txt
	$(BUILD)/tests/make_corpus --folder assets/corpus --megabytes 1 --kind things -o $(BUILD)/words-of-things.txt
	./$(PROGRAM) tokenizer train --data $(BUILD)/words-of-all.txt --data $(BUILD)/words-of-things.txt --vocab-size 1024 \
	--normalization identity --character-coverage 1 --required-chars "$(CHARACTERS)" -o assets/tokenizers/story.tokenizer
	for model in story story-gpt2; do \
	    rm -rf $(BUILD)/$$model $(BUILD)/$$model-bf16 && \
	    ./$(PROGRAM) train --preset $$model --data $(BUILD)/corpus.txt -o $(BUILD)/$$model && \
	    ./$(PROGRAM) convert $(BUILD)/$$model $(BUILD)/$$model-bf16 --dtype bf16 && \
	    mkdir -p assets/models/$$model && \
	    cp $(BUILD)/$$model-bf16/config.json $(BUILD)/$$model-bf16/model.safetensors assets/models/$$model/ || exit 1; \
	done

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/attend $(DESTDIR)$(PREFIX)/share/attend
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/attend
	$(if $(PLUGIN_FILES),install -m 755 $(PLUGIN_FILES) $(DESTDIR)$(PREFIX)/lib/attend)
	cp -R assets lessons $(DESTDIR)$(PREFIX)/share/attend/

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/attend
	rm -rf $(DESTDIR)$(PREFIX)/lib/attend $(DESTDIR)$(PREFIX)/share/attend

clean:
	rm -rf build attend attend-*.so

-include $(shell test -d $(BUILD) && find $(BUILD) -name '*.d' 2>/dev/null)
