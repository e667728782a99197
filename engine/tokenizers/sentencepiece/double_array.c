// double_array.c - a trie in one array of 32-bit units, laid out as darts-clone reads it.
#include "engine/tokenizers/sentencepiece/double_array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"

enum { PAGE = 256, SEARCHED = 16 * PAGE };
static const uint32_t MATCHES_NOTHING = 0x80000000U; // a label that is no byte

static void grow(DoubleArray *array) {
    const size_t size = array->size == 0 ? 64 * PAGE : 2 * array->size;
    array->units = memory_resize(array->units, size * sizeof *array->units);
    array->is_used = memory_resize(array->is_used, size * sizeof *array->is_used);
    array->is_base = memory_resize(array->is_base, size * sizeof *array->is_base);
    for (size_t i = array->size; i < size; i++) {
        array->units[i] = MATCHES_NOTHING;
        array->is_used[i] = false;
        array->is_base[i] = false;
    }
    if (array->size == 0) {
        array->is_used[0] = true; // the root's unit
    }
    array->size = size;
}

static bool fits(const DoubleArray *array, const DoubleArrayEdge *edges, size_t n_edges,
                 bool has_value, size_t base) {
    if (array->is_base[base] || (has_value && array->is_used[base])) {
        return false;
    }
    for (size_t i = 0; i < n_edges; i++) {
        if (array->is_used[base ^ edges[i].byte]) {
            return false;
        }
    }
    return true;
}

static size_t find_base(DoubleArray *array, const DoubleArrayEdge *edges, size_t n_edges,
                        bool has_value) {
    const uint8_t first_byte = has_value || n_edges == 0 ? 0 : edges[0].byte;
    while (array->first_free < array->size && array->is_used[array->first_free]) {
        array->first_free++;
    }
    for (size_t cell = array->first_free;; cell++) {
        while (cell + PAGE >= array->size) {
            grow(array);
        }
        const size_t base = cell ^ first_byte;
        if (!array->is_used[cell] && fits(array, edges, n_edges, has_value, base)) {
            if (cell > array->first_free + SEARCHED) { // too full to be searched again each time
                array->first_free = cell - SEARCHED;
            }
            return base;
        }
    }
}

uint32_t double_array_place(DoubleArray *array, const DoubleArrayEdge *edges, size_t n_edges,
                            int64_t value) {
    const size_t base = find_base(array, edges, n_edges, value >= 0);
    array->is_base[base] = true;
    if (value >= 0) {
        array->is_used[base] = true;
        array->units[base] = (uint32_t)value | 0x80000000U;
    }
    for (size_t i = 0; i < n_edges; i++) {
        const size_t cell = base ^ edges[i].byte;
        const size_t offset = cell ^ edges[i].base;
        assert(offset < (size_t)1 << 21);
        array->is_used[cell] = true;
        array->units[cell] =
            (uint32_t)offset << 10 | (uint32_t)edges[i].has_value << 8 | (uint32_t)edges[i].byte;
    }
    return (uint32_t)base;
}

void double_array_finish(DoubleArray *array, uint32_t base) {
    array->units[0] = base << 10;
    size_t last = 0;
    for (size_t i = 0; i < array->size; i++) {
        if (array->is_used[i] || array->is_base[i]) {
            last = i;
        }
    }
    array->size = (last / PAGE + 1) * PAGE; // any byte added to any base stays inside
}

void double_array_free(DoubleArray *array) {
    free(array->units);
    free(array->is_used);
    free(array->is_base);
    *array = (DoubleArray){0};
}
