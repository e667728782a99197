// test_trainer_memory.c - what a run is planned to hold: exact where it can be, linear in the
// length.
#include "tests/support.h"
#include "tests/support_node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/models/preset.h"
#include "engine/training/trainer.h"

static TrainerMemory plan(const ModelConfig *config, const TrainerOptions *options,
                          BatchShape shape, double *flops) {
    TrainerMemory memory;
    size_t n_parameters = 0;
    Error err = {""};
    support_require(
        trainer_plan_memory(config, options, shape, &memory, &n_parameters, flops, &err), &err);
    return memory;
}

static Preset load(const char *name) {
    Preset preset;
    Error err = {""};
    support_require(preset_load(&preset, name, &err), &err);
    return preset;
}

// What a further token takes is the same at every length: a square of the length, as attention's
// weights would be, would double it.
static void memory_grows_with_the_length_alone(void **state) {
    (void)state;
    static const char *const NAMES[] = {"gpt2-10m", "story-parallel-heads", "transformer-base"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Preset preset = load(NAMES[i]);
        TrainerOptions options = {.batch = 1, .accumulate = 1};
        double bytes[3];
        double flops = 0.0;
        for (int k = 0; k < 3; k++) {
            int T = 512 << k;
            BatchShape shape = {1, T, config_has_two_sides(&preset.config) ? T : 0};
            bytes[k] = (double)plan(&preset.config, &options, shape, &flops).tape;
        }
        double first = (bytes[1] - bytes[0]) / 512.0;
        double second = (bytes[2] - bytes[1]) / 1024.0;
        printf("%s: a token takes %.0f bytes from 512 to 1024, %.0f from 1024 to 2048\n", NAMES[i],
               first, second);
        assert_true(second < 1.04 * first && second > 0.96 * first);
        preset_free(&preset);
    }
}

// The goals for real sizes (bytes; a run adds about 10 MiB of program).
static void the_presets_fit_where_they_are_said_to(void **state) {
    (void)state;
    static const struct {
        const char *name;
        BatchShape shape;
        double most;
    } CASES[] = {
        {"gpt2-tiny", {16, 64, 0}, 20e6},
        {"gpt2-10m", {8, 256, 0}, 442e6},
        {"gpt2-124m", {1, 256, 0}, 2.25e9},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Preset preset = load(CASES[i].name);
        TrainerOptions options = {.batch = CASES[i].shape.B, .accumulate = 1};
        double flops = 0.0;
        TrainerMemory memory = plan(&preset.config, &options, CASES[i].shape, &flops);
        printf("%s, %d x %d: %.1f MB\n", CASES[i].name, CASES[i].shape.B, CASES[i].shape.T,
               (double)memory.total * 1e-6);
        assert_true((double)memory.total < CASES[i].most);
        preset_free(&preset);
    }
}

// Weights, their gradients and AdamW's two means; a second sum over micro-batches.
static void each_kind_is_counted(void **state) {
    (void)state;
    Preset preset = load("gpt2-tiny");
    double flops = 0.0;
    TrainerOptions options = {.batch = 2, .accumulate = 1};
    BatchShape shape = {2, 16, 0};
    TrainerMemory one = plan(&preset.config, &options, shape, &flops);
    assert_int_equal(one.optimizer, 2 * one.parameters);
    assert_int_equal(one.gradients, one.parameters);
    assert_int_equal(one.total,
                     one.parameters + one.optimizer + one.gradients + one.tape + one.batch);
    options.accumulate = 3;
    options.optimizer.kind = OPTIMIZER_SGD;
    TrainerMemory other = plan(&preset.config, &options, shape, &flops);
    assert_int_equal(other.gradients, 2 * one.parameters);
    assert_int_equal(other.optimizer, 0);
    preset_free(&preset);
}

// The copy toy's pairs have one length, so it keeps one tape; others keep several.
static void pairs_of_several_lengths_keep_several_tapes(void **state) {
    (void)state;
    Preset preset = load("toy-translate");
    double flops = 0.0;
    TrainerOptions options = {.batch = 4, .accumulate = 1};
    size_t one = plan(&preset.config, &options, (BatchShape){4, 8, 8}, &flops).tape;
    size_t several = plan(&preset.config, &options, (BatchShape){4, 9, 9}, &flops).tape;
    assert_true((double)several > 1.5 * (double)one);
    assert_true((double)several < 2.3 * (double)one);
    preset_free(&preset);
}

