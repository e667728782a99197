// test_view_parts.c - the arithmetic and the dots that views are made of.
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "engine/generation/sampling.h"
#include "views/screen/view_dots.h"
#include "views/screen/view_matrix.h"
#include "views/screen/view_pca.h"
#include "engine/playground/view_sampling.h"
#include "views/screen/view_texts.h"
#include "views/window.h"

static void assert_near(double found, double expected, double allowed) {
    if (!(fabs(found - expected) <= allowed)) {
        fail_msg("%.9g is not %.9g", found, expected);
    }
}

// ---- drawing a token

// ln 4, ln 2, ln 1, ln 1: softmax 1/2, 1/4, 1/8, 1/8
static const float LOGITS[] = {0.0F, 1.38629436F, 0.0F, 0.69314718F};

static void greedy_takes_the_likeliest(void **state) {
    (void)state;
    Sampling sampling;
    sampling_make(&sampling, LOGITS, 4, NULL);
    assert_int_equal(sampling.n_candidates, 4);
    assert_int_equal(sampling.candidates[0].id, 1);
    assert_int_equal(sampling.candidates[1].id, 3);
    assert_int_equal(sampling.candidates[2].id, 0); // equal ones by id
    assert_int_equal(sampling.candidates[3].id, 2);
    assert_near(sampling.candidates[0].probability, 0.5, 1e-6);
    assert_near(sampling.candidates[3].probability, 0.125, 1e-6);
    assert_int_equal(sampling.chosen, 0);
}

static void top_k_comes_before_softmax_and_top_p_after(void **state) {
    (void)state;
    ViewSampling options = {
        .temperature = 1.0F, .top_k = 3, .top_p = 0.8F, .has_draw = true, .u = 0.7};
    Sampling sampling;
    sampling_make(&sampling, LOGITS, 4, &options);
    // of 4, 2, 1: 4/7, 2/7, 1/7; the first two reach 0.857
    assert_near(sampling.candidates[0].heated, 4.0 / 7.0, 1e-6);
    assert_near(sampling.candidates[2].heated, 1.0 / 7.0, 1e-6);
    assert_false(sampling.candidates[3].in_top_k);
    assert_true(sampling.candidates[1].in_top_p);
    assert_false(sampling.candidates[2].in_top_p);
    assert_near(sampling.candidates[0].kept, 2.0 / 3.0, 1e-6);
    assert_near(sampling.candidates[1].bin_up, 1.0, 1e-6);
    assert_int_equal(sampling.chosen, 1); // 0.7 lies in 0.667 to 1
}

static void a_low_temperature_sharpens(void **state) {
    (void)state;
    ViewSampling options = {.temperature = 0.5F, .has_draw = true, .u = 0.74};
    Sampling sampling;
    sampling_make(&sampling, LOGITS, 4, &options);
    // squares: 16, 4, 1, 1 of 22
    assert_near(sampling.candidates[0].kept, 16.0 / 22.0, 1e-6);
    assert_int_equal(sampling.n_kept, 4);
    assert_int_equal(sampling.chosen, 1); // 0.727 is passed
}

static void a_large_vocabulary_keeps_its_likeliest(void **state) {
    (void)state;
    static float logits[5000];
    for (int i = 0; i < 5000; i++) {
        logits[i] = (float)((i * 7919) % 5000) / 5000.0F;
    }
    Sampling sampling;
    sampling_make(&sampling, logits, 5000, NULL);
    assert_int_equal(sampling.n_candidates, SAMPLING_CANDIDATES);
    for (int i = 0; i < SAMPLING_CANDIDATES; i++) {
        assert_near(sampling.candidates[i].logit, (4999.0 - i) / 5000.0, 1e-6);
    }
}

// The engine draws (engine/generation/sampling.h); the picture shows the same bins.
static void compare_with_engine(const SamplingConfig *config, const float *logits, int V,
                                uint64_t step) {
    Sampler sampler = {.V = 0};
    Error err = {""};
    support_require(sampler_init(&sampler, config, V, &err), &err);
    int32_t token = sampler_draw(&sampler, logits, NULL, 0, step, 20);
    ViewSampling options = {.temperature = (float)config->temperature,
                            .top_k = config->top_k,
                            .top_p = (float)config->top_p,
                            .has_draw = true,
                            .u = sampler.u};
    Sampling sampling;
    sampling_make(&sampling, logits, V, &options);
    assert_int_equal(sampling.candidates[sampling.chosen].id, token);
    for (int i = 0; i < sampler.n_candidates && i < 20; i++) {
        assert_int_equal(sampling.candidates[i].id, sampler.candidates[i].id);
        assert_near(sampling.candidates[i].heated, sampler.candidates[i].probability, 1e-9);
        assert_near(sampling.candidates[i].kept, sampler.candidates[i].share, 1e-9);
    }
    sampler_free(&sampler);
}

static void the_picture_agrees_with_the_engines_draw(void **state) {
    (void)state;
    float logits[200];
    for (uint64_t step = 0; step < 40; step++) {
        for (int i = 0; i < 200; i++) {
            logits[i] = sinf((float)(i * 37 + (int)step * 11)) * 4.0F;
        }
        SamplingConfig config = sampling_defaults();
        compare_with_engine(&config, logits, 200, step);
        config.temperature = 0.75;
        config.top_k = 25;
        compare_with_engine(&config, logits, 200, step);
        config.top_p = 0.75;
        compare_with_engine(&config, logits, 200, step);
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
    char small[4];
    assert_string_equal(view_text_fill(small, sizeof small, "ab{a}", "cde", NULL, NULL), "abc");
}

static void a_window_follows_and_stops_at_the_ends(void **state) {
    (void)state;
    assert_int_equal(window_first(7, 5, 20), 5);
    assert_int_equal(window_first(1, 5, 20), 0);
    assert_int_equal(window_first(19, 5, 20), 15);
    assert_int_equal(window_first(-1, 5, 20), 0);
    assert_int_equal(window_first(2, 5, 3), 0); // all of it shows
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_takes_the_likeliest),
        cmocka_unit_test(top_k_comes_before_softmax_and_top_p_after),
        cmocka_unit_test(a_low_temperature_sharpens),
        cmocka_unit_test(a_large_vocabulary_keeps_its_likeliest),
        cmocka_unit_test(the_picture_agrees_with_the_engines_draw),
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
