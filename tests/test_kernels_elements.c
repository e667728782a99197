// test_kernels_elements.c - elements, layouts and updates equal their formulas in double precision.
#include "tests/kernel_support.h"

typedef struct ElementCase {
    size_t n, n_b;
    const float *a, *b;
    const float *const *inputs;
} ElementCase;

static void check(const ElementCase *c, double tolerance,
                  void (*run)(Device *, const void *, float *),
                  void (*expected)(const void *, double *)) {
    const KernelCase test = {
        .run = run, .expected = expected, .context = c, .n = c->n, .tolerance = tolerance};
    kernel_check(&test);
}

static const size_t COUNTS[] = {0, 1, 7, 48, 1000, 16384, 100003};
enum { N_COUNTS = sizeof COUNTS / sizeof COUNTS[0] };

static void run_add(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->add(device, kernel_array(out), kernel_array(c->a), kernel_array(c->b), c->n,
                         c->n_b);
}

static void expect_add(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = (double)c->a[i] + c->b[i % c->n_b];
    }
}

static void run_sum(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    Terms terms = {
        3, {kernel_array(c->inputs[0]), kernel_array(c->inputs[1]), kernel_array(c->inputs[2])}};
    device->backend->sum(device, kernel_array(out), &terms, c->n);
}

static void expect_sum(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = (double)c->inputs[0][i] + c->inputs[1][i] + c->inputs[2][i];
    }
}

static void run_scale(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->scale(device, kernel_array(out), kernel_array(c->a), -2.5F, c->n);
}

static void expect_scale(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = -2.5 * c->a[i];
    }
}

static void sums_and_scale(void **state) {
    (void)state;
    for (int i = 0; i < N_COUNTS; i++) {
        const size_t n = COUNTS[i];
        float *a = kernel_draw(n, 1, 1);
        float *b = kernel_draw(n, 2, 1);
        const float *const inputs[3] = {a, b, a};
        ElementCase c = {.n = n, .n_b = n, .a = a, .b = b, .inputs = inputs};
        check(&c, 1e-7, run_add, expect_add);
        check(&c, 2e-7, run_sum, expect_sum);
        check(&c, 1e-7, run_scale, expect_scale);
        free(a);
        free(b);
    }
}

static void a_short_row_is_added_to_every_row(void **state) {
    (void)state;
    static const size_t ROWS[][2] = {{1, 1}, {5, 3}, {6, 8}, {4000, 48}, {3, 20000}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const size_t n = ROWS[i][0] * ROWS[i][1];
        float *a = kernel_draw(n, 1, 1);
        float *b = kernel_draw(ROWS[i][1], 2, 1);
        ElementCase c = {.n = n, .n_b = ROWS[i][1], .a = a, .b = b};
        check(&c, 1e-7, run_add, expect_add);
        free(a);
        free(b);
    }
}

static void run_relu(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->relu(device, kernel_array(out), kernel_array(c->a), c->n);
}

static void expect_relu(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = c->a[i] > 0 ? c->a[i] : 0;
    }
}

static void run_relu_grad(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->relu_grad(device, kernel_array(out), kernel_array(c->b), kernel_array(c->a),
                               c->n);
}

static void expect_relu_grad(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = c->a[i] > 0 ? c->b[i] : 0;
    }
}

static double gelu(double x) {
    return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

static void run_gelu(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->gelu(device, kernel_array(out), kernel_array(c->a), c->n);
}

static void expect_gelu(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = gelu(c->a[i]);
    }
}

static void run_gelu_grad(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->gelu_grad(device, kernel_array(out), kernel_array(c->b), kernel_array(c->a),
                               c->n);
}

// A central difference, in double.
static void expect_gelu_grad(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = c->b[i] * (gelu(c->a[i] + 1e-5) - gelu(c->a[i] - 1e-5)) / 2e-5;
    }
}

static void run_tanh(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->tanh(device, kernel_array(out), kernel_array(c->a), c->n);
}

static void expect_tanh(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = tanh((double)c->a[i]);
    }
}

static void run_tanh_grad(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->tanh_grad(device, kernel_array(out), kernel_array(c->a), kernel_array(c->b),
                               c->n);
}

static void expect_tanh_grad(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = c->a[i] * (1.0 - (double)c->b[i] * c->b[i]);
    }
}

static void run_sigmoid(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->sigmoid(device, kernel_array(out), kernel_array(c->a), c->n);
}

static void expect_sigmoid(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = 1.0 / (1.0 + exp(-(double)c->a[i]));
    }
}

static void run_sigmoid_grad(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->sigmoid_grad(device, kernel_array(out), kernel_array(c->a), kernel_array(c->b),
                                  c->n);
}

static void expect_sigmoid_grad(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = c->a[i] * (double)c->b[i] * (1.0 - c->b[i]);
    }
}

static void run_multiply(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->multiply(device, kernel_array(out), kernel_array(c->a), kernel_array(c->b),
                              c->n);
}

static void expect_multiply(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = (double)(c->a[i] * c->b[i]);
    }
}

