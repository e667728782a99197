// cpu_rows.c - kernels that treat each row alone, and sums over rows: softmax, layer norm.
#include "kernels/cpu_device.h"

// About how many elements a task takes; whole rows of them, or whole columns.
enum { TASK_ELEMENTS = 1 << 13, TASK_COLUMNS = 32 };

typedef struct Rows {
    const CpuSimd *simd;
    float *y, *statistics_out;
    const float *x, *dy, *weight, *bias, *statistics;
    int rows, n, rows_each;
    float eps;
    NormKind kind;
} Rows;

typedef struct Part {
    int first, count;
    size_t at;
} Part;

static Part part(const Rows *e, int i) {
    const int first = i * e->rows_each;
    const int left = e->rows - first;
    return (Part){first, left < e->rows_each ? left : e->rows_each, (size_t)first * e->n};
}

static void share(Device *device, PoolTask *task, Rows *e, double ns_each) {
    if (e->rows == 0 || e->n == 0) {
        return;
    }
    e->simd = &cpu_of(device)->simd;
    e->rows_each = e->n < TASK_ELEMENTS ? TASK_ELEMENTS / e->n : 1;
    cpu_share(device, task, e, (e->rows + e->rows_each - 1) / e->rows_each,
              ns_each * e->rows * e->n);
}

static void softmax_task(void *context, int i, int thread) {
    (void)thread;
    const Rows *e = context;
    const Part p = part(e, i);
    e->simd->softmax(e->y + p.at, e->x + p.at, p.count, e->n);
}

void cpu_softmax(Device *device, Array y, Array x, int rows, int n) {
    Rows e = {.y = array_floats(y), .x = array_floats(x), .rows = rows, .n = n};
    share(device, softmax_task, &e, 0.8);
}

static void softmax_grad_task(void *context, int i, int thread) {
    (void)thread;
    const Rows *e = context;
    const Part p = part(e, i);
    e->simd->softmax_grad(e->y + p.at, e->dy + p.at, e->x + p.at, p.count, e->n);
}

void cpu_softmax_grad(Device *device, Array dx, Array dy, Array y, int rows, int n) {
    Rows e = {
        .y = array_floats(dx), .dy = array_floats(dy), .x = array_floats(y), .rows = rows, .n = n};
    share(device, softmax_grad_task, &e, 0.4);
}

static void log_softmax_task(void *context, int i, int thread) {
    (void)thread;
    const Rows *e = context;
    const Part p = part(e, i);
    e->simd->log_softmax(e->y + p.at, e->x + p.at, p.count, e->n);
}

void cpu_log_softmax(Device *device, Array y, Array x, int rows, int n) {
    Rows e = {.y = array_floats(y), .x = array_floats(x), .rows = rows, .n = n};
    share(device, log_softmax_task, &e, 0.8);
}

static void log_softmax_grad_task(void *context, int i, int thread) {
    (void)thread;
    const Rows *e = context;
    const Part p = part(e, i);
    e->simd->log_softmax_grad(e->y + p.at, e->dy + p.at, e->x + p.at, p.count, e->n);
}

void cpu_log_softmax_grad(Device *device, Array dx, Array dy, Array y, int rows, int n) {
    Rows e = {
        .y = array_floats(dx), .dy = array_floats(dy), .x = array_floats(y), .rows = rows, .n = n};
    share(device, log_softmax_grad_task, &e, 0.8);
}

static void layer_norm_task(void *context, int i, int thread) {
    (void)thread;
    const Rows *e = context;
    const Part p = part(e, i);
    e->simd->layer_norm(e->y + p.at, e->statistics_out + 2 * (size_t)p.first, e->x + p.at,
                        e->weight, e->bias, p.count, e->n, e->eps, e->kind);
}

void cpu_layer_norm(Device *device, Array y, Array statistics, Array x, Array weight, Array bias,
                    int rows, int C, float eps, NormKind kind) {
    Rows e = {.y = array_floats(y),
              .statistics_out = array_floats(statistics),
              .x = array_floats(x),
              .weight = array_floats(weight),
              .bias = array_floats(bias),
              .rows = rows,
              .n = C,
              .eps = eps,
              .kind = kind};
    share(device, layer_norm_task, &e, 0.4);
}

static void layer_norm_grad_task(void *context, int i, int thread) {
    (void)thread;
    const Rows *e = context;
    const Part p = part(e, i);
    e->simd->layer_norm_grad(e->y + p.at, e->dy + p.at, e->x + p.at, e->weight,
                             e->statistics + 2 * (size_t)p.first, p.count, e->n, e->kind);
}

void cpu_layer_norm_grad(Device *device, Array dx, Array dy, Array x, Array weight,
                         Array statistics, int rows, int C, float eps, NormKind kind) {
    (void)eps; // part of the statistics already
    Rows e = {.y = array_floats(dx),
              .dy = array_floats(dy),
              .x = array_floats(x),
              .weight = array_floats(weight),
              .statistics = array_floats(statistics),
              .rows = rows,
              .n = C,
              .kind = kind};
    share(device, layer_norm_grad_task, &e, 0.5);
}

static void share_columns(Device *device, PoolTask *task, Rows *e, double ns_each) {
    e->simd = &cpu_of(device)->simd;
    cpu_share(device, task, e, (e->n + TASK_COLUMNS - 1) / TASK_COLUMNS, ns_each * e->rows * e->n);
}

static int columns_of(const Rows *e, int i) {
    const int left = e->n - i * TASK_COLUMNS;
    return left < TASK_COLUMNS ? left : TASK_COLUMNS;
}

static void sum_rows_task(void *context, int i, int thread) {
    (void)thread;
    const Rows *e = context;
    const int first = i * TASK_COLUMNS;
    e->simd->sum_rows(e->y + first, e->x + first, e->rows, columns_of(e, i), (size_t)e->n);
}

void cpu_sum_rows(Device *device, Array y, Array x, int rows, int C) {
    Rows e = {.y = array_floats(y), .x = array_floats(x), .rows = rows, .n = C};
    share_columns(device, sum_rows_task, &e, 0.2);
}

static void weight_grad_task(void *context, int i, int thread) {
    (void)thread;
    const Rows *e = context;
    const int first = i * TASK_COLUMNS;
    e->simd->layer_norm_weight_grad(e->y + first, e->dy + first, e->x + first, e->statistics,
                                    e->rows, columns_of(e, i), (size_t)e->n);
}

void cpu_layer_norm_weight_grad(Device *device, Array dweight, Array dy, Array x, Array statistics,
                                int rows, int C) {
    Rows e = {.y = array_floats(dweight),
              .dy = array_floats(dy),
              .x = array_floats(x),
              .statistics = array_floats(statistics),
              .rows = rows,
              .n = C};
    share_columns(device, weight_grad_task, &e, 0.4);
}
