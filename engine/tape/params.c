// params.c - a model's parameters: one block of numbers, outside every tape.
#include "engine/tape/params.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/cpu_pool.h"
#include "kernels/random.h"

// Two milliseconds of drawing; even.
enum { VALUES_AT_A_TIME = 64 * 1024 };

// So many are drawn by all threads.
enum { MANY_VALUES = 8 * VALUES_AT_A_TIME };

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

// Numbers of one parameter, from `first` on.
typedef struct Drawing {
    float *values;
    Init init;
    uint64_t seed;
    uint32_t purpose;
    size_t first, count;
} Drawing;

static void draw_part(const Drawing *drawing, size_t first, size_t end) {
    float scale = drawing->init.scale;
    if (drawing->init.kind == INIT_NORMAL) {
        fill_normal(drawing->values, first, end, scale, drawing->seed, drawing->purpose);
        return;
    }
    bool is_uniform = drawing->init.kind == INIT_UNIFORM;
    float fixed = drawing->init.kind == INIT_ONES ? 1.0F : 0.0F;
    for (size_t i = first; i < end; i++) {
        float uniform = is_uniform ? random_uniform(drawing->seed, drawing->purpose, 0, i) : 0.0F;
        drawing->values[i] = is_uniform ? scale * (2.0F * uniform - 1.0F) : fixed;
    }
}

static void draw_task(void *context, int i, int thread) {
    (void)thread;
    const Drawing *drawing = context;
    size_t first = drawing->first + (size_t)i * VALUES_AT_A_TIME;
    size_t left = drawing->count - first;
    draw_part(drawing, first, first + (left < VALUES_AT_A_TIME ? left : VALUES_AT_A_TIME));
}

// Every number is a function of its place: which thread draws it does not matter.
static bool draw_all(Params *params, uint64_t seed, Pool *pool, Progress *progress, Error *err) {
    size_t step = (size_t)(pool == NULL ? 1 : pool->n_threads) * VALUES_AT_A_TIME;
    for (int i = 0; i < params->count; i++) {
        const Parameter *parameter = &params->items[i];
        Drawing drawing = {.values = params_change(params, parameter),
                           .init = parameter->init,
                           .seed = seed,
                           .purpose = (uint32_t)i,
                           .count = shape_count(&parameter->shape)};
        for (; drawing.first < drawing.count; drawing.first += step) {
            size_t left = drawing.count - drawing.first;
            int n_tasks =
                (int)(((left < step ? left : step) + VALUES_AT_A_TIME - 1) / VALUES_AT_A_TIME);
            if (!progress_at(progress, parameter->offset + drawing.first, params->n_values, err)) {
                return false;
            }
            if (pool == NULL) {
                draw_task(&drawing, 0, 0);
            } else {
                pool_run(pool, draw_task, &drawing, n_tasks);
            }
        }
    }
    return true;
}

bool params_draw(Params *params, uint64_t seed, Progress *progress, Error *err) {
    Pool *pool =
        params->n_values < MANY_VALUES ? NULL : aligned_alloc(_Alignof(Pool), sizeof *pool);
    if (pool == NULL) { // few numbers, or no memory to share them out
        return draw_all(params, seed, NULL, progress, err);
    }
    memset(pool, 0, sizeof *pool);
    pool_init(pool, 0);
    bool ok = draw_all(params, seed, pool, progress, err);
    pool_free(pool);
    free(pool);
    return ok;
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
