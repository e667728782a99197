// test_palette.c - numbers become exactly the published colours.
#include "tests/support.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "views/pictures/palette.h"

static void assert_colour(Rgb colour, int r, int g, int b) {
    assert_int_equal(colour.r, r);
    assert_int_equal(colour.g, g);
    assert_int_equal(colour.b, b);
}

static void the_maps_begin_and_end_as_published(void **state) {
    (void)state;
    assert_colour(palette_colour(PALETTE_VIRIDIS, 0), 0x44, 0x01, 0x54);
    assert_colour(palette_colour(PALETTE_VIRIDIS, 127), 0x21, 0x90, 0x8D);
    assert_colour(palette_colour(PALETTE_VIRIDIS, 255), 0xFD, 0xE7, 0x25);
    assert_colour(palette_colour(PALETTE_CIVIDIS, 0), 0x00, 0x22, 0x4E);
    assert_colour(palette_colour(PALETTE_CIVIDIS, 255), 0xFE, 0xE8, 0x38);
    assert_colour(palette_colour(PALETTE_MAGMA, 0), 0x00, 0x00, 0x04);
    assert_colour(palette_colour(PALETTE_MAGMA, 255), 0xFC, 0xFD, 0xBF);
    for (int i = 0; i < PALETTE_ENTRIES; i++) {
        assert_colour(palette_colour(PALETTE_GRAY, i), i, i, i);
    }
}

static void a_weight_takes_the_nearest_entry(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        float w = (float)i / 999.0F;
        assert_int_equal(palette_entry(w), (int)floor(255.0 * (double)w + 0.5));
    }
    assert_int_equal(palette_entry(0.0F), 0);
    assert_int_equal(palette_entry(1.0F), 255);
    assert_int_equal(palette_entry(0.5F), 128);
    assert_int_equal(palette_entry(-0.1F), 0);
    assert_int_equal(palette_entry(1.0000001F), 255);
}

static void a_scale_runs_from_minimum_to_maximum(void **state) {
    (void)state;
    assert_int_equal(palette_entry_scaled(-2.0F, (HeatRange){-2.0F, 6.0F}), 0);
    assert_int_equal(palette_entry_scaled(6.0F, (HeatRange){-2.0F, 6.0F}), 255);
    assert_int_equal(palette_entry_scaled(2.0F, (HeatRange){-2.0F, 6.0F}), 128);
    assert_int_equal(palette_entry_scaled(3.0F, (HeatRange){3.0F, 3.0F}), 0);
    assert_int_equal(palette_entry_scaled(0.0F, (HeatRange){-3e38F, 3e38F}), 128);
}

static void what_is_not_finite_has_colours_of_its_own(void **state) {
    (void)state;
    assert_int_equal(palette_entry(-INFINITY), HEAT_MASKED);
    assert_int_equal(palette_entry(INFINITY), HEAT_INFINITE);
    assert_int_equal(palette_entry(NAN), HEAT_NAN);
    assert_int_equal(palette_entry_scaled(-INFINITY, (HeatRange){0.0F, 1.0F}), HEAT_MASKED);
    for (int special = HEAT_MASKED; special <= HEAT_INFINITE; special++) {
        for (int palette = 0; palette < PALETTE_COUNT; palette++) {
            for (int i = 0; i < PALETTE_ENTRIES; i++) {
                Rgb entry = palette_colour((Palette)palette, i);
                Rgb colour = palette_colour((Palette)palette, special);
                assert_true(memcmp(&entry, &colour, sizeof entry) != 0);
            }
        }
    }
}

static void digits_can_be_read_on_every_colour(void **state) {
    (void)state;
    for (int palette = 0; palette < PALETTE_COUNT; palette++) {
        for (int i = 0; i <= HEAT_INFINITE; i++) {
            Rgb paper = palette_colour((Palette)palette, i);
            assert_true(palette_contrast(palette_ink(paper), paper) >= 4.5);
        }
    }
}

static void names_are_found_and_listed(void **state) {
    (void)state;
    Palette palette = PALETTE_VIRIDIS;
    Error err = {0};
    assert_true(palette_find(&palette, "magma", &err));
    assert_int_equal(palette, PALETTE_MAGMA);
    assert_false(palette_find(&palette, "jet", &err));
    assert_string_equal(err.text, "there is no palette \"jet\"; there are viridis, cividis, magma "
                                  "and gray");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_maps_begin_and_end_as_published),
        cmocka_unit_test(a_weight_takes_the_nearest_entry),
        cmocka_unit_test(a_scale_runs_from_minimum_to_maximum),
        cmocka_unit_test(what_is_not_finite_has_colours_of_its_own),
        cmocka_unit_test(digits_can_be_read_on_every_colour),
        cmocka_unit_test(names_are_found_and_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
