// test_kernels_loss.c - losses and their gradients equal their formulas in double precision.
#include "tests/kernel_support.h"

typedef struct LossCase {
    LossShape shape;
    float *x; // logits or log probabilities
    int32_t *labels;
    float dloss;
    float *statistics;
} LossCase;

static size_t size_of(const LossCase *c) {
    return (size_t)c->shape.rows * c->shape.V;
}

static LossCase loss_case(int rows, int V, float smoothing, int32_t pad_id) {
    LossCase c = {.shape = {.rows = rows, .V = V, .smoothing = smoothing, .pad_id = pad_id},
                  .x = kernel_draw((size_t)rows * V, 1, 5),
                  .labels = calloc((size_t)rows + 1, sizeof *c.labels),
                  .dloss = 1.5F,
                  .statistics = kernel_floats(2 * (size_t)rows)};
    for (int r = 0; r < rows; r++) {
        c.labels[r] = (r * 7 + 1) % V;
        if (r % 5 == 3) {
            c.labels[r] = -1;
        }
        if (r % 5 == 4 && pad_id >= 0) {
            c.labels[r] = pad_id;
        }
    }
    return c;
}

static void free_case(LossCase *c) {
    free(c->x);
    free(c->labels);
    free(c->statistics);
}

static bool counted(const LossCase *c, int r) {
    return c->labels[r] >= 0 && (c->shape.pad_id < 0 || c->labels[r] != c->shape.pad_id);
}

static int n_labels(const LossCase *c) {
    int n = 0;
    for (int r = 0; r < c->shape.rows; r++) {
        n += counted(c, r);
    }
    return n;
}

static double target(const LossCase *c, int r, int token) {
    const int others = c->shape.V - (c->shape.pad_id >= 0 ? 2 : 1);
    if (token == c->labels[r]) {
        return 1 - (double)c->shape.smoothing;
    }
    return token == c->shape.pad_id ? 0 : (double)c->shape.smoothing / others;
}

static double lse_of(const float *x, int n) {
    double max = -INFINITY;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        max = fmax(max, x[i]);
    }
    for (int i = 0; i < n; i++) {
        sum += exp(x[i] - max);
    }
    return max + log(fmax(sum, 1));
}

static double expected_loss(const LossCase *c, bool of_logits) {
    double sum = 0;
    for (int r = 0; r < c->shape.rows; r++) {
        const float *x = c->x + (size_t)r * c->shape.V;
        const double lse = of_logits ? lse_of(x, c->shape.V) : 0;
        for (int token = 0; token < c->shape.V && counted(c, r); token++) {
            const double p = target(c, r, token);
            sum += p > 0 ? p * (log(p) - (x[token] - lse)) : 0;
        }
    }
    return n_labels(c) > 0 ? sum / n_labels(c) : 0;
}

static void run_loss(Device *device, const void *context, float *out) {
    const LossCase *c = context;
    device->backend->loss(device, kernel_array(out), kernel_array(c->x), kernel_ids(c->labels),
                          c->shape);
}

static void expect_loss(const void *context, double *out) {
    *out = expected_loss(context, false);
}

static void run_loss_grad(Device *device, const void *context, float *out) {
    const LossCase *c = context;
    device->backend->loss_grad(device, kernel_array(out), kernel_array(&c->dloss),
                               kernel_ids(c->labels), c->shape);
}

static void expect_loss_grad(const void *context, double *out) {
    const LossCase *c = context;
    const int n = n_labels(c);
    for (size_t i = 0; i < size_of(c); i++) {
        const int r = (int)(i / (size_t)c->shape.V);
        out[i] = counted(c, r) ? -target(c, r, (int)(i % (size_t)c->shape.V)) * c->dloss / n : 0;
    }
}

static void run_cross_entropy(Device *device, const void *context, float *out) {
    const LossCase *c = context;
    device->backend->cross_entropy(device, kernel_array(out), kernel_array(c->statistics),
                                   kernel_array(c->x), kernel_ids(c->labels), c->shape);
}

static void expect_cross_entropy(const void *context, double *out) {
    *out = expected_loss(context, true);
}

// In place: the logits become their gradient.
static void run_cross_entropy_grad(Device *device, const void *context, float *out) {
    const LossCase *c = context;
    memcpy(out, c->x, size_of(c) * sizeof *out);
    device->backend->cross_entropy_grad(device, kernel_array(out), kernel_array(&c->dloss),
                                        kernel_array(out), kernel_array(c->statistics),
                                        kernel_ids(c->labels), c->shape);
}

