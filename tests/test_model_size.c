// test_model_size.c - how large a model is and how long it trains: tables that add up, of every
// preset.
#include "tests/support.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/playground/playground.h"
#include "engine/playground/size_plan.h"

static SizePlan plan_of(const char *line) {
    SizePlan plan;
    Error err = {""};
    support_require(size_plan_read(&plan, NULL, line, &err), &err);
    return plan;
}

static double number_of(const SizePlan *plan, const char *name) {
    double value = 0.0;
    Error err = {""};
    support_require(size_plan_find(plan, name, &value, &err), &err);
    return value;
}

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("found %.12g, expected %.12g", found, expected);
    }
}

static void check_sums(const char *preset) {
    SizePlan plan = plan_of(preset);
    const ModelSize *size = &plan.size;
    const TrainerMemory *memory = &size->memory;
    size_t sum = 0;
    for (int i = 0; i < size->n_parts; i++) {
        const ModelPart *part = &size->parts[i];
        assert_true(part->n_parameters > 0 && part->n_layers > 0);
        assert_int_equal(part->n_parameters % (size_t)part->n_layers, 0); // layers are alike
        assert_int_equal((int)number_of(&plan, part->name), (int)part->n_parameters);
        sum += part->n_parameters;
    }
    assert_int_equal(sum, size->n_parameters);
    assert_int_equal(memory->total, memory->parameters + memory->gradients + memory->optimizer +
                                        memory->tape + memory->batch);
    // Forward, and back to the weights and, but for the first layer, to its input.
    assert_true(size->step_flops > 1.5 * size->forward_flops);
    assert_true(size->step_flops < 4.0 * size->forward_flops);
}

static void tables_of_every_preset_add_up(void **state) {
    (void)state;
    glob_t found;
    assert_int_equal(glob("assets/presets/*.json", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", strrchr(found.gl_pathv[i], '/') + 1);
        *strstr(name, ".json") = '\0';
        check_sums(name);
    }
    globfree(&found);
}

// 37,000 · 512; 4 · (512 · 512 + 512) and 2 · 512 · 2,048 + 2,048 + 512 in six layers; 63.1 million
// together, where the paper prints 65.
static void the_base_model_is_counted_by_hand(void **state) {
    (void)state;
    SizePlan plan = plan_of("transformer-base");
    assert_int_equal((int)number_of(&plan, "src_embed"), 18944000);
    assert_int_equal((int)number_of(&plan, "decoder.layers.multihead_attn"), 6 * 1050624);
    assert_int_equal((int)number_of(&plan, "encoder.layers.linear"), 6 * 2099712);
    assert_int_equal((int)number_of(&plan, "parameters"), 63121544);
    assert_int_equal((int)number_of(&plan, "tokens"), 2 * 64 * 128);
}

static void time_is_arithmetic_divided_by_speed(void **state) {
    (void)state;
    SizePlan one = plan_of("gpt2-10m --tflops 2");
    SizePlan eight = plan_of("gpt2-10m --processes 8 --tflops 2 --percent 50");
    assert_near(number_of(&one, "seconds"), number_of(&one, "step") / 2e12, 1e-12);
    assert_near(number_of(&one, "hours"), number_of(&one, "seconds") * (double)one.n_steps / 3600.0,
                1e-9);
    // An eighth of the work at half the speed; the batch as a whole is the same.
    assert_near(number_of(&eight, "seconds") / number_of(&one, "seconds"), 0.25, 1e-3);
    assert_near(number_of(&eight, "tokens"), number_of(&one, "tokens"), 0.0);
    assert_near(number_of(&eight, "weights"), number_of(&one, "weights"), 0.0);
    assert_true(number_of(&eight, "activations") < 0.2 * number_of(&one, "activations"));
}

static void the_model_that_is_open_is_counted_as_it_is(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    SizePlan plan;
    Error err = {""};
    support_require(playground_open(&playground, "toy-copy --untrained", &err), &err);
    ModelConfig config = playground.opened->named.model.config;
    config.n_layers = 2;
    support_require(playground_configure(&playground, &config, &err), &err);
    support_require(size_plan_read(&plan, playground.opened, "--batch 2", &err), &err);
    assert_int_equal(plan.size.n_parameters, 2280 + 872 + 1176); // a layer of each side
    assert_int_equal(plan.size.shape.B, 2);
    playground_close(&playground);
}

static void what_cannot_be_is_refused_with_a_sentence(void **state) {
    (void)state;
    static const char *const LINES[][2] = {
        {"", "size: expected a model, such as transformer-base, after it"},
        {"nowhere", "no such preset"},
        {"toy-copy gpt2-tiny", "size: expected one model, found \"gpt2-tiny\" too"},
        {"toy-copy --batch", "size: expected a whole number above 0"},
        {"toy-copy --batch 1.5", "size: expected a whole number above 0"},
        {"toy-copy --batch 0", "size: expected a whole number above 0"},
        {"toy-copy --batch 3 --processes 2", "a batch of 3 sequences cannot be split"},
        {"toy-copy --tflops nan", "size: expected a number above 0"},
        {"toy-copy --tflops 1x", "size: expected a number above 0"},
        {"toy-copy --percent 101", "at most 100, after --percent"},
        {"toy-copy --speed 1", "size: unknown option \"--speed\""},
    };
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        SizePlan plan;
        Error err = {""};
        bool is_read = size_plan_read(&plan, NULL, LINES[i][0], &err);
        if (is_read || strstr(err.text, LINES[i][1]) == NULL) {
            fail_msg("\"%s\": %s", LINES[i][0], err.text);
        }
    }
    SizePlan none = {.name = ""};
    double value = 0.0;
    assert_false(size_plan_find(&none, "parameters", &value, NULL));
    SizePlan plan = plan_of("toy-copy");
    assert_false(size_plan_find(&plan, "encoder", &value, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_every_preset_add_up),
        cmocka_unit_test(the_base_model_is_counted_by_hand),
        cmocka_unit_test(time_is_arithmetic_divided_by_speed),
        cmocka_unit_test(the_model_that_is_open_is_counted_as_it_is),
        cmocka_unit_test(what_cannot_be_is_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
