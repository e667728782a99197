// state.c - what a model keeps of positions that went through it before, outside every tape.
#include "engine/models/state.h"

#include <assert.h>
#include <stdlib.h>

static StateBlock *append_block(ModelState *state) {
    StateBlock *blocks =
        realloc(state->blocks, ((size_t)state->n_blocks + 1) * sizeof *state->blocks);
    if (blocks == NULL) {
        return NULL;
    }
    state->blocks = blocks;
    state->blocks[state->n_blocks] = (StateBlock){.count = 0};
    return &state->blocks[state->n_blocks++];
}

Array state_block(ModelState *state, int number, int C) {
    Device *device = state->device;
    assert(number >= 0 && number <= state->n_blocks);
    StateBlock *block = number < state->n_blocks ? &state->blocks[number] : append_block(state);
    if (block == NULL) {
        return array_none();
    }
    if (block->array.data == NULL) {
        size_t count = (size_t)state->n_rows * (size_t)state->capacity * (size_t)C;
        block->array = array_of(device->backend->allocate(device, count * sizeof(float)));
        block->count = count;
        if (block->array.data != NULL) {
            device->backend->fill(device, block->array, 0.0F, count);
        }
    }
    return block->array;
}

static bool claim_scratch(ModelState *state) {
    size_t most = 1;
    for (int i = 0; i < state->n_blocks; i++) {
        most = state->blocks[i].count > most ? state->blocks[i].count : most;
    }
    if (state->scratch.data == NULL) {
        state->scratch =
            array_of(state->device->backend->allocate(state->device, most * sizeof(float)));
    }
    return state->scratch.data != NULL;
}

static bool is_in_place(const ModelState *state, const int *parents) {
    for (int row = 0; row < state->n_rows; row++) {
        if (parents[row] != row) {
            return false;
        }
    }
    return true;
}

bool state_reorder(ModelState *state, const int *parents, int length) {
    if (state->n_blocks == 0 || is_in_place(state, parents)) {
        return true;
    }
    if (!claim_scratch(state)) {
        return false;
    }
    Device *device = state->device;
    for (int i = 0; i < state->n_blocks; i++) {
        size_t row_floats = state->blocks[i].count / (size_t)state->n_rows;
        size_t used = row_floats / (size_t)state->capacity * (size_t)length;
        for (int row = 0; row < state->n_rows; row++) {
            device->backend->copy(
                device, array_at(state->scratch, (size_t)row * used).data,
                array_at(state->blocks[i].array, (size_t)parents[row] * row_floats).data,
                used * sizeof(float));
        }
        for (int row = 0; row < state->n_rows; row++) {
            device->backend->copy(
                device, array_at(state->blocks[i].array, (size_t)row * row_floats).data,
                array_at(state->scratch, (size_t)row * used).data, used * sizeof(float));
        }
    }
    return true;
}

void state_free(ModelState *state) {
    for (int i = 0; i < state->n_blocks; i++) {
        state->device->backend->free(state->device, state->blocks[i].array.data);
    }
    if (state->device != NULL) {
        state->device->backend->free(state->device, state->scratch.data);
    }
    free(state->blocks);
    *state = (ModelState){.n_rows = 0};
}
