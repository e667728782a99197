// test_optimizer.c - updates, clipping, schedules; the draws and the initial weights.
#include "tests/support_tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/optimizer.h"
#include "kernels/random.h"

// ---- in place, and as nodes

typedef struct Pair {
    ModelBench watched; // updated by nodes
    ModelBench other;   // the same model, updated in place
    Optimizer by_nodes, in_place;
} Pair;

static void pair_open(Pair *pair, FamilyKind family, const OptimizerConfig *optimizer) {
    ModelConfig config = support_config(family);
    BatchShape shape = {2, 5, 3};
    Error err = {""};
    ModelBench *bench = &pair->watched;
    bench->device = support_device_open(2);
    support_require(model_init(&bench->model, &config, 11, &err), &err);
    support_require(model_tape_build(&bench->built, &bench->model, TAPE_WATCH, bench->device, shape,
                                     TAPE_GRADIENTS, &err),
                    &err);
    assert_true(optimizer_init(&pair->by_nodes, optimizer, &bench->model.params));
    optimizer_append(&pair->by_nodes, &bench->built.tape);
    support_require(tape_allocate(&bench->built.tape, &err), &err);
    model_bench_open(&pair->other, &config, TAPE_TRAIN, shape, 2, 11);
    assert_true(optimizer_init(&pair->in_place, optimizer, &pair->other.model.params));
}

static void pair_close(Pair *pair) {
    optimizer_free(&pair->by_nodes);
    optimizer_free(&pair->in_place);
    model_bench_close(&pair->watched);
    model_bench_close(&pair->other);
}

// The watched tape's gradients, laid out as the parameters are.
static float *gradients_of(const ModelBench *bench) {
    float *gradients = calloc(bench->model.params.n_values, sizeof *gradients);
    assert_non_null(gradients);
    for (int i = 0; i < bench->built.tape.n_forward; i++) {
        const Node *node = bench->built.tape.nodes[i];
        if (node->op == OP_PARAMETER && node->gradient != NULL) {
            memcpy(gradients + node->parameter->offset, support_numbers(node->gradient),
                   support_count(node) * sizeof(float));
        }
    }
    return gradients;
}

static void pair_step(Pair *pair, int step) {
    Tape *tape = &pair->watched.built.tape;
    float lr = 0.01F / (float)(step + 1);
    model_bench_set_ids(&pair->watched, (uint64_t)step);
    tape_run(tape);
    optimizer_prepare(&pair->by_nodes, tape, lr);
    tape_run(tape);
    float *gradients = gradients_of(&pair->watched);
    optimizer_commit(&pair->by_nodes, tape);
    Params *params = &pair->other.model.params;
    optimizer_step(&pair->in_place, params, array_of(gradients), lr, 1.0F, pair->other.device,
                   NULL);
    free(gradients);
    size_t n = params->n_values;
    assert_int_equal(pair->by_nodes.step, step + 1);
    assert_int_equal(pair->in_place.step, step + 1);
    assert_true(support_same_bits(pair->watched.model.params.values, params->values, n));
    if (pair->in_place.config.kind == OPTIMIZER_ADAMW) {
        assert_true(support_same_bits(pair->by_nodes.m.values, pair->in_place.m.values, n));
        assert_true(support_same_bits(pair->by_nodes.v.values, pair->in_place.v.values, n));
    }
}

static void the_update_in_place_is_that_of_the_nodes(void **state) {
    (void)state;
    for (int i = 0; i < 12; i++) {
        OptimizerConfig config = optimizer_defaults();
        config.kind = i % 2 == 0 ? OPTIMIZER_ADAMW : OPTIMIZER_SGD;
        config.clip = i / 2 % 2 == 0 ? 0.0F : 0.5F;
        Pair pair;
        pair_open(&pair, (FamilyKind)(i / 4), &config);
        float *before = malloc(pair.other.model.params.n_values * sizeof *before);
        assert_non_null(before);
        memcpy(before, pair.other.model.params.values,
               pair.other.model.params.n_values * sizeof *before);
        for (int step = 0; step < 4; step++) {
            pair_step(&pair, step);
        }
        assert_false(support_same_bits(before, pair.other.model.params.values,
                                       pair.other.model.params.n_values));
        free(before);
        pair_close(&pair);
    }
}

