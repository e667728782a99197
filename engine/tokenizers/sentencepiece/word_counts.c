// word_counts.c - which words a text has, and how often.
#include "engine/tokenizers/sentencepiece/word_counts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"

static uint32_t hash_word(const char *word, size_t length) {
    uint64_t hash = length * 0x9e3779b97f4a7c15U;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t part;
        memcpy(&part, word + i, 8);
        hash = (hash ^ part) * 0x9fb21c651e98df25U;
        hash ^= hash >> 32;
    }
    uint64_t rest = 0;
    if (length >= 8) {
        memcpy(&rest, word + length - 8, 8);
    } else {
        for (; i < length; i++) {
            rest = rest << 8 | (unsigned char)word[i];
        }
    }
    hash = (hash ^ rest) * 0x9fb21c651e98df25U;
    return (uint32_t)(hash ^ hash >> 29) ^ (uint32_t)(hash >> 32);
}

static void grow_index(WordCounts *counts) {
    counts->index_size = counts->index_size == 0 ? 4096 : 4 * counts->index_size;
    free(counts->index);
    counts->index = memory_resize(NULL, counts->index_size * sizeof *counts->index);
    memset(counts->index, 0, counts->index_size * sizeof *counts->index);
    const size_t mask = counts->index_size - 1;
    for (size_t i = 0; i < counts->n_words; i++) {
        size_t slot = counts->words[i].hash & mask;
        while (counts->index[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        counts->index[slot] = (uint32_t)i + 1;
    }
}

static void append_word(WordCounts *counts, const char *word, size_t length, uint32_t hash,
                        uint64_t count) {
    if (counts->n_words == counts->capacity) {
        counts->capacity = counts->capacity == 0 ? 1024 : counts->capacity + counts->capacity / 2;
        counts->words = memory_resize(counts->words, counts->capacity * sizeof *counts->words);
    }
    counts->words[counts->n_words++] = (CountedWord){
        .count = count, .start = counts->bytes.length, .length = (uint32_t)length, .hash = hash};
    buffer_append(&counts->bytes, word, length);
}

// The slot of the word, or the empty one where it belongs.
static size_t find_slot(const WordCounts *counts, const char *word, size_t length, uint32_t hash) {
    const size_t mask = counts->index_size - 1;
    size_t slot = hash & mask;
    for (; counts->index[slot] != 0; slot = (slot + 1) & mask) {
        const CountedWord *known = &counts->words[counts->index[slot] - 1];
        if (known->hash == hash && known->length == length &&
            memcmp(counts->bytes.bytes + known->start, word, length) == 0) {
            break;
        }
    }
    return slot;
}

static void add_hashed(WordCounts *counts, const char *word, size_t length, uint32_t hash,
                       uint64_t count) {
    if (2 * counts->n_words >= counts->index_size) {
        grow_index(counts);
    }
    const size_t slot = find_slot(counts, word, length, hash);
    if (counts->index[slot] != 0) {
        counts->words[counts->index[slot] - 1].count += count;
        return;
    }
    append_word(counts, word, length, hash, count);
    counts->index[slot] = (uint32_t)counts->n_words;
}

void word_counts_add(WordCounts *counts, const char *word, size_t length, uint64_t count) {
    assert(length <= UINT32_MAX);
    add_hashed(counts, word, length, hash_word(word, length), count);
}

void word_counts_merge(WordCounts *counts, const WordCounts *other) {
    for (size_t i = 0; i < other->n_words; i++) {
        const CountedWord *word = &other->words[i];
        add_hashed(counts, other->bytes.bytes + word->start, word->length, word->hash, word->count);
    }
}

const CountedWord *word_counts_find(const WordCounts *counts, const char *word, size_t length) {
    if (counts->index_size == 0) {
        return NULL;
    }
    const uint32_t found = counts->index[find_slot(counts, word, length, hash_word(word, length))];
    return found == 0 ? NULL : &counts->words[found - 1];
}

void word_counts_append(WordCounts *counts, const char *word, size_t length, uint64_t count) {
    append_word(counts, word, length, 0, count);
}

// What decides most comparisons stands in the key itself: the count, then the first eight bytes.
typedef struct SortKey {
    uint64_t count;
    uint64_t first_bytes;
    const char *bytes;
    uint32_t length;
    uint32_t word;
} SortKey;

static int compare_keys(const void *a, const void *b) {
    const SortKey *left = a;
    const SortKey *right = b;
    if (left->count != right->count) {
        return left->count > right->count ? -1 : 1;
    }
    if (left->first_bytes != right->first_bytes) {
        return left->first_bytes < right->first_bytes ? -1 : 1;
    }
    const size_t shorter = left->length < right->length ? left->length : right->length;
    const int order = memcmp(left->bytes, right->bytes, shorter);
    if (order != 0) {
        return order;
    }
    return (left->length > right->length) - (left->length < right->length);
}

void word_counts_sort(WordCounts *counts) {
    SortKey *keys = memory_resize(NULL, counts->n_words * sizeof *keys);
    for (size_t i = 0; i < counts->n_words; i++) {
        const CountedWord *word = &counts->words[i];
        const char *bytes = counts->bytes.bytes + word->start;
        uint64_t first_bytes = 0;
        for (size_t k = 0; k < 8; k++) {
            first_bytes = first_bytes << 8 | (k < word->length ? (unsigned char)bytes[k] : 0);
        }
        keys[i] = (SortKey){.count = word->count,
                            .first_bytes = first_bytes,
                            .bytes = bytes,
                            .length = word->length,
                            .word = (uint32_t)i};
    }
    if (counts->n_words > 0) {
        qsort(keys, counts->n_words, sizeof *keys, compare_keys);
    }
    CountedWord *sorted = memory_resize(NULL, counts->n_words * sizeof *sorted);
    for (size_t i = 0; i < counts->n_words; i++) {
        sorted[i] = counts->words[keys[i].word];
    }
    free(keys);
    free(counts->words);
    counts->words = sorted;
    counts->capacity = counts->n_words;
    free(counts->index);
    counts->index = NULL;
    counts->index_size = 0;
}

void word_counts_free(WordCounts *counts) {
    free(counts->words);
    free(counts->index);
    buffer_free(&counts->bytes);
    *counts = (WordCounts){0};
}

size_t word_counts_cells(const WordCounts *counts) {
    size_t n = 1;
    for (size_t i = 0; i < counts->bytes.length; i++) {
        n += !utf8_is_inside(counts->bytes.bytes[i]);
    }
    return n + counts->n_words;
}

bool word_counts_fit(const WordCounts *counts, Error *err) {
    const size_t n = word_counts_cells(counts);
    return n < INT32_MAX ||
           error_set(err,
                     "the text's words have %zu characters, expected fewer than %d: learn from a "
                     "part of it",
                     n, INT32_MAX);
}
