// test_properties_numbers.c - whole models stay finite, give the same bits, and have switches that
// do what they say.
#include "tests/support_tape.h"

#include "engine/models/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/optimizer.h"

static const BatchShape SMALL = {2, 5, 4};

static void open_family(ModelBench *bench, FamilyKind family, TapeMode mode) {
    ModelConfig config = support_config(family);
    config.label_smoothing = 0.1F;
    model_bench_open(bench, &config, mode, SMALL, 1, 23);
}

// ---- finite

// -inf is for masked scores alone; a NaN for nobody.
static void require_finite(const Node *node) {
    for (size_t i = 0; !node_holds_ids(node) && i < support_count(node); i++) {
        float x = support_numbers(node)[i];
        bool is_masked = node->role == ROLE_MASKED_SCORES && node->phase == PHASE_FORWARD;
        if (!isfinite(x) && !(is_masked && isinf(x) && x < 0.0F)) {
            fail_msg("%s[%zu] is %g", node->stage, i, (double)x);
        }
    }
}

static void require_finite_tape(const ModelBench *bench) {
    const Tape *tape = &bench->built.tape;
    tape_run(tape);
    assert_true(isfinite(*support_numbers(tape->loss)));
    for (int i = 0; tape->mode == TAPE_WATCH && i < tape->n_nodes; i++) {
        require_finite(tape->nodes[i]);
    }
    for (size_t i = 0; tape->mode == TAPE_TRAIN && i < bench->model.params.n_values; i++) {
        if (!isfinite(tape_gradients(tape)[i])) {
            fail_msg("gradient %zu of %s is %g", i, config_family_name(bench->model.config.family),
                     (double)tape_gradients(tape)[i]);
        }
    }
}

static void scale_parameter(const Node *parameter, float factor) {
    for (size_t i = 0; i < support_count(parameter); i++) {
        support_numbers(parameter)[i] *= factor;
    }
}

static float largest(const Node *node) {
    float max = 0.0F;
    for (size_t i = 0; i < support_count(node); i++) {
        max = fmaxf(max, fabsf(support_numbers(node)[i]));
    }
    return max;
}

// Scales the last weights (of a linear layer or a norm) until the largest logit is about `size`.
static void enlarge_logits(ModelBench *bench, float size) {
    const Node *logits = bench->built.nodes.logits;
    for (int i = 0; i < 3; i++) { // where the table is tied, its embeddings grow too
        tape_run_range(&bench->built.tape, 0, bench->built.tape.n_forward);
        scale_parameter(logits->inputs[1], size / largest(logits));
    }
    tape_run_range(&bench->built.tape, 0, bench->built.tape.n_forward);
    assert_true(largest(logits) > 0.3F * size);
}

static void extreme_logits_stay_finite(void **state) {
    (void)state;
    static const float SIZES[] = {80.0F, 1e4F};
    for (int i = 0; i < FAMILY_COUNT * 4; i++) {
        ModelBench bench;
        if (FAMILIES[i / 4]->n_classes > 0) { // the logit of the first class is always 0
            continue;
        }
        open_family(&bench, (FamilyKind)(i / 4), i % 2 == 0 ? TAPE_WATCH : TAPE_TRAIN);
        enlarge_logits(&bench, SIZES[i / 2 % 2]);
        require_finite_tape(&bench);
        model_bench_close(&bench);
    }
}

static void extreme_weights_everywhere_stay_finite(void **state) {
    (void)state;
    static const float FACTORS[] = {0.0F, 1e-6F, 30.0F, 300.0F};
    for (int i = 0; i < FAMILY_COUNT * 8; i++) {
        ModelBench bench;
        open_family(&bench, (FamilyKind)(i / 8), i % 2 == 0 ? TAPE_WATCH : TAPE_TRAIN);
        Params *params = &bench.model.params;
        for (size_t k = 0; k < params->n_values; k++) {
            params->values[k] *= FACTORS[i / 2 % 4];
        }
        require_finite_tape(&bench);
        model_bench_close(&bench);
    }
}

static void the_smoothed_rows_of_a_model_are_the_papers(void **state) {
    (void)state;
    static const double TARGET[] = {0.0, 0.4 / 3.0, 0.6, 0.4 / 3.0, 0.4 / 3.0};
    ModelConfig config = support_config(FAMILY_ENCODER_DECODER);
    config.vocab_size = 5;
    config.label_smoothing = 0.4F;
    for (int has_padding = 0; has_padding < 2; has_padding++) {
        ModelBench bench;
        model_bench_open(&bench, &config, TAPE_WATCH, SMALL, 1, 5);
        Node *labels = bench.built.nodes.labels;
        int n = (int)support_count(labels);
        for (int i = 0; i < n; i++) {
            support_ids(labels)[i] = has_padding == 1 && i % 3 == 0 ? 0 : 2;
        }
        int n_labels = has_padding == 1 ? n - (n + 2) / 3 : n;
        tape_run(&bench.built.tape);
        const Node *gradient = tape_find(&bench.built.tape, "grad.log_probs");
        for (int i = 0; i < n * 5; i++) {
            double expected = support_ids(labels)[i / 5] == 0 ? 0.0 : TARGET[i % 5];
            double found = -(double)support_numbers(gradient)[i] * n_labels;
            assert_true(fabs(found - expected) < 1e-6);
        }
        model_bench_close(&bench);
    }
}

