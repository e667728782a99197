// support_tape.c - small tapes over numbers of the test, and models on batches of ids.
#include "tests/support_tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "kernels/random.h"

void bench_open(Bench *bench, TapeMode mode) {
    *bench = (Bench){.device = support_device_open(1)};
    tape_init(&bench->tape, mode, bench->device, &bench->params);
}

void bench_close(Bench *bench) {
    tape_free(&bench->tape);
    params_free(&bench->params);
    bench->device->backend->free(bench->device, bench->memory.data);
    device_close(bench->device);
    *bench = (Bench){0};
}

Array bench_memory(Bench *bench, const float *values, size_t n) {
    assert_null(bench->memory.data);
    const Backend *backend = bench->device->backend;
    bench->memory = array_of(backend->allocate(bench->device, n * sizeof(float)));
    assert_non_null(bench->memory.data);
    backend->write(bench->device, bench->memory.data, values, n * sizeof(float));
    return bench->memory;
}

const QuantizedMatrix *bench_matrix(Bench *bench, const QuantizedMatrix *host) {
    assert_null(bench->memory.data);
    const Backend *backend = bench->device->backend;
    size_t groups = (size_t)host->N * (size_t)host->stride / QUANTIZED_GROUP;
    size_t number_bytes = host->format == WEIGHT_INT8 ? 1 : host->format == WEIGHT_BF16 ? 2 : 4;
    size_t values_bytes = (size_t)host->N * (size_t)host->stride * number_bytes;
    bench->memory =
        array_of(backend->allocate(bench->device, values_bytes + groups * sizeof(float)));
    assert_non_null(bench->memory.data);
    char *there = bench->memory.data;
    QuantizedMatrix *matrix = arena_allocate(&bench->tape.arena, sizeof *matrix);
    *matrix = *host;
    matrix->values = there;
    backend->write(bench->device, there, host->values, values_bytes);
    if (host->scales != NULL) {
        void *scales = there + values_bytes; // whole groups: aligned
        backend->write(bench->device, scales, host->scales, groups * sizeof(float));
        matrix->scales = scales;
    }
    return matrix;
}

Node *bench_floats(Bench *bench, Shape shape, const float *values) {
    char name[16];
    int i = bench->n_given++;
    assert_true(i < BENCH_MAX_GIVEN);
    snprintf(name, sizeof name, "x%d", i);
    bench->given[i] = op_parameter(
        &bench->tape, params_declare(&bench->params, name, &shape, (Init){INIT_ZEROS, 0.0F}));
    bench->floats[i] = values;
    return bench->given[i];
}

Node *bench_ids(Bench *bench, Shape shape, const int32_t *values) {
    char name[16];
    int i = bench->n_given++;
    assert_true(i < BENCH_MAX_GIVEN);
    snprintf(name, sizeof name, "ids%d", i);
    bench->given[i] = op_ids(&bench->tape, name, ROLE_NONE, shape);
    bench->ids[i] = values;
    return bench->given[i];
}

void bench_start(Bench *bench) {
    Error err = {""};
    assert_true(params_allocate(&bench->params));
    support_require(tape_allocate(&bench->tape, &err), &err);
    for (int i = 0; i < bench->n_given; i++) {
        Node *node = bench->given[i];
        if (bench->ids[i] != NULL) {
            tape_set_ids(&bench->tape, node, bench->ids[i]);
        } else if (bench->floats[i] != NULL) {
            tape_set_values(&bench->tape, node, bench->floats[i]);
        }
    }
}

void bench_run(Bench *bench) {
    bench_start(bench);
    tape_run(&bench->tape);
}

float support_draw(uint64_t seed, uint64_t element) {
    float sum = -2.0F;
    for (uint32_t purpose = 0; purpose < 4; purpose++) {
        sum += random_uniform(seed, purpose, 0, element);
    }
    return sum;
}

void bench_draw(Bench *bench, uint64_t seed) {
    for (int i = 0; i < bench->n_given; i++) {
        const Node *node = bench->given[i];
        for (size_t k = 0; bench->ids[i] == NULL && k < support_count(node); k++) {
            tape_set_number(&bench->tape, node, k, support_draw(seed + (uint64_t)i, k));
        }
    }
}

Node *bench_append_loss(Bench *bench, Node *y) {
    Node *zero = op_constant(&bench->tape, "zero", y->shape, 0.0F);
    Node *loss = op_add(&bench->tape, "loss", y, zero);
    gradient_append(&bench->tape, loss);
    return loss;
}