// What is relative to the number itself: near 0 a difference of exponentials would lose it.
static void tanh_keeps_its_digits_near_zero(void **state) {
    (void)state;
    float x[64];
    float y[64];
    for (int i = 0; i < 64; i++) {
        x[i] = (i % 2 == 0 ? 1.0F : -1.0F) * ldexpf(1.0F + (float)i / 97.0F, -i / 2);
    }
    Device *device = cpu_open(1);
    device->backend->tanh(device, kernel_array(y), kernel_array(x), 64);
    for (int i = 0; i < 64; i++) {
        double exact = tanh((double)x[i]);
        assert_true(fabs((double)y[i] - exact) <= 3e-7 * fabs(exact));
    }
    const float other[] = {INFINITY, -INFINITY, NAN, 1e30F};
    device->backend->tanh(device, kernel_array(y), kernel_array(other), 4);
    assert_true(y[0] == 1.0F && y[1] == -1.0F && isnan(y[2]) && y[3] == 1.0F);
    device->backend->sigmoid(device, kernel_array(y), kernel_array(other), 4);
    assert_true(y[0] == 1.0F && y[1] < 1e-30F && isnan(y[2]) && y[3] == 1.0F);
    cpu_close(device);
}

static void activations_and_their_gradients(void **state) {
    (void)state;
    for (int i = 0; i < N_COUNTS; i++) {
        const size_t n = COUNTS[i];
        float *a = kernel_draw(n, 1, 4);
        float *b = kernel_draw(n, 2, 1);
        if (n > 6) {
            a[0] = 0;
            a[1] = -0.0F;
            a[2] = 60;
            a[3] = -60;
            a[4] = 1e-20F;
            a[5] = -13;
        }
        ElementCase c = {.n = n, .a = a, .b = b};
        check(&c, 0, run_relu, expect_relu);
        check(&c, 0, run_relu_grad, expect_relu_grad);
        check(&c, 4e-7, run_gelu, expect_gelu);
        check(&c, 6e-7, run_gelu_grad, expect_gelu_grad);
        check(&c, 2e-7, run_tanh, expect_tanh);
        check(&c, 6e-7, run_tanh_grad, expect_tanh_grad);
        check(&c, 2e-7, run_sigmoid, expect_sigmoid);
        check(&c, 6e-7, run_sigmoid_grad, expect_sigmoid_grad);
        check(&c, 0, run_multiply, expect_multiply);
        free(a);
        free(b);
    }
}

// ---- dropout

typedef struct DropoutCase {
    const float *x;
    size_t n;
    Dropout dropout;
    StepBlock now;
} DropoutCase;

static void run_dropout(Device *device, const void *context, float *out) {
    const DropoutCase *c = context;
    device->backend->dropout(device, kernel_array(out), kernel_array(c->x), c->n, c->dropout,
                             &c->now);
}

static void expect_dropout(const void *context, double *out) {
    const DropoutCase *c = context;
    const Dropout *d = &c->dropout;
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t element =
            random_element(c->now.first_item + i / d->item_size, i % d->item_size);
        const float draw = random_uniform(d->seed, d->purpose, c->now.draw, element);
        out[i] = draw >= d->probability ? c->x[i] / (1.0 - d->probability) : 0;
    }
}

static void dropout_draws_as_random_h_does(void **state) {
    (void)state;
    static const size_t ITEMS[][2] = {{0, 5},     {1, 1},      {7, 1},      {3, 24},
                                      {25, 62},   {300, 63},   {2, 16384},  {5, 16385},
                                      {4, 40000}, {1, 100003}, {1000, 100}, {40000, 3}};
    for (size_t i = 0; i < sizeof ITEMS / sizeof ITEMS[0]; i++) {
        const size_t n = ITEMS[i][0] * ITEMS[i][1];
        float *x = kernel_draw(n, 1, 1);
        const DropoutCase c = {
            .x = x,
            .n = n,
            .dropout = {.probability = 0.25F,
                        .purpose = 5,
                        .seed = 1234567890123ULL,
                        .item_size = ITEMS[i][1]},
            .now = {.drops = 1, .draw = (77ULL << 32) + i, .first_item = i == 3 ? 1000000 : i}};
        const KernelCase test = {.run = run_dropout,
                                 .expected = expect_dropout,
                                 .context = &c,
                                 .n = n,
                                 .tolerance = 2e-7};
        kernel_check(&test);
        free(x);
    }
}

// ---- updates

static const AdamStep ADAM = {.beta1 = 0.9F, .beta2 = 0.99F, .eps = 1e-8F, .decay = 0.1F};
static const StepBlock NOW = {.lr = 1e-2F, .correction1 = 0.271F, .correction2 = 0.0297F};
static const float FACTOR = 0.5F;

// a: w, m, v one after the other, each a third of n; b: the gradient.
static void run_adamw(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    const size_t n = c->n / 3;
    device->backend->adamw(device, kernel_array(out), kernel_array(out + n),
                           kernel_array(out + 2 * n), kernel_array(c->a), kernel_array(c->a + n),
                           kernel_array(c->a + 2 * n), kernel_array(c->b), n, ADAM, &NOW,
                           kernel_array(&FACTOR));
}

