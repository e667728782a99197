// test_sampling.c - penalty, temperature, top-k, top-p and the draw, against numbers worked by
// hand.
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/generation/sampling.h"

enum { V = 4 };

// Probabilities 1/2, 1/4, 1/8, 1/8 of ids 2, 0, 1, 3.
static const float LOGITS[V] = {0.0F, -0.69314718F, 0.69314718F, -0.69314718F};

static void open_sampler(Sampler *sampler, SamplingConfig config) {
    Error err = {""};
    support_require(sampler_init(sampler, &config, V, &err), &err);
}

static void candidates_stand_by_falling_logit_then_rising_id(void **state) {
    (void)state;
    Sampler sampler;
    open_sampler(&sampler, sampling_defaults());
    sampler_draw(&sampler, LOGITS, NULL, 0, 0, V);
    const int32_t ids[V] = {2, 0, 1, 3};
    const double probabilities[V] = {0.5, 0.25, 0.125, 0.125};
    double end = 0.0;
    assert_int_equal(sampler.n_candidates, V);
    for (int i = 0; i < V; i++) {
        end += probabilities[i];
        assert_int_equal(sampler.candidates[i].id, ids[i]);
        assert_true(fabs(sampler.candidates[i].probability - probabilities[i]) < 1e-7);
        assert_true(fabs(sampler.candidates[i].end - end) < 1e-7);
    }
    sampler_free(&sampler);
}

static void the_draw_is_the_bin_that_u_lies_in(void **state) {
    (void)state;
    Sampler sampler;
    SamplingConfig config = sampling_defaults();
    config.seed = 9;
    open_sampler(&sampler, config);
    int counts[V] = {0};
    enum { DRAWS = 4000 };
    for (int step = 0; step < DRAWS; step++) {
        int32_t id = sampler_draw(&sampler, LOGITS, NULL, 0, (uint64_t)step, 0);
        const SamplingCandidate *chosen = &sampler.candidates[sampler.chosen];
        assert_int_equal(chosen->id, id);
        assert_true(sampler.u < chosen->end && sampler.u >= chosen->end - chosen->share - 1e-12);
        counts[id]++;
    }
    assert_true(abs(counts[2] - DRAWS / 2) < 130); // four standard deviations
    assert_true(abs(counts[0] - DRAWS / 4) < 110);
    assert_true(abs(counts[1] - DRAWS / 8) < 85);
    assert_true(abs(counts[3] - DRAWS / 8) < 85);
    sampler_free(&sampler);
}

static void a_draw_is_a_function_of_seed_and_step(void **state) {
    (void)state;
    Sampler sampler;
    open_sampler(&sampler, sampling_defaults());
    sampler_draw(&sampler, LOGITS, NULL, 0, 5, 0);
    double u = sampler.u;
    sampler_draw(&sampler, LOGITS, NULL, 0, 6, 0);
    assert_true(sampler.u != u);
    sampler_draw(&sampler, LOGITS, NULL, 0, 5, V);
    assert_true(sampler.u == u);
    sampler.config.seed = 2;
    sampler_draw(&sampler, LOGITS, NULL, 0, 5, 0);
    assert_true(sampler.u != u);
    sampler_free(&sampler);
}

static void temperature_zero_takes_the_greatest_and_the_lower_id_of_equals(void **state) {
    (void)state;
    Sampler sampler;
    SamplingConfig config = sampling_defaults();
    config.temperature = 0.0;
    open_sampler(&sampler, config);
    const float equals[V] = {1.0F, 3.0F, 3.0F, -INFINITY};
    assert_int_equal(sampler_draw(&sampler, equals, NULL, 0, 0, 0), 1);
    assert_int_equal(sampler_draw(&sampler, equals, NULL, 0, 0, V), 1);
    assert_true(sampler.u == 0.0);
    sampler_free(&sampler);
}

// What a logit cannot be divided by takes the greatest too, however large the logits are.
static void a_temperature_too_small_to_divide_by_takes_the_greatest(void **state) {
    (void)state;
    static const double TINY[] = {1e-310, 5e-324, 1e-200, 1e-101};
    const float logits[V] = {-30.0F, 30.0F, 3e38F, -INFINITY};
    for (size_t i = 0; i < sizeof TINY / sizeof TINY[0]; i++) {
        Sampler sampler;
        SamplingConfig config = sampling_defaults();
        config.temperature = TINY[i];
        assert_true(sampling_check(&config, NULL));
        assert_true(sampling_is_greedy(&config));
        open_sampler(&sampler, config);
        for (uint64_t step = 0; step < 20; step++) {
            assert_int_equal(sampler_draw(&sampler, logits, NULL, 0, step, V), 2);
        }
        sampler_free(&sampler);
    }
}

