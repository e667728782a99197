// test_playground.c - whatever was done to a lesson's model can be taken back and done again.
#include "tests/support.h"
#include "tests/support_node.h"

#include <stdio.h>
#include <string.h>

#include "engine/playground/playground.h"

enum { MOST_MARKS = 64 };

static const char OPEN_LINE[] = "toy-copy --ids \"1,5,4;1,3,6\" --seed 1";

// A sum over all that a person could see: sizes, ids, weights, activations, gradients.
static uint64_t mark_of(Playground *playground) {
    const Tape *tape = playground_tape(playground);
    assert_true(stepper_require(&playground->stepper, tape->nodes[tape->n_nodes - 1], NULL));
    uint64_t mark = 1469598103934665603U; // Fowler, Noll and Vo's, over bytes
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        const unsigned char *bytes = node_holds_ids(node)
                                         ? (const unsigned char *)support_ids(node)
                                         : (const unsigned char *)support_numbers(node);
        size_t size_bytes = bytes == NULL ? 0 : shape_count(&node->shape) * 4;
        for (size_t k = 0; k < size_bytes; k++) {
            mark = (mark ^ bytes[k]) * 1099511628211U;
        }
    }
    const TrainingRun *run = &playground->training.run;
    for (int i = 0; i < run->n_steps; i++) {
        mark = mark * 31U + (uint64_t)(run->losses[i] * 1e6F);
    }
    mark += 7U * (uint64_t)training_step(&playground->training);
    mark += 11U * (uint64_t)playground->training.other.n_steps;
    return mark + (uint64_t)playground->text.is_decoding + 2U * (uint64_t)tape->n_nodes;
}

static void edit(Playground *playground, const char *stage, size_t element, float value) {
    Error err = {""};
    Node *node = tape_find(playground_tape(playground), stage);
    assert_non_null(node);
    support_require(playground_edit(playground, node, element, value, &err), &err);
}

static void configure(Playground *playground, int what) {
    Error err = {""};
    ModelConfig config = playground->opened->named.model.config;
    config.switches.without_mask ^= what == 0;
    config.n_heads = what == 1 ? 8 / config.n_heads : config.n_heads;
    config.d_model = what == 2 ? 24 - config.d_model : config.d_model;
    config.n_layers = what == 3 ? 3 - config.n_layers : config.n_layers;
    support_require(playground_configure(playground, &config, &err), &err);
}

static void decode_one(Playground *playground) {
    int32_t token = -1;
    Error err = {""};
    support_require(playground_decode(playground, 0, &token, &err), &err);
}

static void train(Playground *playground, int n_steps) {
    Error err = {""};
    int n_done = 0;
    playground->training.n_wanted = n_steps;
    while (training_is_running(&playground->training)) {
        support_require(playground_train(playground, 1e3, &n_done, &err), &err);
    }
}

// One of all that can be done.
static void do_something(Playground *playground, unsigned what) {
    Error err = {""};
    bool ok = true;
    switch (what) {
    case 0:
        edit(playground, "encoder.layers.0.linear1.weight", 3, 0.5F);
        return;
    case 1:
        edit(playground, "src.embedding", 2, -1.5F);
        return;
    case 2:
        edit(playground, "src.tokens", 1, 7.0F);
        return;
    case 3:
        ok = playground_reset(playground, &err);
        break;
    case 4:
        ok = playground_input(playground, "cat sleep", &err);
        break;
    case 5:
        ok = playground_input(playground, "1,3,3;1,7,6", &err);
        break;
    case 6:
        decode_one(playground);
        return;
    case 7:
        ok = playground_end_decode(playground, &err);
        break;
    case 8:
        ok = playground_seed(playground, 5, &err);
        break;
    case 9:
        ok = playground_compare(playground, &err);
        break;
    case 10:
        ok = playground_open(playground, "gpt2-grid --ids \"1,2,3\" --untrained", &err) &&
             playground_open(playground, OPEN_LINE, &err);
        break;
    default:
        configure(playground, (int)what - 11);
        return;
    }
    support_require(ok, &err);
}

static void step_back(Playground *playground) {
    Error err = {""};
    support_require(playground_undo(playground, &err), &err);
}

static void step_forth(Playground *playground) {
    Error err = {""};
    support_require(playground_redo(playground, &err), &err);
}

