// optimizer.c - AdamW and plain SGD, clipping, and the learning rate's schedule.
#include "engine/tape/optimizer.h"

#include <math.h>

#include "engine/tape/op.h"

OptimizerConfig optimizer_defaults(void) {
    return (OptimizerConfig){.kind = OPTIMIZER_ADAMW,
                             .lr = 1e-2F,
                             .beta1 = 0.9F,
                             .beta2 = 0.98F,
                             .eps = 1e-9F,
                             .decay = 0.01F};
}

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
    double done = fmin((t - warmup) / left, 1.0);
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

static bool init_state(Params *state, const Params *params) {
    for (int i = 0; i < params->count; i++) {
        params_declare(state, params->items[i].name, &params->items[i].shape,
                       (Init){INIT_ZEROS, 0.0F});
    }
    return params_allocate(state);
}

bool optimizer_init(Optimizer *optimizer, const OptimizerConfig *config, const Params *params) {
    *optimizer = (Optimizer){.config = *config};
    if (config->kind == OPTIMIZER_SGD ||
        (init_state(&optimizer->m, params) && init_state(&optimizer->v, params))) {
        return true;
    }
    optimizer_free(optimizer);
    return false;
}

void optimizer_free(Optimizer *optimizer) {
    params_free(&optimizer->m);
    params_free(&optimizer->v);
    *optimizer = (Optimizer){0};
}

static AdamStep adam_step(const Optimizer *optimizer, int64_t step, float lr, float scale) {
    const OptimizerConfig *config = &optimizer->config;
    return (AdamStep){.lr = lr,
                      .beta1 = config->beta1,
                      .beta2 = config->beta2,
                      .eps = config->eps,
                      .decay = config->decay,
                      .correction1 = (float)(1.0 - pow((double)config->beta1, (double)step)),
                      .correction2 = (float)(1.0 - pow((double)config->beta2, (double)step)),
                      .gradient_scale = scale};
}

// What the gradients are multiplied by so that their norm is at most clip.
static float clipped(float scale, float clip, double norm) {
    return clip > 0.0F && norm > (double)clip ? (float)((double)scale * (double)clip / norm)
                                              : scale;
}

void optimizer_step(Optimizer *optimizer, Params *params, Array gradients, float lr, float scale,
                    Device *device, double *norm) {
    const OptimizerConfig *config = &optimizer->config;
    size_t n = params->n_values;
    if (config->clip > 0.0F || norm != NULL) {
        double length = (double)scale * sqrt(device->backend->square_sum(device, gradients, n));
        scale = clipped(scale, config->clip, length);
        if (norm != NULL) {
            *norm = length;
        }
        if (!isfinite(length)) {
            return;
        }
    }
    optimizer->step++;
    params_send(params);
    params_changed(params);
    Array w = params_array(params, NULL);
    if (config->kind == OPTIMIZER_SGD) {
        device->backend->sgd(device, w, w, gradients, n, lr, config->decay, scale);
        return;
    }
    params_send(&optimizer->m);
    params_send(&optimizer->v);
    params_changed(&optimizer->m);
    params_changed(&optimizer->v);
    Array m = params_array(&optimizer->m, NULL);
    Array v = params_array(&optimizer->v, NULL);
    device->backend->adamw(device, w, m, v, w, m, v, gradients, n,
                           adam_step(optimizer, optimizer->step, lr, scale));
}

static void append_update(Optimizer *optimizer, Tape *tape, Node *node) {
    Arena *arena = &tape->arena;
    const char *name = node->parameter->name;
    const char *stage = arena_format(arena, "update.%s", name);
    Node *update = NULL;
    if (optimizer->config.kind == OPTIMIZER_SGD) {
        update = op_sgd(tape, name, node, node->gradient);
    } else {
        Node *m = op_parameter_of(tape, &optimizer->m, params_find(&optimizer->m, name),
                                  arena_format(arena, "update.m.%s", name));
        Node *v = op_parameter_of(tape, &optimizer->v, params_find(&optimizer->v, name),
                                  arena_format(arena, "update.v.%s", name));
        update = op_adamw(tape, name, node, node->gradient, m, v);
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

void optimizer_append(Optimizer *optimizer, Tape *tape) {
    if (error_is_set(&tape->err)) {
        return;
    }
    tape->phase = PHASE_UPDATE;
    tape_enter(tape, "update", SCOPE_PLAIN);
    for (int i = 0; i < tape->n_forward; i++) {
        Node *node = tape->nodes[i];
        if (node->op == OP_PARAMETER && node->gradient != NULL) {
            append_update(optimizer, tape, node);
        }
    }
    tape_leave(tape);
    tape->phase = PHASE_FORWARD;
}

static bool is_update(const Node *node) {
    return node->op == OP_ADAMW || node->op == OP_SGD;
}

void optimizer_prepare(const Optimizer *optimizer, Tape *tape, float lr) {
    double square = 0.0;
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (is_update(node)) {
            square += tape->device->backend->square_sum(tape->device, node->inputs[1]->array,
                                                        shape_count(&node->shape));
        }
    }
    float scale = clipped(1.0F, optimizer->config.clip, sqrt(square));
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        if (node->op == OP_ADAMW) {
            node->arguments.adamw.step = adam_step(optimizer, optimizer->step + 1, lr, scale);
        } else if (node->op == OP_SGD) {
            node->arguments.sgd.lr = lr;
            node->arguments.sgd.decay = optimizer->config.decay;
            node->arguments.sgd.gradient_scale = scale;
        }
    }
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
