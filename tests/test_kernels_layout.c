// test_kernels_layout.c - kernels that move rows put each number where it belongs.
#include "tests/kernel_support.h"

typedef struct LayoutCase {
    int B, T, S, H, D, first, width, V;
    float *x;
    int32_t *ids;
    Mask mask;
} LayoutCase;

static void check(const LayoutCase *c, size_t n, double tolerance,
                  void (*run)(Device *, const void *, float *),
                  void (*expected)(const void *, double *)) {
    const KernelCase test = {
        .run = run, .expected = expected, .context = c, .n = n, .tolerance = tolerance};
    kernel_check(&test);
}

// B*T rows of width D of a table of V rows.
static void run_embedding(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->embedding(device, kernel_array(out), kernel_array(c->x), kernel_ids(c->ids),
                               c->B * c->T, c->D, 0.5F);
}

static void expect_embedding(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->B * c->T * c->D; i++) {
        out[i] = 0.5 * c->x[(size_t)c->ids[i / c->D] * c->D + i % c->D];
    }
}

static void run_embedding_grad(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->embedding_grad(device, kernel_array(out), kernel_array(c->x),
                                    kernel_ids(c->ids), c->B * c->T, c->V, c->D, 2);
}

static void expect_embedding_grad(const void *context, double *out) {
    const LayoutCase *c = context;
    memset(out, 0, (size_t)c->V * c->D * sizeof *out);
    for (int i = 0; i < c->B * c->T * c->D; i++) {
        out[(size_t)c->ids[i / c->D] * c->D + i % c->D] += 2.0 * c->x[i];
    }
}

static void embeddings_and_their_gradients(void **state) {
    (void)state;
    static const int SIZES[][3] = {{6, 11, 8}, {1, 1, 1}, {50, 3, 17}, {2000, 300, 48}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        const int rows = SIZES[i][0];
        LayoutCase c = {.B = 1, .T = rows, .V = SIZES[i][1], .D = SIZES[i][2]};
        c.x = kernel_draw((size_t)(rows > c.V ? rows : c.V) * c.D, 1, 1);
        c.ids = calloc((size_t)rows, sizeof *c.ids);
        for (int r = 0; r < rows; r++) {
            c.ids[r] = r * 13 % c.V / 2; // the upper half is never used
        }
        check(&c, (size_t)rows * c.D, 1e-7, run_embedding, expect_embedding);
        check(&c, (size_t)c.V * c.D, 2e-6, run_embedding_grad, expect_embedding_grad);
        free(c.x);
        free(c.ids);
    }
}

static void run_sinusoid(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->sinusoid(device, kernel_array(out), c->T, c->D, c->first);
}

static void expect_sinusoid(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->T * c->D; i++) {
        const int column = i % c->D;
        const int position = i / c->D + c->first;
        const double angle = position / pow(10000, (double)(column - column % 2) / c->D);
        out[i] = column % 2 == 0 ? sin(angle) : cos(angle);
    }
}

static void sinusoids_continue_at_the_first_position(void **state) {
    (void)state;
    const LayoutCase toy = {.T = 3, .D = 8};
    const LayoutCase odd = {.T = 9, .D = 5, .first = 100};
    const LayoutCase large = {.T = 64, .D = 96, .first = 7};
    check(&toy, 24, 1e-7, run_sinusoid, expect_sinusoid);
    check(&odd, 45, 1e-7, run_sinusoid, expect_sinusoid);
    check(&large, 64 * 96, 1e-7, run_sinusoid, expect_sinusoid);
}

static void run_columns_read(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->columns_read(device, kernel_array(out), kernel_array(c->x), c->T, c->D,
                                  c->first, c->width);
}

static void expect_columns_read(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->T * c->D; i++) {
        out[i] = c->x[(size_t)(i / c->D) * c->width + c->first + i % c->D];
    }
}

static void run_columns_write(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->columns_write(device, kernel_array(out), kernel_array(c->x), c->T, c->D,
                                   c->first, c->width);
}

static void expect_columns_write(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->T * c->width; i++) {
        const int column = i % c->width - c->first;
        const bool inside = column >= 0 && column < c->D;
        out[i] = inside ? c->x[(size_t)(i / c->width) * c->D + column] : -77777;
    }
}

static int last_position(const LayoutCase *c, int item) {
    int last = 0;
    for (int t = 0; t < c->T; t++) {
        last = c->ids[item * c->T + t] == c->mask.pad_id ? last : t;
    }
    return last;
}

static void run_last_read(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->last_read(device, kernel_array(out), kernel_array(c->x), kernel_ids(c->ids),
                               c->B, c->T, c->D, c->mask.pad_id);
}

static void expect_last_read(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->B * c->D; i++) {
        const int row = i / c->D * c->T + last_position(c, i / c->D);
        out[i] = c->x[(size_t)row * c->D + i % c->D];
    }
}

static void run_last_write(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->last_write(device, kernel_array(out), kernel_array(c->x), kernel_ids(c->ids),
                                c->B, c->T, c->D, c->mask.pad_id);
}

static void expect_last_write(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->B * c->T * c->D; i++) {
        const int item = i / (c->T * c->D);
        const bool is_last = i / c->D % c->T == last_position(c, item);
        out[i] = is_last ? c->x[(size_t)item * c->D + i % c->D] : 0;
    }
}

