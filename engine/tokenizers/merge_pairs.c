// merge_pairs.c - which neighbours merge into what: the table of byte-pair encoding.
#include "engine/tokenizers/merge_pairs.h"

#include <assert.h>
#include <stdlib.h>

bool merge_pairs_init(MergePairs *table, size_t n_pairs, int share, Error *err) {
    int bits = 4;
    while (((size_t)1 << bits) < (size_t)share * n_pairs) {
        bits++;
    }
    *table = (MergePairs){calloc((size_t)1 << bits, sizeof(MergePair)), bits, 0};
    return table->slots != NULL || error_set(err, "no memory for %zu merges", n_pairs);
}

void merge_pairs_put(MergePairs *table, int32_t left, int32_t right, int32_t rank, int32_t id) {
    assert(2 * table->count <= (size_t)1 << table->bits);
    uint64_t key = merge_pair_key(left, right);
    MergePair *slot = merge_pairs_slot(table, key);
    table->count += slot->key == 0;
    *slot = (MergePair){key, rank, id};
}

bool merge_pairs_fit(MergePairs *table, int share, Error *err) {
    MergePairs fitting;
    if (!merge_pairs_init(&fitting, table->count, share, err)) {
        return false;
    }
    for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
        const MergePair *pair = &table->slots[i];
        if (pair->key != 0) {
            *merge_pairs_slot(&fitting, pair->key) = *pair;
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