// ---- by hand

typedef struct Few {
    Device *device;
    Params params;
    Optimizer optimizer;
    float gradients[16];
} Few;

// Two parameters, 1 and -2, with gradients 0.3 and 0.4.
static void few_open(Few *few, const OptimizerConfig *config) {
    *few = (Few){.device = support_device_open(1), .gradients = {0.3F, 0.4F}};
    params_declare(&few->params, "w", &(Shape){"C", {2}}, (Init){INIT_ZEROS, 0.0F});
    assert_true(params_allocate(&few->params));
    few->params.values[0] = 1.0F;
    few->params.values[1] = -2.0F;
    assert_true(optimizer_init(&few->optimizer, config, &few->params));
}

static double few_step(Few *few, float lr, float scale) {
    double norm = 0.0;
    optimizer_step(&few->optimizer, &few->params, array_of(few->gradients), lr, scale, few->device,
                   &norm);
    return norm;
}

static void few_require(Few *few, double first, double second) {
    assert_true(fabs((double)few->params.values[0] - first) < 2e-7);
    assert_true(fabs((double)few->params.values[1] - second) < 2e-7);
}

static void few_close(Few *few) {
    optimizer_free(&few->optimizer);
    params_free(&few->params);
    device_close(few->device);
}

static void sgd_is_as_worked_out_by_hand(void **state) {
    (void)state;
    OptimizerConfig config = {.kind = OPTIMIZER_SGD, .decay = 0.5F};
    Few few;
    few_open(&few, &config);
    assert_true(fabs(few_step(&few, 0.1F, 1.0F) - 0.5) < 1e-7);
    few_require(&few, 1.0 - 0.1 * (0.3 + 0.5), -2.0 - 0.1 * (0.4 - 1.0));
    few_step(&few, 0.1F, 0.5F); // two micro-batches
    few_require(&few, 0.92 - 0.1 * (0.15 + 0.46), -1.94 - 0.1 * (0.2 - 0.97));
    few_close(&few);
}

static void adamw_is_as_worked_out_by_hand(void **state) {
    (void)state;
    OptimizerConfig config = {
        .kind = OPTIMIZER_ADAMW, .beta1 = 0.9F, .beta2 = 0.99F, .eps = 0.1F, .decay = 0.5F};
    Few few;
    few_open(&few, &config);
    few_step(&few, 0.1F, 1.0F); // corrected means are the gradient and its square
    few_require(&few, 1.0 - 0.05 - 0.1 * 0.3 / 0.4, -2.0 + 0.1 - 0.1 * 0.4 / 0.5);
    few.gradients[0] = -0.3F;
    few.gradients[1] = 0.4F;
    few_step(&few, 0.1F, 1.0F); // m = 0.9·0.03 - 0.03, v as before
    double m = (0.9 * 0.03 - 0.1 * 0.3) / (1.0 - 0.81);
    few_require(&few, 0.875 * 0.95 - 0.1 * m / 0.4, -1.98 * 0.95 - 0.08);
    few_close(&few);
}

static void clipping_keeps_the_direction_and_cuts_the_length(void **state) {
    (void)state;
    OptimizerConfig config = {.kind = OPTIMIZER_SGD, .clip = 0.25F};
    Few few;
    few_open(&few, &config);
    assert_true(fabs(few_step(&few, 1.0F, 1.0F) - 0.5) < 1e-7); // its length before
    few_require(&few, 1.0 - 0.15, -2.0 - 0.2);
    assert_true(fabs(few_step(&few, 1.0F, 0.4F) - 0.2) < 1e-7); // short enough
    few_require(&few, 0.85 - 0.12, -2.2 - 0.16);
    few_close(&few);
}

// ---- schedules

static void require_lr(const Schedule *schedule, int64_t step, double expected) {
    double found = (double)schedule_lr(schedule, 2.0F, step);
    if (!(fabs(found - expected) <= 1e-6 * fabs(expected) + 1e-9)) {
        fail_msg("step %ld: expected %.9g, found %.9g", (long)step, expected, found);
    }
}