static void expect_cross_entropy_grad(const void *context, double *out) {
    const LossCase *c = context;
    const int V = c->shape.V;
    const int n = n_labels(c);
    for (int r = 0; r < c->shape.rows; r++) {
        const size_t row = (size_t)r * V;
        const double lse = lse_of(c->x + row, V);
        for (int token = 0; token < V; token++) {
            const double p = exp(c->x[row + token] - lse) - target(c, r, token);
            out[row + token] = counted(c, r) ? p * c->dloss / n : 0;
        }
    }
}

static void check(const LossCase *c, size_t n, double tolerance,
                  void (*run)(Device *, const void *, float *),
                  void (*expected)(const void *, double *)) {
    const KernelCase test = {
        .run = run, .expected = expected, .context = c, .n = n, .tolerance = tolerance};
    kernel_check(&test);
}

static void losses_and_gradients_of_many_shapes(void **state) {
    (void)state;
    static const int SIZES[][2] = {{6, 11}, {1, 3}, {300, 65}, {3, 20001}};
    static const float SMOOTHINGS[] = {0, 0.1F, 1};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        for (int s = 0; s < 3; s++) {
            for (int32_t pad = -1; pad < 2; pad += 2) {
                LossCase c = loss_case(SIZES[i][0], SIZES[i][1], SMOOTHINGS[s], pad);
                check(&c, 1, 5e-7, run_loss, expect_loss);
                check(&c, size_of(&c), 2e-7, run_loss_grad, expect_loss_grad);
                check(&c, 1, 5e-7, run_cross_entropy, expect_cross_entropy);
                check(&c, size_of(&c), 3e-7, run_cross_entropy_grad, expect_cross_entropy_grad);
                free_case(&c);
            }
        }
    }
}

// The Annotated Transformer's example: V=5, pad=0, smoothing 0.4, label 2.
static void smoothing_gives_the_row_of_the_annotated_transformer(void **state) {
    (void)state;
    static const float ROW[5] = {0, 0.4F / 3, 0.6F, 0.4F / 3, 0.4F / 3};
    const int32_t label = 2;
    const float dloss = -1;
    float out[5];
    Device *device = cpu_open(1);
    const LossShape shape = {.rows = 1, .V = 5, .smoothing = 0.4F, .pad_id = 0};
    device->backend->loss_grad(device, kernel_array(out), kernel_array(&dloss), kernel_ids(&label),
                               shape);
    for (int i = 0; i < 5; i++) {
        assert_true(fabsf(out[i] - ROW[i]) < 1e-7F);
    }
    cpu_close(device);
}

static void padding_alone_has_loss_and_gradient_zero(void **state) {
    (void)state;
    LossCase c = loss_case(4, 9, 0.1F, 2);
    for (int r = 0; r < 4; r++) {
        c.labels[r] = 2;
    }
    check(&c, 1, 0, run_loss, expect_loss);
    check(&c, 1, 0, run_cross_entropy, expect_cross_entropy);
    check(&c, size_of(&c), 0, run_loss_grad, expect_loss_grad);
    check(&c, size_of(&c), 0, run_cross_entropy_grad, expect_cross_entropy_grad);
    free_case(&c);
}

// -inf where the target is 0 does not make the loss infinite: 0 * log 0 = 0.
static void an_impossible_token_without_a_target_costs_nothing(void **state) {
    (void)state;
    LossCase c = loss_case(1, 7, 0, -1);
    c.x[5] = -INFINITY;
    check(&c, 1, 5e-7, run_loss, expect_loss);
    check(&c, 1, 5e-7, run_cross_entropy, expect_cross_entropy);
    free_case(&c);
    LossCase padded = loss_case(1, 7, 0.3F, 5);
    padded.x[5] = -INFINITY;
    check(&padded, 1, 5e-7, run_loss, expect_loss);
    check(&padded, 1, 5e-7, run_cross_entropy, expect_cross_entropy);
    free_case(&padded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_and_gradients_of_many_shapes),
        cmocka_unit_test(smoothing_gives_the_row_of_the_annotated_transformer),
        cmocka_unit_test(padding_alone_has_loss_and_gradient_zero),
        cmocka_unit_test(an_impossible_token_without_a_target_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
