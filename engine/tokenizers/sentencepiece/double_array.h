// double_array.h - a trie in one array of 32-bit units, laid out as darts-clone reads it.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_DOUBLE_ARRAY_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_DOUBLE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One way on from a block of the trie: this byte leads to the block at base, where a value may
// stand.
typedef struct DoubleArrayEdge {
    uint8_t byte; // not 0
    bool has_value;
    uint32_t base;
} DoubleArrayEdge;

// Built from the leaves up; a block may be led to from several places. A zeroed one is empty.
typedef struct DoubleArray {
    uint32_t *units; // size
    bool *is_used;   // cells
    bool *is_base;   // positions that are some block's base
    size_t size;
    size_t first_free;
} DoubleArray;

// Places a block of n_edges (sorted by byte) and, where value >= 0, that value; its base.
uint32_t double_array_place(DoubleArray *array, const DoubleArrayEdge *edges, size_t n_edges,
                            int64_t value);

// Makes the block at base the root; nothing is placed after that.
void double_array_finish(DoubleArray *array, uint32_t base);
void double_array_free(DoubleArray *array);

#endif