static void the_constant_schedule_rises_and_stays(void **state) {
    (void)state;
    Schedule schedule = {.kind = SCHEDULE_CONSTANT, .n_warmup = 4, .n_steps = 10};
    require_lr(&schedule, 1, 0.5);
    require_lr(&schedule, 3, 1.5);
    require_lr(&schedule, 4, 2.0);
    require_lr(&schedule, 1000, 2.0);
    schedule.n_warmup = 0;
    require_lr(&schedule, 1, 2.0);
}

static void the_linear_schedule_falls_and_its_last_step_learns(void **state) {
    (void)state;
    Schedule schedule = {.kind = SCHEDULE_LINEAR, .n_warmup = 2, .n_steps = 10};
    require_lr(&schedule, 1, 1.0);
    require_lr(&schedule, 2, 2.0);
    require_lr(&schedule, 3, 2.0); // transformers: max(0, (10 - 2) / (10 - 2)) after two steps
    require_lr(&schedule, 7, 1.0);
    require_lr(&schedule, 10, 0.25);
    require_lr(&schedule, 11, 0.0);
    require_lr(&schedule, 12, 0.0);
    schedule.n_warmup = 0;
    require_lr(&schedule, 1, 2.0);
    require_lr(&schedule, 10, 0.2);
}

static void the_cosine_schedule_falls_to_a_tenth(void **state) {
    (void)state;
    Schedule schedule = {.kind = SCHEDULE_COSINE, .n_warmup = 2, .n_steps = 10};
    require_lr(&schedule, 1, 1.0);
    require_lr(&schedule, 2, 2.0);
    require_lr(&schedule, 3, 2.0);
    require_lr(&schedule, 5, 2.0 * (0.1 + 0.45 * (1.0 + 0.70710678118654752)));
    require_lr(&schedule, 7, 2.0 * 0.55);
    require_lr(&schedule, 11, 0.2);
    require_lr(&schedule, 99, 0.2);
}

// The first and the last five of twelve steps, from the formulas of transformers'
// get_*_schedule_with_warmup and get_cosine_with_min_lr_schedule_with_warmup (min_lr_rate 0.1), and
// of the 2017 paper at width 64; the warm-up rises from 1/3.
static void every_schedule_has_the_rates_of_its_formula(void **state) {
    (void)state;
    static const struct {
        ScheduleKind kind;
        int64_t n_warmup;
        double first[5], last[5];
    } CASES[] = {
        {SCHEDULE_CONSTANT, 0, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}},
        {SCHEDULE_CONSTANT, 3, {0.333333333, 0.666666667, 1, 1, 1}, {1, 1, 1, 1, 1}},
        {SCHEDULE_LINEAR,
         0,
         {1, 0.916666667, 0.833333333, 0.75, 0.666666667},
         {0.416666667, 0.333333333, 0.25, 0.166666667, 0.0833333333}},
        {SCHEDULE_LINEAR,
         3,
         {0.333333333, 0.666666667, 1, 1, 0.888888889},
         {0.555555556, 0.444444444, 0.333333333, 0.222222222, 0.111111111}},
        {SCHEDULE_COSINE,
         0,
         {1, 0.984666622, 0.939711432, 0.868198052, 0.775},
         {0.43353143, 0.325, 0.231801948, 0.160288568, 0.115333378}},
        {SCHEDULE_COSINE,
         3,
         {0.333333333, 0.666666667, 1, 1, 0.972861679},
         {0.62814168, 0.47185832, 0.325, 0.205280001, 0.127138321}},
        {SCHEDULE_2017,
         0,
         {0.125, 0.0883883476, 0.0721687836, 0.0625, 0.0559016994},
         {0.0441941738, 0.0416666667, 0.0395284708, 0.0376889181, 0.0360843918}},
        {SCHEDULE_2017,
         3,
         {0.0240562612, 0.0481125224, 0.0721687836, 0.0625, 0.0559016994},
         {0.0441941738, 0.0416666667, 0.0395284708, 0.0376889181, 0.0360843918}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Schedule schedule = {CASES[i].kind, CASES[i].n_warmup, 12, 64};
        for (int k = 0; k < 5; k++) {
            require_lr(&schedule, 1 + k, 2.0 * CASES[i].first[k]);
            require_lr(&schedule, 8 + k, 2.0 * CASES[i].last[k]);
        }
    }
    // A run of one step has the rate that was asked for, whatever its schedule.
    for (ScheduleKind kind = SCHEDULE_CONSTANT; kind <= SCHEDULE_COSINE; kind++) {
        Schedule schedule = {kind, 0, 1, 64};
        require_lr(&schedule, 1, 2.0);
    }
}