// ---- the same bits

typedef struct Training {
    ModelConfig config;
    BatchShape shape;
} Training;

static float *train(const Training *training, int n_threads, size_t *n) {
    ModelBench bench;
    Optimizer optimizer;
    model_bench_open(&bench, &training->config, TAPE_TRAIN, training->shape, n_threads, 31);
    OptimizerConfig config = optimizer_defaults();
    config.clip = 1.0F;
    Tape *tape = &bench.built.tape;
    Params *params = &bench.model.params;
    assert_true(optimizer_init(&optimizer, &config, params));
    for (int step = 0; step < 3; step++) {
        model_bench_set_ids(&bench, (uint64_t)step);
        tape_set_draw(tape, (uint64_t)step);
        tape_run(tape);
        optimizer_step(&optimizer, params, tape->gradients, 1e-3F, 1.0F, bench.device, NULL);
    }
    *n = params->n_values;
    float *values = malloc(*n * sizeof *values);
    assert_non_null(values);
    memcpy(values, params->values, *n * sizeof *values);
    optimizer_free(&optimizer);
    model_bench_close(&bench);
    return values;
}

static void require_same_training(const Training *training) {
    size_t n = 0;
    float *first = train(training, 1, &n);
    for (int n_threads = 1; n_threads <= 8; n_threads++) {
        float *values = train(training, n_threads, &n);
        if (!support_same_bits(first, values, n)) {
            fail_msg("%d threads train to other bits than one", n_threads);
        }
        free(values);
    }
    free(first);
}

// Large enough for the pool to be woken by products, attention, norms and the loss.
static void training_gives_the_same_bits_for_1_to_8_threads(void **state) {
    (void)state;
    Training gpt2 = {support_config(FAMILY_GPT2), {2, 60, 0}};
    gpt2.config.d_model = 48;
    gpt2.config.d_ff = 192;
    gpt2.config.vocab_size = 200;
    config_set_dropout(&gpt2.config, 0.1F);
    require_same_training(&gpt2);
    Training translation = {support_config(FAMILY_ENCODER_DECODER), {3, 30, 40}};
    translation.config.d_model = 48;
    translation.config.d_ff = 96;
    translation.config.n_layers = 1;
    translation.config.label_smoothing = 0.1F;
    translation.config.vocab_size = 150;
    require_same_training(&translation);
    Training story = {support_config(FAMILY_STORY), {2, 64, 0}};
    story.config.vocab_size = 150;
    require_same_training(&story);
}

static void another_seed_trains_to_other_bits(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelConfig config = support_config((FamilyKind)i);
        Model a;
        Model b;
        Error err = {""};
        support_require(model_init(&a, &config, 1, &err), &err);
        support_require(model_init(&b, &config, 2, &err), &err);
        assert_false(support_same_bits(a.params.values, b.params.values, a.params.n_values));
        model_free(&a);
        model_free(&b);
    }
}

static void every_node_of_a_model_runs_twice_to_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelBench bench;
        open_family(&bench, (FamilyKind)i, TAPE_WATCH);
        const Tape *tape = &bench.built.tape;
        tape_run(tape);
        for (int k = 0; k < tape->n_nodes; k++) {
            float *once = support_copy(tape->nodes[k]);
            tape_run_node(tape, tape->nodes[k]);
            assert_memory_equal(once, support_numbers(tape->nodes[k]),
                                support_count(tape->nodes[k]) * sizeof *once);
            free(once);
        }
        model_bench_close(&bench);
    }
}

static void a_trainers_tape_runs_twice_to_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelBench bench;
        open_family(&bench, (FamilyKind)i, TAPE_TRAIN);
        const Tape *tape = &bench.built.tape;
        size_t n = bench.model.params.n_values;
        tape_run(tape);
        float loss = *support_numbers(tape->loss);
        float *once = malloc(n * sizeof *once);
        assert_non_null(once);
        memcpy(once, tape_gradients(tape), n * sizeof *once);
        tape_run(tape);
        assert_true(loss == *support_numbers(tape->loss));
        assert_true(support_same_bits(once, tape_gradients(tape), n));
        free(once);
        model_bench_close(&bench);
    }
}

// ---- switches

static void open_switched(ModelBench *bench, FamilyKind family, ModelSwitches switches) {
    ModelConfig config = support_config(family);
    config.switches = switches;
    model_bench_open(bench, &config, TAPE_WATCH, SMALL, 1, 23);
    tape_run(&bench->built.tape);
}

