// test_awkward.c - a device whose memory nobody may touch gives the CPU's bits: the seam is whole.
#include "tests/support_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/generation/generate.h"
#include "engine/tape/optimizer.h"

// Devices in turns: 0 the CPU, 1 the awkward one.
static void use_device(int which) {
    setenv("ATTEND_TEST_DEVICE", which == 0 ? "cpu" : "awkward", 1);
}

static bool same_bytes(const void *a, const void *b, size_t size_bytes) {
    return memcmp(a, b, size_bytes) == 0;
}

static void require_same_node(const Tape *cpu, const Tape *other, int id, const char *what) {
    const Node *a = cpu->nodes[id];
    const Node *b = other->nodes[id];
    size_t count = support_count(a);
    bool is_same = node_holds_ids(a)
                       ? same_bytes(tape_ids(cpu, a), tape_ids(other, b), count * 4)
                       : same_bytes(tape_values(cpu, a), tape_values(other, b), count * 4);
    is_same =
        is_same && (a->saved_count == 0 || same_bytes(tape_saved(cpu, a), tape_saved(other, b),
                                                      a->saved_count * sizeof(float)));
    if (!is_same) {
        fail_msg("%s: %s (node %d) has other bits", what, OPS[a->op]->name, id);
    }
}

static void require_same_tape(const Tape *cpu, const Tape *other, const char *what) {
    assert_int_equal(cpu->n_nodes, other->n_nodes);
    for (int i = 0; i < cpu->n_nodes; i++) {
        require_same_node(cpu, other, i, what);
    }
}

// ---- the table of ops

static void compare_case(const OpCase *test) {
    bool has_gradient = OPS[test->op]->chain != NULL;
    Bench benches[2];
    Node *losses[2] = {NULL, NULL};
    for (int which = 0; which < 2; which++) {
        use_device(which);
        bench_open(&benches[which], TAPE_WATCH);
        Node *y = test->build(&benches[which]);
        assert_non_null(y);
        losses[which] = has_gradient ? bench_append_loss(&benches[which], y) : NULL;
        bench_run(&benches[which]);
    }
    require_same_tape(&benches[0].tape, &benches[1].tape, test->what);
    for (int which = 0; which < 2; which++) { // once more with other numbers
        bench_draw(&benches[which], 5);
        if (losses[which] != NULL) {
            bench_weigh_loss(&benches[which].tape, losses[which], 6);
        }
        tape_run(&benches[which].tape);
    }
    require_same_tape(&benches[0].tape, &benches[1].tape, test->what);
    bench_close(&benches[0]);
    bench_close(&benches[1]);
}

static void every_op_gives_the_cpus_bits(void **state) {
    (void)state;
    op_cases_each(compare_case);
}

// ---- models

static const BatchShape SHAPE = {2, 5, 4};
static const float CLIP = 0.25F; // less than every family's norm

typedef struct Learner {
    ModelBench bench;
    Optimizer optimizer;
    double norm;
} Learner;

static void learner_open(Learner *learner, int which, FamilyKind family, TapeMode mode) {
    use_device(which);
    ModelConfig config = support_config(family);
    config_set_dropout(&config, mode == TAPE_TRAIN ? 0.25F : 0.0F);
    *learner = (Learner){.norm = 0.0};
    model_bench_open(&learner->bench, &config, mode, SHAPE, 2, 7);
    OptimizerConfig optimizer = optimizer_defaults();
    optimizer.clip = CLIP;
    assert_true(optimizer_init(&learner->optimizer, &optimizer, &learner->bench.model.params));
}

static void learner_close(Learner *learner) {
    ModelBench *bench = &learner->bench;
    model_tape_free(&bench->built);
    optimizer_free(&learner->optimizer);
    model_free(&bench->model);
    device_close(bench->device);
}

static void require_same_params(const Params *a, const Params *b) {
    assert_int_equal(a->n_values, b->n_values);
    assert_true(support_same_bits(params_values(a, NULL), params_values(b, NULL), a->n_values));
}

static void training_steps_give_the_cpus_bits(void **state) {
    (void)state;
    for (int family = 0; family < FAMILY_COUNT; family++) {
        Learner learners[2];
        for (int which = 0; which < 2; which++) {
            Learner *learner = &learners[which];
            learner_open(learner, which, (FamilyKind)family, TAPE_TRAIN);
            Tape *tape = &learner->bench.built.tape;
            for (int step = 0; step < 3; step++) {
                model_bench_set_ids(&learner->bench, (uint64_t)step);
                tape_set_draw(tape, (uint64_t)step);
                tape_run(tape);
                assert_true(optimizer_step(&learner->optimizer, &learner->bench.model.params,
                                           tape->gradients, 0.01F, 1.0F, learner->bench.device,
                                           &learner->norm));
            }
        }
        const Tape *cpu = &learners[0].bench.built.tape;
        const Tape *other = &learners[1].bench.built.tape;
        assert_true(*tape_values(cpu, cpu->loss) == *tape_values(other, other->loss));
        assert_true(learners[0].norm == learners[1].norm && learners[0].norm > (double)CLIP);
        assert_true(support_same_bits(tape_gradients(cpu), tape_gradients(other),
                                      learners[0].bench.model.params.n_values));
        require_same_params(&learners[0].bench.model.params, &learners[1].bench.model.params);
        require_same_params(&learners[0].optimizer.m, &learners[1].optimizer.m);
        require_same_params(&learners[0].optimizer.v, &learners[1].optimizer.v);
        learner_close(&learners[0]);
        learner_close(&learners[1]);
    }
}