void bench_weigh_loss(const Tape *tape, const Node *loss, uint64_t seed) {
    assert_int_equal(loss->gradient->op, OP_CONSTANT); // set when the tape was allocated
    for (size_t i = 0; i < support_count(loss); i++) {
        tape_set_number(tape, loss->gradient, i, support_draw(seed, i));
    }
}

double support_exact(Explanation *explanation, const Tape *tape, const Node *node, size_t element) {
    explain_cell(explanation, tape, node, element);
    return explanation->steps[explanation->n_steps - 1].value->value;
}

ModelConfig support_config(FamilyKind family) {
    ModelConfig config = {.family = family,
                          .vocab_size = 13,
                          .d_model = 12,
                          .n_heads = 3,
                          .n_layers = 2,
                          .d_ff = 20,
                          .layer_norm_eps = 1e-5F,
                          .pad_id = -1,
                          .bos_id = -1,
                          .eos_id = -1,
                          .heads = STORY_PARALLEL,
                          .causal = true};
    if (FAMILIES[family]->marks == MARKS_OF_CONFIG) {
        config.pad_id = 0;
        config.bos_id = 1;
        config.eos_id = 2;
    }
    if (FAMILIES[family]->n_classes > 0) {
        config.vocab_size = FAMILIES[family]->n_classes + 3 * 3;
        config.gamma = 0.5F;
        config.cost = 2.0F;
    }
    bool is_gpt2 = family == FAMILY_GPT2;
    config.attention = SEQ2SEQ_ADDITIVE;
    config.n_positions = is_gpt2 ? 300 : 0;
    config.tie_embeddings = is_gpt2;
    return config;
}

void model_bench_open(ModelBench *bench, const ModelConfig *config, TapeMode mode, BatchShape shape,
                      int n_threads, uint64_t seed) {
    Error err = {""};
    bench->device = support_device_open(n_threads);
    assert_non_null(bench->device);
    support_require(model_init(&bench->model, config, seed, &err), &err);
    support_require(model_tape_build(&bench->built, &bench->model, mode, bench->device, shape,
                                     TAPE_GRADIENTS, &err),
                    &err);
    support_require(tape_allocate(&bench->built.tape, &err), &err);
    model_bench_set_ids(bench, seed);
}

void model_bench_close(ModelBench *bench) {
    model_tape_free(&bench->built);
    model_free(&bench->model);
    device_close(bench->device);
}

static void draw_ids(const Tape *tape, const Node *node, int vocab_size, uint64_t seed) {
    for (size_t i = 0; node != NULL && i < support_count(node); i++) {
        uint32_t draw = random_bits(seed, 9, 0, i) % (uint32_t)(vocab_size - 3);
        tape_set_number(tape, node, i, (float)(3 + draw));
    }
}

void model_bench_set_ids(ModelBench *bench, uint64_t seed) {
    const Tape *tape = &bench->built.tape;
    const ModelNodes *nodes = &bench->built.nodes;
    int V = bench->model.config.vocab_size;
    draw_ids(tape, nodes->source, V, seed + 1);
    draw_ids(tape, nodes->tokens, V, seed + 2);
    int n_classes = family_of(&bench->model.config)->n_classes;
    for (size_t i = 0; n_classes > 0 && i < support_count(nodes->labels); i++) {
        uint32_t draw = random_bits(seed, 10, 0, i);
        tape_set_number(tape, nodes->labels, i, (float)(draw % (uint32_t)n_classes));
    }
    if (n_classes > 0) {
        return;
    }
    draw_ids(tape, nodes->labels, V, seed + 3);
    int T = nodes->tokens->shape.sizes[1];
    for (size_t i = 0; i < support_count(nodes->labels); i++) {
        if ((int)(i % (size_t)T) + 1 < T) {
            float next = (float)tape_ids(tape, nodes->tokens)[i + 1];
            tape_set_number(tape, nodes->labels, i, next);
        }
    }
}

size_t support_count(const Node *node) {
    return shape_count(&node->shape);
}

bool support_same_bits(const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (isnan(a[i])) {
            return false;
        }
    }
    return memcmp(a, b, n * sizeof *a) == 0;
}

float *support_copy(const Node *node) {
    size_t size_bytes = support_count(node) * sizeof(float);
    float *copy = malloc(size_bytes);
    assert_non_null(copy);
    memcpy(copy, support_numbers(node), size_bytes);
    return copy;
}
