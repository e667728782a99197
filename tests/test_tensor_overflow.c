// test_tensor_overflow.c - numbers that a narrower type cannot hold are counted, never turned into
// infinity without a word.
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/files/safetensors.h"

static void what_float32_cannot_hold_is_refused(void **state) {
    (void)state;
    const double numbers[] = {1.0, -1e300, INFINITY, 3.4028235e38, 1e39, NAN};
    unsigned char bytes[sizeof numbers];
    memcpy(bytes, numbers, sizeof numbers);
    size_t first = 0;
    assert_int_equal(tensor_data_overflows(bytes, DTYPE_F64, 6, &first), 2);
    assert_int_equal(first, 1);
    float values[6];
    Error err = {""};
    StoredTensor tensor = {
        .path = "m.safetensors", .name = "w", .dtype = DTYPE_F64, .bytes = bytes, .count = 6};
    assert_false(safetensors_copy_floats(&tensor, values, &err));
    assert_string_equal(err.text, "m.safetensors: tensor \"w\": 2 numbers are beyond what float32 "
                                  "holds (3.4e38), the first, number 1, is -1e+300");
    tensor.count = 1;
    assert_true(safetensors_copy_floats(&tensor, values, NULL));
    assert_true(values[0] == 1.0F);
}

static void what_sixteen_bits_cannot_hold_is_counted(void **state) {
    (void)state;
    // 65519.99 rounds to the greatest of f16, 65520 to infinity; of bf16 it is 3.3961e38.
    const float values[] = {65504.0F, 65519.0F, 65520.0F, -70000.0F,
                            FLT_MAX,  INFINITY, NAN,      1e-45F};
    size_t first = 0;
    assert_int_equal(dtype_overflows(DTYPE_F16, values, 8, &first), 3);
    assert_int_equal(first, 2);
    assert_int_equal(dtype_overflows(DTYPE_BF16, values, 8, &first), 1);
    assert_int_equal(first, 4);
    assert_int_equal(dtype_overflows(DTYPE_F32, values, 8, &first), 0);
    assert_int_equal(dtype_not_finite(DTYPE_F32, values, 8, &first), 2);
    assert_int_equal(first, 5);
    // Half of the least of f16, 2^-25, rounds to 0, what is above it does not.
    const float small[] = {0.0F, -0.0F, 2.99e-8F, -3e-9F, 1e-45F};
    assert_int_equal(dtype_vanishes(DTYPE_F16, small, 5, &first), 2);
    assert_int_equal(first, 3);
    assert_int_equal(dtype_vanishes(DTYPE_BF16, small, 5, &first), 1);
    assert_int_equal(first, 4);
    assert_int_equal(dtype_vanishes(DTYPE_F32, small, 5, &first), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_float32_cannot_hold_is_refused),
        cmocka_unit_test(what_sixteen_bits_cannot_hold_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
