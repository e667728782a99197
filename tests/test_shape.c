// test_shape.c - shapes know their letters, multiples included.
#include "tests/support.h"

#include "engine/base/shape.h"

static void multiples_count_as_one_axis(void **state) {
    (void)state;
    Shape shape = {"BT3C", {2, 3, 24}};
    char text[SHAPE_TEXT_BYTES];
    assert_int_equal(shape_rank(&shape), 3);
    assert_int_equal(shape_count(&shape), 144);
    assert_string_equal(shape_axes_text(&shape, text), "(B,T,3C)");
    assert_string_equal(shape_sizes_text(&shape, text), "(2,3,24)");
}

static void an_axis_is_found_by_its_letter_alone(void **state) {
    (void)state;
    Shape shape = {"BT3C", {2, 3, 24}};
    assert_int_equal(shape_find_axis(&shape, 'B'), 0);
    assert_int_equal(shape_find_axis(&shape, 'T'), 1);
    assert_int_equal(shape_find_axis(&shape, 'C'), -1); // it counts 3C
    assert_int_equal(shape_find_axis(&(Shape){"", {0}}, 'B'), -1);
}

static void a_scalar_has_one_element(void **state) {
    (void)state;
    Shape shape = {"", {0}};
    assert_int_equal(shape_rank(&shape), 0);
    assert_int_equal(shape_count(&shape), 1);
    assert_int_equal(shape_width(&shape), 1);
}

static void appending_and_taking_off_are_inverse(void **state) {
    (void)state;
    Shape shape = {"BT", {2, 3}};
    Shape longer = shape_append(&shape, "NC", 5);
    Shape shorter = shape_without_last(&longer);
    assert_int_equal(shape_rank(&longer), 3);
    assert_true(shape_equal(&shape, &shorter));
    assert_string_equal(shorter.axes, "BT");
}

static void indices_and_flat_positions_are_inverse(void **state) {
    (void)state;
    Shape shape = {"BHTS", {2, 3, 4, 5}};
    for (size_t flat = 0; flat < shape_count(&shape); flat++) {
        int indices[SHAPE_MAX_RANK];
        shape_indices(&shape, flat, indices);
        assert_int_equal(shape_flat(&shape, indices), flat);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_count_as_one_axis),
        cmocka_unit_test(an_axis_is_found_by_its_letter_alone),
        cmocka_unit_test(a_scalar_has_one_element),
        cmocka_unit_test(appending_and_taking_off_are_inverse),
        cmocka_unit_test(indices_and_flat_positions_are_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