// ---- what is not kept

typedef struct Pass {
    Model model;
    ModelTape built;
} Pass;

static void run_pass(Pass *pass, const ModelConfig *config, TapeMode mode, Device *device) {
    enum { B = 4, T = 512 };
    int32_t ids[B * T];
    Error err = {""};
    BatchShape shape = {B, T, config_has_two_sides(config) ? T : 0};
    for (int i = 0; i < B * T; i++) {
        ids[i] = 3 + (i * 7 + i / 5) % (config->vocab_size - 3);
    }
    support_require(model_init(&pass->model, config, 5, &err), &err);
    support_require(
        model_tape_build(&pass->built, &pass->model, mode, device, shape, TAPE_GRADIENTS, &err) &&
            tape_allocate(&pass->built.tape, &err),
        &err);
    tape_set_ids(&pass->built.tape, pass->built.nodes.tokens, ids);
    tape_set_ids(&pass->built.tape, pass->built.nodes.labels, ids);
    if (pass->built.nodes.source != NULL) {
        tape_set_ids(&pass->built.tape, pass->built.nodes.source, ids);
    }
    tape_run(&pass->built.tape);
}

static void free_pass(Pass *pass) {
    model_tape_free(&pass->built);
    model_free(&pass->model);
}

static double norm_of(const float *x, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return sqrt(sum);
}

// A watched tape keeps everything: its gradients are what those of the other have to be.
static void compare_gradients(const Tape *watched, const Tape *trained) {
    int n_compared = 0;
    for (int i = 0; i < trained->n_forward; i++) {
        const Node *node = trained->nodes[i];
        if (node->op != OP_PARAMETER || node->gradient == NULL) {
            continue;
        }
        const Node *same = tape_find(watched, node->stage);
        assert_non_null(same);
        size_t n = shape_count(&node->shape);
        double scale = norm_of(support_numbers(same->gradient), n) / sqrt((double)n);
        for (size_t k = 0; k < n; k++) {
            double error = fabs((double)support_numbers(node->gradient)[k] -
                                (double)support_numbers(same->gradient)[k]);
            assert_true(error <= 1e-4 * scale + 1e-7);
        }
        n_compared++;
    }
    assert_true(n_compared > 10);
}

static void what_is_computed_again_gives_the_same_gradients(void **state) {
    (void)state;
    static const FamilyKind FAMILIES[] = {FAMILY_GPT2, FAMILY_ENCODER_DECODER};
    Device *device = support_device_open(1);
    assert_non_null(device);
    for (int i = 0; i < 2; i++) {
        ModelConfig config = {.family = FAMILIES[i],
                              .vocab_size = 40,
                              .d_model = 64,
                              .n_heads = 2,
                              .n_layers = 1,
                              .d_ff = 128,
                              .n_positions = FAMILIES[i] == FAMILY_GPT2 ? 512 : 0,
                              .layer_norm_eps = 1e-5F,
                              .tie_embeddings = true,
                              .pad_id = FAMILIES[i] == FAMILY_GPT2 ? -1 : 0,
                              .bos_id = 1,
                              .eos_id = 2};
        Pass watched;
        Pass trained;
        int n_again = 0;
        run_pass(&watched, &config, TAPE_WATCH, device);
        run_pass(&trained, &config, TAPE_TRAIN, device);
        for (int k = 0; k < trained.built.tape.n_forward; k++) {
            n_again += trained.built.tape.nodes[k]->again != NULL;
        }
        for (int k = 0; k < watched.built.tape.n_nodes; k++) {
            assert_null(watched.built.tape.nodes[k]->again);
        }
        printf("family %d: %d nodes are computed again\n", (int)FAMILIES[i], n_again);
        assert_true(n_again >= 4);
        compare_gradients(&watched.built.tape, &trained.built.tape);
        free_pass(&watched);
        free_pass(&trained);
    }
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_with_the_length_alone),
        cmocka_unit_test(the_presets_fit_where_they_are_said_to),
        cmocka_unit_test(each_kind_is_counted),
        cmocka_unit_test(pairs_of_several_lengths_keep_several_tapes),
        cmocka_unit_test(what_is_computed_again_gives_the_same_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
