// generate.c - a model that goes on with texts one token at a time, what it saw being kept.
#include "engine/generation/generate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/plural.h"
#include "engine/models/family.h"
#include "engine/tape/op.h"

static bool is_step_input(const Generator *generator, const Node *node) {
    const ModelNodes *nodes = &generator->step.nodes;
    return node == nodes->tokens || node == nodes->positions;
}

// Which nodes follow from the tokens. The others run once; what the first read of them is kept.
static void mark_dependent(const Generator *generator, bool *depends) {
    const Tape *tape = &generator->step.tape;
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        depends[i] = is_step_input(generator, node);
        for (int k = 0; k < node->n_inputs; k++) {
            depends[i] = depends[i] || depends[node->inputs[k]->id];
        }
        for (int k = 0; depends[i] && k < node->n_inputs; k++) {
            Node *input = node->inputs[k];
            input->is_kept = input->is_kept || !depends[input->id];
        }
    }
}

static bool prepare_step(Generator *generator, Error *err) {
    Tape *tape = &generator->step.tape;
    size_t n = (size_t)tape->n_nodes;
    bool *depends = calloc(n + 1, sizeof *depends);
    generator->program = calloc(n + 1, sizeof(const Node *));
    if (depends == NULL || generator->program == NULL) {
        free(depends);
        return error_set(err, "out of memory");
    }
    mark_dependent(generator, depends);
    bool ok = tape_allocate(tape, err);
    if (ok && generator->step.nodes.source != NULL) {
        tape_set_ids(&generator->step.tape, generator->step.nodes.source, generator->config.source);
    }
    for (int i = 0; ok && i < tape->n_program; i++) {
        const Node *node = tape->program[i];
        if (depends[node->id]) {
            generator->program[generator->n_program++] = node;
        } else {
            tape_run_node(tape, node);
        }
    }
    free(depends);
    return ok;
}

static bool open_step(Generator *generator, Error *err) {
    const GeneratorConfig *config = &generator->config;
    StepOptions options = {config->mode, &generator->state, config->weights};
    BatchShape shape = {.B = config->n_rows, .T = 1, .S = config->S};
    return model_tape_build_step(&generator->step, generator->model, generator->device, shape,
                                 &options, err) &&
           prepare_step(generator, err);
}

static bool open_whole(Generator *generator, Error *err) {
    size_t rows = (size_t)generator->config.n_rows;
    size_t V = (size_t)generator->model->config.vocab_size;
    generator->texts = calloc(rows * (size_t)generator->config.capacity, sizeof(int32_t));
    generator->logits = calloc(rows * V, sizeof(float));
    return (generator->texts != NULL && generator->logits != NULL) ||
           error_set(err, "out of memory");
}

bool generator_open(Generator *generator, Model *model, Device *device,
                    const GeneratorConfig *config, Error *err) {
    *generator = (Generator){.config = *config, .model = model, .device = device};
    int n_positions = model->config.n_positions;
    if (n_positions > 0 && config->capacity > n_positions) {
        return error_set(err, "%d tokens are more than the model's %d position%s", config->capacity,
                         n_positions, plural(n_positions));
    }
    generator->state.device = device;
    generator->state.n_rows = config->n_rows;
    generator->state.capacity = config->capacity;
    generator->lengths = calloc((size_t)config->n_rows, sizeof(int));
    generator->fed = calloc(2 * (size_t)config->n_rows, sizeof *generator->fed);
    bool ok =
        (generator->lengths != NULL && generator->fed != NULL) || error_set(err, "out of memory");
    ok =
        ok && (family_of(&model->config)->keeps_state(&model->config) ? open_step(generator, err)
                                                                      : open_whole(generator, err));
    if (!ok) {
        generator_close(generator);
    }
    return ok;
}

void generator_close(Generator *generator) {
    model_tape_free(&generator->step);
    for (int i = 0; i < GENERATOR_PROMPT_TAPES; i++) {
        model_tape_free(&generator->prompts[i]);
    }
    state_free(&generator->state);
    free(generator->program);
    free(generator->lengths);
    free(generator->fed);
    free(generator->scratch);
    free(generator->texts);
    free(generator->logits);
    *generator = (Generator){.n_program = 0};
}

// ---- prompts: many tokens of one row at once

static ModelTape *prompt_tape(Generator *generator, int number, Error *err) {
    ModelTape *built = &generator->prompts[number];
    if (built->tape.n_nodes > 0) {
        return built;
    }
    StepOptions options = {TAPE_INFER, &generator->state, generator->config.weights};
    BatchShape shape = {.B = 1, .T = 1 << number};
    bool ok =
        model_tape_build_step(built, generator->model, generator->device, shape, &options, err) &&
        tape_allocate(&built->tape, err);
    if (!ok) {
        model_tape_free(built);
    }
    return ok ? built : NULL;
}

// The node after the last cache: what follows it would say which token comes next.
static int end_of_caches(const Tape *tape) {
    int end = 0;
    for (int i = 0; i < tape->n_nodes; i++) {
        end = tape->nodes[i]->op == OP_CACHE ? i + 1 : end;
    }
    return end;
}

static bool read_part(Generator *generator, int row, const int32_t *ids, int number, Error *err) {
    ModelTape *built = prompt_tape(generator, number, err);
    if (built == NULL) {
        return false;
    }
    int n = 1 << number;
    tape_set_ids(&built->tape, built->nodes.tokens, ids);
    int32_t positions[1 << (GENERATOR_PROMPT_TAPES - 1)];
    for (int t = 0; t < n; t++) {
        positions[t] = generator->lengths[row] + t;
    }
    tape_set_ids(&built->tape, built->nodes.positions, positions);
    StepBlock now = built->tape.now;
    now.cache_row = row;
    tape_set_step(&built->tape, &now);
    tape_run_range(&built->tape, 0, end_of_caches(&built->tape));
    generator->lengths[row] += n;
    return true;
}

