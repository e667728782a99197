// test_trainer.c - micro-batches and processes add up to one big batch; losses fall.
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_train.h"

static int open_texts(void **state) {
    TrainPlace *place = calloc(1, sizeof *place);
    train_place_open(place, FAMILY_GPT2);
    *state = place;
    return 0;
}

static int open_pairs(void **state) {
    TrainPlace *place = calloc(1, sizeof *place);
    train_place_open(place, FAMILY_ENCODER_DECODER);
    *state = place;
    return 0;
}

static int close_place(void **state) {
    train_place_close(*state);
    free(*state);
    return 0;
}

static double greatest_difference(const Model *a, const Model *b) {
    double worst = 0.0;
    for (size_t i = 0; i < a->params.n_values; i++) {
        worst = fmax(worst, fabs((double)a->params.values[i] - (double)b->params.values[i]));
    }
    return worst;
}

// Losses, those of held-out data too: however a batch is cut into micro-batches, whatever is
// dropped.
static void check_cut(TrainPlace *place, int batch, int accumulate, float dropout) {
    TrainCase whole;
    TrainCase parts;
    TrainerOptions big = train_place_options(batch * accumulate, 1);
    TrainerOptions small = train_place_options(batch, accumulate);
    config_set_dropout(&place->config, dropout);
    train_case_open(&whole, place, &big, NULL);
    train_case_open(&parts, place, &small, NULL);
    for (int step = 0; step < 12; step++) { // more than one round through the data
        double expected = train_case_step(&whole);
        assert_true(fabs(train_case_step(&parts) - expected) < 1e-5);
    }
    double expected = 0.0;
    double found = 0.0;
    Error err = {""};
    support_require(trainer_evaluate(&whole.trainer, &expected, &err), &err);
    support_require(trainer_evaluate(&parts.trainer, &found, &err), &err);
    assert_true(fabs(found - expected) < 1e-5);
    train_case_close(&whole);
    train_case_close(&parts);
}

static void micro_batches_equal_one_big_batch(void **state) {
    check_cut(*state, 2, 4, 0.0F);
    check_cut(*state, 4, 2, 0.3F);
    check_cut(*state, 1, 8, 0.3F);
}

// Batched by length, padded to the longest of each micro-batch, with unlike numbers of labels: the
// mean is over labels, not over micro-batches.
static void micro_batches_of_pairs_equal_one_big_batch(void **state) {
    TrainPlace *place = *state;
    check_cut(place, 3, 2, 0.0F);
    check_cut(place, 4, 3, 0.3F);
    check_cut(place, 1, 7, 0.3F);
    TrainCase test;
    TrainerOptions options = train_place_options(3, 2);
    DataBatch batches[2] = {{0}};
    Error err = {""};
    size_t n_labels[2] = {0};
    train_case_open(&test, place, &options, NULL);
    for (int micro = 0; micro < 2; micro++) {
        BatchRows rows = {.B = 6, .first = 3 * micro, .count = 3};
        support_require(dataset_read_batch(&test.train, &rows, 0, &batches[micro], &err), &err);
        n_labels[micro] = data_batch_labels(&batches[micro], 0, 3, 0);
        data_batch_free(&batches[micro]);
    }
    assert_true(n_labels[0] != n_labels[1]);
    train_case_close(&test);
}

static void held_out_loss_falls(const TrainPlace *place) {
    TrainCase test;
    TrainerOptions options = train_place_options(4, 1);
    double before = 0.0;
    double again = 0.0;
    double after = 0.0;
    Error err = {""};
    train_case_open(&test, place, &options, NULL);
    support_require(trainer_evaluate(&test.trainer, &before, &err), &err);
    support_require(trainer_evaluate(&test.trainer, &again, &err), &err);
    assert_true(before == again);
    for (int step = 0; step < 40; step++) {
        train_case_step(&test);
    }
    support_require(trainer_evaluate(&test.trainer, &after, &err), &err);
    assert_true(after < before - 0.1);
    train_case_close(&test);
}

static void a_language_model_learns(void **state) {
    held_out_loss_falls(*state);
}

static void a_translator_learns(void **state) {
    held_out_loss_falls(*state);
}

