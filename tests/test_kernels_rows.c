// test_kernels_rows.c - softmax, layer norm and sums over rows equal their formulas in double
// precision.
#include "tests/kernel_support.h"

typedef struct RowsCase {
    int rows, C;
    float *x, *dy, *z, *weight, *bias, *statistics;
    NormKind kind;
    float eps;
} RowsCase;

static const int SIZES[][2] = {{1, 1},   {6, 8},   {3, 3},     {5, 17},
                               {2, 100}, {64, 48}, {300, 129}, {3, 1500}};
enum { N_SIZES = sizeof SIZES / sizeof SIZES[0] };

static RowsCase rows_case(int rows, int C) {
    const size_t n = (size_t)rows * C;
    RowsCase c = {.rows = rows, .C = C, .eps = 1e-5F};
    c.x = kernel_draw(n, 1, 4);
    c.dy = kernel_draw(n, 2, 1);
    c.z = kernel_floats(n);
    c.weight = kernel_draw((size_t)C, 3, 1);
    c.bias = kernel_draw((size_t)C, 4, 1);
    c.statistics = kernel_floats(2 * (size_t)rows);
    return c;
}

static void free_rows(RowsCase *c) {
    free(c->x);
    free(c->dy);
    free(c->z);
    free(c->weight);
    free(c->bias);
    free(c->statistics);
}

static size_t size_of(const RowsCase *c) {
    return (size_t)c->rows * c->C;
}

static void check(const void *context, size_t n, double tolerance,
                  void (*run)(Device *, const void *, float *),
                  void (*expected)(const void *, double *)) {
    const KernelCase test = {
        .run = run, .expected = expected, .context = context, .n = n, .tolerance = tolerance};
    kernel_check(&test);
}

// ---- softmax and its logarithm

static double lse_of(const float *x, int n) {
    double max = -INFINITY;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        max = fmax(max, x[i]);
    }
    for (int i = 0; i < n && max > -INFINITY; i++) {
        sum += exp(x[i] - max);
    }
    return max == -INFINITY ? -INFINITY : max + log(sum);
}

static void run_softmax(Device *device, const void *context, float *out) {
    const RowsCase *c = context;
    device->backend->softmax(device, kernel_array(out), kernel_array(c->x), c->rows, c->C);
}

static void expect_softmax(const void *context, double *out) {
    const RowsCase *c = context;
    for (size_t i = 0; i < size_of(c); i++) {
        const double lse = lse_of(c->x + i / c->C * c->C, c->C);
        out[i] = lse == -INFINITY ? 0 : exp(c->x[i] - lse);
    }
}

static void run_log_softmax(Device *device, const void *context, float *out) {
    const RowsCase *c = context;
    device->backend->log_softmax(device, kernel_array(out), kernel_array(c->x), c->rows, c->C);
}

static void expect_log_softmax(const void *context, double *out) {
    const RowsCase *c = context;
    for (size_t i = 0; i < size_of(c); i++) {
        const double lse = lse_of(c->x + i / c->C * c->C, c->C);
        out[i] = lse == -INFINITY ? -INFINITY : c->x[i] - lse;
    }
}

static void run_softmax_grad(Device *device, const void *context, float *out) {
    const RowsCase *c = context;
    device->backend->softmax_grad(device, kernel_array(out), kernel_array(c->dy),
                                  kernel_array(c->z), c->rows, c->C);
}

static void expect_softmax_grad(const void *context, double *out) {
    const RowsCase *c = context;
    for (size_t i = 0; i < size_of(c); i++) {
        const size_t row = i / c->C * c->C;
        double dot = 0;
        for (int j = 0; j < c->C; j++) {
            dot += (double)c->z[row + j] * c->dy[row + j];
        }
        out[i] = c->z[i] * (c->dy[i] - dot);
    }
}

static void run_log_softmax_grad(Device *device, const void *context, float *out) {
    const RowsCase *c = context;
    device->backend->log_softmax_grad(device, kernel_array(out), kernel_array(c->dy),
                                      kernel_array(c->z), c->rows, c->C);
}

static void expect_log_softmax_grad(const void *context, double *out) {
    const RowsCase *c = context;
    for (size_t i = 0; i < size_of(c); i++) {
        const size_t row = i / c->C * c->C;
        double sum = 0;
        for (int j = 0; j < c->C; j++) {
            sum += c->dy[row + j];
        }
        out[i] = c->dy[i] - exp((double)c->z[i]) * sum;
    }
}

// Every third element -inf, the first row -inf alone.
static void hide_some(RowsCase *c) {
    for (size_t i = 0; i < size_of(c); i++) {
        if (i < (size_t)c->C || i % 3 == 2) {
            c->x[i] = -INFINITY;
        }
    }
}

