// test_distances.c - ways to compute distances: all have the result of the loop, and who overtakes
// whom is read from the times.
#include "tests/support.h"

#include "engine/playground/distances.h"

static void every_way_has_the_result_of_the_loop(void **state) {
    (void)state;
    Distances distances;
    Error err = {""};
    double value = -1.0;
    support_require(distances_measure(&distances, NULL, &err), &err);
    assert_true(distances.is_there[DISTANCE_LOOP] && distances.is_there[DISTANCE_PRODUCT]);
    assert_true(distances.difference == 0.0);
    for (int way = 0; way < DISTANCE_WAYS; way++) {
        for (int i = 0; i < DISTANCE_SIZES; i++) {
            assert_true(!distances.is_there[way] || distances.seconds[way][i] > 0.0);
        }
    }
    support_require(distances_find(&distances, "points", &value, &err), &err);
    assert_true(value == 1024.0);
    assert_false(distances_find(&distances, "speed", &value, NULL));
}

static void a_way_is_ahead_from_the_size_after_its_last_defeat(void **state) {
    (void)state;
    Distances distances = {.sizes = {1, 2, 3, 4, 5, 6, 7, 8},
                           .seconds = {{9, 9, 9, 9, 9, 9, 9, 9},
                                       {8, 10, 9, 8, 7, 6, 5, 4},
                                       {1, 1, 1, 1, 1, 1, 1, 1},
                                       {7, 7, 7, 7, 6, 5, 4, 4}},
                           .is_there = {true, true, false, true, false}};
    assert_int_equal(distances_overtaken(&distances, DISTANCE_LOOP), 0);
    assert_int_equal(distances_overtaken(&distances, DISTANCE_PRODUCT), 4);
    assert_int_equal(distances_overtaken(&distances, DISTANCE_BLAS), 0);     // is not there
    assert_int_equal(distances_overtaken(&distances, DISTANCE_BLAS_ALL), 0); // equal is not ahead
    distances.seconds[DISTANCE_BLAS_ALL][7] = 3;
    assert_int_equal(distances_overtaken(&distances, DISTANCE_BLAS_ALL), 1);
}

static bool ends(Progress *progress) {
    (void)progress;
    return false;
}

static void it_can_be_ended(void **state) {
    (void)state;
    Distances distances;
    Progress progress = {.goes_on = ends};
    Error err = {""};
    double value = 0.0;
    assert_false(distances_measure(&distances, &progress, &err));
    assert_true(error_is_set(&err));
    assert_false(distances_find(&distances, "difference", &value, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_has_the_result_of_the_loop),
        cmocka_unit_test(a_way_is_ahead_from_the_size_after_its_last_defeat),
        cmocka_unit_test(it_can_be_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
