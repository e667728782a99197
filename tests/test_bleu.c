// test_bleu.c - BLEU against the paper's examples and a corpus worked by hand.
#include "tests/support.h"

#include <math.h>

#include "engine/generation/bleu.h"

static void an_n_gram_counts_as_often_as_in_the_reference(void **state) {
    (void)state;
    Bleu bleu = {{0}, {0}, 0, 0};
    bleu_add(&bleu, "the the the the the the the", "the cat is on the mat"); // section 2.1
    assert_int_equal(bleu.matches[0], 2);
    assert_int_equal(bleu.totals[0], 7);
    assert_int_equal(bleu.matches[1], 0);
    assert_true(bleu_score(&bleu) == 0.0);
}

// Candidate 1: "the cat sat on the mat" against "the cat sat on a mat": 1-grams 5 of 6 (one "the"
// too many), 2-grams 3 of 5, 3-grams 2 of 4, 4-grams 1 of 3. Candidate 2: "a b c d" against
// "a b c d e f": 4 of 4, 3 of 3, 2 of 2, 1 of 1. Sums: 9/10, 6/8, 4/6, 2/4; c = 10, r = 12.
static void a_corpus_is_as_worked_by_hand(void **state) {
    (void)state;
    Bleu bleu = {{0}, {0}, 0, 0};
    bleu_add(&bleu, "the cat sat on the mat", "the cat sat on a mat");
    bleu_add(&bleu, "a b  c\td\n", "a b c d e f");
    const int64_t matches[BLEU_ORDER] = {9, 6, 4, 2};
    const int64_t totals[BLEU_ORDER] = {10, 8, 6, 4};
    for (int n = 0; n < BLEU_ORDER; n++) {
        assert_int_equal(bleu.matches[n], matches[n]);
        assert_int_equal(bleu.totals[n], totals[n]);
    }
    assert_true(fabs(bleu_brevity(&bleu) - exp(1.0 - 1.2)) < 1e-12);
    double mean = pow(0.9 * 0.75 * (4.0 / 6.0) * 0.5, 0.25); // 0.225^(1/4) = 0.688725
    assert_true(fabs(mean - 0.688725) < 1e-6);
    assert_true(fabs(bleu_score(&bleu) - exp(-0.2) * mean) < 1e-12);
}

static void the_reference_itself_scores_one_and_longer_is_not_punished_by_length(void **state) {
    (void)state;
    Bleu same = {{0}, {0}, 0, 0};
    bleu_add(&same, "one two three four five", "one two three four five");
    assert_true(fabs(bleu_score(&same) - 1.0) < 1e-12);
    Bleu longer = {{0}, {0}, 0, 0};
    bleu_add(&longer, "one two three four five six", "one two three four five");
    assert_true(bleu_brevity(&longer) == 1.0);
    assert_true(bleu_score(&longer) < 1.0);
}

static void nothing_scores_nothing(void **state) {
    (void)state;
    Bleu bleu = {{0}, {0}, 0, 0};
    assert_true(bleu_score(&bleu) == 0.0);
    bleu_add(&bleu, "", "a b c d");
    assert_true(bleu_score(&bleu) == 0.0 && bleu_brevity(&bleu) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_n_gram_counts_as_often_as_in_the_reference),
        cmocka_unit_test(a_corpus_is_as_worked_by_hand),
        cmocka_unit_test(the_reference_itself_scores_one_and_longer_is_not_punished_by_length),
        cmocka_unit_test(nothing_scores_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
