// merge_pairs.c - which neighbours merge into what: the table of byte-pair encoding.
#include "engine/tokenizers/merge_pairs.h"

#include <assert.h>
#include <stdlib.h>

static uint64_t pair_key(int32_t left, int32_t right) {
    return (uint64_t)(uint32_t)(left + 1) << 32 | (uint32_t)right;
}

static size_t pair_slot(const MergePairs *table, uint64_t key) {
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - table->bits));
}

bool merge_pairs_init(MergePairs *table, size_t n_pairs, int share, Error *err) {
    int bits = 4;
    while (((size_t)1 << bits) < (size_t)share * n_pairs) {
        bits++;
    }
    *table = (MergePairs){calloc((size_t)1 << bits, sizeof(MergePair)), bits, 0};
    return table->slots != NULL || error_set(err, "no memory for %zu merges", n_pairs);
}

// Where that key is, or the empty slot where it belongs.
static MergePair *slot_of(const MergePairs *table, uint64_t key) {
    size_t mask = ((size_t)1 << table->bits) - 1;
    size_t i = pair_slot(table, key);
    while (table->slots[i].key != 0 && table->slots[i].key != key) {
        i = (i + 1) & mask;
    }
    return &table->slots[i];
}

void merge_pairs_put(MergePairs *table, int32_t left, int32_t right, int32_t rank, int32_t id) {
    assert(2 * table->count <= (size_t)1 << table->bits);
    uint64_t key = pair_key(left, right);
    MergePair *slot = slot_of(table, key);
    table->count += slot->key == 0;
    *slot = (MergePair){key, rank, id};
}

const MergePair *merge_pairs_find(const MergePairs *table, int32_t left, int32_t right) {
    const MergePair *slot = slot_of(table, pair_key(left, right));
    return slot->key != 0 ? slot : NULL;
}

bool merge_pairs_fit(MergePairs *table, int share, Error *err) {
    MergePairs fitting;
    if (!merge_pairs_init(&fitting, table->count, share, err)) {
        return false;
    }
    for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
        const MergePair *pair = &table->slots[i];
        if (pair->key != 0) {
            *slot_of(&fitting, pair->key) = *pair;
        }
    }
    fitting.count = table->count;
    free(table->slots);
    *table = fitting;
    return true;
}

void merge_pairs_free(MergePairs *table) {
    free(table->slots);
    *table = (MergePairs){0};
}
