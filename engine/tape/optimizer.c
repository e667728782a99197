// optimizer.c - AdamW and plain SGD, clipping, and the learning rate's schedule.
#include "engine/tape/optimizer.h"

#include <math.h>
#include <string.h>

#include "engine/devices/device.h"
#include "engine/tape/op.h"

OptimizerConfig optimizer_defaults(void) {
    return (OptimizerConfig){.kind = OPTIMIZER_ADAMW,
                             .lr = 1e-2F,
                             .beta1 = 0.9F,
                             .beta2 = 0.98F,
                             .eps = 1e-9F,
                             .decay = 0.01F};
}

const char *const OPTIMIZER_NAMES[N_OPTIMIZERS] = {
    [OPTIMIZER_ADAMW] = "adamw", [OPTIMIZER_SGD] = "sgd"};
const char *const SCHEDULE_NAMES[N_SCHEDULES] = {[SCHEDULE_CONSTANT] = "constant",
                                                 [SCHEDULE_LINEAR] = "linear",
                                                 [SCHEDULE_COSINE] = "cosine",
                                                 [SCHEDULE_2017] = "2017"};

float schedule_lr(const Schedule *schedule, float lr, int64_t step) {
    double t = (double)step;
    double warmup = (double)schedule->n_warmup;
    if (schedule->kind == SCHEDULE_2017) {
        double rise = warmup > 0.0 ? t * pow(warmup, -1.5) : INFINITY;
        return (float)((double)lr * pow(schedule->d_model, -0.5) * fmin(pow(t, -0.5), rise));
    }
    if (t < warmup) {
        return (float)((double)lr * t / warmup);
    }
    double left = fmax((double)schedule->n_steps - warmup, 1.0);
    double done = fmin(fmax(t - 1.0 - warmup, 0.0) / left, 1.0);
    switch (schedule->kind) {
    case SCHEDULE_LINEAR:
        return (float)((double)lr *
                       fmin(fmax((double)schedule->n_steps - t + 1.0, 0.0) / left, 1.0));
    case SCHEDULE_COSINE:
        return (float)((double)lr * (0.1 + 0.9 * 0.5 * (1.0 + cos(3.14159265358979323846 * done))));
    case SCHEDULE_CONSTANT:
    case SCHEDULE_2017:
        break;
    }
    return lr;
}

static bool init_state(Params *state, const Params *params, Progress *progress, Error *err) {
    enum { PIECE = 1024 * 1024 };
    for (int i = 0; i < params->count; i++) {
        params_declare(state, params->items[i].name, &params->items[i].shape,
                       (Init){INIT_ZEROS, 0.0F});
    }
    if (!params_reserve(state)) {
        return error_set(err, "out of memory");
    }
    size_t n = state->n_values;
    for (size_t at = 0; at < n; at += PIECE) {
        if (!progress_at(progress, at, n, err)) {
            return false;
        }
        memset(state->values + at, 0, (n - at < PIECE ? n - at : PIECE) * sizeof *state->values);
    }
    return true;
}

bool optimizer_init_watched(Optimizer *optimizer, const OptimizerConfig *config,
                            const Params *params, Progress *progress, Error *err) {
    *optimizer = (Optimizer){.config = *config};
    if (config->kind == OPTIMIZER_SGD || (init_state(&optimizer->m, params, progress, err) &&
                                          init_state(&optimizer->v, params, progress, err))) {
        return true;
    }
    optimizer_free(optimizer);
    return false;
}

bool optimizer_init(Optimizer *optimizer, const OptimizerConfig *config, const Params *params) {
    return optimizer_init_watched(optimizer, config, params, NULL, NULL);
}

// What an update in place needs of the device's memory beside the numbers themselves.
typedef struct OptimizerScratch {
    StepBlock now;
    double square; // of the gradients' norm
    float factor;
} OptimizerScratch;

void optimizer_free(Optimizer *optimizer) {
    if (optimizer->device != NULL) {
        optimizer->device->backend->free(optimizer->device, optimizer->scratch);
    }
    params_free(&optimizer->m);
    params_free(&optimizer->v);
    *optimizer = (Optimizer){0};
}