// The whole watched tape with its updates as nodes, an edit, and the commit.
static void run_watched(Learner *learner) {
    Error err = {""};
    ModelBench *bench = &learner->bench;
    Tape *tape = &bench->built.tape;
    model_tape_free(&bench->built);
    support_require(model_tape_build(&bench->built, &bench->model, TAPE_WATCH, bench->device, SHAPE,
                                     TAPE_GRADIENTS, &err),
                    &err);
    optimizer_append(&learner->optimizer, tape);
    support_require(tape_allocate(tape, &err), &err);
    model_bench_set_ids(bench, 3);
    Node *logits = bench->built.nodes.logits;
    for (int step = 0; step < 2; step++) {
        optimizer_prepare(&learner->optimizer, tape, 0.01F);
        tape_run(tape);
        tape_edit(tape, logits, (size_t)step, 2.5F);
        tape_run_range(tape, logits->id + 1, tape->n_nodes);
        optimizer_commit(&learner->optimizer, tape);
    }
    assert_true(tape_values(tape, logits)[1] == 2.5F);
    params_change(&bench->model.params, NULL)[0] = 0.125F; // goes to the device by itself
    tape_run(tape);
    support_require(tape_check(tape, &err), &err);
}

static void a_watched_tape_with_updates_and_edits_gives_the_cpus_bits(void **state) {
    (void)state;
    for (int family = 0; family < FAMILY_COUNT; family++) {
        Learner learners[2];
        for (int which = 0; which < 2; which++) {
            learner_open(&learners[which], which, (FamilyKind)family, TAPE_WATCH);
            run_watched(&learners[which]);
        }
        const Tape *cpu = &learners[0].bench.built.tape;
        require_same_tape(cpu, &learners[1].bench.built.tape, "watched");
        assert_non_null(tape_find(cpu, "update.clip"));
        require_same_params(&learners[0].bench.model.params, &learners[1].bench.model.params);
        learner_close(&learners[0]);
        learner_close(&learners[1]);
    }
}

// ---- faults

static void a_failure_comes_back_from_the_next_read(void **state) {
    (void)state;
    Error err = {""};
    float host[4] = {1, 2, 3, 4};
    float found[4] = {0};
    use_device(1);
    Device *device = support_device_open(1);
    Array memory = array_of(device->backend->allocate(device, sizeof host));
    assert_non_null(memory.data);
    assert_true(device_read(device, found, memory.data, sizeof found, &err));
    assert_true(isnan(found[0]) && isnan(found[3])); // poisoned
    device->backend->write(device, memory.data, host, sizeof host);
    host[0] = 9; // the call before has its own copy
    assert_true(device_read(device, found, memory.data, sizeof found, &err));
    assert_true(found[0] == 1.0F && found[3] == 4.0F);
    device->backend->scale(device, memory, array_of(host), 2.0F, 4);
    assert_false(device_read(device, found, memory.data, sizeof found, &err));
    assert_non_null(strstr(err.text, "awkward: a kernel was given memory that is not its own"));
    assert_true(found[0] == 1.0F);
    assert_null(device->backend->allocate(device, (size_t)1 << 40));
    device_close(device);
}

// Nobody goes on with numbers that a device did not compute.
static void a_device_that_failed_stops_a_generator(void **state) {
    (void)state;
    Error err = {""};
    float host = 1;
    Model model;
    ModelConfig config = support_config(FAMILY_GPT2);
    GeneratorConfig options = {.mode = TAPE_INFER, .n_rows = 1, .capacity = 4};
    Generator generator;
    const float *logits = NULL;
    use_device(1);
    Device *device = support_device_open(1);
    support_require(model_init(&model, &config, 1, &err), &err);
    support_require(generator_open(&generator, &model, device, &options, &err), &err);
    support_require(generator_step(&generator, (const int32_t[]){3}, &logits, &err), &err);
    assert_true(isfinite(logits[0]));
    device->backend->fill(device, array_of(&host), 0.0F, 1);
    assert_false(generator_step(&generator, (const int32_t[]){4}, &logits, &err));
    assert_non_null(strstr(err.text, "awkward: a kernel was given memory"));
    assert_true(isnan(logits[0]));
    assert_true(host == 1.0F);
    generator_close(&generator);
    model_free(&model);
    device_close(device);
}

static void a_tape_without_memory_is_a_sentence(void **state) {
    (void)state;
    Error err = {""};
    ModelBench bench = {.device = NULL};
    ModelConfig config = support_config(FAMILY_GPT2);
    use_device(1);
    bench.device = support_device_open(1);
    support_require(model_init(&bench.model, &config, 1, &err), &err);
    support_require(model_tape_build(&bench.built, &bench.model, TAPE_WATCH, bench.device,
                                     (BatchShape){1 << 20, 4, 0}, TAPE_LOGITS, &err),
                    &err);
    assert_false(tape_allocate(&bench.built.tape, &err));
    assert_non_null(strstr(err.text, "out of memory: a tape of"));
    model_bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_gives_the_cpus_bits),
        cmocka_unit_test(training_steps_give_the_cpus_bits),
        cmocka_unit_test(a_watched_tape_with_updates_and_edits_gives_the_cpus_bits),
        cmocka_unit_test(a_failure_comes_back_from_the_next_read),
        cmocka_unit_test(a_device_that_failed_stops_a_generator),
        cmocka_unit_test(a_tape_without_memory_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