// Evaluating in between, which uses the training tapes, leaves no trace: with dropout, too.
static void an_evaluation_changes_nothing(void **state) {
    TrainPlace *place = *state;
    TrainCase plain;
    TrainCase watched;
    TrainerOptions options = train_place_options(4, 2);
    Error err = {""};
    double loss = 0.0;
    config_set_dropout(&place->config, 0.2F);
    train_case_open(&plain, place, &options, NULL);
    train_case_open(&watched, place, &options, NULL);
    for (int step = 0; step < 5; step++) {
        support_require(trainer_evaluate(&watched.trainer, &loss, &err), &err);
        assert_true(train_case_step(&plain) == train_case_step(&watched));
    }
    assert_true(greatest_difference(&plain.model, &watched.model) == 0.0);
    train_case_close(&plain);
    train_case_close(&watched);
}

static void dropout_is_a_function_of_seed_and_step(void **state) {
    TrainPlace *place = *state;
    TrainCase test;
    TrainCase other;
    TrainerOptions options = train_place_options(4, 1);
    options.optimizer.lr = 0.0F;
    config_set_dropout(&place->config, 0.3F);
    train_case_open(&test, place, &options, NULL);
    options.seed = 4;
    train_case_open(&other, place, &options, NULL);
    double first = train_case_step(&test);
    assert_true(train_case_step(&other) != first);
    test.trainer.step = 0;
    assert_true(train_case_step(&test) == first);
    train_case_close(&test);
    train_case_close(&other);
}

// A group of two whose other process is this one again: the sum of both is twice what is here.
typedef struct Doubled {
    Group group;
    int n_begun, n_waited;
    size_t n_values;
} Doubled;

static bool double_values(Group *group, float *values, size_t n, Error *err) {
    Doubled *doubled = group->state;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        values[i] *= 2.0F;
    }
    doubled->n_begun++;
    doubled->n_values += n;
    return true;
}

static bool do_nothing(Group *group, Error *err) {
    (void)group;
    (void)err;
    return true;
}

static bool wait_for_sums(Group *group, Error *err) {
    (void)err;
    ((Doubled *)group->state)->n_waited++;
    return true;
}

static bool double_doubles(Group *group, double *values, int n, Error *err) {
    (void)group;
    (void)err;
    for (int i = 0; i < n; i++) {
        values[i] *= 2.0;
    }
    return true;
}

// Every gradient is handed to the group once, and after it is whole: one that is handed on too
// early is not doubled, and the norm is another. A batch of 8 has the rows of the batch of 4 as its
// first half; factors of two are exact.
static void a_group_gets_every_gradient_once_when_it_is_whole(void **state) {
    const TrainPlace *place = *state;
    TrainCase alone;
    TrainCase shared;
    Doubled doubled = {.group = {.rank = 0,
                                 .size = 2,
                                 .state = &doubled,
                                 .sum_begin = double_values,
                                 .sum_poll = do_nothing,
                                 .sum_wait = wait_for_sums,
                                 .sum_doubles = double_doubles}};
    TrainerOptions options = train_place_options(8, 1);
    TrainerOptions half = train_place_options(4, 1);
    options.bucket_floats = 40;
    train_case_open(&shared, place, &options, &doubled.group);
    train_case_open(&alone, place, &half, NULL);
    TrainerReport found;
    TrainerReport expected;
    Error err = {""};
    support_require(trainer_step(&shared.trainer, &found, &err), &err);
    support_require(trainer_step(&alone.trainer, &expected, &err), &err);
    assert_true(shared.trainer.n_buckets > 10);
    assert_int_equal(doubled.n_begun, shared.trainer.n_buckets);
    assert_int_equal(doubled.n_values, shared.model.params.n_values);
    assert_int_equal(doubled.n_waited, 1);
    assert_true(found.loss == expected.loss);
    assert_true(found.norm == expected.norm);
    assert_true(greatest_difference(&shared.model, &alone.model) == 0.0);
    train_case_close(&alone);
    train_case_close(&shared);
}

static void a_batch_that_cannot_be_split_is_refused(void **state) {
    const TrainPlace *place = *state;
    TrainCase test = {.model = {.seed = 3}};
    Group group = {.rank = 0, .size = 2};
    TrainerOptions options = train_place_options(3, 1);
    Trainer trainer;
    Error err = {""};
    support_require(model_init(&test.model, &place->config, 3, &err), &err);
    TrainerParts parts = {.model = &test.model, .group = &group};
    assert_false(trainer_init(&trainer, &parts, &options, &err));
    assert_string_equal(err.text, "a batch of 3 sequences cannot be split among 2 processes");
    model_free(&test.model);
}