static AdamStep adam_step(const OptimizerConfig *config) {
    return (AdamStep){config->beta1, config->beta2, config->eps, config->decay};
}

// The numbers of update number `step`.
static StepBlock step_block(const Optimizer *optimizer, StepBlock now, int64_t step, float lr) {
    const OptimizerConfig *config = &optimizer->config;
    now.lr = lr;
    now.correction1 = (float)(1.0 - pow((double)config->beta1, (double)step));
    now.correction2 = (float)(1.0 - pow((double)config->beta2, (double)step));
    return now;
}

// ---- in place

static bool claim_scratch(Optimizer *optimizer, Params *params, Device *device, Error *err) {
    bool has_means = optimizer->config.kind == OPTIMIZER_ADAMW;
    if (!params_place(params, device, err) ||
        (has_means && (!params_place(&optimizer->m, device, err) ||
                       !params_place(&optimizer->v, device, err)))) {
        return false;
    }
    if (optimizer->device == NULL) {
        optimizer->scratch = device->backend->allocate(device, sizeof *optimizer->scratch);
        optimizer->device = optimizer->scratch == NULL ? NULL : device;
    }
    return optimizer->scratch != NULL || error_set(err, "out of memory");
}

// The factor of the gradients, as the device works it out; none where it is 1.
static Array begin_clipping(const Optimizer *optimizer, const Update *update, Device *device,
                            size_t n) {
    const Backend *backend = device->backend;
    OptimizerScratch *scratch = optimizer->scratch;
    Array factor = array_of(&scratch->factor);
    if (update->measures || optimizer->config.clip > 0.0F) {
        ClipScale clip = {update->scale, optimizer->config.clip, update->n_losses};
        backend->square_sum(device, &scratch->square, update->gradients, n, false);
        backend->clip_scale(device, factor, &scratch->square, update->losses, clip);
        return factor;
    }
    if (update->scale != 1.0F) {
        backend->fill(device, factor, update->scale, 1);
        return factor;
    }
    return array_none();
}

// Where the device may change them.
static Array to_change(Params *params) {
    params_send(params);
    params_changed(params);
    return params_array(params, NULL);
}

bool optimizer_begin(Optimizer *optimizer, Params *params, const Update *update, Device *device,
                     Error *err) {
    if (!claim_scratch(optimizer, params, device, err)) {
        return false;
    }
    const OptimizerConfig *config = &optimizer->config;
    size_t n = params->n_values;
    StepBlock now = step_block(optimizer, (StepBlock){.drops = 1}, optimizer->step + 1, update->lr);
    device->backend->write(device, &optimizer->scratch->now, &now, sizeof now);
    Array factor = begin_clipping(optimizer, update, device, n);
    Array w = to_change(params);
    if (config->kind == OPTIMIZER_SGD) {
        device->backend->sgd(device, w, w, update->gradients, n, config->decay,
                             &optimizer->scratch->now, factor);
    } else {
        Array m = to_change(&optimizer->m);
        Array v = to_change(&optimizer->v);
        device->backend->adamw(device, w, m, v, w, m, v, update->gradients, n, adam_step(config),
                               &optimizer->scratch->now, factor);
    }
    optimizer->step++;
    return true;
}

bool optimizer_end(Optimizer *optimizer, const Update *update, double *norm, bool *updated,
                   Error *err) {
    OptimizerScratch found = {.square = 0.0};
    if (!device_read(optimizer->device, &found, optimizer->scratch, sizeof found, err)) {
        return false;
    }
    *norm = (double)update->scale * sqrt(found.square);
    *updated = isfinite(found.factor);
    optimizer->step -= !*updated;
    return true;
}

