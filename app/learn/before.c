// before.c - all numbers as they were before the last change, to be shown beside the new ones.
#include "app/learn/before.h"

#include <string.h>

// More numbers than this are not kept twice.
enum { MAX_KEPT = 4 * 1000 * 1000 };

static size_t numbers_of(const Node *node) {
    bool is_kept = !node_holds_ids(node) && node->stage != NULL && node->array.data != NULL;
    return is_kept ? shape_count(&node->shape) : 0;
}

void before_forget(Before *before) {
    arena_free(&before->arena);
    *before = (Before){.n = 0};
}

bool before_keep(Before *before, Playground *playground, Error *err) {
    const Tape *tape = playground_tape(playground);
    Stepper *stepper = &playground->stepper;
    before_forget(before);
    size_t total = 0;
    for (int i = 0; i < tape->n_nodes; i++) {
        total += numbers_of(tape->nodes[i]);
    }
    if (total > MAX_KEPT) {
        return true;
    }
    // What was not computed yet has to be, before its causes change.
    if (!stepper_require(stepper, tape->nodes[tape->n_nodes - 1], err)) {
        return false;
    }
    before->n_trained = training_step(&playground->training);
    before->nodes = arena_allocate(&before->arena, (size_t)tape->n_nodes * sizeof *before->nodes);
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        size_t count = numbers_of(node);
        if (count > 0) {
            float *values = arena_allocate(&before->arena, count * sizeof *values);
            memcpy(values, tape_values(tape, node), count * sizeof *values);
            before->nodes[before->n++] =
                (BeforeNode){arena_text(&before->arena, node->stage), values, count};
        }
    }
    return true;
}

const float *before_find(const Before *before, const Node *node) {
    for (int i = 0; i < before->n && node->stage != NULL; i++) {
        const BeforeNode *kept = &before->nodes[i];
        if (kept->count == shape_count(&node->shape) && strcmp(kept->stage, node->stage) == 0) {
            return kept->values;
        }
    }
    return NULL;
}

bool before_effect(const Before *before, const Playground *playground, const Node *node,
                   size_t element, float values[2]) {
    bool is_same_weights = before->n_trained == training_step(&playground->training);
    if (before->n == 0 || before->is_undo || node == NULL || !is_same_weights ||
        !stepper_is_valid(&playground->stepper, node)) {
        return false;
    }
    const float *kept = before_find(before, node);
    if (kept == NULL) {
        return false;
    }
    values[0] = kept[element];
    values[1] = (float)tape_number(playground_tape(playground), node, element);
    return true;
}