static bool has_switch(FamilyKind family, FamilySwitch which) {
    ModelConfig config = support_config(family);
    return family_has_switch(&config, which);
}

static bool has_role(const ModelBench *bench, Role role) {
    return tape_find_role(&bench->built.tape, role, 0) != NULL;
}

static bool same_logits(const ModelBench *a, const ModelBench *b) {
    const Node *left = a->built.nodes.logits;
    return memcmp(support_numbers(left), support_numbers(b->built.nodes.logits),
                  support_count(left) * sizeof(float)) == 0;
}

static void without_scale_scores_are_larger_by_the_root_of_the_width(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        if (!has_switch((FamilyKind)i, SWITCH_SCALE)) {
            continue;
        }
        ModelBench with;
        ModelBench without;
        open_switched(&with, (FamilyKind)i, (ModelSwitches){0});
        open_switched(&without, (FamilyKind)i, (ModelSwitches){.without_scale = true});
        const Node *a = tape_find_role(&with.built.tape, ROLE_SCORES, 0);
        const Node *b = tape_find_role(&without.built.tape, ROLE_SCORES, 0);
        for (size_t k = 0; k < support_count(a); k++) { // heads are 4 wide
            assert_true(fabsf(2.0F * support_numbers(a)[k] - support_numbers(b)[k]) <=
                        1e-5F * (1.0F + fabsf(support_numbers(b)[k])));
        }
        assert_false(same_logits(&with, &without));
        model_bench_close(&with);
        model_bench_close(&without);
    }
}

static void without_residual_nothing_is_added(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        if (!has_switch((FamilyKind)i, SWITCH_RESIDUAL)) {
            continue;
        }
        ModelBench with;
        ModelBench without;
        open_switched(&with, (FamilyKind)i, (ModelSwitches){0});
        open_switched(&without, (FamilyKind)i, (ModelSwitches){.without_residual = true});
        assert_true(has_role(&with, ROLE_RESIDUAL));
        assert_false(has_role(&without, ROLE_RESIDUAL));
        assert_false(same_logits(&with, &without));
        model_bench_close(&with);
        model_bench_close(&without);
    }
}

// The first two tokens change places; without positions and mask so do their rows, and the last
// row stays as it was.
static double worst_after_swap(ModelBench *bench) {
    Node *tokens = bench->built.nodes.tokens;
    const Node *logits = bench->built.nodes.logits;
    float *before = support_copy(logits);
    size_t V = (size_t)shape_width(&logits->shape);
    int32_t first = support_ids(tokens)[0];
    assert_int_not_equal(first, support_ids(tokens)[1]);
    support_ids(tokens)[0] = support_ids(tokens)[1];
    support_ids(tokens)[1] = first;
    tape_run(&bench->built.tape);
    double worst = 0.0;
    for (size_t c = 0; c < V; c++) {
        worst = fmax(worst, fabs((double)support_numbers(logits)[c] - (double)before[V + c]));
        worst = fmax(worst, fabs((double)support_numbers(logits)[V + c] - (double)before[c]));
        worst = fmax(worst,
                     fabs((double)support_numbers(logits)[4 * V + c] - (double)before[4 * V + c]));
    }
    free(before);
    return worst;
}

static void without_positions_and_mask_order_does_not_matter(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        if (!has_switch((FamilyKind)i, SWITCH_POSITIONS)) {
            continue;
        }
        ModelBench bench;
        open_switched(&bench, (FamilyKind)i,
                      (ModelSwitches){.without_positions = true, .without_mask = true});
        assert_false(has_role(&bench, ROLE_POSITIONS));
        assert_true(worst_after_swap(&bench) < 1e-5);
        model_bench_close(&bench);
        open_switched(&bench, (FamilyKind)i, (ModelSwitches){.without_mask = true});
        assert_true(has_role(&bench, ROLE_POSITIONS));
        assert_true(worst_after_swap(&bench) > 1e-4);
        model_bench_close(&bench);
        open_switched(&bench, (FamilyKind)i, (ModelSwitches){.without_positions = true});
        assert_true(worst_after_swap(&bench) > 1e-4);
        model_bench_close(&bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extreme_logits_stay_finite),
        cmocka_unit_test(extreme_weights_everywhere_stay_finite),
        cmocka_unit_test(the_smoothed_rows_of_a_model_are_the_papers),
        cmocka_unit_test(training_gives_the_same_bits_for_1_to_8_threads),
        cmocka_unit_test(another_seed_trains_to_other_bits),
        cmocka_unit_test(every_node_of_a_model_runs_twice_to_the_same_bits),
        cmocka_unit_test(a_trainers_tape_runs_twice_to_the_same_bits),
        cmocka_unit_test(without_scale_scores_are_larger_by_the_root_of_the_width),
        cmocka_unit_test(without_residual_nothing_is_added),
        cmocka_unit_test(without_positions_and_mask_order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
