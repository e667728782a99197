// bpe_order.c - the order in which a hash table of the reference trainer would list its symbols.
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/sentencepiece/bpe_symbols.h"

// The sizes through which the table grows, each the first prime of its list from twice the last on.
static uint64_t next_size(uint64_t size) {
    static const uint64_t SIZES[] = {13,      29,       59,       127,      257,      541,
                                     1109,    2357,     5087,     10273,    20753,    42043,
                                     85229,   172933,   351061,   712697,   1447153,  2938679,
                                     5967347, 12117689, 24607243, 49969847, 101473717};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        if (SIZES[i] > size) {
            return SIZES[i];
        }
    }
    return 2 * size + 1;
}

static uint64_t bucket_of(const BpeOrder *order, const uint64_t *prints, int32_t node) {
    return prints[node - 1] % order->n_buckets;
}

// Puts node in front of its bucket; a bucket that was empty comes before all others.
static void link_node(BpeOrder *order, const uint64_t *prints, int32_t node) {
    const uint64_t bucket = bucket_of(order, prints, node);
    const int32_t before = order->buckets[bucket];
    if (before >= 0) {
        order->next[node] = order->next[before];
        order->next[before] = node;
        return;
    }
    order->next[node] = order->next[0];
    order->next[0] = node;
    if (order->next[node] >= 0) {
        order->buckets[bucket_of(order, prints, order->next[node])] = node;
    }
    order->buckets[bucket] = 0;
}

static void grow(BpeOrder *order, const uint64_t *prints) {
    order->n_buckets = next_size(order->n_buckets);
    order->buckets = memory_resize(order->buckets, order->n_buckets * sizeof *order->buckets);
    memset(order->buckets, 0xff, order->n_buckets * sizeof *order->buckets);
    int32_t node = order->next[0];
    order->next[0] = -1;
    while (node >= 0) {
        const int32_t next = order->next[node];
        link_node(order, prints, node);
        node = next;
    }
}

void bpe_order_insert(BpeOrder *order, const uint64_t *prints, int32_t symbol) {
    const size_t node = (size_t)symbol + 1;
    if (node >= order->capacity) {
        const bool is_new = order->capacity == 0;
        order->capacity = 2 * node + 64;
        order->next = memory_resize(order->next, order->capacity * sizeof *order->next);
        if (is_new) {
            order->next[0] = -1;
        }
    }
    if (order->n_nodes + 1 > order->n_buckets) {
        grow(order, prints);
    }
    link_node(order, prints, (int32_t)node);
    order->n_nodes++;
}

void bpe_order_erase(BpeOrder *order, const uint64_t *prints, int32_t symbol) {
    const int32_t node = symbol + 1;
    const uint64_t bucket = bucket_of(order, prints, node);
    int32_t before = order->buckets[bucket];
    const bool is_first = order->next[before] == node;
    while (order->next[before] != node) {
        before = order->next[before];
    }
    const int32_t next = order->next[node];
    const uint64_t next_bucket = next >= 0 ? bucket_of(order, prints, next) : bucket;
    if (next >= 0 && next_bucket != bucket) {
        order->buckets[next_bucket] = before;
    }
    if (is_first && (next < 0 || next_bucket != bucket)) {
        order->buckets[bucket] = -1;
    }
    order->next[before] = next;
    order->n_nodes--;
}

void bpe_order_free(BpeOrder *order) {
    free(order->next);
    free(order->buckets);
    *order = (BpeOrder){0};
}