static void the_planned_memory_is_what_is_allocated(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    TrainerOptions options = train_place_options(4, 2);
    TrainerMemory memory;
    size_t n_parameters = 0;
    double flops = 0.0;
    Error err = {""};
    support_require(trainer_plan_memory(&place->config, &options, (BatchShape){4, 10, 0}, &memory,
                                        &n_parameters, &flops, &err),
                    &err);
    train_case_open(&test, place, &options, NULL);
    TrainerReport report;
    support_require(trainer_step(&test.trainer, &report, &err), &err);
    assert_int_equal(n_parameters, params_count(&test.model.params));
    assert_int_equal(memory.tape, test.trainer.tapes[0].built.tape.block_bytes);
    assert_int_equal(memory.optimizer, 2 * memory.parameters);
    assert_int_equal(memory.gradients, 2 * memory.parameters);
    assert_true(fabs(report.flops - 2.0 * flops) < 1.0);
    // Twice the products of the forward pass go backward; embeddings are no products.
    double rows = 4.0 * 10.0;
    double weights = 2.0 * (4.0 * 64.0 + 2.0 * 8.0 * 16.0) + 8.0 * 12.0;
    assert_true(flops > 6.0 * rows * weights);
    assert_true(flops < 8.0 * rows * weights);
    train_case_close(&test);
}

static void a_loss_that_is_no_number_stops_before_the_update(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    TrainerOptions options = train_place_options(4, 1);
    TrainerReport report;
    Error err = {""};
    train_case_open(&test, place, &options, NULL);
    test.model.params.values[3] = NAN;
    float before = test.model.params.values[0];
    assert_false(trainer_step(&test.trainer, &report, &err));
    assert_non_null(strstr(err.text, "step 1: the loss is not a finite number"));
    assert_true(test.model.params.values[0] == before);
    train_case_close(&test);
}

static bool spoil_values(Group *group, float *values, size_t n, Error *err) {
    (void)group;
    (void)err;
    values[n - 1] = NAN;
    return true;
}

// A loss may be a number where its gradient is none: updated with it, no weight would be one. Here
// another process spoils the sum.
static void a_gradient_that_is_no_number_stops_before_the_update(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    Group group = {.size = 2,
                   .sum_begin = spoil_values,
                   .sum_poll = do_nothing,
                   .sum_wait = do_nothing,
                   .sum_doubles = double_doubles};
    TrainerOptions options = train_place_options(4, 1);
    TrainerReport report;
    Error err = {""};
    options.optimizer.clip = 0.0F;
    train_case_open(&test, place, &options, &group);
    const float *weights = test.model.params.values;
    size_t size_bytes = test.model.params.n_values * sizeof *weights;
    float *before = malloc(size_bytes);
    memcpy(before, weights, size_bytes);
    assert_false(trainer_step(&test.trainer, &report, &err));
    assert_true(isfinite(report.loss));
    assert_true(trainer_diverged(&report));
    assert_non_null(strstr(err.text, "step 1: the gradient's norm is not a finite number"));
    assert_memory_equal(weights, before, size_bytes);
    assert_int_equal(test.trainer.step, 0);
    assert_int_equal(test.trainer.optimizer.step, 0);
    free(before);
    train_case_close(&test);
}

#define TEXT_TEST(name) cmocka_unit_test_setup_teardown(name, open_texts, close_place)
#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, open_pairs, close_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEXT_TEST(micro_batches_equal_one_big_batch),
        PAIR_TEST(micro_batches_of_pairs_equal_one_big_batch),
        TEXT_TEST(a_language_model_learns),
        PAIR_TEST(a_translator_learns),
        PAIR_TEST(an_evaluation_changes_nothing),
        TEXT_TEST(an_evaluation_changes_nothing),
        TEXT_TEST(dropout_is_a_function_of_seed_and_step),
        TEXT_TEST(a_group_gets_every_gradient_once_when_it_is_whole),
        TEXT_TEST(a_batch_that_cannot_be_split_is_refused),
        TEXT_TEST(the_planned_memory_is_what_is_allocated),
        TEXT_TEST(a_loss_that_is_no_number_stops_before_the_update),
        TEXT_TEST(a_gradient_that_is_no_number_stops_before_the_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