// Ids without padding, with some behind, with some before and between, and nothing else.
static void the_last_that_is_no_padding_is_read_and_written(void **state) {
    (void)state;
    static const int32_t IDS[] = {3, 4, 5, 6, 3, 4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0};
    LayoutCase c = {.B = 4, .T = 4, .D = 5, .mask = {.pad_id = 0}};
    c.x = kernel_draw((size_t)c.B * c.T * c.D, 1, 1);
    c.ids = calloc((size_t)c.B * c.T, sizeof *c.ids);
    memcpy(c.ids, IDS, sizeof IDS);
    for (int i = 0; i < 2; i++) {
        check(&c, (size_t)c.B * c.D, 0, run_last_read, expect_last_read);
        check(&c, (size_t)c.B * c.T * c.D, 0, run_last_write, expect_last_write);
        c.mask.pad_id = -1; // there is none
    }
    free(c.x);
    free(c.ids);
}

static void columns_are_read_and_written_in_place(void **state) {
    (void)state;
    static const int SIZES[][4] = {
        {6, 8, 0, 24}, {6, 8, 16, 24}, {3, 1, 4, 5}, {3000, 48, 48, 144}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        const int *s = SIZES[i];
        LayoutCase c = {.T = s[0], .D = s[1], .first = s[2], .width = s[3]};
        c.x = kernel_draw((size_t)c.T * c.width, 1, 1);
        check(&c, (size_t)c.T * c.D, 0, run_columns_read, expect_columns_read);
        check(&c, (size_t)c.T * c.width, 0, run_columns_write, expect_columns_write);
        free(c.x);
    }
}

// Where element i of (B,H,T,D) lies in (B,T,width).
static size_t merged_at(const LayoutCase *c, int i) {
    const int d = i % c->D;
    const int t = i / c->D % c->T;
    const int h = i / c->D / c->T % c->H;
    const int b = i / c->D / c->T / c->H;
    return ((size_t)b * c->T + t) * c->width + c->first + (size_t)h * c->D + d;
}

static void run_split(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->split_heads(device, kernel_array(out), kernel_array(c->x), c->B, c->T, c->H,
                                 c->D, c->first, c->width);
}

static void expect_split(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->B * c->H * c->T * c->D; i++) {
        out[i] = c->x[merged_at(c, i)];
    }
}

static void run_merge(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->merge_heads(device, kernel_array(out), kernel_array(c->x), c->B, c->T, c->H,
                                 c->D, c->first, c->width);
}

static void expect_merge(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->B * c->T * c->width; i++) {
        out[i] = -77777;
    }
    for (int i = 0; i < c->B * c->H * c->T * c->D; i++) {
        out[merged_at(c, i)] = c->x[i];
    }
}

static void heads_are_split_and_merged(void **state) {
    (void)state;
    static const int SIZES[][4] = {{2, 3, 2, 4}, {1, 1, 1, 1}, {3, 5, 3, 7}, {4, 200, 6, 64}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        const int *s = SIZES[i];
        LayoutCase c = {.B = s[0], .T = s[1], .H = s[2], .D = s[3], .first = 3};
        c.width = 3 + 2 * c.H * c.D;
        c.x = kernel_draw((size_t)c.B * c.T * c.width, 1, 1);
        check(&c, (size_t)c.B * c.T * c.H * c.D, 0, run_split, expect_split);
        check(&c, (size_t)c.B * c.T * c.width, 0, run_merge, expect_merge);
        free(c.x);
    }
}

static bool hidden(const LayoutCase *c, int i) {
    const int s = i % c->S;
    const int t = i / c->S % c->T;
    const int b = i / c->S / c->T / c->H;
    const int32_t *ids = array_ids(c->mask.key_ids);
    return (c->mask.causal && s > t + c->S - c->T) ||
           (ids != NULL && ids[b * c->S + s] == c->mask.pad_id);
}

static void run_mask(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->mask(device, kernel_array(out), kernel_array(c->x), c->B, c->H, c->T, c->S,
                          c->mask);
}

static void expect_mask(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->B * c->H * c->T * c->S; i++) {
        out[i] = hidden(c, i) ? -INFINITY : c->x[i];
    }
}

static void run_mask_grad(Device *device, const void *context, float *out) {
    const LayoutCase *c = context;
    device->backend->mask_grad(device, kernel_array(out), kernel_array(c->x), c->B, c->H, c->T,
                               c->S, c->mask);
}

static void expect_mask_grad(const void *context, double *out) {
    const LayoutCase *c = context;
    for (int i = 0; i < c->B * c->H * c->T * c->S; i++) {
        out[i] = hidden(c, i) ? 0 : c->x[i];
    }
}

static void masks_hide_the_future_and_padding(void **state) {
    (void)state;
    static const int SIZES[][4] = {
        {2, 2, 3, 3}, {1, 1, 1, 1}, {2, 3, 4, 9}, {2, 1, 9, 4}, {3, 4, 70, 70}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        for (int kind = 0; kind < 4; kind++) {
            const int *s = SIZES[i];
            LayoutCase c = {.B = s[0], .H = s[1], .T = s[2], .S = s[3]};
            const size_t n = (size_t)c.B * c.H * c.T * c.S;
            c.x = kernel_draw(n, 1, 1);
            c.ids = calloc((size_t)c.B * c.S, sizeof *c.ids);
            for (int key = 0; key < c.B * c.S; key++) {
                c.ids[key] = key % 3;
            }
            c.mask = (Mask){.causal = (kind & 1) != 0,
                            .key_ids = array_of_ids((kind & 2) != 0 ? c.ids : NULL),
                            .pad_id = 2};
            check(&c, n, 0, run_mask, expect_mask);
            check(&c, n, 0, run_mask_grad, expect_mask_grad);
            free(c.x);
            free(c.ids);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embeddings_and_their_gradients),
        cmocka_unit_test(sinusoids_continue_at_the_first_position),
        cmocka_unit_test(columns_are_read_and_written_in_place),
        cmocka_unit_test(the_last_that_is_no_padding_is_read_and_written),
        cmocka_unit_test(heads_are_split_and_merged),
        cmocka_unit_test(masks_hide_the_future_and_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
