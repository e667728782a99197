// test_kernels_points.c - kernels of points: where they lie, their features, how alike two are.
#include "tests/kernel_support.h"

typedef struct PointsCase {
    KernelShape shape;
    int rows, side;
    const float *x, *z;
    const int32_t *ids;
} PointsCase;

static void check(const PointsCase *c, size_t n, double tolerance,
                  void (*run)(Device *, const void *, float *),
                  void (*expected)(const void *, double *)) {
    const KernelCase test = {
        .run = run, .expected = expected, .context = c, .n = n, .tolerance = tolerance};
    kernel_check(&test);
}

static void run_grid(Device *device, const void *context, float *out) {
    const PointsCase *c = context;
    device->backend->grid(device, kernel_array(out), kernel_ids(c->ids), c->rows, 2, c->side);
}

// Tenths on a side of 41.
static void expect_grid(const void *context, double *out) {
    const PointsCase *c = context;
    for (int r = 0; r < c->rows; r++) {
        const int column = (c->ids[r] - 2) % c->side - 20;
        const int row = (c->ids[r] - 2) / c->side - 20;
        out[2 * r] = column / 10.0;
        out[2 * r + 1] = row / 10.0;
    }
}

static void places_of_a_grid_of_41_are_tenths(void **state) {
    (void)state;
    enum { ROWS = 1681 };
    int32_t ids[ROWS];
    for (int i = 0; i < ROWS; i++) {
        ids[i] = 2 + (i * 13) % ROWS;
    }
    const PointsCase all = {.ids = ids, .rows = ROWS, .side = 41};
    const PointsCase one = {.ids = ids, .rows = 1, .side = 41};
    check(&all, (size_t)2 * ROWS, 1e-7, run_grid, expect_grid);
    check(&one, 2, 1e-7, run_grid, expect_grid);
}

static void run_features(Device *device, const void *context, float *out) {
    const PointsCase *c = context;
    device->backend->feature_map(device, kernel_array(out), kernel_array(c->x), c->rows);
}

static void expect_features(const void *context, double *out) {
    const PointsCase *c = context;
    for (int r = 0; r < c->rows; r++) {
        const double a = c->x[2 * r];
        const double b = c->x[2 * r + 1];
        const double features[] = {1, sqrt(2) * a, sqrt(2) * b, a * a, b * b, sqrt(2) * a * b};
        memcpy(out + 6 * (size_t)r, features, sizeof features);
    }
}

static void features_are_the_terms_of_the_square(void **state) {
    (void)state;
    static const int ROWS[] = {1, 24, 64, 65, 700};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        float *x = kernel_draw((size_t)2 * ROWS[i], 3, 2);
        const PointsCase c = {.x = x, .rows = ROWS[i]};
        check(&c, (size_t)6 * ROWS[i], 3e-7, run_features, expect_features);
        free(x);
    }
}

static void run_kernel(Device *device, const void *context, float *out) {
    const PointsCase *c = context;
    device->backend->kernel_function(device, kernel_array(out), kernel_array(c->x),
                                     kernel_array(c->z), c->shape);
}

static double kernel_of(const KernelShape *shape, const float *x, const float *z) {
    double product = 0;
    double distance = 0;
    for (int c = 0; c < shape->C; c++) {
        product += (double)x[c] * z[c];
        distance += ((double)x[c] - z[c]) * ((double)x[c] - z[c]);
    }
    return shape->kind == KERNEL_POLYNOMIAL ? (1 + product) * (1 + product)
                                            : exp(-(double)shape->gamma * distance);
}

static void expect_kernel(const void *context, double *out) {
    const PointsCase *c = context;
    const KernelShape *shape = &c->shape;
    for (int r = 0; r < shape->B * shape->T; r++) {
        for (int s = 0; s < shape->S; s++) {
            const float *z = c->z + (size_t)(r / shape->T * shape->S + s) * shape->C;
            out[r * shape->S + s] = kernel_of(shape, c->x + (size_t)r * shape->C, z);
        }
    }
}

static void every_point_meets_the_points_of_its_item(void **state) {
    (void)state;
    static const int SIZES[][4] = {{1, 1, 1, 2}, {2, 24, 24, 2}, {3, 70, 5, 3}, {1, 400, 30, 2}};
    for (size_t i = 0; i < 2 * sizeof SIZES / sizeof SIZES[0]; i++) {
        const int *size = SIZES[i / 2];
        float *x = kernel_draw((size_t)size[0] * size[1] * size[3], 4, 1);
        float *z = kernel_draw((size_t)size[0] * size[2] * size[3], 5, 1);
        const PointsCase c = {.shape = {.kind = i % 2 == 0 ? KERNEL_POLYNOMIAL : KERNEL_GAUSSIAN,
                                        .gamma = 0.7F,
                                        .B = size[0],
                                        .T = size[1],
                                        .S = size[2],
                                        .C = size[3]},
                              .x = x,
                              .z = z};
        check(&c, (size_t)size[0] * size[1] * size[2], 1e-6, run_kernel, expect_kernel);
        free(x);
        free(z);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_a_grid_of_41_are_tenths),
        cmocka_unit_test(features_are_the_terms_of_the_square),
        cmocka_unit_test(every_point_meets_the_points_of_its_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