bool generator_read(Generator *generator, int row, const int32_t *ids, int n_ids, Error *err) {
    int room = generator->config.capacity - generator->lengths[row];
    if (n_ids > room) {
        return error_set(err, "%d tokens, where there is room for %d", n_ids, room);
    }
    if (generator->texts != NULL) {
        memcpy(generator->texts + row * generator->config.capacity + generator->lengths[row], ids,
               (size_t)n_ids * sizeof *ids);
        generator->lengths[row] += n_ids;
        return true;
    }
    assert(generator->step.nodes.source == NULL);
    for (int at = 0; at < n_ids;) {
        int number = GENERATOR_PROMPT_TAPES - 1;
        while (1 << number > n_ids - at) {
            number--;
        }
        if (!read_part(generator, row, ids + at, number, err)) {
            return false;
        }
        at += 1 << number;
    }
    return true;
}

// ---- steps

// A model that keeps nothing: the whole text of a row.
static bool run_whole(Generator *generator, int row, Error *err) {
    ModelTape built;
    int T = generator->lengths[row];
    BatchShape shape = {.B = 1, .T = T, .S = generator->config.S};
    bool ok = model_tape_build(&built, generator->model, TAPE_INFER, generator->device, shape,
                               TAPE_LOGITS, err) &&
              tape_allocate(&built.tape, err);
    if (ok) {
        size_t V = (size_t)generator->model->config.vocab_size;
        tape_set_ids(&built.tape, built.nodes.tokens,
                     generator->texts + row * generator->config.capacity);
        if (built.nodes.source != NULL) {
            tape_set_ids(&built.tape, built.nodes.source, generator->config.source);
        }
        tape_run(&built.tape);
        memcpy(generator->logits + (size_t)row * V,
               tape_values(&built.tape, built.nodes.logits) + (size_t)(T - 1) * V,
               V * sizeof(float));
        ok = tape_check(&built.tape, err);
    }
    model_tape_free(&built);
    return ok;
}

static bool step_whole(Generator *generator, const int32_t *tokens, Error *err) {
    for (int row = 0; row < generator->config.n_rows; row++) {
        if (tokens[row] >= 0 && !(generator_read(generator, row, &tokens[row], 1, err) &&
                                  run_whole(generator, row, err))) {
            return false;
        }
    }
    return true;
}

bool generator_step(Generator *generator, const int32_t *tokens, const float **logits, Error *err) {
    if (generator->texts != NULL) {
        *logits = generator->logits;
        return step_whole(generator, tokens, err);
    }
    const Tape *tape = &generator->step.tape;
    const ModelNodes *nodes = &generator->step.nodes;
    int32_t *positions = generator->fed + generator->config.n_rows;
    for (int row = 0; row < generator->config.n_rows; row++) {
        int length = generator->lengths[row];
        bool is_idle = tokens[row] < 0;
        if (!is_idle && length == generator->config.capacity) {
            return error_set(err, "row %d is full: %d tokens", row, length);
        }
        generator->fed[row] = is_idle ? 0 : tokens[row];
        positions[row] = is_idle && length > 0 ? length - 1 : length;
        generator->lengths[row] += is_idle ? 0 : 1;
    }
    tape_set_ids(tape, nodes->tokens, generator->fed);
    tape_set_ids(tape, nodes->positions, positions);
    for (int i = 0; i < generator->n_program; i++) {
        tape_run_node(tape, generator->program[i]);
    }
    *logits = tape_values(tape, nodes->logits);
    return tape_check(tape, err);
}

static bool claim_scratch(Generator *generator, Error *err) {
    size_t rows = (size_t)generator->config.n_rows;
    if (generator->scratch == NULL) {
        generator->scratch =
            malloc(rows * (size_t)(generator->config.capacity + 1) * sizeof *generator->scratch);
    }
    return generator->scratch != NULL || error_set(err, "out of memory");
}

bool generator_reorder(Generator *generator, const int *parents, Error *err) {
    if (!claim_scratch(generator, err)) {
        return false;
    }
    int n_rows = generator->config.n_rows;
    int length = 0;
    for (int row = 0; row < n_rows; row++) {
        length = generator->lengths[row] > length ? generator->lengths[row] : length;
    }
    if (!state_reorder(&generator->state, parents, length)) {
        return error_set(err, "out of memory");
    }
    size_t capacity = (size_t)generator->config.capacity;
    int32_t *texts = generator->scratch;
    int32_t *lengths = texts + (size_t)n_rows * capacity;
    for (int row = 0; row < n_rows; row++) {
        lengths[row] = generator->lengths[parents[row]];
        if (generator->texts != NULL) {
            memcpy(texts + (size_t)row * capacity,
                   generator->texts + (size_t)parents[row] * capacity, capacity * sizeof *texts);
        }
    }
    memcpy(generator->lengths, lengths, (size_t)n_rows * sizeof *lengths);
    if (generator->texts != NULL) {
        memcpy(generator->texts, texts, (size_t)n_rows * capacity * sizeof *texts);
    }
    return true;
}

void generator_rewind(Generator *generator, int row, int length) {
    assert(length >= 0 && length <= generator->lengths[row]);
    generator->lengths[row] = length;
}
