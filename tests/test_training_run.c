// test_training_run.c - a run of any length is kept in bounded memory, its extremes among it.
#include "tests/support.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lessons_run_is_kept_whole),
        cmocka_unit_test(a_long_run_keeps_its_beginning_its_order_and_its_spike),
        cmocka_unit_test(a_copy_goes_on_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
