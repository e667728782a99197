// test_kernels_product.c - products of every layout and size equal sums in double precision.
#include "tests/kernel_support.h"

typedef struct ProductCase {
    Product p;
    float *a, *b, *bias;
} ProductCase;

static void run_product(Device *device, const void *context, float *out) {
    const ProductCase *c = context;
    device->backend->product(device, &c->p, kernel_array(out), kernel_array(c->a),
                             kernel_array(c->b), kernel_array(c->bias));
}

static void expect_product(const void *context, double *out) {
    const ProductCase *c = context;
    const Product *p = &c->p;
    const size_t n = p->outer * p->outer_step_y;
    for (size_t i = 0; i < n; i++) {
        out[i] = -77777;
    }
    for (int item = 0; item < p->outer * p->inner; item++) {
        const int outer = item / p->inner;
        const int inner = item % p->inner;
        const float *a = c->a + outer * p->outer_step_a + inner * p->inner_step_a;
        const float *b = c->b + outer * p->outer_step_b + inner * p->inner_step_b;
        double *y = out + outer * p->outer_step_y + inner * p->inner_step_y;
        for (int i = 0; i < p->M; i++) {
            for (int j = 0; j < p->N; j++) {
                double sum = 0;
                for (int k = 0; k < p->K; k++) {
                    const float x = p->transpose_a ? a[(size_t)k * p->stride_a + i]
                                                   : a[(size_t)i * p->stride_a + k];
                    const float z = p->transpose_b ? b[(size_t)j * p->stride_b + k]
                                                   : b[(size_t)k * p->stride_b + j];
                    sum += (double)x * z;
                }
                y[(size_t)i * p->stride_y + j] =
                    p->scale * sum + (c->bias != NULL ? c->bias[j] : 0);
            }
        }
    }
}

// Dense but for `gap` floats between rows; inner matrices lie one after the other.
static ProductCase product_case(int M, int N, int K, bool transpose_a, bool transpose_b, int gap) {
    const int rows_a = transpose_a ? K : M;
    const int rows_b = transpose_b ? N : K;
    ProductCase c = {.p = {.M = M,
                           .N = N,
                           .K = K,
                           .transpose_a = transpose_a,
                           .transpose_b = transpose_b,
                           .stride_a = (transpose_a ? M : K) + gap,
                           .stride_b = (transpose_b ? K : N) + gap,
                           .stride_y = N + gap,
                           .outer = 1,
                           .inner = 1,
                           .scale = 1}};
    c.p.inner_step_a = c.p.outer_step_a = (size_t)rows_a * c.p.stride_a;
    c.p.inner_step_b = c.p.outer_step_b = (size_t)rows_b * c.p.stride_b;
    c.p.inner_step_y = c.p.outer_step_y = (size_t)M * c.p.stride_y;
    return c;
}

static void check_product(ProductCase *c) {
    c->a = kernel_draw(c->p.outer * c->p.outer_step_a, 1, 1);
    c->b = kernel_draw(c->p.outer * c->p.outer_step_b, 2, 1);
    const KernelCase test = {.run = run_product,
                             .expected = expect_product,
                             .context = c,
                             .n = c->p.outer * c->p.outer_step_y,
                             .tolerance = 1e-6 * (1 + sqrt(c->p.K) / 2)};
    kernel_check(&test);
    free(c->a);
    free(c->b);
}

static void small_products_of_all_layouts(void **state) {
    (void)state;
    static const int SIZES[][3] = {{6, 8, 8},    {6, 32, 8},  {6, 8, 32},  {3, 3, 4},   {1, 1, 1},
                                   {5, 17, 9},   {7, 49, 3},  {13, 33, 5}, {12, 48, 0}, {2, 31, 40},
                                   {11, 16, 70}, {9, 95, 21}, {1, 8, 8},   {4, 100, 37}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        for (int layout = 0; layout < 8; layout++) {
            ProductCase c = product_case(SIZES[i][0], SIZES[i][1], SIZES[i][2], (layout & 1) != 0,
                                         (layout & 2) != 0, (layout & 4) != 0 ? 3 : 0);
            c.bias = (layout & 4) != 0 ? kernel_draw((size_t)c.p.N, 3, 1) : NULL;
            c.p.scale = (layout & 4) != 0 ? 0.25F : 1;
            check_product(&c);
            free(c.bias);
        }
    }
}

static void large_products_of_all_layouts(void **state) {
    (void)state;
    static const int SIZES[][3] = {
        {101, 50, 64}, {200, 400, 300}, {1, 1500, 300}, {3, 600, 700}, {50, 300, 530}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        for (int layout = 0; layout < 4; layout++) {
            ProductCase c = product_case(SIZES[i][0], SIZES[i][1], SIZES[i][2], (layout & 1) != 0,
                                         (layout & 2) != 0, 1);
            c.bias = kernel_draw((size_t)c.p.N, 3, 1);
            c.p.scale = 0.5F;
            check_product(&c);
            free(c.bias);
        }
    }
}

