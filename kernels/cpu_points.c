// cpu_points.c - kernels of points: where they lie, their features, how alike two of them are.
#include <math.h>

#include "kernels/cpu_device.h"

enum { TASK_ROWS = 64 };

typedef struct Points {
    float *y;
    const float *x, *z;
    const int32_t *ids;
    int rows, first, side;
    KernelShape shape;
} Points;

static void share_points(Device *device, PoolTask *task, Points *e, double ns_each) {
    cpu_share(device, task, e, (e->rows + TASK_ROWS - 1) / TASK_ROWS, ns_each * e->rows);
}

static int end_of(const Points *e, int i) {
    const int end = (i + 1) * TASK_ROWS;
    return end < e->rows ? end : e->rows;
}

static void grid_task(void *context, int i, int thread) {
    (void)thread;
    const Points *e = context;
    const double middle = (e->side - 1) / 2.0;
    for (int r = i * TASK_ROWS; r < end_of(e, i); r++) {
        const int place = e->ids[r] - e->first;
        const int column = place % e->side;
        const int row = place / e->side;
        e->y[2 * r] = (float)(2.0 * (column - middle) / middle);
        e->y[2 * r + 1] = (float)(2.0 * (row - middle) / middle);
    }
}

void cpu_grid(Device *device, Array y, Array ids, int rows, int first, int side) {
    Points e = {
        .y = array_floats(y), .ids = array_ids(ids), .rows = rows, .first = first, .side = side};
    share_points(device, grid_task, &e, 5.0);
}

static void feature_map_task(void *context, int i, int thread) {
    (void)thread;
    const Points *e = context;
    const float root = sqrtf(2.0F);
    for (int r = i * TASK_ROWS; r < end_of(e, i); r++) {
        const float a = e->x[2 * r];
        const float b = e->x[2 * r + 1];
        float *y = e->y + 6 * (size_t)r;
        y[0] = 1.0F;
        y[1] = root * a;
        y[2] = root * b;
        y[3] = a * a;
        y[4] = b * b;
        y[5] = root * a * b;
    }
}

void cpu_feature_map(Device *device, Array y, Array x, int rows) {
    Points e = {.y = array_floats(y), .x = array_floats(x), .rows = rows};
    share_points(device, feature_map_task, &e, 3.0);
}

static float kernel_of(const KernelShape *shape, const float *x, const float *z) {
    float sum = 0.0F;
    if (shape->kind == KERNEL_POLYNOMIAL) {
        for (int c = 0; c < shape->C; c++) {
            sum += x[c] * z[c];
        }
        return (1.0F + sum) * (1.0F + sum);
    }
    for (int c = 0; c < shape->C; c++) {
        sum += (x[c] - z[c]) * (x[c] - z[c]);
    }
    return expf(-shape->gamma * sum);
}

// A row of the output is a point x with every z of its item.
static void kernel_function_task(void *context, int i, int thread) {
    (void)thread;
    const Points *e = context;
    const KernelShape *shape = &e->shape;
    for (int r = i * TASK_ROWS; r < end_of(e, i); r++) {
        const float *x = e->x + (size_t)r * shape->C;
        const float *z = e->z + (size_t)(r / shape->T) * shape->S * shape->C;
        float *y = e->y + (size_t)r * shape->S;
        for (int s = 0; s < shape->S; s++) {
            y[s] = kernel_of(shape, x, z + (size_t)s * shape->C);
        }
    }
}

void cpu_kernel_function(Device *device, Array y, Array x, Array z, KernelShape shape) {
    Points e = {.y = array_floats(y),
                .x = array_floats(x),
                .z = array_floats(z),
                .rows = shape.B * shape.T,
                .shape = shape};
    share_points(device, kernel_function_task, &e, 8.0 * shape.S);
}