// 512^-0.5 = 0.0441941738; the peak at 4000 is that times 4000^-0.5.
static void the_2017_schedule_rises_in_a_line_and_falls_as_the_root(void **state) {
    (void)state;
    Schedule schedule = {.kind = SCHEDULE_2017, .n_warmup = 4000, .d_model = 512};
    double peak = 2.0 * 0.0441941738241592 / 63.2455532033676;
    require_lr(&schedule, 1, peak / 4000.0);
    require_lr(&schedule, 1000, peak / 4.0);
    require_lr(&schedule, 4000, peak);
    require_lr(&schedule, 16000, peak / 2.0);
    require_lr(&schedule, 400000, peak / 10.0);
    assert_true(schedule_lr(&schedule, 2.0F, 3999) < schedule_lr(&schedule, 2.0F, 4000));
    assert_true(schedule_lr(&schedule, 2.0F, 4001) < schedule_lr(&schedule, 2.0F, 4000));
    schedule.n_warmup = 0;
    require_lr(&schedule, 4, 0.0441941738241592);
}

// ---- draws

// The vectors published with Random123 (Salmon et al. 2011), Philox4x32-10.
static void philox_gives_the_published_numbers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4];
        uint64_t key;
        uint32_t expected[4];
    } VECTORS[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         0xffffffffffffffff,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         0x299f31d0a4093822,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof VECTORS / sizeof VECTORS[0]; i++) {
        uint32_t out[4];
        random_philox(VECTORS[i].key, VECTORS[i].counter, out);
        assert_memory_equal(out, VECTORS[i].expected, sizeof out);
    }
}

static void draws_are_told_apart_by_seed_purpose_step_and_element(void **state) {
    (void)state;
    uint32_t bits = random_bits(1, 2, 3, 4);
    assert_int_equal(bits, random_bits(1, 2, 3, 4));
    assert_int_not_equal(bits, random_bits(0, 2, 3, 4));
    assert_int_not_equal(bits, random_bits(1, 3, 3, 4));
    assert_int_not_equal(bits, random_bits(1, 2, 4, 4));
    assert_int_not_equal(bits, random_bits(1, 2, 3, 5));
    assert_int_not_equal(bits, random_bits(1, 2, 3, 4 + ((uint64_t)1 << 34)));
    for (uint64_t i = 0; i < 10000; i++) {
        float x = random_uniform(5, 1, 0, i);
        assert_true(x >= 0.0F && x < 1.0F);
    }
}

typedef struct Moments {
    double mean, deviation, low, high;
} Moments;

enum { N_DRAWN = 40000 };

static Moments moments_of(Init init, uint64_t seed) {
    Params params = {0};
    const Parameter *parameter =
        params_declare(&params, "w", &(Shape){"OC", {200, N_DRAWN / 200}}, init);
    assert_true(params_allocate(&params));
    assert_true(params_draw(&params, seed, NULL, NULL));
    const float *x = params_values(&params, parameter);
    Moments moments = {.low = INFINITY, .high = -(double)INFINITY};
    double square = 0.0;
    for (int i = 0; i < N_DRAWN; i++) {
        moments.mean += (double)x[i] / N_DRAWN;
        square += (double)x[i] * (double)x[i] / N_DRAWN;
        moments.low = fmin(moments.low, (double)x[i]);
        moments.high = fmax(moments.high, (double)x[i]);
    }
    moments.deviation = sqrt(square - moments.mean * moments.mean);
    params_free(&params);
    return moments;
}

