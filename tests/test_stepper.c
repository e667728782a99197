// test_stepper.c - the cursor over a watched tape.
#include "tests/support.h"
#include "tests/support_node.h"

#include <string.h>

#include "engine/models/model.h"
#include "engine/tape/op.h"
#include "engine/tape/stepper.h"

typedef struct World {
    Device *device;
    Model model;
    ModelTape built;
    Optimizer optimizer;
    Stepper stepper;
} World;

static World world;

static int setup(void **state) {
    (void)state;
    static const int32_t SOURCE[] = {1, 5, 4, 1, 3, 6};
    static const int32_t TOKENS[] = {1, 5, 1, 3};
    static const int32_t LABELS[] = {5, 4, 3, 6};
    ModelConfig config = {.family = FAMILY_ENCODER_DECODER,
                          .vocab_size = 8,
                          .d_model = 8,
                          .n_heads = 2,
                          .n_layers = 1,
                          .d_ff = 16,
                          .layer_norm_eps = 1e-5F,
                          .pad_id = 0,
                          .bos_id = 1,
                          .eos_id = 2};
    Error err = {""};
    memset(&world, 0, sizeof world);
    world.device = support_device_open(1);
    support_require(model_init(&world.model, &config, 1, &err), &err);
    OptimizerConfig adam = optimizer_defaults();
    assert_true(optimizer_init(&world.optimizer, &adam, &world.model.params));
    support_require(model_tape_build(&world.built, &world.model, TAPE_WATCH, world.device,
                                     (BatchShape){2, 2, 3}, TAPE_GRADIENTS, &err),
                    &err);
    Tape *tape = &world.built.tape;
    optimizer_append(&world.optimizer, tape);
    support_require(tape_allocate(tape, &err), &err);
    tape_set_ids(&world.built.tape, world.built.nodes.source, SOURCE);
    tape_set_ids(&world.built.tape, world.built.nodes.tokens, TOKENS);
    tape_set_ids(&world.built.tape, world.built.nodes.labels, LABELS);
    support_require(stepper_init(&world.stepper, tape, &world.optimizer, 0.01F, &err), &err);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    stepper_free(&world.stepper);
    model_tape_free(&world.built);
    optimizer_free(&world.optimizer);
    model_free(&world.model);
    device_close(world.device);
    return 0;
}

static const char *stage(void) {
    return stepper_node(&world.stepper)->stage;
}

static void go(const char *name) {
    const Node *node = stepper_find(&world.stepper, name);
    assert_non_null(node);
    assert_true(stepper_go(&world.stepper, node));
}

static void parameters_and_their_cuts_are_no_steps(void **state) {
    (void)state;
    for (int i = 0; i < world.stepper.n_steps; i++) {
        const Node *node = world.stepper.steps[i];
        assert_int_not_equal(node->op, OP_PARAMETER);
        assert_null(node->writer);
        assert_false(node->phase == PHASE_FORWARD && node->op == OP_SLICE_ROWS);
    }
    assert_string_equal(stage(), "src.tokens");
}

static void next_and_back_visit_every_step_once(void **state) {
    (void)state;
    Stepper *stepper = &world.stepper;
    int n = 1;
    while (stepper_move(stepper, STEP_NEXT)) {
        n++;
    }
    assert_int_equal(n, stepper->n_steps);
    assert_int_equal(stepper_phase(stepper), PHASE_UPDATE);
    while (stepper_move(stepper, STEP_BACK)) {
        n--;
    }
    assert_int_equal(n, 1);
}

static void into_over_and_out_know_scopes(void **state) {
    (void)state;
    Stepper *stepper = &world.stepper;
    go("src.input");
    assert_true(stepper_move(stepper, STEP_OVER));
    assert_string_equal(stage(), "encoder.0.norm2");
    assert_true(stepper_move(stepper, STEP_OVER_BACK));
    assert_string_equal(stage(), "encoder.0.residual2");
    assert_true(stepper_move(stepper, STEP_OVER_BACK));
    assert_string_equal(stage(), "encoder.0.ffn.hidden");
    assert_true(stepper_move(stepper, STEP_OUT));
    assert_string_equal(stage(), "encoder.0.residual2");
    go("encoder.0.norm1");
    assert_true(stepper_move(stepper, STEP_INTO));
    assert_string_equal(stage(), "encoder.0.ffn.hidden");
}

