// test_kernels_attention.c - fused attention equals its formula in double precision, both ways.
#include "tests/kernel_support.h"

enum { WIDTH_GAP = 5 };

typedef struct AttentionCase {
    AttentionShape shape;
    float *q, *k, *v, *dy, *y, *lse;
    int32_t *ids;
} AttentionCase;

static size_t count(int rows, int stride) {
    return (size_t)rows * stride;
}

// q, k and v with different strides, none of them dense.
static AttentionCase attention_case(int B, int T, int S, int H, int D, bool causal) {
    const int width = H * D;
    AttentionCase c = {.shape = {.B = B,
                                 .T = T,
                                 .S = S,
                                 .H = H,
                                 .D = D,
                                 .stride_q = width + WIDTH_GAP,
                                 .stride_k = 2 * width + WIDTH_GAP,
                                 .stride_v = 2 * width,
                                 .stride_y = width,
                                 .scale = 1 / sqrtf((float)D),
                                 .mask = {.causal = causal, .pad_id = 7}}};
    c.q = kernel_draw(count(B * T, c.shape.stride_q), 1, 2);
    c.k = kernel_draw(count(B * S, c.shape.stride_k), 2, 2);
    c.v = kernel_draw(count(B * S, c.shape.stride_v), 3, 1);
    c.dy = kernel_draw(count(B * T, c.shape.stride_y), 4, 1);
    c.y = kernel_floats(count(B * T, c.shape.stride_y));
    c.lse = kernel_floats(count(B * H, T));
    return c;
}

// Some keys are padding; in the last batch, where there is more than one, all of them.
static void add_padding(AttentionCase *c) {
    const int S = c->shape.S;
    c->ids = calloc((size_t)c->shape.B * S, sizeof *c->ids);
    for (int i = 0; i < c->shape.B * S; i++) {
        const bool all = c->shape.B > 1 && i / S == c->shape.B - 1;
        c->ids[i] = all || i % 3 == 1 || i % S > S - 3 ? 7 : i % 5;
    }
    c->shape.mask.key_ids = array_of_ids(c->ids);
}

static void free_case(AttentionCase *c) {
    free(c->q);
    free(c->k);
    free(c->v);
    free(c->dy);
    free(c->y);
    free(c->lse);
    free(c->ids);
}

static size_t y_count(const AttentionCase *c) {
    return count(c->shape.B * c->shape.T, c->shape.stride_y);
}

static void run_forward(Device *device, const void *context, float *out) {
    const AttentionCase *c = context;
    device->backend->attention(device, kernel_array(out), kernel_array(out + y_count(c)),
                               kernel_array(c->q), kernel_array(c->k), kernel_array(c->v),
                               c->shape);
}

static bool sees(const AttentionShape *s, int b, int t, int key) {
    if (s->mask.causal && key > t + s->S - s->T) {
        return false;
    }
    const int32_t *ids = array_ids(s->mask.key_ids);
    return ids == NULL || ids[(size_t)b * s->S + key] != s->mask.pad_id;
}

