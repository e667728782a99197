// cache.h - keys and values of positions that went through a model before, kept outside every tape.
#ifndef ENGINE_MODELS_CACHE_H
#define ENGINE_MODELS_CACHE_H

#include "kernels/backend.h"

enum { CACHE_MAX_BLOCKS = 512 };

// Blocks of (rows, capacity, C) floats: two, keys and values, for each attention that looks back.
// Tapes of different lengths over the same model find the same blocks by their number.
typedef struct KeyValueCache {
    Device *device; // borrowed; whose memory it is
    int n_rows;     // texts that are written side by side
    int capacity;   // positions of each
    Array blocks[CACHE_MAX_BLOCKS];
    size_t counts[CACHE_MAX_BLOCKS]; // floats of each
    int n_blocks;
    Array scratch; // as much as the widest block; none until rows are reordered
} KeyValueCache;

// Block `number` for rows of C floats, made (zeroed) when it is first asked for; none without
// memory.
Array cache_block(KeyValueCache *cache, int number, int C);

// Row r becomes a copy of row parents[r], the first `length` positions of it. False without memory.
bool cache_reorder(KeyValueCache *cache, const int *parents, int length);

void cache_free(KeyValueCache *cache);

#endif
