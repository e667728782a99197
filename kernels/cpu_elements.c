// cpu_elements.c - kernels that treat each element alone, in chunks of a fixed size.
#include "kernels/cpu_device.h"

enum { CHUNK = 1 << 14 };

typedef struct Elements {
    const CpuSimd *simd;
    float *y;
    const float *a, *b;
    const float *const *inputs;
    int n_inputs;
    size_t n;
    float factor;
} Elements;

static size_t chunk_first(int i) {
    return (size_t)i * CHUNK;
}

static size_t chunk_count(const Elements *e, int i) {
    const size_t left = e->n - chunk_first(i);
    return left < CHUNK ? left : CHUNK;
}

static void share(Device *device, PoolTask *task, Elements *e, double ns_each) {
    e->simd = &cpu_of(device)->simd;
    cpu_share(device, task, e, (int)((e->n + CHUNK - 1) / CHUNK), (double)e->n * ns_each);
}

static void sum_task(void *context, int i, int thread) {
    (void)thread;
    const Elements *e = context;
    e->simd->sum(e->y, e->inputs, e->n_inputs, chunk_first(i), chunk_count(e, i));
}

void cpu_sum(Device *device, Array y, const Terms *terms, size_t n) {
    const float *inputs[TERMS_MAX];
    for (int i = 0; i < terms->count; i++) {
        inputs[i] = array_floats(terms->items[i]);
    }
    Elements e = {.y = array_floats(y), .inputs = inputs, .n_inputs = terms->count, .n = n};
    share(device, sum_task, &e, 0.1 * (terms->count + 1));
}

static void scale_task(void *context, int i, int thread) {
    (void)thread;
    const Elements *e = context;
    const size_t first = chunk_first(i);
    e->simd->scale(e->y + first, e->a + first, e->factor, chunk_count(e, i));
}

void cpu_scale(Device *device, Array y, Array x, float factor, size_t n) {
    Elements e = {.y = array_floats(y), .a = array_floats(x), .factor = factor, .n = n};
    share(device, scale_task, &e, 0.2);
}

// One input, and two of them: the task of a kernel and the kernel.
#define MAP_1(name, ns_each)                                                                       \
    static void name##_task(void *context, int i, int thread) {                                    \
        (void)thread;                                                                              \
        const Elements *e = context;                                                               \
        const size_t first = chunk_first(i);                                                       \
        e->simd->name(e->y + first, e->a + first, chunk_count(e, i));                              \
    }                                                                                              \
    void cpu_##name(Device *device, Array y, Array x, size_t n) {                                  \
        Elements e = {.y = array_floats(y), .a = array_floats(x), .n = n};                         \
        share(device, name##_task, &e, ns_each);                                                   \
    }
#define MAP_2(name, ns_each)                                                                       \
    static void name##_task(void *context, int i, int thread) {                                    \
        (void)thread;                                                                              \
        const Elements *e = context;                                                               \
        const size_t first = chunk_first(i);                                                       \
        e->simd->name(e->y + first, e->a + first, e->b + first, chunk_count(e, i));                \
    }                                                                                              \
    void cpu_##name(Device *device, Array out, Array a, Array b, size_t n) {                       \
        Elements e = {.y = array_floats(out), .a = array_floats(a), .b = array_floats(b), .n = n}; \
        share(device, name##_task, &e, ns_each);                                                   \
    }

MAP_1(relu, 0.2)
MAP_2(relu_grad, 0.3)
MAP_1(gelu, 0.6)
MAP_2(gelu_grad, 0.8)
MAP_1(tanh, 0.6)
MAP_2(tanh_grad, 0.3)
MAP_1(sigmoid, 0.6)
MAP_2(sigmoid_grad, 0.3)
MAP_2(multiply, 0.3)

// Parts of one long item, or several short ones.
typedef struct Drops {
    const CpuSimd *simd;
    const Dropout *dropout;
    uint64_t first_item, step;
    float *y;
    const float *x;
    size_t n_items, items_each, parts;
} Drops;

static void dropout_task(void *context, int i, int thread) {
    (void)thread;
    const Drops *e = context;
    const Dropout *dropout = e->dropout;
    const size_t first = (size_t)i % e->parts * CHUNK;
    const size_t left = dropout->item_size - first;
    size_t item = (size_t)i / e->parts * e->items_each;
    for (size_t k = 0; k < e->items_each && item < e->n_items; k++, item++) {
        const size_t at = item * dropout->item_size + first;
        e->simd->dropout(e->y + at, e->x + at, e->first_item + item, first,
                         left < CHUNK ? left : CHUNK, dropout, e->step);
    }
}

void cpu_dropout(Device *device, Array y, Array x, size_t n, Dropout dropout,
                 const StepBlock *now) {
    if (n == 0) {
        return;
    }
    const size_t size = dropout.item_size;
    dropout.probability = now->drops != 0 ? dropout.probability : 0;
    Drops e = {.simd = &cpu_of(device)->simd,
               .dropout = &dropout,
               .first_item = now->first_item,
               .step = now->draw,
               .y = array_floats(y),
               .x = array_floats(x)};
    e.n_items = n / size;
    e.items_each = size < CHUNK ? CHUNK / size : 1;
    e.parts = (size + CHUNK - 1) / CHUNK;
    const size_t n_tasks = (e.n_items + e.items_each - 1) / e.items_each * e.parts;
    cpu_share(device, dropout_task, &e, (int)n_tasks, 2 * (double)n);
}

// Rows of n_b, or parts of one long row.
typedef struct Addition {
    const CpuSimd *simd;
    float *y;
    const float *a, *b;
    size_t rows, n_b, rows_each;
} Addition;

static void add_task(void *context, int i, int thread) {
    (void)thread;
    const Addition *e = context;
    const size_t first = (size_t)i * e->rows_each;
    const size_t rows = e->rows - first < e->rows_each ? e->rows - first : e->rows_each;
    e->simd->add_rows(e->y + first * e->n_b, e->a + first * e->n_b, e->b, rows, e->n_b);
}

static void add_part_task(void *context, int i, int thread) {
    (void)thread;
    const Addition *e = context;
    const size_t parts = (e->n_b + CHUNK - 1) / CHUNK;
    const size_t in_row = (size_t)i % parts * CHUNK;
    const size_t first = (size_t)i / parts * e->n_b + in_row;
    const size_t count = e->n_b - in_row < CHUNK ? e->n_b - in_row : CHUNK;
    e->simd->add_rows(e->y + first, e->a + first, e->b + in_row, 1, count);
}

void cpu_add(Device *device, Array y, Array a, Array b, size_t n, size_t n_b) {
    if (n == 0) {
        return;
    }
    Addition e = {.simd = &cpu_of(device)->simd,
                  .y = array_floats(y),
                  .a = array_floats(a),
                  .b = array_floats(b),
                  .rows = n / n_b,
                  .n_b = n_b};
    const double work_ns = 0.3 * (double)n;
    if (n_b > CHUNK) {
        const size_t parts = (n_b + CHUNK - 1) / CHUNK;
        cpu_share(device, add_part_task, &e, (int)(e.rows * parts), work_ns);
        return;
    }
    e.rows_each = CHUNK / n_b;
    cpu_share(device, add_task, &e, (int)((e.rows + e.rows_each - 1) / e.rows_each), work_ns);
}