static void softmax_and_its_logarithm_with_and_without_minus_infinity(void **state) {
    (void)state;
    for (int i = 0; i < 2 * N_SIZES; i++) {
        RowsCase c = rows_case(SIZES[i / 2][0], SIZES[i / 2][1]);
        if (i % 2 == 1) {
            hide_some(&c);
        }
        check(&c, size_of(&c), 5e-7, run_softmax, expect_softmax);
        check(&c, size_of(&c), 5e-7, run_log_softmax, expect_log_softmax);
        free_rows(&c);
    }
}

static void softmax_rows_sum_to_one(void **state) {
    (void)state;
    for (int i = 0; i < N_SIZES; i++) {
        RowsCase c = rows_case(SIZES[i][0], SIZES[i][1]);
        Device *device = cpu_open(1);
        run_softmax(device, &c, c.z);
        for (int r = 0; r < c.rows; r++) {
            double sum = 0;
            for (int j = 0; j < c.C; j++) {
                sum += c.z[(size_t)r * c.C + j];
            }
            assert_true(fabs(sum - 1) <= 1e-6);
        }
        cpu_close(device);
        free_rows(&c);
    }
}

static void gradients_of_softmax_and_its_logarithm(void **state) {
    (void)state;
    for (int i = 0; i < N_SIZES; i++) {
        RowsCase c = rows_case(SIZES[i][0], SIZES[i][1]);
        hide_some(&c);
        Device *device = cpu_open(1);
        run_softmax(device, &c, c.z);
        check(&c, size_of(&c), 5e-7, run_softmax_grad, expect_softmax_grad);
        run_log_softmax(device, &c, c.z);
        check(&c, size_of(&c), 1e-6, run_log_softmax_grad, expect_log_softmax_grad);
        cpu_close(device);
        free_rows(&c);
    }
}

// ---- layer norm

typedef struct Moments {
    double mean, deviation, inverse;
} Moments;

static Moments moments(const RowsCase *c, int r) {
    const float *x = c->x + (size_t)r * c->C;
    Moments m = {0};
    for (int j = 0; j < c->C; j++) {
        m.mean += (double)x[j] / c->C;
    }
    double squares = 0;
    for (int j = 0; j < c->C; j++) {
        squares += (x[j] - m.mean) * (x[j] - m.mean);
    }
    m.deviation = sqrt(squares / (c->C > 1 ? c->C - 1 : 1));
    m.inverse =
        c->kind == NORM_STANDARD ? 1 / sqrt(squares / c->C + c->eps) : 1 / (m.deviation + c->eps);
    return m;
}

static void run_norm(Device *device, const void *context, float *out) {
    const RowsCase *c = context;
    device->backend->layer_norm(device, kernel_array(out), kernel_array(out + size_of(c)),
                                kernel_array(c->x), kernel_array(c->weight), kernel_array(c->bias),
                                c->rows, c->C, c->eps, c->kind);
}

static void expect_norm(const void *context, double *out) {
    const RowsCase *c = context;
    for (int r = 0; r < c->rows; r++) {
        const Moments m = moments(c, r);
        out[size_of(c) + 2 * (size_t)r] = m.mean;
        out[size_of(c) + 2 * (size_t)r + 1] = m.inverse;
        for (int j = 0; j < c->C; j++) {
            const size_t i = (size_t)r * c->C + j;
            out[i] = c->weight[j] * (c->x[i] - m.mean) * m.inverse + c->bias[j];
        }
    }
}

static void run_norm_grad(Device *device, const void *context, float *out) {
    const RowsCase *c = context;
    device->backend->layer_norm_grad(device, kernel_array(out), kernel_array(c->dy),
                                     kernel_array(c->x), kernel_array(c->weight),
                                     kernel_array(c->statistics), c->rows, c->C, c->eps, c->kind);
}

// By the product rule on (x - mean) * inverse.
static void expect_norm_grad(const void *context, double *out) {
    const RowsCase *c = context;
    for (int r = 0; r < c->rows; r++) {
        const Moments m = moments(c, r);
        const float *x = c->x + (size_t)r * c->C;
        const float *dy = c->dy + (size_t)r * c->C;
        double sum = 0;
        double dot = 0;
        for (int i = 0; i < c->C; i++) {
            sum += (double)dy[i] * c->weight[i];
            dot += (double)dy[i] * c->weight[i] * (x[i] - m.mean);
        }
        for (int j = 0; j < c->C; j++) {
            // d inverse / d x[j]
            double slope = -m.inverse * m.inverse * m.inverse * (x[j] - m.mean) / c->C;
            if (c->kind == NORM_ANNOTATED) {
                slope = m.deviation > 0 ? -m.inverse * m.inverse * (x[j] - m.mean) /
                                              ((c->C > 1 ? c->C - 1 : 1) * m.deviation)
                                        : 0;
            }
            out[(size_t)r * c->C + j] =
                m.inverse * (dy[j] * (double)c->weight[j] - sum / c->C) + slope * dot;
        }
    }
}

