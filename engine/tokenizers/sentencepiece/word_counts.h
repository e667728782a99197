// word_counts.h - which words a text has, and how often.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_WORD_COUNTS_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_WORD_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buffer.h"
#include "engine/base/error.h"

typedef struct CountedWord {
    uint64_t count;
    size_t start; // in bytes
    uint32_t length;
    uint32_t hash;
} CountedWord;

// A zeroed one is empty.
typedef struct WordCounts {
    CountedWord *words; // n_words, in order of their first appearance until they are sorted
    size_t n_words;
    size_t capacity;
    Buffer bytes;    // of all words, one after the other
    uint32_t *index; // open addressing: 1 + word, index_size is a power of two
    size_t index_size;
} WordCounts;

void word_counts_add(WordCounts *counts, const char *word, size_t length, uint64_t count);

// Adds all of other's counts.
void word_counts_merge(WordCounts *counts, const WordCounts *other);

// One more entry at the end, though the same word may be there already; then nothing can be added
// by the two above.
void word_counts_append(WordCounts *counts, const char *word, size_t length, uint64_t count);

// NULL where it is not there.
const CountedWord *word_counts_find(const WordCounts *counts, const char *word, size_t length);

// The characters of all words, each word taken once, with a boundary before each and one at the
// end: what pieces are learned in. They fit where they are fewer than 2^31 - 1.
size_t word_counts_cells(const WordCounts *counts);
bool word_counts_fit(const WordCounts *counts, Error *err);

// Often seen first, equals by their bytes. Nothing can be added any more.
void word_counts_sort(WordCounts *counts);
void word_counts_free(WordCounts *counts);

#endif