// After every change the numbers are marked; on the way back and forth all marks come again.
static void all_changes_are_taken_back_and_done_again(void **state) {
    (void)state;
    uint32_t random = 11;
    for (int round = 0; round < 8; round++) {
        Playground playground = {.opened = NULL};
        Error err = {""};
        uint64_t marks[MOST_MARKS] = {0};
        support_require(playground_open(&playground, OPEN_LINE, &err), &err);
        marks[0] = mark_of(&playground);
        for (int i = 0; i < 24; i++) {
            random = random * 1664525U + 1013904223U;
            do_something(&playground, round == 0 && i < 15 ? (unsigned)i : (random >> 16) % 15);
            assert_in_range(playground.n_done, 0, MOST_MARKS - 1);
            marks[playground.n_done] = mark_of(&playground);
        }
        int n = playground.n_done;
        for (int way = 0; way < 2; way++) {
            while (playground.n_done > 0) {
                step_back(&playground);
                if (marks[playground.n_done] != 0) {
                    assert_int_equal(mark_of(&playground), marks[playground.n_done]);
                }
            }
            assert_false(playground_undo(&playground, &err));
            while (playground.n_done < n) {
                step_forth(&playground);
                if (marks[playground.n_done] != 0) {
                    assert_int_equal(mark_of(&playground), marks[playground.n_done]);
                }
            }
            assert_false(playground_redo(&playground, &err));
        }
        playground_close(&playground);
    }
}

// Weights, means of the updates and the history go with the change that put them aside.
static void every_kept_step_is_gone_to(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    char kept[400];
    support_require(playground_open(&playground, OPEN_LINE, &err), &err);
    training_kept(&playground.training, kept, sizeof kept);
    assert_string_equal(kept, "0");
    train(&playground, 40);
    training_kept(&playground.training, kept, sizeof kept);
    assert_string_equal(kept, "0-32, 34, 36, 38, 40");
    uint64_t mark = mark_of(&playground);
    assert_true(playground_scrub_to(&playground, 7));
    assert_int_equal(training_step(&playground.training), 7);
    assert_true(mark_of(&playground) != mark);
    assert_false(playground_scrub_to(&playground, 35));
    assert_false(playground_scrub_to(&playground, 41));
    assert_int_equal(training_step(&playground.training), 7); // as before
    assert_true(playground_scrub_to(&playground, 40));
    assert_int_equal(mark_of(&playground), mark);
    train(&playground, 1960); // more than there are places: the descent is still there
    training_kept(&playground.training, kept, sizeof kept);
    assert_memory_equal(kept, "0", 1);
    assert_non_null(strstr(kept, ", 2000"));
    for (int step = 4; step < 2000; step *= 2) {
        bool is_near = false;
        for (int i = step - step / 4; i <= step + step / 4; i++) {
            is_near = is_near || playground_scrub_to(&playground, i);
        }
        assert_true(is_near);
    }
    training_kept(&playground.training, kept, 20);
    assert_true(strlen(kept) < 20 && strstr(kept, "...") != NULL);
    playground_close(&playground);
}

// Back from the end of any run: each step leads to earlier weights, and forward to later ones.
static void every_step_back_leads_to_earlier_weights(void **state) {
    (void)state;
    static const int TRAINED[] = {1, 2, 31, 32, 33, 50, 51, 64, 65, 100, 101};
    for (size_t i = 0; i < sizeof TRAINED / sizeof TRAINED[0]; i++) {
        Playground playground = {.opened = NULL};
        Error err = {""};
        support_require(playground_open(&playground, OPEN_LINE, &err), &err);
        train(&playground, TRAINED[i]);
        train(&playground, 1);
        int at = training_step(&playground.training);
        int n_back = 0;
        for (; playground_scrub(&playground, -1); n_back++) {
            assert_true(training_step(&playground.training) < at);
            at = training_step(&playground.training);
        }
        assert_int_equal(at, 0);
        for (; playground_scrub(&playground, 1); n_back--) {
            assert_true(training_step(&playground.training) > at);
            at = training_step(&playground.training);
        }
        assert_int_equal(at, TRAINED[i] + 1);
        assert_int_equal(n_back, 0);
        playground_close(&playground);
    }
}

// A large model has no optimizer before its training begins: one of another size neither.
static void a_large_model_of_another_size_learns(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    support_require(
        playground_open(&playground, "story-single-head --ids \"1,2,5,7\" --untrained", &err),
        &err);
    ModelConfig config = playground.opened->named.model.config;
    config.d_model = 16;
    support_require(playground_configure(&playground, &config, &err), &err);
    train(&playground, 2);
    const TrainingRun *run = &playground.training.run;
    assert_true(run->losses[1] < run->losses[0]); // not where it is NaN
    playground_close(&playground);
}

