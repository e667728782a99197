// test_view_parts.c - the arithmetic and the dots that views are made of.
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "views/screen/view_dots.h"
#include "views/screen/view_matrix.h"
#include "views/screen/view_pca.h"
#include "views/screen/view_texts.h"
#include "views/window.h"

static void assert_near(double found, double expected, double allowed) {
    if (!(fabs(found - expected) <= allowed)) {
        fail_msg("%.9g is not %.9g", found, expected);
    }
}

// ---- main axes

static void points_on_a_line_have_one_axis(void **state) {
    (void)state;
    const float values[] = {0.0F, 0.0F, 1.0F, 2.0F, 2.0F, 4.0F, 3.0F, 6.0F};
    float points[8];
    double explained[2];
    assert_true(view_pca(values, 4, 2, points, explained));
    assert_near(explained[0], 1.0, 1e-9);
    assert_near(explained[1], 0.0, 1e-9);
    for (int i = 0; i < 4; i++) {
        assert_near(points[2 * i], sqrt(5.0) * (i - 1.5), 1e-5);
    }
}

static void the_second_axis_is_across_the_first(void **state) {
    (void)state;
    // variances 8 along x, 2 along y, 0 along z
    const float values[] = {2.0F, 1.0F,  5.0F, -2.0F, -1.0F, 5.0F,
                            2.0F, -1.0F, 5.0F, -2.0F, 1.0F,  5.0F};
    float points[8];
    double explained[2];
    assert_true(view_pca(values, 4, 3, points, explained));
    assert_near(explained[0], 0.8, 1e-6);
    assert_near(explained[1], 0.2, 1e-6);
    assert_near(points[0], 2.0, 1e-4);
    assert_near(points[1], 1.0, 1e-4);
}

// ---- numbers

static void assert_number(double value, int width, const char *expected) {
    char text[VIEW_NUMBER_BYTES];
    assert_string_equal(view_number_text(value, width, text), expected);
}

static void numbers_keep_digits_that_matter(void **state) {
    (void)state;
    assert_number(0.0, 7, "0");
    assert_number(0.4032, 7, "0.4032");
    assert_number(-12.345678, 7, "-12.346");
    assert_number(0.00012345, 7, "1.23e-4");
    assert_number(-0.00012345, 7, "-1.2e-4");
    assert_number(1234567.0, 7, "1234567");
    assert_number(-INFINITY, 7, "-inf");
    assert_number(NAN, 7, "nan");
}

// ---- dots

static void dots_share_a_cell(void **state) {
    (void)state;
    Canvas canvas = {0};
    Error err = {""};
    support_require(canvas_init(&canvas, 2, 1, &err), &err);
    view_dots_set(&canvas, 0, 0, STYLE_TEXT);
    assert_string_equal(canvas_cell(&canvas, 0, 0)->glyph, "⠁");
    view_dots_set(&canvas, 1, 3, STYLE_TEXT);
    assert_string_equal(canvas_cell(&canvas, 0, 0)->glyph, "⢁");
    view_dots_line(&canvas, 2, 0, 2, 3, STYLE_TEXT);
    assert_string_equal(canvas_cell(&canvas, 1, 0)->glyph, "⡇");
    view_dots_set(&canvas, -1, 0, STYLE_TEXT); // outside: nothing
    view_dots_set(&canvas, 4, 9, STYLE_TEXT);
    canvas_clear(&canvas, STYLE_TEXT);
    canvas.ascii = true;
    view_dots_set(&canvas, 0, 0, STYLE_TEXT);
    assert_string_equal(canvas_cell(&canvas, 0, 0)->glyph, ".");
    canvas_free(&canvas);
}

// ---- words

static void every_text_is_there_in_every_language(void **state) {
    (void)state;
    for (int id = 0; id < VIEW_TEXT_COUNT; id++) {
        const char *english = view_text(LANGUAGE_EN, (ViewTextId)id);
        const char *chinese = view_text(LANGUAGE_ZH, (ViewTextId)id);
        for (const char *place = "abc"; *place != '\0'; place++) {
            char wanted[4] = {'{', *place, '}', '\0'};
            bool in_english = strstr(english, wanted) != NULL;
            bool in_chinese = strstr(chinese, wanted) != NULL;
            assert_int_equal(in_english, in_chinese);
        }
    }
}

static void places_are_filled_in(void **state) {
    (void)state;
    char text[32];
    assert_string_equal(view_text_fill(text, sizeof text, "{b}-{a} {c} {d}", "1", "2", NULL),
                        "2-1 {c} {d}");
    char small[8];
    assert_string_equal(view_text_fill(small, sizeof small, "ab{a}", "cdefgh", NULL, NULL),
                        "abcd…");
}

static void a_window_follows_and_stops_at_the_ends(void **state) {
    (void)state;
    assert_int_equal(window_first(7, 5, 20), 5);
    assert_int_equal(window_first(1, 5, 20), 0);
    assert_int_equal(window_first(19, 5, 20), 15);
    assert_int_equal(window_first(-1, 5, 20), 0);
    assert_int_equal(window_first(2, 5, 3), 0); // all of it shows
}

// Whatever a person typed: whole characters, and a sign where it was cut.
static void texts_that_do_not_fit_end_in_a_sign(void **state) {
    (void)state;
    static const char *const SIGNS[] = {"a", "é", "中", "\xF0\x9F\x81\xA2"};
    for (size_t sign = 0; sign < 4; sign++) {
        for (size_t n = 0; n < 80; n++) {
            char word[8 * 80] = "";
            char out[3][64];
            const size_t width = strlen(SIGNS[sign]);
            for (size_t i = 0; i < n; i++) {
                memcpy(word + i * width, SIGNS[sign], width);
            }
            text_print(out[0], sizeof out[0], "%s%s", "b", word);
            view_text_fill(out[1], sizeof out[1], "b{a}", word, NULL, NULL);
            view_text_fill(out[2], sizeof out[2], "{a}{b}", "b", word, NULL);
            for (size_t i = 0; i < 3; i++) {
                size_t length = strlen(out[i]);
                bool fits = 1 + strlen(word) < sizeof out[i] - (i > 0 ? 3 : 0);
                bool is_marked = length > 3 && strcmp(out[i] + length - 3, "…") == 0;
                assert_true(is_marked || strcmp(out[i] + 1, word) == 0);
                assert_true(!fits || !is_marked);
                size_t used = 0;
                while (out[i][used] != '\0') {
                    int32_t code = 0;
                    used += utf8_character(out[i] + used, &code);
                    assert_true(code >= 0);
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_do_not_fit_end_in_a_sign),
        cmocka_unit_test(points_on_a_line_have_one_axis),
        cmocka_unit_test(the_second_axis_is_across_the_first),
        cmocka_unit_test(numbers_keep_digits_that_matter),
        cmocka_unit_test(dots_share_a_cell),
        cmocka_unit_test(every_text_is_there_in_every_language),
        cmocka_unit_test(places_are_filled_in),
        cmocka_unit_test(a_window_follows_and_stops_at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
