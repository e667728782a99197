// dataset_pairs.c - batches of pairs, alike in length.
#include "engine/training/dataset_pairs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/training/permutation.h"

enum {
    POOL_BATCHES = 64, // pairs are sorted by length within so many batches
    LENGTH_STEP = 8,   // batches of nearly the same length share a tape
    SHUFFLE_PURPOSE = 0x70616972,
    ORDER_PURPOSE = 0x6f726465,
};

static const ShardItem *item_at(const Dataset *dataset, const PairPlace *place) {
    return &dataset->shards[place->shard].items[place->item];
}

bool dataset_pairs_list(Dataset *dataset, Error *err) {
    uint64_t n = 0;
    for (int i = 0; i < dataset->n_shards; i++) {
        n += dataset->shards[i].n_items;
    }
    dataset->pairs = malloc((size_t)(n + 1) * sizeof *dataset->pairs);
    if (dataset->pairs == NULL) {
        return error_set(err, "not enough memory for %llu pairs", (unsigned long long)n);
    }
    uint32_t longest = (uint32_t)dataset->length;
    dataset->count = 0;
    for (int i = 0; i < dataset->n_shards; i++) {
        for (uint32_t k = 0; k < dataset->shards[i].n_items; k++) {
            const ShardItem *item = &dataset->shards[i].items[k];
            // The decoder gets the target without its last token: one alone would leave nothing.
            bool fits = item->n_source <= longest && item->n_target - 1 <= longest &&
                        item->n_source >= 1 && item->n_target >= 2;
            dataset->n_too_long += !fits;
            if (fits) {
                dataset->pairs[dataset->count++] = (PairPlace){(uint32_t)i, k};
            }
        }
    }
    return true;
}

int dataset_lengths(int length) {
    return (length + LENGTH_STEP - 1) / LENGTH_STEP;
}

static int rounded_length(const Dataset *dataset, uint32_t length) {
    int rounded = (int)(length + LENGTH_STEP - 1) / LENGTH_STEP * LENGTH_STEP;
    return rounded < dataset->length ? rounded : dataset->length;
}

static bool copy_row(Dataset *dataset, const PairPlace *place, int row, int pad_id,
                     DataBatch *batch, Error *err) {
    Shard *shard = &dataset->shards[place->shard];
    const ShardItem *item = &shard->items[place->item];
    size_t T = (size_t)batch->T;
    size_t S = (size_t)batch->S;
    int32_t *source = batch->source + (size_t)row * S;
    int32_t *tokens = batch->tokens + (size_t)row * T;
    int32_t *labels = batch->labels + (size_t)row * T;
    uint64_t target = (uint64_t)item->first + item->n_source;
    if (!dataset_copy_ids(dataset, shard, item->first, item->n_source, source, err) ||
        !dataset_copy_ids(dataset, shard, target, item->n_target - 1, tokens, err) ||
        !dataset_copy_ids(dataset, shard, target + 1, item->n_target - 1, labels, err)) {
        return false;
    }
    for (size_t i = item->n_source; i < S; i++) {
        source[i] = pad_id;
    }
    for (size_t i = item->n_target - 1; i < T; i++) {
        tokens[i] = pad_id;
        labels[i] = pad_id;
    }
    return true;
}

bool dataset_pairs_read_places(Dataset *dataset, const PairPlace *places, int B, int pad_id,
                               DataBatch *batch, Error *err) {
    uint32_t n_source = 1;
    uint32_t n_target = 1;
    for (int row = 0; row < B; row++) {
        const ShardItem *item = item_at(dataset, &places[row]);
        n_source = item->n_source > n_source ? item->n_source : n_source;
        n_target = item->n_target - 1 > n_target ? item->n_target - 1 : n_target;
    }
    if (!data_batch_reserve(batch, B, rounded_length(dataset, n_target),
                            rounded_length(dataset, n_source), err)) {
        return false;
    }
    for (int row = 0; row < B; row++) {
        if (!copy_row(dataset, &places[row], row, pad_id, batch, err)) {
            return false;
        }
    }
    dataset_give_back(dataset);
    return true;
}

// A pair on its way to its place in a sorted pool.
typedef struct Sorted {
    PairPlace place;
    uint32_t n_source, n_target;
    int i; // its place before, which decides between equals
} Sorted;

static int by_length(const void *a, const void *b) {
    const Sorted *left = a;
    const Sorted *right = b;
    if (left->n_target != right->n_target) {
        return left->n_target < right->n_target ? -1 : 1;
    }
    if (left->n_source != right->n_source) {
        return left->n_source < right->n_source ? -1 : 1;
    }
    return left->i - right->i;
}

// Pool `number` of a round: POOL_BATCHES batches of the shuffled pairs, sorted by length.
static bool fill_pool(Dataset *dataset, uint64_t round, uint64_t number, int B, Error *err) {
    struct PairPool *pool = &dataset->pool;
    if (pool->places != NULL && pool->round == round && pool->number == number && pool->B == B) {
        return true;
    }
    uint64_t n_batches = dataset_round(dataset, B) - number * POOL_BATCHES;
    int n = (int)(n_batches < POOL_BATCHES ? n_batches : POOL_BATCHES) * B;
    Sorted *sorted = malloc((size_t)n * sizeof *sorted);
    PairPlace *places = realloc(pool->places, (size_t)n * sizeof *places);
    if (places != NULL) {
        pool->places = places;
    }
    if (sorted == NULL || places == NULL) {
        free(sorted);
        return error_set(err, "not enough memory to sort %d pairs by length", n);
    }
    for (int i = 0; i < n; i++) {
        uint64_t at = number * POOL_BATCHES * (uint64_t)B + (uint64_t)i;
        uint64_t pair = permutation_at(dataset->seed, SHUFFLE_PURPOSE, round, dataset->count, at);
        sorted[i].place = dataset->pairs[pair];
        const ShardItem *item = item_at(dataset, &sorted[i].place);
        sorted[i].n_source = item->n_source;
        sorted[i].n_target = item->n_target;
        sorted[i].i = i;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_length);
    for (int i = 0; i < n; i++) {
        places[i] = sorted[i].place;
    }
    free(sorted);
    pool->round = round;
    pool->number = number;
    pool->n = n;
    pool->B = B;
    return true;
}

bool dataset_pairs_read(Dataset *dataset, const BatchRows *rows, int pad_id, DataBatch *batch,
                        Error *err) {
    int B = rows->B;
    uint64_t per_round = dataset_round(dataset, B);
    uint64_t round = rows->number / per_round;
    uint64_t at = rows->number % per_round;
    if (!fill_pool(dataset, round, at / POOL_BATCHES, B, err)) {
        return false;
    }
    // Sorted batches would come from short to long: their order is drawn too.
    uint64_t n_batches = (uint64_t)(dataset->pool.n / B);
    uint64_t draw = round * per_round + dataset->pool.number;
    uint64_t chosen =
        permutation_at(dataset->seed, ORDER_PURPOSE, draw, n_batches, at % POOL_BATCHES);
    const PairPlace *places = dataset->pool.places + chosen * (uint64_t)B + rows->first;
    return dataset_pairs_read_places(dataset, places, rows->count, pad_id, batch, err);
}
