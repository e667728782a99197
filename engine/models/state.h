// state.h - what a model keeps of positions that went through it before, outside every tape.
#ifndef ENGINE_MODELS_STATE_H
#define ENGINE_MODELS_STATE_H

#include <stddef.h>

#include "kernels/backend.h"

// Which numbers a position leaves behind is the family's: its builder asks for blocks of (rows,
// capacity, C) floats, row p of a text being what position p left (keys and values of an attention;
// what a recurrent model hands on). Tapes of different lengths over the same model find the same
// blocks by their number; going back to an earlier position needs nothing.
typedef struct StateBlock {
    Array array;
    size_t count; // of floats
} StateBlock;

typedef struct ModelState {
    Device *device;     // borrowed; whose memory it is
    int n_rows;         // texts that are written side by side
    int capacity;       // positions of each
    StateBlock *blocks; // n_blocks
    int n_blocks;
    Array scratch; // as much as the widest block; none until rows are reordered
} ModelState;

// Block `number` for rows of C floats, made (zeroed) when it is first asked for; none without
// memory. Numbers are given one after the other.
Array state_block(ModelState *state, int number, int C);

// Row r becomes a copy of row parents[r], the first `length` positions of it. False without memory.
bool state_reorder(ModelState *state, const int *parents, int length);

void state_free(ModelState *state);

#endif
