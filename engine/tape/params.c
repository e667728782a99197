// params.c - a model's parameters: one block of numbers, outside every tape.
#include "engine/tape/params.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/random.h"

// Two milliseconds of drawing; even.
enum { VALUES_AT_A_TIME = 64 * 1024 };

enum { FLOATS_PER_LINE = 16, ALIGNMENT_BYTES = 64, HUGE_PAGE_BYTES = 2 * 1024 * 1024 };

Parameter *params_declare(Params *params, const char *name, const Shape *shape, Init init) {
    for (int i = 0; i < params->count; i++) {
        if (strcmp(params->items[i].name, name) == 0) {
            return shape_equal(&params->items[i].shape, shape) ? &params->items[i] : NULL;
        }
    }
    if (params->values != NULL) {
        return NULL;
    }
    if (params->count == params->capacity) {
        int capacity = params->capacity == 0 ? 64 : 2 * params->capacity;
        Parameter *items = arena_allocate(&params->arena, (size_t)capacity * sizeof *items);
        if (params->count > 0) {
            memcpy(items, params->items, (size_t)params->count * sizeof *items);
        }
        params->items = items;
        params->capacity = capacity;
    }
    Parameter *parameter = &params->items[params->count++];
    *parameter = (Parameter){arena_text(&params->arena, name), *shape, init, params->n_values};
    size_t lines = (shape_count(shape) + FLOATS_PER_LINE - 1) / FLOATS_PER_LINE;
    params->n_values += lines * FLOATS_PER_LINE;
    return parameter;
}

const Parameter *params_find(const Params *params, const char *name) {
    for (int i = 0; i < params->count; i++) {
        if (strcmp(params->items[i].name, name) == 0) {
            return &params->items[i];
        }
    }
    return NULL;
}

static void clear_gaps(Params *params) {
    for (int i = 0; i < params->count; i++) {
        const Parameter *parameter = &params->items[i];
        size_t first = parameter->offset + shape_count(&parameter->shape);
        size_t end = i + 1 < params->count ? params->items[i + 1].offset : params->n_values;
        memset(params->values + first, 0, (end - first) * sizeof *params->values);
    }
}

bool params_reserve(Params *params) {
    assert(params->values == NULL);
    size_t size_bytes = params->n_values * sizeof(float);
    // Generation reads all of them for every token: big ones lie in big pages.
    bool is_big = size_bytes >= 4 * (size_t)HUGE_PAGE_BYTES;
    size_t alignment = is_big ? HUGE_PAGE_BYTES : ALIGNMENT_BYTES;
    size_t block_bytes = (size_bytes + ALIGNMENT_BYTES + alignment - 1) / alignment * alignment;
    params->values = aligned_alloc(alignment, block_bytes);
    if (params->values == NULL) {
        return false;
    }
    if (is_big) {
        madvise(params->values, block_bytes, MADV_HUGEPAGE);
    }
    clear_gaps(params);
    return true;
}

bool params_allocate(Params *params) {
    bool ok = params_reserve(params);
    if (ok) {
        memset(params->values, 0, params->n_values * sizeof *params->values);
    }
    return ok;
}

// Box and Muller 1958: two uniform draws give one normal one; the sine half is not used.
static float normal(uint32_t first, uint32_t second) {
    double u = ((double)(first >> 8) + 0.5) * 0x1p-24;
    double v = (double)(second >> 8) * 0x1p-24;
    return (float)(sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * v));
}

// Numbers first <= i < end; first is even: a block of draws makes two normal numbers.
static void fill_normal(float *values, size_t first, size_t end, float scale, uint64_t seed,
                        uint32_t purpose) {
    for (size_t i = first; i < end; i += 2) {
        uint32_t bits[4];
        random_block(seed, purpose, 0, i / 2, bits);
        values[i] = scale * normal(bits[0], bits[1]);
        if (i + 1 < end) {
            values[i + 1] = scale * normal(bits[2], bits[3]);
        }
    }
}

static void draw_part(Params *params, const Parameter *parameter, uint64_t seed, size_t first,
                      size_t end) {
    float *values = params_change(params, parameter);
    float scale = parameter->init.scale;
    uint32_t purpose = (uint32_t)(parameter - params->items);
    if (parameter->init.kind == INIT_NORMAL) {
        fill_normal(values, first, end, scale, seed, purpose);
        return;
    }
    bool is_uniform = parameter->init.kind == INIT_UNIFORM;
    float fixed = parameter->init.kind == INIT_ONES ? 1.0F : 0.0F;
    for (size_t i = first; i < end; i++) {
        values[i] =
            is_uniform ? scale * (2.0F * random_uniform(seed, purpose, 0, i) - 1.0F) : fixed;
    }
}

bool params_draw(Params *params, uint64_t seed, Progress *progress, Error *err) {
    for (int i = 0; i < params->count; i++) {
        const Parameter *parameter = &params->items[i];
        size_t count = shape_count(&parameter->shape);
        for (size_t first = 0; first < count; first += VALUES_AT_A_TIME) {
            size_t end = count - first < VALUES_AT_A_TIME ? count : first + VALUES_AT_A_TIME;
            if (!progress_at(progress, parameter->offset + first, params->n_values, err)) {
                return false;
            }
            draw_part(params, parameter, seed, first, end);
        }
    }
    return true;
}

size_t params_count(const Params *params) {
    size_t count = 0;
    for (int i = 0; i < params->count; i++) {
        count += shape_count(&params->items[i].shape);
    }
    return count;
}

bool params_are_finite(const Params *params) {
    float sum = 0.0F; // of 0 times each number, which is NaN for those
    const float *values = params_values(params, NULL);
    for (size_t i = 0; i < params->n_values; i++) {
        sum += 0.0F * values[i];
    }
    return sum == 0.0F;
}

void params_free(Params *params) {
    params_leave(params);
    free(params->values);
    arena_free(&params->arena);
    *params = (Params){0};
}