// b does not fit the shared block: neither its terms nor its columns.
static void products_with_long_sums_and_many_columns(void **state) {
    (void)state;
    ProductCase sums = product_case(20, 60, 9000, true, false, 0);
    sums.bias = kernel_draw((size_t)sums.p.N, 3, 1);
    sums.p.transpose_b = true;
    sums.p.stride_b = 9000;
    check_product(&sums);
    free(sums.bias);
    ProductCase columns = product_case(9, 9000, 300, false, true, 0);
    check_product(&columns);
}

// Scores of heads that lie side by side in rows: inner steps are a head's width.
static void batches_of_heads_side_by_side(void **state) {
    (void)state;
    enum { B = 3, T = 40, H = 4, D = 8, WIDTH = H * D };
    for (int t = 3; t <= T; t += T - 3) {
        ProductCase c = product_case(t, t, D, false, true, 0);
        c.p.stride_a = c.p.stride_b = WIDTH;
        c.p.outer = B;
        c.p.inner = H;
        c.p.scale = 0.5F;
        c.p.inner_step_a = c.p.inner_step_b = D;
        c.p.outer_step_a = c.p.outer_step_b = (size_t)t * WIDTH;
        c.p.inner_step_y = (size_t)t * t;
        c.p.outer_step_y = (size_t)t * t * H;
        check_product(&c);
        ProductCase values = product_case(t, D, t, false, false, 0);
        values.p.stride_b = values.p.stride_y = WIDTH;
        values.p.outer = B;
        values.p.inner = H;
        values.p.inner_step_b = values.p.inner_step_y = D;
        values.p.outer_step_b = values.p.outer_step_y = (size_t)t * WIDTH;
        values.p.inner_step_a = (size_t)t * t;
        values.p.outer_step_a = (size_t)t * t * H;
        check_product(&values);
    }
}

// OpenBLAS on tiles of fixed size, where it is installed; our own kernels otherwise.
static void wide_products_by_openblas(void **state) {
    (void)state;
    setenv("ATTEND_PRODUCTS", "openblas", 1);
    Device *device = cpu_open(1);
    if (strcmp(cpu_products_by(device), "OpenBLAS") != 0) {
        printf("skipped: no OpenBLAS that computes right\n");
    }
    cpu_close(device);
    for (int layout = 0; layout < 4; layout++) {
        ProductCase c = product_case(300, 500, 200, (layout & 1) != 0, (layout & 2) != 0, 2);
        c.bias = kernel_draw((size_t)c.p.N, 3, 1);
        c.p.scale = 0.5F;
        check_product(&c);
        free(c.bias);
    }
    unsetenv("ATTEND_PRODUCTS");
}

static void the_environment_leaves_openblas_alone(void **state) {
    (void)state;
    setenv("ATTEND_PRODUCTS", "own", 1);
    Device *device = cpu_open(1);
    assert_string_equal(cpu_products_by(device), "own kernels");
    cpu_close(device);
    unsetenv("ATTEND_PRODUCTS");
}

static void an_empty_product_writes_nothing(void **state) {
    (void)state;
    Device *device = cpu_open(2);
    const Product p = {.M = 0, .N = 5, .K = 4, .outer = 1, .inner = 1, .scale = 1};
    float y = 7;
    device->backend->product(device, &p, kernel_array(&y), kernel_array(&y), kernel_array(&y),
                             array_none());
    assert_true(y == 7);
    cpu_close(device);
}

// The other rows of a and what they hold change nothing in a row's bits.
static void a_row_does_not_feel_other_rows(void **state) {
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        ProductCase c = product_case(64, 300, 200, false, layout == 1, 0);
        const size_t n = c.p.outer_step_y;
        c.a = kernel_draw(c.p.outer_step_a, 1, 1);
        c.b = kernel_draw(c.p.outer_step_b, 2, 1);
        float *before = kernel_floats(n);
        float *after = kernel_floats(n);
        Device *device = cpu_open(2);
        run_product(device, &c, before);
        for (int i = 33 * c.p.stride_a; i < 64 * c.p.stride_a; i++) {
            c.a[i] = -100 * c.a[i];
        }
        run_product(device, &c, after);
        assert_memory_equal(before, after, 33 * (size_t)c.p.stride_y * sizeof *before);
        cpu_close(device);
        free(before);
        free(after);
        free(c.a);
        free(c.b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_products_of_all_layouts),
        cmocka_unit_test(large_products_of_all_layouts),
        cmocka_unit_test(products_with_long_sums_and_many_columns),
        cmocka_unit_test(batches_of_heads_side_by_side),
        cmocka_unit_test(wide_products_by_openblas),
        cmocka_unit_test(the_environment_leaves_openblas_alone),
        cmocka_unit_test(an_empty_product_writes_nothing),
        cmocka_unit_test(a_row_does_not_feel_other_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