static void training_goes_with_its_weights(void **state) {
    (void)state;
    static const unsigned PUT_ASIDE[] = {3, 8, 9, 13, 14}; // reset, seed, compare, width, layers
    Playground playground = {.opened = NULL};
    Error err = {""};
    uint64_t marks[MOST_MARKS] = {0};
    support_require(playground_open(&playground, OPEN_LINE, &err), &err);
    for (size_t i = 0; i < 2 * sizeof PUT_ASIDE / sizeof PUT_ASIDE[0]; i++) {
        train(&playground, (int)i + 1);
        if (i % 2 == 0) {
            assert_true(playground_scrub(&playground, -1)); // an older snapshot shows
        }
        marks[playground.n_done] = mark_of(&playground);
        do_something(&playground, PUT_ASIDE[i % (sizeof PUT_ASIDE / sizeof PUT_ASIDE[0])]);
        assert_int_equal(training_step(&playground.training), 0);
        assert_false(training_is_running(&playground.training));
    }
    int n = playground.n_done;
    marks[n] = mark_of(&playground);
    for (int way = 0; way < 2; way++) {
        while (playground.n_done > 0) {
            step_back(&playground);
            assert_int_equal(mark_of(&playground), marks[playground.n_done]);
        }
        while (playground.n_done < n) {
            step_forth(&playground);
            assert_int_equal(mark_of(&playground), marks[playground.n_done]);
        }
    }
    step_back(&playground);
    float loss = playground.training.run.losses[0];
    train(&playground, 2); // the run goes on where it was
    assert_true(training_step(&playground.training) > 2);
    assert_true(playground.training.run.losses[0] == loss);
    playground_close(&playground);
}

static void a_new_change_forgets_what_was_taken_back(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    support_require(playground_open(&playground, OPEN_LINE, &err), &err);
    uint64_t opened = mark_of(&playground);
    edit(&playground, "src.embedding", 2, -1.5F);
    edit(&playground, "encoder.layers.0.linear1.weight", 3, 0.5F);
    assert_true(mark_of(&playground) != opened);
    step_back(&playground);
    support_require(playground_reset(&playground, &err), &err);
    assert_int_equal(playground_count_in_force(&playground), 0);
    assert_int_equal(mark_of(&playground), opened);
    step_back(&playground);
    assert_int_equal(playground_count_in_force(&playground), 1);
    uint64_t mark = mark_of(&playground);
    configure(&playground, 2);
    assert_false(playground_redo(&playground, &err));
    assert_int_equal(playground_count_in_force(&playground), 2);
    step_back(&playground);
    assert_int_equal(mark_of(&playground), mark);
    playground_close(&playground);
}

// What fails changes nothing, and what was done before can still be taken back.
static void a_refused_change_leaves_everything(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    support_require(playground_open(&playground, OPEN_LINE, &err), &err);
    edit(&playground, "src.embedding", 2, -1.5F);
    uint64_t mark = mark_of(&playground);
    assert_false(playground_input(&playground, "bird", &err));
    assert_false(playground_input(&playground, "1,99", &(Error){""}));
    assert_false(playground_open(&playground, "no-such-model", &(Error){""}));
    ModelConfig config = playground.opened->named.model.config;
    config.n_heads = 3;
    assert_false(playground_configure(&playground, &config, &(Error){""}));
    assert_int_equal(mark_of(&playground), mark);
    assert_int_equal(playground.n_done, 1);
    playground_close(&playground);
}

// More changes than are kept: the last ones are taken back, numbers that were set before stay.
static void old_changes_are_forgotten_but_for_their_numbers(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    support_require(playground_open(&playground, OPEN_LINE, &err), &err);
    edit(&playground, "src.input", 2, 3.0F);
    edit(&playground, "encoder.layers.0.linear1.weight", 3, 0.5F);
    for (int i = 0; i < 1000; i++) {
        edit(&playground, "src.embedding", 2, (float)i);
        configure(&playground, 0);
    }
    assert_true(playground.n_changes <= PLAYGROUND_CHANGES + 3);
    assert_true(playground.n_fixed <= 3);
    assert_int_equal(playground.n_pushed, 2002);
    for (int i = 0; i < 100; i++) {
        step_back(&playground);
    }
    const Tape *tape = playground_tape(&playground);
    assert_true(stepper_require(&playground.stepper, tape->nodes[tape->n_nodes - 1], NULL));
    assert_true(tape_number(tape, tape_find(tape, "src.input"), 2) == 3.0);
    assert_true(tape_number(tape, tape_find(tape, "src.embedding"), 2) == 949.0);
    while (playground_undo(&playground, &err)) {
    }
    assert_int_equal(playground.n_done, playground.n_fixed);
    assert_false(error_is_set(&err));
    playground_close(&playground);
}

