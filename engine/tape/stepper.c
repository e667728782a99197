// stepper.c - a cursor over the steps of a watched tape: forwards, backwards, into, over and out.
#include "engine/tape/stepper.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"

// Marks what depends on parameters alone: a cut of a weight moves no data of the input.
static bool is_step(const Node *node, const bool *is_constant) {
    if (node->op == OP_PARAMETER || node->writer != NULL || node->stage == NULL) {
        return false;
    }
    return node->phase != PHASE_FORWARD || !is_constant[node->id];
}

static void find_steps(Stepper *stepper, bool *is_constant) {
    const Tape *tape = stepper->tape;
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        bool all = node->n_inputs > 0 || node->op == OP_PARAMETER;
        for (int k = 0; k < node->n_inputs; k++) {
            all = all && is_constant[node->inputs[k]->id];
        }
        is_constant[i] = all;
        if (is_step(node, is_constant)) {
            stepper->steps[stepper->n_steps++] = node;
        }
    }
}

bool stepper_init(Stepper *stepper, Tape *tape, const Optimizer *optimizer, float lr, Error *err) {
    assert(tape->mode == TAPE_WATCH);
    *stepper = (Stepper){.tape = tape, .optimizer = optimizer, .lr = lr};
    size_t n = (size_t)tape->n_nodes + 1;
    stepper->steps = calloc(n, sizeof(Node *));
    bool *is_constant = calloc(n, sizeof *is_constant);
    bool ok = stepper->steps != NULL && is_constant != NULL;
    if (ok) {
        find_steps(stepper, is_constant);
    }
    free(is_constant);
    if (!ok || stepper->n_steps == 0) {
        stepper_free(stepper);
        return error_set(err, ok ? "the model has no step to show" : "out of memory");
    }
    return true;
}

void stepper_free(Stepper *stepper) {
    free(stepper->steps);
    *stepper = (Stepper){0};
}

Node *stepper_node(const Stepper *stepper) {
    return stepper->steps[stepper->at];
}

Phase stepper_phase(const Stepper *stepper) {
    return stepper_node(stepper)->phase;
}

static bool is_within(const Scope *scope, const Scope *outer) {
    while (scope != NULL && scope != outer) {
        scope = scope->parent;
    }
    return scope != NULL;
}

// The scope directly inside `outer` that holds `scope`.
static const Scope *child_towards(const Scope *scope, const Scope *outer) {
    while (scope->parent != outer) {
        scope = scope->parent;
    }
    return scope;
}

static const Scope *common_scope(const Scope *a, const Scope *b) {
    while (!is_within(b, a)) {
        a = a->parent;
    }
    return a;
}

static int place_over(const Stepper *stepper, int direction) {
    int to = stepper->at + direction;
    if (to < 0 || to >= stepper->n_steps) {
        return -1;
    }
    const Scope *scope = stepper->steps[to]->scope;
    const Scope *common = common_scope(stepper_node(stepper)->scope, scope);
    if (scope == common) {
        return to;
    }
    const Scope *whole = child_towards(scope, common);
    while (to + direction >= 0 && to + direction < stepper->n_steps &&
           is_within(stepper->steps[to + direction]->scope, whole)) {
        to += direction;
    }
    return to;
}

// The first step after the cursor in a scope inside this one; plainly the next where none follows.
static int place_into(const Stepper *stepper) {
    const Scope *here = stepper_node(stepper)->scope;
    for (int to = stepper->at + 1; to < stepper->n_steps; to++) {
        const Scope *scope = stepper->steps[to]->scope;
        if (!is_within(scope, here)) {
            break;
        }
        if (scope != here) {
            return to;
        }
    }
    return stepper->at + 1;
}

static int place_out(const Stepper *stepper) {
    const Scope *here = stepper_node(stepper)->scope;
    int to = stepper->at + 1;
    while (to < stepper->n_steps && is_within(stepper->steps[to]->scope, here)) {
        to++;
    }
    return to;
}

static int place_of(const Stepper *stepper, const Node *node) {
    for (int i = 0; node != NULL && i < stepper->n_steps; i++) {
        if (stepper->steps[i] == node) {
            return i;
        }
    }
    return -1;
}

static int place_after(const Stepper *stepper, StepMove move) {
    switch (move) {
    case STEP_NEXT:
        return stepper->at + 1;
    case STEP_BACK:
        return stepper->at - 1;
    case STEP_INTO:
        return place_into(stepper);
    case STEP_OUT:
        return place_out(stepper);
    case STEP_OVER:
        return place_over(stepper, 1);
    case STEP_OVER_BACK:
        return place_over(stepper, -1);
    case STEP_FIRST:
        return 0;
    case STEP_LAST:
        return stepper->n_steps - 1;
    case STEP_LOSS:
        return place_of(stepper, stepper->tape->loss);
    }
    return -1;
}