static void run_weight_grad(Device *device, const void *context, float *out) {
    const RowsCase *c = context;
    device->backend->layer_norm_weight_grad(device, kernel_array(out), kernel_array(c->dy),
                                            kernel_array(c->x), kernel_array(c->statistics),
                                            c->rows, c->C);
}

static void expect_weight_grad(const void *context, double *out) {
    const RowsCase *c = context;
    memset(out, 0, (size_t)c->C * sizeof *out);
    for (int r = 0; r < c->rows; r++) {
        const Moments m = moments(c, r);
        for (int j = 0; j < c->C; j++) {
            const size_t i = (size_t)r * c->C + j;
            out[j] += c->dy[i] * (c->x[i] - m.mean) * m.inverse;
        }
    }
}

static void layer_norm_of_both_kinds_and_its_gradients(void **state) {
    (void)state;
    for (int i = 0; i < 2 * N_SIZES; i++) {
        RowsCase c = rows_case(SIZES[i / 2][0], SIZES[i / 2][1]);
        c.kind = i % 2 == 0 ? NORM_STANDARD : NORM_ANNOTATED;
        check(&c, size_of(&c) + 2 * (size_t)c.rows, c.C == 1 ? 1e-4 : 1e-6, run_norm, expect_norm);
        Device *device = cpu_open(1);
        device->backend->layer_norm(device, kernel_array(c.z), kernel_array(c.statistics),
                                    kernel_array(c.x), kernel_array(c.weight), kernel_array(c.bias),
                                    c.rows, c.C, c.eps, c.kind);
        cpu_close(device);
        check(&c, size_of(&c), c.C == 1 ? 1e-4 : 2e-6, run_norm_grad, expect_norm_grad);
        check(&c, (size_t)c.C, 1e-5, run_weight_grad, expect_weight_grad);
        free_rows(&c);
    }
}

static void a_constant_row_has_finite_norm_and_gradient(void **state) {
    (void)state;
    for (int kind = NORM_STANDARD; kind <= NORM_ANNOTATED; kind++) {
        RowsCase c = rows_case(2, 8);
        c.kind = (NormKind)kind;
        for (int i = 0; i < 16; i++) {
            c.x[i] = 3;
        }
        float out[20];
        Device *device = cpu_open(1);
        run_norm(device, &c, out);
        memcpy(c.statistics, out + 16, 4 * sizeof *out);
        for (int i = 0; i < 16; i++) {
            assert_true(out[i] == c.bias[i % 8]);
        }
        run_norm_grad(device, &c, out);
        for (int i = 0; i < 16; i++) {
            assert_true(isfinite(out[i]));
        }
        cpu_close(device);
        free_rows(&c);
    }
}

static void run_sum_rows(Device *device, const void *context, float *out) {
    const RowsCase *c = context;
    device->backend->sum_rows(device, kernel_array(out), kernel_array(c->x), c->rows, c->C);
}

static void expect_sum_rows(const void *context, double *out) {
    const RowsCase *c = context;
    memset(out, 0, (size_t)c->C * sizeof *out);
    for (size_t i = 0; i < size_of(c); i++) {
        out[i % (size_t)c->C] += c->x[i];
    }
}

static void sums_over_rows(void **state) {
    (void)state;
    for (int i = 0; i < N_SIZES; i++) {
        RowsCase c = rows_case(SIZES[i][0], SIZES[i][1]);
        check(&c, (size_t)c.C, 1e-5, run_sum_rows, expect_sum_rows);
        free_rows(&c);
    }
    RowsCase none = rows_case(0, 20);
    check(&none, 20, 0, run_sum_rows, expect_sum_rows);
    free_rows(&none);
}

static void softmax_does_not_hide_not_a_number(void **state) {
    (void)state;
    const float x[2][3] = {{NAN, NAN, -INFINITY}, {1, NAN, 2}};
    float y[2][3];
    Device *device = cpu_open(1);
    device->backend->softmax(device, kernel_array(y[0]), kernel_array(x[0]), 2, 3);
    assert_true(isnan(y[0][0]) && isnan(y[0][1]));
    assert_true(isnan(y[1][0]) && isnan(y[1][1]) && isnan(y[1][2]));
    cpu_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax_and_its_logarithm_with_and_without_minus_infinity),
        cmocka_unit_test(softmax_rows_sum_to_one),
        cmocka_unit_test(softmax_does_not_hide_not_a_number),
        cmocka_unit_test(gradients_of_softmax_and_its_logarithm),
        cmocka_unit_test(layer_norm_of_both_kinds_and_its_gradients),
        cmocka_unit_test(a_constant_row_has_finite_norm_and_gradient),
        cmocka_unit_test(sums_over_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