// ---- work that is ended before it is done

typedef struct Patience {
    Progress progress;
    int n_asked, most; // ended at question number `most`
} Patience;

static bool goes_on(Progress *progress) {
    Patience *patience = progress->context;
    assert_true(progress->part >= 0.0 && progress->part <= 1.0);
    return patience->n_asked++ < patience->most;
}

static bool attempt(Playground *playground, int what, Error *err) {
    ModelConfig config = playground->opened->named.model.config;
    int32_t token = -1;
    config.n_layers = 2;
    switch (what) {
    case 0:
        return playground_open(playground, "gpt2-grid --ids \"1,2,3\" --untrained", err);
    case 1:
        return playground_open(playground, "toy-translate --ids \"1,5,2\"", err); // from a file
    case 2:
        return playground_reset(playground, err);
    case 3:
        return playground_seed(playground, 9, err);
    case 4:
        return playground_compare(playground, err);
    case 5:
        return playground_configure(playground, &config, err);
    case 6:
        return playground_decode(playground, 1, &token, err);
    default:
        return playground_search(playground, 0, 2, err);
    }
}

// However early or late it is ended: there is a sentence, and all is as it was.
static void work_that_is_ended_leaves_everything(void **state) {
    (void)state;
    for (int what = 0; what < 8; what++) {
        Playground playground = {.opened = NULL};
        Error err = {""};
        support_require(playground_open(&playground, OPEN_LINE, &err), &err);
        edit(&playground, "encoder.layers.0.linear1.weight", 3, 0.5F);
        uint64_t mark = mark_of(&playground);
        bool is_done = false;
        int most = 0;
        for (; !is_done; most++) {
            Patience patience = {.progress = {.goes_on = goes_on}, .most = most};
            patience.progress.context = &patience;
            Error reason = {""};
            playground.progress = &patience.progress;
            playground.stepper.progress = &patience.progress;
            is_done = attempt(&playground, what, &reason);
            playground.progress = NULL;
            playground.stepper.progress = NULL;
            if (!is_done) {
                assert_true(patience.progress.is_ended && error_is_set(&reason));
                assert_int_equal(playground.n_done, 1);
                assert_int_equal(mark_of(&playground), mark);
            }
        }
        assert_true(most > 1);
        playground_close(&playground);
    }
}

// Chunks and questions change no bit of what is drawn.
static void weights_are_the_same_while_somebody_waits(void **state) {
    (void)state;
    Patience patience = {.progress = {.goes_on = goes_on}, .most = INT32_MAX};
    patience.progress.context = &patience;
    Error err = {""};
    NamedModel watched;
    NamedModel alone;
    support_require(preset_open(&watched, "story-single-small", true, 4, &patience.progress, &err),
                    &err);
    support_require(preset_open(&alone, "story-single-small", true, 4, NULL, &err), &err);
    assert_true(patience.n_asked > alone.model.params.count);
    assert_memory_equal(watched.model.params.values, alone.model.params.values,
                        alone.model.params.n_values * sizeof(float));
    preset_close(&watched);
    preset_close(&alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_changes_are_taken_back_and_done_again),
        cmocka_unit_test(every_kept_step_is_gone_to),
        cmocka_unit_test(a_large_model_of_another_size_learns),
        cmocka_unit_test(training_goes_with_its_weights),
        cmocka_unit_test(every_step_back_leads_to_earlier_weights),
        cmocka_unit_test(a_new_change_forgets_what_was_taken_back),
        cmocka_unit_test(a_refused_change_leaves_everything),
        cmocka_unit_test(old_changes_are_forgotten_but_for_their_numbers),
        cmocka_unit_test(work_that_is_ended_leaves_everything),
        cmocka_unit_test(weights_are_the_same_while_somebody_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
