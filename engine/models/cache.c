// cache.c - keys and values of positions that went through a model before, kept outside every tape.
#include "engine/models/cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

float *cache_block(KeyValueCache *cache, int number, int C) {
    assert(number >= 0 && number < CACHE_MAX_BLOCKS);
    if (cache->blocks[number] == NULL) {
        size_t count = (size_t)cache->n_rows * (size_t)cache->capacity * (size_t)C;
        cache->blocks[number] = calloc(count, sizeof(float));
        cache->counts[number] = count;
        cache->n_blocks = number >= cache->n_blocks ? number + 1 : cache->n_blocks;
    }
    return cache->blocks[number];
}

void cache_reorder(KeyValueCache *cache, const int *parents, int length, float *scratch) {
    bool is_moved = false;
    for (int row = 0; row < cache->n_rows; row++) {
        is_moved = is_moved || parents[row] != row;
    }
    for (int i = 0; is_moved && i < cache->n_blocks; i++) {
        size_t row_floats = cache->counts[i] / (size_t)cache->n_rows;
        size_t used = row_floats / (size_t)cache->capacity * (size_t)length;
        for (int row = 0; row < cache->n_rows; row++) {
            memcpy(scratch + (size_t)row * used,
                   cache->blocks[i] + (size_t)parents[row] * row_floats, used * sizeof(float));
        }
        for (int row = 0; row < cache->n_rows; row++) {
            memcpy(cache->blocks[i] + (size_t)row * row_floats, scratch + (size_t)row * used,
                   used * sizeof(float));
        }
    }
}

void cache_free(KeyValueCache *cache) {
    for (int i = 0; i < cache->n_blocks; i++) {
        free(cache->blocks[i]);
    }
    *cache = (KeyValueCache){.n_rows = 0};
}
