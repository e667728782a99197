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
// Into no more slots than its pairs need, so that the processor's cache holds them.
bool merge_pairs_fit(MergePairs *table, int share, Error *err);
void merge_pairs_free(MergePairs *table);

// ---- looking them up, which is most of what encoding does

static inline uint64_t merge_pair_key(int32_t left, int32_t right) {
    return (uint64_t)(uint32_t)(left + 1) << 32 | (uint32_t)right;
}

static inline size_t merge_pair_slot(const MergePairs *table, uint64_t key) {
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - table->bits));
}

// Where that key is, or the empty slot where it belongs.
static inline MergePair *merge_pairs_slot(const MergePairs *table, uint64_t key) {
    size_t mask = ((size_t)1 << table->bits) - 1;
    size_t i = merge_pair_slot(table, key);
    while (table->slots[i].key != 0 && table->slots[i].key != key) {
        i = (i + 1) & mask;
    }
    return &table->slots[i];
}

// NULL: they do not merge.
static inline const MergePair *merge_pairs_find(const MergePairs *table, int32_t left,
                                                int32_t right) {
    const MergePair *slot = merge_pairs_slot(table, merge_pair_key(left, right));
    return slot->key != 0 ? slot : NULL;
}

#endif
