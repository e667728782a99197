// test_shape.c - shapes know their letters, multiples included.
#include <stdio.h>
#include <string.h>

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

static void indices_are_read_whole(void **state) {
    (void)state;
    static const struct {
        const char *axes, *text, *wrong; // wrong NULL: it is a cell
        int flat;
    } CASES[] = {
        {"BTC", "[1,2,3]", NULL, 23},
        {"BTC", "[ 1, 2 ,3 ]", NULL, 23},
        {"", "", NULL, 0},
        {"", "[]", NULL, 0},
        {"", "[0]", "outside it", 0},
        {"BTC", "", "expected 3 indices, found 0", 0},
        {"BTC", "[]", "expected 3 indices, found 0", 0},
        {"BTC", "[1,2]", "expected 3 indices, found 2", 0},
        {"BTC", "[1,2,3,0]", "outside it", 0},
        {"BTC", "[1,3,3]", "index 1, \"3,3]\", is outside it", 0},
        {"BTC", "[1,-1,3]", "outside it", 0},
        {"BTC", "[1,2,9999999999999999999]", "outside it", 0},
        {"BTC", "[1,2,]", "whole numbers with commas", 0},
        {"BTC", "[1,,2]", "whole numbers with commas", 0},
        {"BTC", "[1,2,3", "whole numbers with commas", 0},
        {"BTC", "[1,2,3]x", "a last \"]\"", 0},
        {"BTC", "x[1,2,3]", "expected 3 indices", 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Shape shape = {"", {2, 3, 4}};
        snprintf(shape.axes, sizeof shape.axes, "%s", CASES[i].axes);
        int indices[SHAPE_MAX_RANK] = {0};
        Error err = {""};
        bool is_read = shape_read_indices(&shape, CASES[i].text, indices, &err);
        assert_int_equal(is_read, CASES[i].wrong == NULL);
        if (is_read) {
            assert_int_equal(shape_flat(&shape, indices), CASES[i].flat);
        } else if (CASES[i].wrong == NULL || strstr(err.text, CASES[i].wrong) == NULL) {
            fail_msg("%s: %s", CASES[i].text, err.text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_count_as_one_axis),
        cmocka_unit_test(an_axis_is_found_by_its_letter_alone),
        cmocka_unit_test(a_scalar_has_one_element),
        cmocka_unit_test(appending_and_taking_off_are_inverse),
        cmocka_unit_test(indices_and_flat_positions_are_inverse),
        cmocka_unit_test(indices_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
