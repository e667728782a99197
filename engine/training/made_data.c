// made_data.c - data that a rule makes: pairs that need no file, named by a preset's "data".
#include "engine/training/made_data.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "engine/training/grammar.h"
#include "engine/training/toy.h"

enum {
    GRAMMAR_SEED = 1, // not the run's: what is unseen is unseen by every run
    GRAMMAR_PAIRS = 20000,
    GRAMMAR_UNSEEN = 1000,
};

static void append_copy(uint64_t number, Buffer *lines) {
    static const char *const WORDS[] = {"cat", "run", "dog", "sleep", "eat"};
    const uint64_t n_words = sizeof WORDS / sizeof WORDS[0];
    const char *first = WORDS[number / n_words];
    const char *second = WORDS[number % n_words];
    buffer_format(lines, "%s %s\t%s %s\n", first, second, first, second);
}

static void append_words(const char *const *words, int n_words, const char *end, Buffer *lines) {
    for (int i = 0; i < n_words; i++) {
        buffer_append_text(lines, words[i]);
        buffer_append_text(lines, i + 1 < n_words ? " " : end);
    }
}

static void append_translation(uint64_t number, Buffer *lines) {
    SentencePair pair;
    grammar_make(GRAMMAR_SEED, number, &pair);
    append_words(pair.source, pair.n_source, "\t", lines);
    append_words(pair.target, pair.n_target, "\n", lines);
}

const MadeData *made_data_find(const char *name) {
    static const MadeData KINDS[] = {
        {"copy", TOY_PAIRS, 0, 0, false, append_copy},
        {"translate", GRAMMAR_PAIRS, GRAMMAR_UNSEEN, 20, true, append_translation},
    };
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strcmp(KINDS[i].name, name) == 0) {
            return &KINDS[i];
        }
    }
    return NULL;
}
