// test_training_run.c - a run of any length is kept in bounded memory, its extremes among it.
#include "tests/support.h"

#include <math.h>

#include "engine/playground/training_run.h"

static float loss_at(int step) {
    return 1.0F + 1.0F / (float)step + 0.1F * (float)(step % 7);
}

static TrainingRun run_of(int n_steps, int spike) {
    TrainingRun run = {.n_kept = 0};
    for (int step = 1; step <= n_steps; step++) {
        training_run_append(&run, step == spike ? 99.0F : loss_at(step), (float)step);
        assert_in_range(run.n_kept, 1, TRAINING_RUN_KEPT);
        assert_int_equal(run.steps[run.n_kept - 1], step); // the newest is the last
    }
    return run;
}

static void a_lessons_run_is_kept_whole(void **state) {
    (void)state;
    TrainingRun run = run_of(3000, 0);
    assert_int_equal(run.n_kept, 3000);
    for (int step = 1; step <= 3000; step++) {
        assert_int_equal(training_run_find(&run, step), step - 1);
        assert_true(run.losses[step - 1] == loss_at(step));
    }
    assert_int_equal(training_run_find(&run, 3001), -1);
    assert_int_equal(training_run_find(&run, 0), -1);
    training_run_free(&run);
}

static void a_long_run_keeps_its_beginning_its_order_and_its_spike(void **state) {
    (void)state;
    static const int LENGTHS[] = {4097, 5000, 13000, 300001};
    for (int i = 0; i < 4; i++) {
        int spike = LENGTHS[i] - 301;
        TrainingRun run = run_of(LENGTHS[i], spike);
        assert_int_equal(run.n_steps, LENGTHS[i]);
        int at = training_run_find(&run, spike);
        assert_true(at >= 0 && run.losses[at] == 99.0F);
        int longest = 0;
        for (int k = 0; k < run.n_kept; k++) {
            assert_true(k == 0 || run.steps[k] > run.steps[k - 1]);
            assert_true(k >= TRAINING_RUN_WHOLE || run.steps[k] == k + 1);
            assert_true(run.norms[k] == (float)run.steps[k]);
            assert_true(run.steps[k] == spike || run.losses[k] == loss_at(run.steps[k]));
            int gap = k == 0 ? 0 : run.steps[k] - run.steps[k - 1];
            longest = gap > longest ? gap : longest;
        }
        assert_true(longest <= 1 + LENGTHS[i] / 300); // no part of the run is forgotten
        assert_true(run.capacity <= TRAINING_RUN_KEPT + 4);
        assert_true(training_run_loss(&run) == loss_at(LENGTHS[i]));
        training_run_free(&run);
    }
}

static void a_copy_goes_on_by_itself(void **state) {
    (void)state;
    TrainingRun run = run_of(6000, 0);
    TrainingRun copy = training_run_copy(&run);
    training_run_append(&run, 5.0F, 6001.0F);
    training_run_append(&copy, 5.0F, 6001.0F);
    assert_int_equal(copy.n_kept, run.n_kept);
    assert_int_equal(copy.n_steps, run.n_steps);
    assert_memory_equal(copy.losses, run.losses, (size_t)run.n_kept * sizeof *run.losses);
    training_run_free(&run);
    training_run_free(&copy);
    TrainingRun none = {.n_kept = 0};
    copy = training_run_copy(&none);
    assert_int_equal(copy.n_kept, 0);
    assert_true(training_run_loss(&copy) == 0.0F);
}

// The step at which a run of this loss is flat, 0: at none of so many.
static int flat_at(float (*loss)(int step), int n_steps) {
    TrainingRun run = {.n_kept = 0};
    int found = 0;
    for (int step = 1; step <= n_steps && found == 0; step++) {
        training_run_append(&run, loss(step), 1.0F);
        found = training_run_is_flat(&run) ? step : 0;
    }
    if (found > 0) { // who goes on is asked again after as many steps
        training_run_go_on(&run);
        assert_false(training_run_is_flat(&run));
        for (int step = found + 1; step < found + found / 3; step++) {
            training_run_append(&run, loss(step), 1.0F);
            assert_false(training_run_is_flat(&run));
        }
    }
    training_run_free(&run);
    return found;
}

static float noise(int step) {
    return (float)((unsigned)step * 2654435761U >> 16 & 255U) / 255.0F - 0.5F;
}

static float falling(int step) {
    return 1.0F / (float)step;
}

static float never_falling(int step) {
    return 1.6F + 0.6F * noise(step);
}

static float ending_high(int step) {
    return 0.3F + 2.0F * expf(-(float)step / 200.0F) + 0.1F * noise(step);
}

static float late(int step) { // a plateau first, as many tasks have one
    return step < 450 ? 2.0F + 0.1F * noise(step) : 2.0F * expf(-(float)(step - 450) / 100.0F);
}

static float slow(int step) {
    return 5.0F * expf(-(float)step / 4000.0F) + 0.2F * noise(step);
}

static void a_loss_that_has_stopped_to_fall_is_flat(void **state) {
    (void)state;
    assert_in_range(flat_at(never_falling, 10000), 500, 800);
    assert_in_range(flat_at(ending_high, 20000), 1000, 4000);
}

static void one_that_falls_is_not(void **state) {
    (void)state;
    assert_int_equal(flat_at(falling, 100000), 0);
    assert_int_equal(flat_at(late, 2000), 0);
    assert_int_equal(flat_at(slow, 8000), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loss_that_has_stopped_to_fall_is_flat),
        cmocka_unit_test(one_that_falls_is_not),
        cmocka_unit_test(a_lessons_run_is_kept_whole),
        cmocka_unit_test(a_long_run_keeps_its_beginning_its_order_and_its_spike),
        cmocka_unit_test(a_copy_goes_on_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