bool optimizer_step(Optimizer *optimizer, Params *params, Array gradients, float lr, float scale,
                    Device *device, double *norm) {
    Update update = {
        .gradients = gradients, .lr = lr, .scale = scale, .measures = norm != NULL, .n_losses = 0};
    double length = 0.0;
    bool updated = true;
    if (!optimizer_begin(optimizer, params, &update, device, NULL)) {
        return false;
    }
    bool is_measured = update.measures || optimizer->config.clip > 0.0F;
    bool ok = !is_measured || optimizer_end(optimizer, &update, &length, &updated, NULL);
    if (norm != NULL) {
        *norm = length;
    }
    return ok;
}

// ---- as nodes

static void append_update(Optimizer *optimizer, Tape *tape, Node *node, Node *factor) {
    Arena *arena = &tape->arena;
    const char *name = node->parameter->name;
    const char *stage = arena_format(arena, "update.%s", name);
    Node *update = NULL;
    if (optimizer->config.kind == OPTIMIZER_SGD) {
        update = op_sgd(tape, name, node, node->gradient, optimizer->config.decay, factor);
    } else {
        Node *m = op_parameter_of(tape, &optimizer->m, params_find(&optimizer->m, name),
                                  arena_format(arena, "update.m.%s", name));
        Node *v = op_parameter_of(tape, &optimizer->v, params_find(&optimizer->v, name),
                                  arena_format(arena, "update.v.%s", name));
        AdamStep step = adam_step(&optimizer->config);
        AdamNodes nodes = {node, node->gradient, m, v, factor};
        update = op_adamw(tape, name, &step, &nodes);
        for (int number = 1; number <= 2; number++) {
            Node *part = op_part(tape, name, update, number);
            part->stage = arena_format(arena, "update.next_%s.%s", number == 1 ? "m" : "v", name);
            part->forward = node;
        }
    }
    update->stage = stage;
    update->forward = node;
    update->parameter = node->parameter;
}

static bool is_updated(const Node *node) {
    return node->op == OP_PARAMETER && node->gradient != NULL;
}

// NULL where the gradients are not clipped.
static Node *append_clipping(const Optimizer *optimizer, Tape *tape) {
    if (optimizer->config.clip <= 0.0F) {
        return NULL;
    }
    Node **gradients = arena_allocate(&tape->arena, (size_t)tape->n_forward * sizeof(Node *));
    int n = 0;
    for (int i = 0; i < tape->n_forward; i++) {
        if (is_updated(tape->nodes[i])) {
            gradients[n++] = tape->nodes[i]->gradient;
        }
    }
    return op_clip_scale(tape, "clip", gradients, n, optimizer->config.clip);
}

void optimizer_append(Optimizer *optimizer, Tape *tape) {
    if (error_is_set(&tape->err)) {
        return;
    }
    tape->phase = PHASE_UPDATE;
    tape_enter(tape, "update", SCOPE_PLAIN);
    Node *factor = append_clipping(optimizer, tape);
    for (int i = 0; i < tape->n_forward; i++) {
        if (is_updated(tape->nodes[i])) {
            append_update(optimizer, tape, tape->nodes[i], factor);
        }
    }
    tape_leave(tape);
    tape->phase = PHASE_FORWARD;
}

static bool is_update(const Node *node) {
    return node->op == OP_ADAMW || node->op == OP_SGD;
}

void optimizer_prepare(const Optimizer *optimizer, Tape *tape, float lr) {
    StepBlock now = step_block(optimizer, tape->now, optimizer->step + 1, lr);
    tape_set_step(tape, &now);
}

// The next numbers become the parameter's.
static void commit(const Tape *tape, const Node *parameter, const Node *next) {
    tape->device->backend->copy(tape->device, parameter->array.data, next->array.data,
                                shape_count(&next->shape) * sizeof(float));
    params_changed(parameter->params);
}

void optimizer_commit(Optimizer *optimizer, Tape *tape) {
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (is_update(node)) {
            commit(tape, node->inputs[0], node);
        }
        if (node->op == OP_ADAMW) {
            commit(tape, node->inputs[2], tape->nodes[i + 1]);
            commit(tape, node->inputs[3], tape->nodes[i + 2]);
        }
    }
    optimizer->step++;
}
