// test_trainer_memory.c - what a run is planned to hold: exact where it can be, linear in the
// length.
#include "tests/support.h"

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
        {"gpt2-10m", {8, 256, 0}, 590e6},
        {"gpt2-124m", {1, 256, 0}, 2.39e9},
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_with_the_length_alone),
        cmocka_unit_test(the_presets_fit_where_they_are_said_to),
        cmocka_unit_test(each_kind_is_counted),
        cmocka_unit_test(pairs_of_several_lengths_keep_several_tapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
