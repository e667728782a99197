// cache.c - keys and values of positions that went through a model before, kept outside every tape.
#include "engine/models/cache.h"

#include <assert.h>

Array cache_block(KeyValueCache *cache, int number, int C) {
    assert(number >= 0 && number < CACHE_MAX_BLOCKS);
    Device *device = cache->device;
    if (cache->blocks[number].data == NULL) {
        size_t count = (size_t)cache->n_rows * (size_t)cache->capacity * (size_t)C;
        cache->blocks[number] = array_of(device->backend->allocate(device, count * sizeof(float)));
        cache->counts[number] = count;
        cache->n_blocks = number >= cache->n_blocks ? number + 1 : cache->n_blocks;
        if (cache->blocks[number].data != NULL) {
            device->backend->fill(device, cache->blocks[number], 0.0F, count);
        }
    }
    return cache->blocks[number];
}

static bool claim_scratch(KeyValueCache *cache) {
    size_t most = 1;
    for (int i = 0; i < cache->n_blocks; i++) {
        most = cache->counts[i] > most ? cache->counts[i] : most;
    }
    if (cache->scratch.data == NULL) {
        cache->scratch =
            array_of(cache->device->backend->allocate(cache->device, most * sizeof(float)));
    }
    return cache->scratch.data != NULL;
}

static bool is_in_place(const KeyValueCache *cache, const int *parents) {
    for (int row = 0; row < cache->n_rows; row++) {
        if (parents[row] != row) {
            return false;
        }
    }
    return true;
}

bool cache_reorder(KeyValueCache *cache, const int *parents, int length) {
    if (cache->n_blocks == 0 || is_in_place(cache, parents)) {
        return true;
    }
    if (!claim_scratch(cache)) {
        return false;
    }
    Device *device = cache->device;
    for (int i = 0; i < cache->n_blocks; i++) {
        size_t row_floats = cache->counts[i] / (size_t)cache->n_rows;
        size_t used = row_floats / (size_t)cache->capacity * (size_t)length;
        for (int row = 0; row < cache->n_rows; row++) {
            device->backend->copy(
                device, array_at(cache->scratch, (size_t)row * used).data,
                array_at(cache->blocks[i], (size_t)parents[row] * row_floats).data,
                used * sizeof(float));
        }
        for (int row = 0; row < cache->n_rows; row++) {
            device->backend->copy(device, array_at(cache->blocks[i], (size_t)row * row_floats).data,
                                  array_at(cache->scratch, (size_t)row * used).data,
                                  used * sizeof(float));
        }
    }
    return true;
}

void cache_free(KeyValueCache *cache) {
    for (int i = 0; i < cache->n_blocks; i++) {
        cache->device->backend->free(cache->device, cache->blocks[i].data);
    }
    if (cache->device != NULL) {
        cache->device->backend->free(cache->device, cache->scratch.data);
    }
    *cache = (KeyValueCache){.n_rows = 0};
}
