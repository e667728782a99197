// cache.h - keys and values of positions that went through a model before, kept outside every tape.
#ifndef ENGINE_MODELS_CACHE_H
#define ENGINE_MODELS_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { CACHE_MAX_BLOCKS = 512 };

// Blocks of (rows, capacity, C) floats: two, keys and values, for each attention that looks back.
// Tapes of different lengths over the same model find the same blocks by their number.
typedef struct KeyValueCache {
    int n_rows;   // texts that are written side by side
    int capacity; // positions of each
    float *blocks[CACHE_MAX_BLOCKS];
    size_t counts[CACHE_MAX_BLOCKS]; // floats of each
    int n_blocks;
} KeyValueCache;

// Block `number` for rows of C floats, made (zeroed) when it is first asked for; NULL without
// memory.
float *cache_block(KeyValueCache *cache, int number, int C);

// Row r becomes a copy of row parents[r], the first `length` positions of it. scratch holds
// n_rows * capacity * C floats of the widest block.
void cache_reorder(KeyValueCache *cache, const int *parents, int length, float *scratch);

void cache_free(KeyValueCache *cache);

#endif
