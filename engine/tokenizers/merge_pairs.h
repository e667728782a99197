// merge_pairs.h - which neighbours merge into what: the table of byte-pair encoding.
#ifndef ENGINE_TOKENIZERS_MERGE_PAIRS_H
#define ENGINE_TOKENIZERS_MERGE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

// Two neighbours, what they become and how early: the pair of lowest rank merges first, of equal
// ones the leftmost.
typedef struct MergePair {
    uint64_t key; // 0: an empty slot
    int32_t rank;
    int32_t id;
} MergePair;

// A hash table of them; a zeroed one is empty.
typedef struct MergePairs {
    MergePair *slots;
    int bits; // 1 << bits slots
    size_t count;
} MergePairs;

// Makes room for n_pairs, which then take at most 1/share of the slots: 2, or 3 where most pairs
// that are looked for are not there. They are put in once, while the tokenizer is made; a pair that
// is there already takes the new rank and id.
bool merge_pairs_init(MergePairs *table, size_t n_pairs, int share, Error *err);
void merge_pairs_put(MergePairs *table, int32_t left, int32_t right, int32_t rank, int32_t id);
const MergePair *merge_pairs_find(const MergePairs *table, int32_t left, int32_t right); // or NULL
// Into no more slots than its pairs need, so that the processor's cache holds them.
bool merge_pairs_fit(MergePairs *table, int share, Error *err);
void merge_pairs_free(MergePairs *table);

#endif