static void logits_that_are_no_numbers_are_refused(void **state) {
    (void)state;
    const float rows[][V] = {{0.0F, NAN, 1.0F, 2.0F},
                             {0.0F, 1.0F, INFINITY, 2.0F},
                             {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    static const char *const SENTENCES[] = {"the logit of token 1 is NaN",
                                            "the logit of token 2 is infinite",
                                            "all logits are minus infinity"};
    for (int i = 0; i < 3; i++) {
        Error err = {""};
        assert_false(sampling_check_logits(rows[i], V, -1, &err));
        assert_int_equal(strncmp(err.text, SENTENCES[i], strlen(SENTENCES[i])), 0);
    }
    const float good[V] = {-INFINITY, 3e38F, -3e38F, 0.0F}; // a token may be ruled out
    assert_true(sampling_check_logits(good, V, -1, NULL));
}

static void temperature_divides_the_logits(void **state) {
    (void)state;
    Sampler sampler;
    SamplingConfig config = sampling_defaults();
    config.temperature = 0.5; // squares the ratios: 16 : 4 : 1 : 1
    open_sampler(&sampler, config);
    sampler_draw(&sampler, LOGITS, NULL, 0, 0, V);
    assert_true(fabs(sampler.candidates[0].adjusted - 2.0 * 0.69314718) < 1e-7);
    assert_true(fabs(sampler.candidates[0].probability - 16.0 / 22.0) < 1e-7);
    assert_true(fabs(sampler.candidates[3].probability - 1.0 / 22.0) < 1e-7);
    sampler_free(&sampler);
}

static void top_k_keeps_the_lower_id_of_equals(void **state) {
    (void)state;
    Sampler sampler;
    SamplingConfig config = sampling_defaults();
    config.top_k = 3;
    open_sampler(&sampler, config);
    for (uint64_t step = 0; step < 300; step++) {
        assert_int_not_equal(sampler_draw(&sampler, LOGITS, NULL, 0, step, 0), 3);
    }
    assert_int_equal(sampler.n_candidates, 3);
    assert_true(fabs(sampler.candidates[0].probability - 4.0 / 7.0) < 1e-7);
    assert_true(fabs(sampler.candidates[2].end - 1.0) < 1e-12);
    config.top_k = 1;
    sampler.config = config;
    assert_int_equal(sampler_draw(&sampler, LOGITS, NULL, 0, 3, 0), 2);
    sampler_free(&sampler);
}

static void top_p_keeps_the_fewest_that_reach_it(void **state) {
    (void)state;
    Sampler sampler;
    SamplingConfig config = sampling_defaults();
    config.top_p = 0.7; // 0.5 + 0.25: shares 2/3 and 1/3
    open_sampler(&sampler, config);
    for (uint64_t step = 0; step < 300; step++) {
        int32_t id = sampler_draw(&sampler, LOGITS, NULL, 0, step, V);
        assert_true(id == 2 || id == 0);
    }
    assert_true(fabs(sampler.kept - 0.75) < 1e-7);
    assert_true(fabs(sampler.candidates[0].share - 2.0 / 3.0) < 1e-7);
    assert_true(fabs(sampler.candidates[1].end - 1.0) < 1e-12);
    sampler.config.top_p = 0.4;
    assert_int_equal(sampler_draw(&sampler, LOGITS, NULL, 0, 1, 0), 2);
    sampler_free(&sampler);
}

static void the_penalty_divides_what_is_above_zero_and_multiplies_the_rest(void **state) {
    (void)state;
    Sampler sampler;
    SamplingConfig config = sampling_defaults();
    config.repetition_penalty = 2.0;
    open_sampler(&sampler, config);
    const int32_t seen[] = {2, 1, 2}; // twice is once
    sampler_draw(&sampler, LOGITS, seen, 3, 0, V);
    assert_true(fabs(sampler.adjusted[2] - 0.34657359) < 1e-7);
    assert_true(fabs(sampler.adjusted[1] + 1.38629436) < 1e-7);
    assert_true(fabs(sampler.adjusted[0]) < 1e-12);
    sampler_draw(&sampler, LOGITS, NULL, 0, 0, V);
    assert_true(fabs(sampler.adjusted[2] - 0.69314718) < 1e-7);
    sampler_free(&sampler);
}

// ---- what a view shows beside the draw

static void greedy_shows_the_plain_softmax(void **state) {
    (void)state;
    Sampler sampler;
    SamplingConfig config = sampling_defaults();
    config.temperature = 0.0;
    open_sampler(&sampler, config);
    assert_int_equal(sampler_draw(&sampler, LOGITS, NULL, 0, 0, V), 2);
    assert_int_equal(sampler.n_candidates, V);
    assert_int_equal(sampler.candidates[0].id, 2);
    assert_int_equal(sampler.candidates[3].id, 3);
    assert_true(fabs(sampler.candidates[0].plain - 0.5) < 1e-7);
    assert_true(fabs(sampler.candidates[3].plain - 0.125) < 1e-7);
    sampler_free(&sampler);
}

static void what_was_cut_is_shown_too(void **state) {
    (void)state;
    Sampler sampler;
    SamplingConfig config = sampling_defaults();
    config.top_k = 3;
    config.top_p = 0.8;
    open_sampler(&sampler, config);
    // of 4, 2, 1: 4/7, 2/7, 1/7; the first two reach 0.857
    assert_int_equal(sampler_choose(&sampler, LOGITS, NULL, 0, 0.7, V), 0); // 0.667 to 1
    assert_int_equal(sampler.n_candidates, V);
    assert_int_equal(sampler.n_after_top_k, 3);
    assert_int_equal(sampler.n_kept, 2);
    assert_true(fabs(sampler.candidates[2].probability - 1.0 / 7.0) < 1e-7);
    assert_true(sampler.candidates[2].share == 0.0 && sampler.candidates[3].probability == 0.0);
    assert_true(fabs(sampler.candidates[3].plain - 0.125) < 1e-7);
    assert_true(fabs(sampler.candidates[0].share - 2.0 / 3.0) < 1e-7);
    sampler_free(&sampler);
}

static void looking_changes_no_draw(void **state) {
    (void)state;
    float logits[200];
    Error err = {""};
    for (uint64_t step = 0; step < 120; step++) {
        for (int i = 0; i < 200; i++) {
            logits[i] = sinf((float)(i * 37 + (int)step * 11)) * 4.0F;
        }
        SamplingConfig config = sampling_defaults();
        config.temperature = step % 3 == 0 ? 1.0 : 0.75;
        config.top_k = step % 3 == 1 ? 25 : 0;
        config.top_p = step % 2 == 1 ? 0.75 : 1.0;
        Sampler sampler;
        support_require(sampler_init(&sampler, &config, 200, &err), &err);
        int32_t alone = sampler_draw(&sampler, logits, NULL, 0, step, 0);
        assert_int_equal(sampler_draw(&sampler, logits, NULL, 0, step, 200), alone);
        assert_int_equal(sampler.n_candidates, 200);
        sampler_free(&sampler);
    }
}

static void settings_that_cannot_be_are_refused(void **state) {
    (void)state;
    SamplingConfig bad[6];
    for (int i = 0; i < 6; i++) {
        bad[i] = sampling_defaults();
    }
    bad[0].temperature = -0.1;
    bad[1].top_k = -1;
    bad[2].top_p = 0.0;
    bad[3].top_p = 1.5;
    bad[4].repetition_penalty = 0.0;
    bad[5].temperature = NAN;
    for (int i = 0; i < 6; i++) {
        Error err = {""};
        assert_false(sampling_check(&bad[i], &err));
        assert_non_null(strstr(err.text, "expected"));
    }
    Error err = {""};
    SamplingConfig good = sampling_defaults();
    assert_true(sampling_check(&good, &err));
}

// Whatever its logit is: no draw and no greedy choice takes it, and the shares of the rest sum
// to 1.
static void what_is_left_out_is_never_chosen(void **state) {
    (void)state;
    for (int32_t left_out = 0; left_out < V; left_out++) {
        for (int hot = 0; hot < 12; hot++) {
            SamplingConfig config = sampling_defaults();
            config.temperature = hot % 3 == 0 ? 0.0 : 0.7 * hot;
            config.top_k = hot % 4;
            config.top_p = hot % 2 == 0 ? 1.0 : 0.8;
            Sampler sampler;
            open_sampler(&sampler, config);
            sampler.left_out = left_out;
            for (uint64_t step = 0; step < 40; step++) {
                int n_shown = step % 2 == 0 ? 0 : V;
                assert_int_not_equal(sampler_draw(&sampler, LOGITS, NULL, 0, step, n_shown),
                                     left_out);
                double sum = 0.0;
                for (int i = 0; n_shown > 0 && i < sampler.n_candidates; i++) {
                    assert_int_not_equal(sampler.candidates[i].id, left_out);
                    sum += sampler.candidates[i].share;
                }
                assert_true(n_shown == 0 || fabs(sum - 1.0) < 1e-6);
            }
            sampler_free(&sampler);
        }
    }
    static const float ALONE[] = {-INFINITY, 1.0F, -INFINITY};
    Error err = {""};
    assert_false(sampling_check_logits(ALONE, 3, 1, &err));
    assert_non_null(strstr(err.text, "but that of padding"));
    assert_true(sampling_check_logits(ALONE, 3, 0, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_stand_by_falling_logit_then_rising_id),
        cmocka_unit_test(the_draw_is_the_bin_that_u_lies_in),
        cmocka_unit_test(a_draw_is_a_function_of_seed_and_step),
        cmocka_unit_test(temperature_zero_takes_the_greatest_and_the_lower_id_of_equals),
        cmocka_unit_test(a_temperature_too_small_to_divide_by_takes_the_greatest),
        cmocka_unit_test(logits_that_are_no_numbers_are_refused),
        cmocka_unit_test(temperature_divides_the_logits),
        cmocka_unit_test(top_k_keeps_the_lower_id_of_equals),
        cmocka_unit_test(top_p_keeps_the_fewest_that_reach_it),
        cmocka_unit_test(the_penalty_divides_what_is_above_zero_and_multiplies_the_rest),
        cmocka_unit_test(greedy_shows_the_plain_softmax),
        cmocka_unit_test(what_was_cut_is_shown_too),
        cmocka_unit_test(looking_changes_no_draw),
        cmocka_unit_test(settings_that_cannot_be_are_refused),
        cmocka_unit_test(what_is_left_out_is_never_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