bool stepper_move(Stepper *stepper, StepMove move) {
    int to = place_after(stepper, move);
    if (to < 0 || to >= stepper->n_steps || to == stepper->at) {
        return false;
    }
    stepper->at = to;
    return true;
}

static bool reads(const Node *reader, const Node *node) {
    for (int i = 0; i < reader->n_inputs; i++) {
        if (reader->inputs[i] == node) {
            return true;
        }
    }
    return false;
}

bool stepper_go(Stepper *stepper, const Node *node) {
    const Node *whole = node->writer == NULL ? node : node->writer;
    int to = place_of(stepper, whole);
    // A parameter is read by a cut of it, which is read by a step: follow the first reader.
    for (int i = whole->id + 1; to < 0 && i < stepper->tape->n_nodes; i++) {
        const Node *reader = stepper->tape->nodes[i];
        if (reads(reader, whole)) {
            to = place_of(stepper, reader);
            whole = reader;
        }
    }
    if (to < 0) {
        return false;
    }
    stepper->at = to;
    return true;
}

Node *stepper_find(const Stepper *stepper, const char *stage) {
    Node *found = NULL;
    size_t length = strlen(stage);
    for (int i = 0; i < stepper->n_steps; i++) {
        Node *node = stepper->steps[i];
        size_t size = strlen(node->stage);
        if (strcmp(node->stage, stage) == 0) {
            return node;
        }
        bool ends = size > length + 1 && node->stage[size - length - 1] == '.' &&
                    strcmp(node->stage + size - length, stage) == 0;
        if (ends && node->phase == PHASE_FORWARD) {
            if (found != NULL) {
                return tape_find(stepper->tape, stage);
            }
            found = node;
        }
    }
    return found != NULL ? found : tape_find(stepper->tape, stage);
}

int stepper_search(const Stepper *stepper, const char *text, int from, int direction) {
    int n = stepper->n_steps;
    int place = from < 0 ? (direction > 0 ? n - 1 : 0) : from;
    for (int i = 0; i < n; i++) {
        place = (place + direction + n) % n;
        if (strstr(stepper->steps[place]->stage, text) != NULL) {
            return place;
        }
    }
    return -1;
}

static bool is_listed(const char *const *names, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

int stepper_complete(const Stepper *stepper, const char *start, Arena *arena, const char **names,
                     int max) {
    size_t length = strlen(start);
    int n = 0;
    for (int i = 0; i < stepper->n_steps; i++) {
        const char *stage = stepper->steps[i]->stage;
        if (strncmp(stage, start, length) != 0) {
            continue;
        }
        const char *dot = strchr(stage + length, '.');
        if (dot != NULL) {
            stage = arena_format(arena, "%.*s", (int)(dot - stage) + 1, stage);
        }
        if (n < max && !is_listed(names, n, stage)) {
            names[n++] = stage;
        }
    }
    return n;
}

// The updates need numbers that differ from step to step: they are set once, before the first runs.
static void prepare_updates(const Stepper *stepper, const Node *node) {
    bool is_first = node->phase == PHASE_UPDATE &&
                    (node->id == 0 || stepper->tape->nodes[node->id - 1]->phase != PHASE_UPDATE);
    if (is_first && stepper->optimizer != NULL) {
        optimizer_prepare(stepper->optimizer, stepper->tape, stepper->lr);
    }
}

static void run_next(Stepper *stepper) {
    const Node *node = stepper->tape->nodes[stepper->n_valid];
    prepare_updates(stepper, node);
    tape_run_node(stepper->tape, node);
    stepper->n_valid++;
}

static int end_of(const Node *node) {
    const Node *whole = node->writer == NULL ? node : node->writer;
    return whole->id + 1;
}

bool stepper_run(Stepper *stepper, double budget_ms) {
    int end = end_of(stepper_node(stepper));
    double end_ms = clock_ms() + budget_ms;
    while (stepper->n_valid < end) {
        run_next(stepper);
        if (clock_ms() >= end_ms) {
            break;
        }
    }
    return stepper->n_valid >= end;
}

bool stepper_require(Stepper *stepper, const Node *node, Error *err) {
    int first = stepper->n_valid;
    int end = end_of(node);
    while (stepper->n_valid < end) {
        size_t done = (size_t)(stepper->n_valid - first);
        if (!progress_at(stepper->progress, done, (size_t)(end - first), err)) {
            return false;
        }
        run_next(stepper);
    }
    return true;
}

void stepper_stop(Stepper *stepper) {
    while (stepper->at > 0 && end_of(stepper_node(stepper)) > stepper->n_valid) {
        stepper->at--;
    }
}

void stepper_invalidate(Stepper *stepper, const Node *node) {
    int from = node == NULL ? 0 : node->id;
    if (stepper->n_valid > from) {
        stepper->n_valid = from;
    }
}

bool stepper_is_valid(const Stepper *stepper, const Node *node) {
    return node->op == OP_PARAMETER || end_of(node) <= stepper->n_valid;
}