static double dot(const float *a, const float *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

// weights (S) of one query; the log of their sum before they are divided by it.
static double reference_weights(const AttentionCase *c, int b, int h, int t, double *weights) {
    const AttentionShape *s = &c->shape;
    const float *q = c->q + count(b * s->T + t, s->stride_q) + h * s->D;
    double max = -INFINITY;
    for (int key = 0; key < s->S; key++) {
        const float *k = c->k + count(b * s->S + key, s->stride_k) + h * s->D;
        weights[key] = sees(s, b, t, key) ? s->scale * dot(q, k, s->D) : -INFINITY;
        max = fmax(max, weights[key]);
    }
    double sum = 0;
    for (int key = 0; key < s->S; key++) {
        weights[key] = max == -INFINITY ? 0 : exp(weights[key] - max);
        sum += weights[key];
    }
    for (int key = 0; key < s->S && sum > 0; key++) {
        weights[key] /= sum;
    }
    return sum > 0 ? max + log(sum) : -INFINITY;
}

static void expect_forward(const void *context, double *out) {
    const AttentionCase *c = context;
    const AttentionShape *s = &c->shape;
    double *weights = malloc((size_t)s->S * sizeof *weights);
    for (int row = 0; row < s->B * s->H * s->T; row++) {
        const int t = row % s->T;
        const int h = row / s->T % s->H;
        const int b = row / s->T / s->H;
        out[y_count(c) + row] = reference_weights(c, b, h, t, weights);
        double *y = out + count(b * s->T + t, s->stride_y) + h * s->D;
        for (int d = 0; d < s->D; d++) {
            y[d] = 0;
            for (int key = 0; key < s->S; key++) {
                y[d] += weights[key] * c->v[count(b * s->S + key, s->stride_v) + h * s->D + d];
            }
        }
    }
    free(weights);
}

static size_t q_count(const AttentionCase *c) {
    return count(c->shape.B * c->shape.T, c->shape.stride_q);
}

static size_t k_count(const AttentionCase *c) {
    return count(c->shape.B * c->shape.S, c->shape.stride_k);
}

static size_t v_count(const AttentionCase *c) {
    return count(c->shape.B * c->shape.S, c->shape.stride_v);
}

static void run_backward(Device *device, const void *context, float *out) {
    const AttentionCase *c = context;
    float *dk = out + q_count(c);
    device->backend->attention_grad(device, kernel_array(out), kernel_array(dk),
                                    kernel_array(dk + k_count(c)), kernel_array(c->dy),
                                    kernel_array(c->q), kernel_array(c->k), kernel_array(c->v),
                                    kernel_array(c->y), kernel_array(c->lse), c->shape);
}

static void expect_gradient_of_row(const AttentionCase *c, int b, int h, int t, double *out,
                                   double *weights) {
    const AttentionShape *s = &c->shape;
    double *dk = out + q_count(c);
    double *dv = dk + k_count(c);
    reference_weights(c, b, h, t, weights);
    const size_t q_at = count(b * s->T + t, s->stride_q) + h * s->D;
    const float *dy = c->dy + count(b * s->T + t, s->stride_y) + h * s->D;
    double mean = 0;
    for (int key = 0; key < s->S; key++) {
        mean += weights[key] * dot(dy, c->v + count(b * s->S + key, s->stride_v) + h * s->D, s->D);
    }
    for (int key = 0; key < s->S; key++) {
        const size_t k_at = count(b * s->S + key, s->stride_k) + h * s->D;
        const size_t v_at = count(b * s->S + key, s->stride_v) + h * s->D;
        const double slope = weights[key] * (dot(dy, c->v + v_at, s->D) - mean) * s->scale;
        for (int d = 0; d < s->D; d++) {
            out[q_at + d] += slope * c->k[k_at + d];
            dk[k_at + d] += slope * c->q[q_at + d];
            dv[v_at + d] += weights[key] * dy[d];
        }
    }
}

// Columns that belong to no head keep the value that was there.
static void expect_untouched(double *out, size_t n, int stride, int width) {
    for (size_t i = 0; i < n; i++) {
        out[i] = (int)(i % (size_t)stride) < width ? 0 : -77777;
    }
}

static void expect_backward(const void *context, double *out) {
    const AttentionCase *c = context;
    const AttentionShape *s = &c->shape;
    const int width = s->H * s->D;
    expect_untouched(out, q_count(c), s->stride_q, width);
    expect_untouched(out + q_count(c), k_count(c), s->stride_k, width);
    expect_untouched(out + q_count(c) + k_count(c), v_count(c), s->stride_v, width);
    double *weights = malloc((size_t)s->S * sizeof *weights);
    for (int row = 0; row < s->B * s->H * s->T; row++) {
        expect_gradient_of_row(c, row / s->T / s->H, row / s->T % s->H, row % s->T, out, weights);
    }
    free(weights);
}

static void check_both_ways(AttentionCase *c) {
    const KernelCase forward = {.run = run_forward,
                                .expected = expect_forward,
                                .context = c,
                                .n = y_count(c) + count(c->shape.B * c->shape.H, c->shape.T),
                                .tolerance = 1e-6};
    kernel_check(&forward);
    Device *device = cpu_open(1);
    device->backend->attention(device, kernel_array(c->y), kernel_array(c->lse), kernel_array(c->q),
                               kernel_array(c->k), kernel_array(c->v), c->shape);
    cpu_close(device);
    const KernelCase backward = {.run = run_backward,
                                 .expected = expect_backward,
                                 .context = c,
                                 .n = q_count(c) + k_count(c) + v_count(c),
                                 .tolerance = 2e-6};
    kernel_check(&backward);
}

static const int SIZES[][5] = {{2, 3, 3, 2, 4},     {1, 1, 1, 1, 1},     {2, 1, 37, 2, 16},
                               {2, 4, 150, 2, 17},  {2, 4, 50, 2, 9},    {1, 5, 9, 3, 8},
                               {2, 33, 33, 2, 16},  {1, 130, 130, 2, 5}, {2, 64, 64, 3, 16},
                               {1, 70, 210, 1, 64}, {1, 20, 7, 1, 12}};
enum { N_SIZES = sizeof SIZES / sizeof SIZES[0] };

static void everybody_sees_everything(void **state) {
    (void)state;
    for (int i = 0; i < N_SIZES; i++) {
        const int *s = SIZES[i];
        AttentionCase c = attention_case(s[0], s[1], s[2], s[3], s[4], false);
        check_both_ways(&c);
        free_case(&c);
    }
}

// With fewer keys than queries the first queries see nothing.
static void causal_attention_starts_at_the_offset(void **state) {
    (void)state;
    for (int i = 0; i < N_SIZES; i++) {
        const int *s = SIZES[i];
        AttentionCase c = attention_case(s[0], s[1], s[2], s[3], s[4], true);
        check_both_ways(&c);
        free_case(&c);
    }
}

static void padding_is_seen_by_nobody(void **state) {
    (void)state;
    for (int i = 0; i < 2 * N_SIZES; i++) {
        const int *s = SIZES[i / 2];
        AttentionCase c = attention_case(s[0], s[1], s[2], s[3], s[4], i % 2 == 1);
        add_padding(&c);
        check_both_ways(&c);
        free_case(&c);
    }
}

// Scores of +-900: a softmax that forgets the maximum overflows.
static void large_scores_stay_finite(void **state) {
    (void)state;
    AttentionCase c = attention_case(1, 40, 200, 1, 16, true);
    for (size_t i = 0; i < q_count(&c); i++) {
        c.q[i] *= 300;
    }
    float *y = kernel_floats(y_count(&c));
    float *lse = kernel_floats(40);
    Device *device = cpu_open(1);
    device->backend->attention(device, kernel_array(y), kernel_array(lse), kernel_array(c.q),
                               kernel_array(c.k), kernel_array(c.v), c.shape);
    for (size_t i = 0; i < y_count(&c); i++) {
        assert_true(fabsf(y[i]) <= 2);
    }
    cpu_close(device);
    free(y);
    free(lse);
    free_case(&c);
}

// Another future changes no bit of the past, nor of its gradients' exact zeros.
static void the_future_does_not_leak(void **state) {
    (void)state;
    enum { T = 150, SEEN = 75 };
    AttentionCase c = attention_case(1, T, T, 1, 16, true);
    const size_t n = y_count(&c) + T;
    float *before = kernel_floats(n);
    float *after = kernel_floats(n);
    Device *device = cpu_open(2);
    run_forward(device, &c, before);
    for (int t = SEEN; t < T; t++) {
        for (int i = 0; i < 16; i++) {
            c.k[count(t, c.shape.stride_k) + i] *= -30;
            c.v[count(t, c.shape.stride_v) + i] += 500;
            c.q[count(t, c.shape.stride_q) + i] = 9;
        }
    }
    run_forward(device, &c, after);
    assert_memory_equal(before, after, count(SEEN, 16) * sizeof *before);
    assert_memory_equal(before + y_count(&c), after + y_count(&c), SEEN * sizeof *before);
    for (int t = SEEN; t < T; t++) {
        memset(c.dy + count(t, 16), 0, 16 * sizeof *c.dy);
    }
    device->backend->attention(device, kernel_array(c.y), kernel_array(c.lse), kernel_array(c.q),
                               kernel_array(c.k), kernel_array(c.v), c.shape);
    float *gradients = kernel_floats(q_count(&c) + k_count(&c) + v_count(&c));
    run_backward(device, &c, gradients);
    for (int t = SEEN; t < T; t++) {
        for (int i = 0; i < 16; i++) {
            assert_true(gradients[q_count(&c) + count(t, c.shape.stride_k) + i] == 0);
            assert_true(gradients[q_count(&c) + k_count(&c) + count(t, c.shape.stride_v) + i] == 0);
        }
    }
    cpu_close(device);
    free(before);
    free(after);
    free(gradients);
    free_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_sees_everything),
        cmocka_unit_test(causal_attention_starts_at_the_offset),
        cmocka_unit_test(padding_is_seen_by_nobody),
        cmocka_unit_test(large_scores_stay_finite),
        cmocka_unit_test(the_future_does_not_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