// Few numbers are drawn by one thread, many by all: the n-th of a parameter is the same number.
static void initial_weights_do_not_depend_on_threads(void **state) {
    (void)state;
    static const int SIZES[] = {N_DRAWN, 50 * N_DRAWN + 7};
    static const Init INITS[] = {{INIT_NORMAL, 0.02F}, {INIT_UNIFORM, 0.5F}};
    for (size_t k = 0; k < sizeof INITS / sizeof INITS[0]; k++) {
        Params params[2];
        memset(params, 0, sizeof params);
        const Parameter *second[2];
        for (int i = 0; i < 2; i++) {
            params_declare(&params[i], "first", &(Shape){"C", {SIZES[i]}}, INITS[k]);
            second[i] = params_declare(&params[i], "w", &(Shape){"C", {SIZES[i]}}, INITS[k]);
            assert_true(params_allocate(&params[i]));
            assert_true(params_draw(&params[i], 7, NULL, NULL));
        }
        assert_memory_equal(params_values(&params[0], second[0]),
                            params_values(&params[1], second[1]), N_DRAWN * sizeof(float));
        assert_true(params_values(&params[1], second[1])[SIZES[1] - 1] != 0.0F);
        params_free(&params[0]);
        params_free(&params[1]);
    }
}

// Bounds of five deviations of a mean and a deviation of 40,000 draws.
static void initial_weights_have_their_mean_and_deviation(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Moments normal = moments_of((Init){INIT_NORMAL, 0.02F}, seed);
        assert_true(fabs(normal.mean) < 5.0 * 0.02 / 200.0);
        assert_true(fabs(normal.deviation / 0.02 - 1.0) < 5.0 / sqrt(2.0 * N_DRAWN));
        assert_true(normal.high > 0.06 && normal.low < -0.06 && normal.high < 0.14);
        Moments uniform = moments_of((Init){INIT_UNIFORM, 0.5F}, seed);
        assert_true(fabs(uniform.mean) < 5.0 * 0.289 / 200.0);
        assert_true(fabs(uniform.deviation / (0.5 / sqrt(3.0)) - 1.0) < 0.015);
        assert_true(uniform.low >= -0.5 && uniform.low < -0.499);
        assert_true(uniform.high <= 0.5 && uniform.high > 0.499);
        Moments ones = moments_of((Init){INIT_ONES, 0.0F}, seed);
        assert_true(ones.low == 1.0 && ones.high == 1.0);
        Moments zeros = moments_of((Init){INIT_ZEROS, 0.0F}, seed);
        assert_true(zeros.low == 0.0 && zeros.high == 0.0);
        assert_true(moments_of((Init){INIT_NORMAL, 0.02F}, seed + 9).mean != normal.mean);
    }
}

static void parameters_of_a_model_are_drawn_apart(void **state) {
    (void)state;
    ModelConfig config = support_config(FAMILY_STORY);
    Model model;
    Error err = {""};
    support_require(model_init(&model, &config, 1, &err), &err);
    const Params *params = &model.params;
    const float *q = params_values(params, params_find(params, "attention.W_Q.weight"));
    const float *k = params_values(params, params_find(params, "attention.W_K.weight"));
    assert_false(support_same_bits(q, k, 12 * 12));
    model_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_update_in_place_is_that_of_the_nodes),
        cmocka_unit_test(sgd_is_as_worked_out_by_hand),
        cmocka_unit_test(adamw_is_as_worked_out_by_hand),
        cmocka_unit_test(clipping_keeps_the_direction_and_cuts_the_length),
        cmocka_unit_test(the_constant_schedule_rises_and_stays),
        cmocka_unit_test(the_linear_schedule_falls_and_its_last_step_learns),
        cmocka_unit_test(the_cosine_schedule_falls_to_a_tenth),
        cmocka_unit_test(every_schedule_has_the_rates_of_its_formula),
        cmocka_unit_test(the_2017_schedule_rises_in_a_line_and_falls_as_the_root),
        cmocka_unit_test(philox_gives_the_published_numbers),
        cmocka_unit_test(draws_are_told_apart_by_seed_purpose_step_and_element),
        cmocka_unit_test(initial_weights_do_not_depend_on_threads),
        cmocka_unit_test(initial_weights_have_their_mean_and_deviation),
        cmocka_unit_test(parameters_of_a_model_are_drawn_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
