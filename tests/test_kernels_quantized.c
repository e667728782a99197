// test_kernels_quantized.c - products with weights in fewer bits, on every instruction set.
#include "tests/kernel_support.h"

enum { ROWS = 5, N = 301, K = 203, STRIDE = 256, GROUPS = STRIDE / QUANTIZED_GROUP };

typedef struct Case {
    int8_t int8[N * STRIDE];
    uint16_t bf16[N * STRIDE];
    float scales[N * GROUPS];
    float x[ROWS * K];
    float bias[N];
    float y[ROWS * N];
    float again[ROWS * N];
} Case;

static Case test;

static float number(int i) {
    return sinf((float)i * 12.9898F) * 2.0F;
}

static void fill(void) {
    for (int n = 0; n < N; n++) {
        test.bias[n] = number(n + 7);
        for (int k = 0; k < K; k++) {
            int at = n * STRIDE + k;
            float value = number(at);
            uint32_t bits = 0;
            memcpy(&bits, &value, sizeof bits);
            test.bf16[at] = (uint16_t)(bits >> 16);
            test.int8[at] = (int8_t)lrintf(value * 63.0F);
        }
        for (int g = 0; g < GROUPS; g++) {
            test.scales[n * GROUPS + g] = 0.001F * (float)(1 + (n + g) % 5);
        }
    }
    for (int i = 0; i < ROWS * K; i++) {
        test.x[i] = number(3 * i + 1);
    }
}

static QuantizedMatrix matrix_of(WeightFormat format) {
    const void *values = format == WEIGHT_INT8 ? (const void *)test.int8 : (const void *)test.bf16;
    return (QuantizedMatrix){format, N, K, STRIDE, values, test.scales};
}

static double weight_at(WeightFormat format, int n, int k) {
    int at = n * STRIDE + k;
    if (format == WEIGHT_INT8) {
        return (double)test.int8[at] * (double)test.scales[at / QUANTIZED_GROUP];
    }
    uint32_t bits = (uint32_t)test.bf16[at] << 16;
    float value = 0.0F;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void multiply(Device *device, WeightFormat format, const float *x, float *y, int rows) {
    QuantizedMatrix matrix = matrix_of(format);
    device->backend->product_quantized(device, kernel_array(y), kernel_array(x), matrix,
                                       kernel_array(test.bias), 0, N, rows);
}

static void check_format(Device *device, WeightFormat format) {
    multiply(device, format, test.x, test.y, ROWS);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < N; n++) {
            double sum = (double)test.bias[n];
            double size = 1.0;
            for (int k = 0; k < K; k++) {
                double term = (double)test.x[row * K + k] * weight_at(format, n, k);
                sum += term;
                size += fabs(term);
            }
            assert_true(fabs((double)test.y[row * N + n] - sum) <= 1e-6 * size);
        }
        // A row alone has the bits that it has beside others.
        multiply(device, format, test.x + row * K, test.again, 1);
        assert_memory_equal(test.again, test.y + row * N, N * sizeof(float));
    }
}

static void every_instruction_set_gives_the_sums(void **state) {
    (void)state;
    static const char *const SETS[] = {"baseline", "avx2", "avx512"};
    fill();
    for (int i = 0; i < 3; i++) {
        setenv("ATTEND_INSTRUCTION_SET", SETS[i], 1);
        Device *device = cpu_open(2);
        assert_non_null(device);
        check_format(device, WEIGHT_INT8);
        check_format(device, WEIGHT_BF16);
        cpu_close(device);
    }
    unsetenv("ATTEND_INSTRUCTION_SET");
}

static void a_part_of_the_outputs_is_that_part(void **state) {
    (void)state;
    fill();
    Device *device = cpu_open(1);
    assert_non_null(device);
    QuantizedMatrix matrix = matrix_of(WEIGHT_INT8);
    multiply(device, WEIGHT_INT8, test.x, test.y, 1);
    device->backend->product_quantized(device, kernel_array(test.again), kernel_array(test.x),
                                       matrix, kernel_array(test.bias + 40), 40, 23, 1);
    for (int n = 0; n < 23; n++) {
        assert_true(fabs((double)test.again[n] - (double)test.y[40 + n]) < 1e-5);
    }
    cpu_close(device);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    fill();
    for (int threads = 1; threads <= 4; threads++) {
        Device *device = cpu_open(threads);
        assert_non_null(device);
        multiply(device, WEIGHT_INT8, test.x, threads == 1 ? test.y : test.again, ROWS);
        if (threads > 1) {
            assert_memory_equal(test.y, test.again, sizeof test.y);
        }
        cpu_close(device);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_gives_the_sums),
        cmocka_unit_test(a_part_of_the_outputs_is_that_part),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