static void first_last_and_loss_are_reached(void **state) {
    (void)state;
    Stepper *stepper = &world.stepper;
    assert_true(stepper_move(stepper, STEP_LOSS));
    assert_string_equal(stage(), "loss");
    assert_true(stepper_move(stepper, STEP_LAST));
    assert_false(stepper_move(stepper, STEP_NEXT));
    assert_true(stepper_move(stepper, STEP_FIRST));
    assert_false(stepper_move(stepper, STEP_BACK));
}

static void stages_are_found_by_their_end_and_completed(void **state) {
    (void)state;
    const Stepper *stepper = &world.stepper;
    assert_string_equal(stepper_find(stepper, "cross_attn.scores")->stage,
                        "decoder.0.cross_attn.scores");
    assert_null(stepper_find(stepper, "scores")); // three of them
    assert_string_equal(stepper_find(stepper, "generator.weight")->stage, "generator.weight");
    const char *names[8];
    Arena arena = {0};
    assert_int_equal(stepper_complete(stepper, "encoder.0.", &arena, names, 8), 6);
    assert_string_equal(names[0], "encoder.0.self_attn.");
    arena_free(&arena);
    int first = stepper_search(stepper, "cross", -1, 1);
    assert_string_equal(stepper->steps[first]->stage, "decoder.0.cross_attn.q_proj");
    assert_int_equal(stepper_search(stepper, "nothing", -1, 1), -1);
}

static void a_parameter_leads_to_the_step_that_reads_it(void **state) {
    (void)state;
    const Node *weight = tape_find(&world.built.tape, "encoder.layers.0.self_attn.in_proj_weight");
    assert_true(stepper_go(&world.stepper, weight));
    assert_string_equal(stage(), "encoder.0.self_attn.q_proj");
}

static void slices_compute_what_one_run_computes(void **state) {
    (void)state;
    Stepper *stepper = &world.stepper;
    Tape *tape = &world.built.tape;
    stepper_move(stepper, STEP_LOSS);
    int n_slices = 0;
    while (!stepper_run(stepper, 0.0)) {
        n_slices++;
    }
    assert_true(n_slices > 50);
    float loss = support_numbers(tape->loss)[0];
    assert_true(stepper_is_valid(stepper, tape->loss));
    assert_false(stepper_is_valid(stepper, tape->loss->gradient));
    tape_run(tape);
    assert_float_equal(loss, support_numbers(tape->loss)[0], 0.0);
}

static void a_changed_number_is_followed_by_new_ones(void **state) {
    (void)state;
    Stepper *stepper = &world.stepper;
    Tape *tape = &world.built.tape;
    stepper_move(stepper, STEP_LOSS);
    assert_true(stepper_run(stepper, 1e9));
    float before = support_numbers(tape->loss)[0];
    Node *input = tape_find(tape, "src.input");
    tape_edit(tape, input, 9, 5.0F);
    stepper_invalidate(stepper, input);
    assert_false(stepper_is_valid(stepper, tape->loss));
    assert_true(stepper_run(stepper, 1e9));
    assert_true(support_numbers(tape->loss)[0] != before);
    assert_true(tape_undo(tape));
    stepper_invalidate(stepper, input);
    assert_true(stepper_run(stepper, 1e9));
    assert_float_equal(support_numbers(tape->loss)[0], before, 0.0);
}

static void the_update_equals_a_step_of_training(void **state) {
    (void)state;
    Stepper *stepper = &world.stepper;
    Tape *tape = &world.built.tape;
    stepper_move(stepper, STEP_LAST);
    assert_true(stepper_run(stepper, 1e9));
    const Node *next = tape_find(tape, "update.generator.weight");
    const Node *gradient = tape_find(tape, "grad.generator.weight");
    const Node *old = tape_find(tape, "generator.weight");
    // The first step of AdamW moves every weight by about lr against its gradient.
    for (int i = 0; i < 64; i++) {
        float decayed = support_numbers(old)[i] * (1.0F - 0.01F * 0.01F);
        float sign = support_numbers(gradient)[i] > 0.0F ? -1.0F : 1.0F;
        float expected = support_numbers(gradient)[i] == 0.0F ? decayed : decayed + 0.01F * sign;
        assert_float_equal(support_numbers(next)[i], expected, 1e-5);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(parameters_and_their_cuts_are_no_steps),
        TEST(next_and_back_visit_every_step_once),
        TEST(into_over_and_out_know_scopes),
        TEST(first_last_and_loss_are_reached),
        TEST(stages_are_found_by_their_end_and_completed),
        TEST(a_parameter_leads_to_the_step_that_reads_it),
        TEST(slices_compute_what_one_run_computes),
        TEST(a_changed_number_is_followed_by_new_ones),
        TEST(the_update_equals_a_step_of_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
