// test_lengths.c - sentences of each length that a model gets right, and the models they tell
// apart.
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

#include "engine/generation/decode.h"
#include "engine/playground/lengths.h"
#include "engine/playground/playground_claim.h"
#include "engine/training/made_data.h"

enum { STEPS = 400 };

static void open_trained(Playground *playground, const char *preset, int seed, int n_steps) {
    Error err = {""};
    char line[128];
    snprintf(line, sizeof line, "%s --input \"cat dog\" --untrained --seed %d", preset, seed);
    support_require(playground_open(playground, line, &err), &err);
    playground->training.n_wanted = n_steps;
    while (training_is_running(&playground->training)) {
        int n_done = 0;
        support_require(playground_train(playground, 1e3, &n_done, &err), &err);
    }
}

static LengthCurve measured(Playground *playground) {
    Error err = {""};
    LengthCurve curve = {.longest = 0};
    support_require(lengths_measure(&curve, playground->opened, &err), &err);
    return curve;
}

static void pairs_have_each_length_in_turn(void **state) {
    (void)state;
    const MadeData *made = made_data_find("copy-long");
    for (uint64_t number = 0; number < 40; number++) {
        Buffer line = {0};
        made->append(number, &line);
        char *tab = strchr(line.bytes, '\t');
        assert_non_null(tab);
        size_t length = (size_t)(tab - line.bytes);
        assert_memory_equal(line.bytes, tab + 1, length);
        assert_string_equal(tab + 1 + length, "\n");
        int n_words = 1;
        for (const char *at = line.bytes; at < tab; at++) {
            n_words += *at == ' ';
        }
        assert_int_equal(n_words,
                         made->shortest + (int)number % (made->longest - made->shortest + 1));
        buffer_free(&line);
    }
}

static void one_fixed_vector_is_too_small_for_long_sentences(void **state) {
    (void)state;
    static const char *const PRESETS[] = {"seq2seq-fixed", "seq2seq-additive", "seq2seq-dot",
                                          "seq2seq-general"};
    for (int i = 0; i < 4; i++) {
        Playground playground = {.opened = NULL};
        open_trained(&playground, PRESETS[i], 1, STEPS);
        LengthCurve curve = measured(&playground);
        print_message("%s: %.0f %% of 2 words, %.0f %% of 12\n", PRESETS[i], (double)curve.right[2],
                      (double)curve.right[12]);
        assert_true(curve.right[2] > 90.0F);
        assert_true(i == 0 ? curve.right[12] < 20.0F : curve.right[12] > 50.0F);
        playground_close(&playground);
    }
}

// What is counted as right is what decoding gives.
static void right_is_what_decoding_copies(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    open_trained(&playground, "seq2seq-fixed", 1, STEPS);
    OpenModel *opened = playground.opened;
    LengthCurve curve = measured(&playground);
    const MadeData *made = made_data_find("copy-long");
    const int n_lengths = made->longest - made->shortest + 1;
    const int words = 6;
    int n_right = 0;
    for (int i = 0; i < LENGTHS_SENTENCES; i++) {
        Buffer line = {0};
        TokenIds ids = {0};
        Decoding decoding = {.n_steps = 0};
        BeamConfig greedy = {.width = 1, .max_length = 20, .end_id = 2};
        // The pairs that are learned from are whole rounds of lengths.
        made->append(made->n_pairs + (uint64_t)(i * n_lengths + words - made->shortest), &line);
        *strchr(line.bytes, '\t') = '\0';
        support_require(batch_encode(&opened->named, line.bytes, &ids, NULL, &err), &err);
        support_require(decode_beam(&decoding, &opened->named.model, opened->device, ids.ids,
                                    (int)ids.count, &greedy, &err),
                        &err);
        assert_non_null(decoding.best);
        n_right += decoding.best[0].n_ids == (int)ids.count &&
                   memcmp(decoding.best[0].ids, ids.ids, ids.count * sizeof *ids.ids) == 0;
        decode_free(&decoding);
        token_ids_free(&ids);
        buffer_free(&line);
    }
    assert_int_equal(n_right, (int)curve.right[words]);
    assert_in_range(n_right, 1, LENGTHS_SENTENCES - 1);
    playground_close(&playground);
}

static bool claimed(Playground *playground, const char *words, double *value, Error *err) {
    PlaygroundClaims claims = {.playground = playground, .run = &playground->training.run};
    *err = (Error){""};
    return playground_claim_scalar(&claims, "right", words, (ClaimMoment){CLAIM_NOW, 0}, value,
                                   err);
}

static void a_claim_reads_the_share_of_one_length(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    double value = 0.0;
    open_trained(&playground, "seq2seq-dot", 1, 100);
    LengthCurve curve = measured(&playground);
    support_require(claimed(&playground, "5", &value, &err), &err);
    assert_float_equal((float)value, curve.right[5], 0.0F);
    static const char *const OTHERS[] = {"1", "13", "five", "5x", ""};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        assert_false(claimed(&playground, OTHERS[i], &value, &err));
        assert_non_null(strstr(err.text, "expected a number of words from 2 to 12"));
    }
    playground_close(&playground);
}

static void a_model_without_lengths_is_refused(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    LengthCurve curve = {.longest = 0};
    Error err = {""};
    open_trained(&playground, "toy-copy", 1, 0);
    assert_false(lengths_measure(&curve, playground.opened, &err));
    assert_non_null(strstr(err.text, "toy-copy does not learn from sentences of several lengths"));
    playground_close(&playground);
}

static void a_curve_replaces_that_of_its_name_and_the_oldest_goes(void **state) {
    (void)state;
    LengthCurves curves = {.n = 0};
    for (int i = 0; i < LENGTHS_CURVES + 1; i++) {
        LengthCurve curve = {.longest = i};
        snprintf(curve.name, sizeof curve.name, "%d", i);
        lengths_keep(&curves, &curve);
        curve.shortest = 1;
        lengths_keep(&curves, &curve);
    }
    assert_int_equal(curves.n, LENGTHS_CURVES);
    assert_string_equal(curves.items[0].name, "1");
    assert_int_equal(curves.items[LENGTHS_CURVES - 1].longest, LENGTHS_CURVES);
    assert_int_equal(curves.items[LENGTHS_CURVES - 1].shortest, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_each_length_in_turn),
        cmocka_unit_test(one_fixed_vector_is_too_small_for_long_sentences),
        cmocka_unit_test(right_is_what_decoding_copies),
        cmocka_unit_test(a_claim_reads_the_share_of_one_length),
        cmocka_unit_test(a_model_without_lengths_is_refused),
        cmocka_unit_test(a_curve_replaces_that_of_its_name_and_the_oldest_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
