// test_toy.c - the copy toy learns to copy all 25 pairs, and decodes them.
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/generation/decode.h"
#include "engine/playground/playground.h"
#include "engine/training/toy.h"

static Device *device;

static int copied(Model *model) {
    Error err = {""};
    int n_copied = 0;
    support_require(toy_count_copied(model, device, &n_copied, &err), &err);
    return n_copied;
}

// From the preset's seed; measured: 43. Half of that does not do, so the number says something.
enum { STEPS_NEEDED = 60, STEPS_TOO_FEW = 30 };

// As the lessons' screen trains it, from its preset's seed.
static int copied_after(int n_steps) {
    Playground playground = {.opened = NULL};
    Error err = {""};
    int n_done = 0;
    support_require(playground_open(&playground, "toy-copy --ids 1,5,4 --untrained", &err), &err);
    playground.training.n_wanted = n_steps;
    while (training_is_running(&playground.training)) {
        support_require(playground_train(&playground, 1e3, &n_done, &err), &err);
    }
    for (int step = 0; step < n_steps; step++) {
        assert_true(isfinite(playground.training.run.losses[step]));
    }
    int n_copied = copied(&playground.opened->named.model);
    playground_close(&playground);
    return n_copied;
}

static void toy_copies_all_pairs_after_its_steps(void **state) {
    (void)state;
    int n_copied = copied_after(STEPS_NEEDED);
    printf("%d of 25 pairs copied after %d steps\n", n_copied, STEPS_NEEDED);
    assert_int_equal(n_copied, TOY_PAIRS);
    assert_true(copied_after(STEPS_TOO_FEW) < TOY_PAIRS);
}

// Without an end it stops when the loss has stayed low, has learned all pairs then, and goes on
// when asked again; held back it does as many steps as it is granted.
static void training_stops_when_the_task_is_learned(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Training *training = &playground.training;
    Error err = {""};
    int n_done = 0;
    support_require(playground_open(&playground, "toy-copy --ids 1,5,4 --untrained", &err), &err);
    training->is_paced = true;
    training->n_granted = 3;
    training->n_wanted = -1;
    while (!training_waits(training)) {
        support_require(playground_train(&playground, 1e3, &n_done, &err), &err);
    }
    assert_int_equal(training->run.n_steps, 3);
    training->is_paced = false;
    while (training_is_running(training) && training->run.n_steps < 5000) {
        support_require(playground_train(&playground, 1e3, &n_done, &err), &err);
    }
    int n_steps = training->run.n_steps;
    printf("learned after %d steps\n", n_steps);
    assert_true(training->is_learned);
    assert_in_range(n_steps, STEPS_NEEDED, 400);
    assert_int_equal(copied(&playground.opened->named.model), TOY_PAIRS);
    training->is_paced = true;
    training->n_granted = 10;
    training->n_wanted = -1;
    while (!training_waits(training)) {
        support_require(playground_train(&playground, 1e3, &n_done, &err), &err);
    }
    assert_int_equal(training->run.n_steps, n_steps + 10);
    assert_true(training_is_running(training) && !training->is_learned);
    playground_close(&playground);
}

// Without positions "cat dog" and "dog cat" are the same: the loss ends high, and training by
// itself.
static void training_stops_where_the_loss_falls_no_more(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Training *training = &playground.training;
    Error err = {""};
    int n_done = 0;
    support_require(playground_open(&playground, "toy-copy --ids 1,5,4 --untrained", &err), &err);
    ModelConfig config = playground.opened->named.model.config;
    config.switches.without_positions = true;
    support_require(playground_configure(&playground, &config, &err), &err);
    training->n_wanted = -1;
    while (training_is_running(training) && training->run.n_steps < 20000) {
        support_require(playground_train(&playground, 1e3, &n_done, &err), &err);
    }
    printf("flat after %d steps, loss %g\n", training->run.n_steps,
           (double)training_run_loss(&training->run));
    assert_true(training->is_flat && !training->is_learned);
    assert_in_range(training->run.n_steps, 600, 4000);
    assert_true(training_run_loss(&training->run) > 0.1F);
    training->n_wanted = -1; // who asks again gets more
    support_require(playground_train(&playground, 20.0, &n_done, &err), &err);
    assert_true(n_done > 0);
    playground_close(&playground);
}

static void untrained_toy_does_not_copy(void **state) {
    (void)state;
    assert_true(copied_after(0) < TOY_PAIRS / 2);
}

static void shipped_toy_copies_and_keeps_the_second_best(void **state) {
    (void)state;
    Error err = {""};
    NamedModel named;
    support_require(preset_open(&named, "toy-copy", false, 0, NULL, &err), &err);
    assert_true(named.is_trained);
    assert_int_equal(copied(&named.model), TOY_PAIRS);
    const int32_t dog_run[] = {1, 5, 4};
    BeamConfig beam = {.width = 2, .max_length = 2, .end_id = -1};
    Decoding decoding;
    support_require(decode_beam(&decoding, &named.model, device, dog_run, 3, &beam, &err), &err);
    assert_int_equal(decoding.n_steps, 3);
    assert_int_equal(decoding.steps[1].n_hypotheses, 2);
    assert_int_equal(decoding.steps[1].hypotheses[0].ids[1], 5);
    assert_int_equal(decoding.steps[1].hypotheses[1].ids[1], 4);
    assert_memory_equal(decoding.best[0].ids, dog_run, sizeof dog_run);
    assert_true(decoding.best[0].score >= decoding.best[1].score);
    decode_free(&decoding);
    preset_close(&named);
}

static void every_seed_finds_its_own_way(void **state) {
    (void)state;
    Error err = {""};
    NamedModel one;
    NamedModel two;
    support_require(preset_open(&one, "toy-copy", true, 1, NULL, &err), &err);
    support_require(preset_open(&two, "toy-copy", true, 2, NULL, &err), &err);
    assert_memory_not_equal(one.model.params.values, two.model.params.values,
                            one.model.params.n_values * sizeof(float));
    preset_close(&one);
    preset_close(&two);
}

int main(void) {
    device = support_device_open(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toy_copies_all_pairs_after_its_steps),
        cmocka_unit_test(training_stops_when_the_task_is_learned),
        cmocka_unit_test(training_stops_where_the_loss_falls_no_more),
        cmocka_unit_test(untrained_toy_does_not_copy),
        cmocka_unit_test(shipped_toy_copies_and_keeps_the_second_best),
        cmocka_unit_test(every_seed_finds_its_own_way),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(device);
    return failed;
}
