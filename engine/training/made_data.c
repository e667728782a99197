// made_data.c - data that a rule makes: pairs that need no file, named by a preset's "data".
#include "engine/training/made_data.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "engine/training/grammar.h"
#include "engine/training/toy.h"
#include "kernels/random.h"

enum {
    GRAMMAR_SEED = 1, // not the run's: what is unseen is unseen by every run
    GRAMMAR_PAIRS = 20000,
    GRAMMAR_UNSEEN = 1000,
    COPY_SEED = 1,
    COPY_PURPOSE = 0x636f7079,
    COPY_SHORTEST = 2,
    COPY_LONGEST = 12,
    COPY_PAIRS = 22000, // 2,000 of each length
    COPY_UNSEEN = 2200,
};

static void append_copy(uint64_t number, Buffer *lines) {
    static const char *const WORDS[] = {"cat", "run", "dog", "sleep", "eat"};
    const uint64_t n_words = sizeof WORDS / sizeof WORDS[0];
    const char *first = WORDS[number / n_words];
    const char *second = WORDS[number % n_words];
    buffer_format(lines, "%s %s\t%s %s\n", first, second, first, second);
}

static void append_long_copy(uint64_t number, Buffer *lines) {
    static const char *const WORDS[] = {"cat", "dog",   "bird", "fish", "horse",
                                        "run", "sleep", "eat",  "sing", "jump"};
    enum { N_WORDS = sizeof WORDS / sizeof WORDS[0] };
    int length = COPY_SHORTEST + (int)(number % (COPY_LONGEST - COPY_SHORTEST + 1));
    for (int i = 0; i < 2 * length; i++) {
        uint64_t place = (uint64_t)(i % length);
        uint32_t word = random_bits(COPY_SEED, COPY_PURPOSE, number, place) % N_WORDS;
        const char *end = i + 1 == length ? "\t" : (i + 1 == 2 * length ? "\n" : " ");
        buffer_format(lines, "%s%s", WORDS[word], end);
    }
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
        {.name = "copy", .n_pairs = TOY_PAIRS, .append = append_copy},
        {.name = "copy-long",
         .n_pairs = COPY_PAIRS,
         .n_unseen = COPY_UNSEEN,
         .held_out_every = 20,
         .has_end = true,
         .shortest = COPY_SHORTEST,
         .longest = COPY_LONGEST,
         .append = append_long_copy},
        {.name = "translate",
         .n_pairs = GRAMMAR_PAIRS,
         .n_unseen = GRAMMAR_UNSEEN,
         .held_out_every = 20,
         .has_end = true,
         .append = append_translation},
    };
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strcmp(KINDS[i].name, name) == 0) {
            return &KINDS[i];
        }
    }
    return NULL;
}
