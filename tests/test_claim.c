// test_claim.c - claims of lessons: what is read, what holds, and what is said where it does not.
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/lessons/claim.h"

// A world of one matrix x (2,3), ids (1,3), and some scalars.
static const float MATRIX[] = {1.0F, 2.0F, 3.0F, -4.0F, 0.5F, 3.5F};
static const float BEFORE[] = {1.0F, 1.0F, 1.0F, 1.0F, 1.0F, 1.0F};
static const int32_t IDS[] = {1, 5, 4};

static bool stage(void *context, const char *name, ClaimMoment moment, ClaimStage *found,
                  Error *err) {
    (void)context;
    if (strcmp(name, "ids") == 0) {
        *found = (ClaimStage){.shape = {"BT", {1, 3}}, .ids = IDS};
        return true;
    }
    *found = (ClaimStage){.shape = {"TC", {2, 3}},
                          .values = moment.time == CLAIM_START ? BEFORE : MATRIX};
    return strcmp(name, "a.x") == 0 || error_set(err, "no stage is called \"%s\"", name);
}

static bool scalar(void *context, const char *name, const char *argument, ClaimMoment moment,
                   double *value, Error *err) {
    (void)context;
    if (strcmp(name, "loss") == 0) {
        *value = moment.time == CLAIM_TRAIN ? 0.25 / moment.step : 2.0794;
        return true;
    }
    *value = strcmp(argument, "backward") == 0 ? 128.0 : 66.0;
    return strcmp(name, "steps") == 0 || error_set(err, "%s is not known", name);
}

static bool shown(void *context, const char *name, const char **text, Error *err) {
    (void)context;
    (void)err;
    *text = strcmp(name, "view") == 0 ? "attention" : "a.x[0,1]";
    return true;
}

static bool token(void *context, const char *word, int32_t *id, Error *err) {
    (void)context;
    *id = 2;
    return strcmp(word, "dog") == 0 || error_set(err, "the vocabulary has no \"%s\"", word);
}

static const ClaimWorld WORLD = {NULL, stage, scalar, shown, token};

// What is wrong with a claim: "" where it holds.
static const char *fault_of(Arena *arena, const char *text) {
    Claim claim;
    Error err = {""};
    bool holds = false;
    const char *found = NULL;
    if (!claim_parse(&claim, arena, "l.md", 7, text, &err) ||
        !claim_check(&claim, &WORLD, arena, &holds, &found, &err)) {
        return arena_text(arena, err.text);
    }
    return holds ? "" : found;
}

static void what_is_so_holds(void **state) {
    (void)state;
    static const char *const TRUE_CLAIMS[] = {
        "a.x[0,1] == 2",
        "a.x[1,0] < a.x[0,0]",
        "a.x[-1,-1] == 3.5",
        "loss == 2.08",
        "loss == 2.1 ± 0.03",
        "loss == ln(8)",
        "loss@train:100 == 0.0025",
        "sum(a.x[0,:]) == 6",
        "mean(a.x[0,:]) == 2",
        "max(a.x[*,:]) >= 3",
        "min(a.x[1,:]) == −4",
        "argmax(a.x[*,:]) is dog",
        "count(a.x[1,:] < 0) == 1",
        "first(a.x[1,:] > 0) == 1",
        "first(a.x[0,:] > 9) == -1",
        "cos(a.x[0,:], a.x[0,:]) == 1",
        "a.x[0,:] > a.x[1,0]",
        "sum(abs(a.x[1,:])) == 8",
        "a.x[0,0]@start == 1",
        "sum(a.x@start[0,:]) == 3",
        "a.x[1,*] <= a.x[1,*]",
        "steps(backward) == 128",
        "steps(backward) / steps <= 2",
        "ids[0,1] == 5",
        "(a.x[0,0] + a.x[0,1]) × 2 - 1 == 5",
        "-.4864 * 2.0867 == -1.015",
        "view is attention",
        "cell is a.x[0,1]",
        "exp(0) == sqrt(1)",
    };
    for (size_t i = 0; i < sizeof TRUE_CLAIMS / sizeof TRUE_CLAIMS[0]; i++) {
        Arena arena = {NULL};
        const char *fault = fault_of(&arena, TRUE_CLAIMS[i]);
        if (fault[0] != '\0') {
            fail_msg("%s: %s", TRUE_CLAIMS[i], fault);
        }
        arena_free(&arena);
    }
}

