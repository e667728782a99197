// test_pace.c - how many steps of training a frame does.
#include "tests/support.h"

#include "engine/playground/pace.h"

static const double FRAME_MS = 40.0;

// Seconds until so many steps are done.
static double seconds_for(Pace *pace, int n_steps, double frame_ms) {
    int n_done = 0;
    int n_frames = 0;
    while (n_done < n_steps) {
        n_done += pace_next(pace, frame_ms);
        n_frames++;
        assert_in_range(n_frames, 1, 100000);
    }
    return 1e-3 * frame_ms * n_frames;
}

static void a_descent_takes_five_to_ten_seconds(void **state) {
    (void)state;
    Pace pace = {.speed = 0.0};
    static const int DESCENTS[] = {150, 200, 400, 700};
    for (int i = 0; i < 4; i++) {
        for (int k = 1; k <= 8; k *= 2) {
            const double frame_ms = 20.0 * k;
            pace_begin(&pace, -1);
            double seconds = seconds_for(&pace, DESCENTS[i], frame_ms);
            assert_true(seconds >= 5.0 && seconds <= 10.1);
        }
    }
    pace_begin(&pace, -1);
    assert_true(seconds_for(&pace, 13000, FRAME_MS) > 15.0);
}

static void training_with_an_end_takes_two_seconds_at_most(void **state) {
    (void)state;
    Pace pace = {.speed = 0.0};
    static const int LESSONS[] = {100, 300, 600, 3000};
    for (int i = 0; i < 4; i++) {
        pace_begin(&pace, LESSONS[i]);
        double seconds = seconds_for(&pace, LESSONS[i], FRAME_MS);
        assert_true(seconds > 1.5 && seconds <= 2.05);
    }
}

static void the_first_frame_does_a_step(void **state) {
    (void)state;
    Pace pace = {.speed = 0.0};
    pace_begin(&pace, 1);
    assert_int_equal(pace_next(&pace, FRAME_MS) >= 1, 1);
    pace_begin(&pace, -1);
    assert_int_equal(pace_next(&pace, FRAME_MS), 1);
}

static void faster_and_slower_change_the_time_and_stay(void **state) {
    (void)state;
    Pace pace = {.speed = 0.0};
    pace_begin(&pace, 600);
    double one = seconds_for(&pace, 600, FRAME_MS);
    assert_true(pace_change(&pace, -1));
    pace_begin(&pace, 600);
    double half = seconds_for(&pace, 600, FRAME_MS);
    assert_true(half > 1.9 * one && half < 2.1 * one);
    int n_slower = 0;
    while (pace_change(&pace, -1)) {
        n_slower++;
    }
    assert_in_range(n_slower, 1, 10);
    while (pace_change(&pace, 1)) {
    }
    pace_begin(&pace, -1);
    assert_true(seconds_for(&pace, 600, FRAME_MS) < 1.2);
}

static void without_a_limit_it_does_what_the_machine_does(void **state) {
    (void)state;
    Pace pace = {.speed = 0.0};
    pace_begin(&pace, -1);
    pace.is_unlimited = true;
    assert_int_equal(pace_next(&pace, FRAME_MS), PACE_MAX_STEPS);
    assert_true(pace_change(&pace, 1)); // and a change of speed ends that
    assert_true(pace_next(&pace, FRAME_MS) < 10);
    pace.is_unlimited = true;
    pace_begin(&pace, -1);
    assert_false(pace.is_unlimited);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descent_takes_five_to_ten_seconds),
        cmocka_unit_test(training_with_an_end_takes_two_seconds_at_most),
        cmocka_unit_test(the_first_frame_does_a_step),
        cmocka_unit_test(faster_and_slower_change_the_time_and_stay),
        cmocka_unit_test(without_a_limit_it_does_what_the_machine_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