static void run_adamw_in_place(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    const size_t n = c->n / 3;
    memcpy(out, c->a, c->n * sizeof *out);
    device->backend->adamw(device, kernel_array(out), kernel_array(out + n),
                           kernel_array(out + 2 * n), kernel_array(out), kernel_array(out + n),
                           kernel_array(out + 2 * n), kernel_array(c->b), n, ADAM, &NOW,
                           kernel_array(&FACTOR));
}

static void expect_adamw(const void *context, double *out) {
    const ElementCase *c = context;
    const AdamStep s = ADAM;
    const size_t n = c->n / 3;
    for (size_t i = 0; i < n; i++) {
        const double g = (double)FACTOR * c->b[i];
        const double m = (double)s.beta1 * c->a[n + i] + (1.0 - s.beta1) * g;
        const double v = (double)s.beta2 * c->a[2 * n + i] + (1.0 - s.beta2) * g * g;
        const double w = c->a[i] * (1 - (double)NOW.lr * s.decay);
        out[i] = w - NOW.lr * (m / NOW.correction1) / (sqrt(v / NOW.correction2) + s.eps);
        out[n + i] = m;
        out[2 * n + i] = v;
    }
}

static void run_sgd(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    device->backend->sgd(device, kernel_array(out), kernel_array(c->a), kernel_array(c->b), c->n,
                         0.01F, &NOW, kernel_array(&FACTOR));
}

static void expect_sgd(const void *context, double *out) {
    const ElementCase *c = context;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = c->a[i] - (double)NOW.lr * ((double)FACTOR * c->b[i] + (double)0.01F * c->a[i]);
    }
}

static void run_square_sum(Device *device, const void *context, float *out) {
    const ElementCase *c = context;
    memset(out, 0, c->n * sizeof *out);
    if (c->n > 0) {
        double sum = 0;
        device->backend->square_sum(device, &sum, kernel_array(c->a), c->n, false);
        out[0] = (float)sum;
    }
}

static void expect_square_sum(const void *context, double *out) {
    const ElementCase *c = context;
    memset(out, 0, c->n * sizeof *out);
    for (size_t i = 0; i < c->n; i++) {
        out[0] += (double)c->a[i] * c->a[i];
    }
}

static void updates_of_parameters(void **state) {
    (void)state;
    for (int i = 0; i < N_COUNTS; i++) {
        const size_t n = COUNTS[i] / 3 * 3;
        float *a = kernel_draw(n, 1, 1);
        float *b = kernel_draw(n, 2, 1);
        for (size_t j = 2 * n / 3; j < n; j++) {
            a[j] = fabsf(a[j]); // v
        }
        ElementCase c = {.n = n, .a = a, .b = b};
        check(&c, 5e-7, run_adamw, expect_adamw);
        check(&c, 5e-7, run_adamw_in_place, expect_adamw);
        check(&c, 2e-7, run_sgd, expect_sgd);
        check(&c, 1e-7, run_square_sum, expect_square_sum);
        free(a);
        free(b);
    }
}

// In place and apart; a square or a loss that is not finite stops both.
static void a_factor_that_is_no_number_updates_nothing(void **state) {
    (void)state;
    Device *device = cpu_open(1);
    const double square[] = {4, INFINITY, 4};
    const float losses[] = {1, 2, NAN};
    for (int i = 0; i < 3; i++) {
        const float w[] = {1, -2};
        float in_place[] = {1, -2};
        float apart[] = {7, 7};
        float m[] = {3, 4};
        float v[] = {5, 6};
        float factor = 0;
        const ClipScale clip = {.scale = 1, .clip = 1, .n_losses = i + 1};
        device->backend->clip_scale(device, kernel_array(&factor), &square[i], kernel_array(losses),
                                    clip);
        const bool is_good = i == 0;
        assert_true(is_good ? factor == 0.5F : isnan(factor));
        device->backend->sgd(device, kernel_array(apart), kernel_array(w), kernel_array(w), 2, 0,
                             &NOW, kernel_array(&factor));
        device->backend->adamw(device, kernel_array(in_place), kernel_array(m), kernel_array(v),
                               kernel_array(in_place), kernel_array(m), kernel_array(v),
                               kernel_array(w), 2, ADAM, &NOW, kernel_array(&factor));
        for (int k = 0; k < 2; k++) {
            assert_true((apart[k] == w[k]) == !is_good);
            assert_true((in_place[k] == w[k]) == !is_good);
            assert_true((m[k] == 3.0F + (float)k) == !is_good);
        }
    }
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_scale),
        cmocka_unit_test(a_short_row_is_added_to_every_row),
        cmocka_unit_test(activations_and_their_gradients),
        cmocka_unit_test(tanh_keeps_its_digits_near_zero),
        cmocka_unit_test(dropout_draws_as_random_h_does),
        cmocka_unit_test(a_factor_that_is_no_number_updates_nothing),
        cmocka_unit_test(updates_of_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