static void what_is_not_so_says_both_sides(void **state) {
    (void)state;
    static const char *const CASES[][2] = {
        {"a.x[0,1] == 2.1", "found 2 and 2.1"},
        {"loss == 2.0799", "found 2.0794 and 2.0799"},
        {"steps == 65", "found 66 and 65"},
        {"a.x[0,0] > a.x[0,0]", "found 1 and 1"},
        {"a.x[1,*] > 0", "found -4 and 0 where * is 0"},
        {"sum(a.x[*,:]) == 6", "found 0 and 6 where * is 1"},
        {"a.x[0,:] < 3", "found 3 and 3 at 2"},
        {"argmax(a.x[0,:]) is bird", "the vocabulary has no \"bird\""},
        {"view is heads", "found attention"},
        {"a.y[0,0] == 1", "no stage is called \"a.y\""},
        {"a.x[0] == 1", "a.x has 2 axes, found 1 indices"},
        {"a.x[2,0] == 1", "index 1 of a.x is 2, expected 0 to 1"},
        {"a.x[-3,0] == 1", "index 1 of a.x is -3, expected 0 to 1"},
        {"a.x[0,:] + ids[0,:] == 1", "found 2 and 1 at 0"},
        {"a.x[0,*] == a.x[*,0]", "* number 1 runs over 2 indices in a.x, over 3 before"},
        {"cos(a.x[0,:], 1) == 1", "cos: expected rows of the same length, found 3 and 1 numbers"},
        {"view == 3", "l.md:7: expected is after view, stage or cell, found \" 3\" in the claim "
                      "\"view == 3\""},
        {"loss", "l.md:7: expected == < > <= >= or is, found \"\" in the claim \"loss\""},
        {"loss == 2 ± x", "l.md:7: expected a tolerance after ==, \"± 0.01\", found \" x\" in the "
                          "claim \"loss == 2 ± x\""},
        {"a.x[0,:,:] == 2",
         "l.md:7: expected one \":\" in a cell, found \" == 2\" in the claim \"a.x[0,:,:] == 2\""},
        {"loss@end == 2", "l.md:7: expected @start or @train:STEP, found \"end == 2\" in the claim "
                          "\"loss@end == 2\""},
        {"sum(a.x[0,:] == 2", "l.md:7: expected \")\", found \"\" in the claim \"sum(a.x[0,:] == "
                              "2\""},
        {"loss == 2 3",
         "l.md:7: expected the end of the claim, found \"3\" in the claim \"loss == 2 3\""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Arena arena = {NULL};
        assert_string_equal(fault_of(&arena, CASES[i][0]), CASES[i][1]);
        arena_free(&arena);
    }
}

// Brackets within brackets and endless sums are refused before they are followed too deep.
static void what_is_too_deep_or_too_long_is_refused(void **state) {
    (void)state;
    static char deep[4000];
    static char wide[4000];
    memset(deep, '(', 1000);
    snprintf(deep + 1000, sizeof deep - 1000, "1 == 1");
    for (size_t i = 0; i < 1900; i++) {
        wide[i] = "1+"[i % 2];
    }
    snprintf(wide + 1900, sizeof wide - 1900, "1 == 950");
    Arena arena = {NULL};
    assert_non_null(strstr(fault_of(&arena, deep), "expected fewer brackets"));
    assert_non_null(strstr(fault_of(&arena, wide), "expected"));
    arena_free(&arena);
}

static void nothing_equals_what_is_not_a_number(void **state) {
    (void)state;
    Arena arena = {NULL};
    assert_string_equal(fault_of(&arena, "ln(-1) == ln(-1)"), "found NaN and NaN");
    assert_string_equal(fault_of(&arena, "-1 / 0 == ln(0)"), "");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_so_holds),
        cmocka_unit_test(what_is_not_so_says_both_sides),
        cmocka_unit_test(what_is_too_deep_or_too_long_is_refused),
        cmocka_unit_test(nothing_equals_what_is_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
