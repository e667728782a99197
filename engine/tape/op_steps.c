// op_steps.c - positions cut out of a sequence, and sequences put one after the other.
#include <stdio.h>
#include <string.h>

#include "engine/tape/op.h"

static void copied(Explanation *explanation, const Node *from, const int *indices) {
    explain_result(explanation, expr_cell_at(explanation, from, indices), EXPLAIN_NOTE_COPIED);
}

// The axis of positions: the one called T where the first is an item and heads may come before it.
static int steps_axis(const Shape *shape) {
    int axis = shape_find_axis(shape, 'T');
    return axis > 1 ? axis : 1;
}

// How many sequences there are, and how many numbers a position of one has.
typedef struct Steps {
    int rows, width;
} Steps;

static Steps steps_of(const Shape *shape) {
    Steps steps = {1, 1};
    int axis = steps_axis(shape);
    for (int i = 0; i < shape_rank(shape); i++) {
        *(i < axis ? &steps.rows : &steps.width) *= i == axis ? 1 : shape->sizes[i];
    }
    return steps;
}

// ---- slice_steps: positions first .. first+count of x (B,T,…) or (B,H,T,…)

static bool slice_steps_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    int first = node->arguments.steps.first;
    int count = node->arguments.steps.count;
    if (shape_rank(x) < 2) {
        return op_shape_mismatch(node, reason, "x (B,T,…)");
    }
    int axis = steps_axis(x);
    if (first < 0 || count < 1 || first + count > x->sizes[axis]) {
        return error_set(reason, "positions %d to %d are wanted, there are %d", first,
                         first + count - 1, x->sizes[axis]);
    }
    node->shape = *x;
    node->shape.sizes[axis] = count;
    return true;
}

static void slice_steps_count(Node *node) {
    int axis = steps_axis(&node->shape);
    node->counts[axis] = node->inputs[0]->counts[axis];
    node->counts[axis].first += node->arguments.steps.first;
}

static void slice_steps_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[0];
    int axis = steps_axis(&x->shape);
    Steps steps = steps_of(&x->shape);
    tape->device->backend->columns_read(
        tape->device, node->array, x->array, steps.rows, node->shape.sizes[axis] * steps.width,
        node->arguments.steps.first * steps.width, x->shape.sizes[axis] * steps.width);
}

static void slice_steps_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                              Node **contributions) {
    (void)tape;
    (void)node;
    contributions[0] = needs[0] ? dy : NULL;
}

static bool slice_steps_overlaps(const Node *a, const Node *b) {
    int first_a = a->arguments.steps.first;
    int first_b = b->arguments.steps.first;
    return first_a < first_b + b->arguments.steps.count &&
           first_b < first_a + a->arguments.steps.count;
}

// The part that begins soonest at `from` or later; NULL: none does.
static Node *next_part(Node *const *parts, int n_parts, int from) {
    Node *next = NULL;
    for (int i = 0; i < n_parts; i++) {
        int first = parts[i]->of->arguments.steps.first;
        if (first >= from && (next == NULL || first < next->of->arguments.steps.first)) {
            next = parts[i];
        }
    }
    return next;
}

// In the order of their positions; positions that nothing depends on have the gradient 0.
static Node *slice_steps_join(Tape *tape, Node *whole, Node *const *parts, int n_parts) {
    Node **ordered = arena_allocate(&tape->arena, (2 * (size_t)n_parts + 1) * sizeof(Node *));
    int axis = steps_axis(&whole->shape);
    int T = whole->shape.sizes[axis];
    int n = 0;
    for (int t = 0; t < T;) {
        Node *part = next_part(parts, n_parts, t);
        int end = part == NULL ? T : part->of->arguments.steps.first;
        if (end > t) {
            Shape gap = whole->shape;
            gap.sizes[axis] = end - t;
            ordered[n++] = op_constant(tape, NULL, gap, 0.0F);
        }
        if (part != NULL) {
            ordered[n++] = part;
            end += part->of->arguments.steps.count;
        }
        t = end;
    }
    return op_concat_steps(tape, NULL, ordered, n);
}

static void slice_steps_explain(Explanation *explanation, const Node *node, const int *indices) {
    int at[SHAPE_MAX_RANK];
    memcpy(at, indices, sizeof at);
    at[steps_axis(&node->shape)] += node->arguments.steps.first;
    copied(explanation, node->inputs[0], at);
}

static void slice_steps_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    const char *outer = steps_axis(&node->shape) == 1 ? "b" : "b,h";
    snprintf(text, OP_FORMULA_BYTES, "y[%s,t,…] = x[%s,%d + t,…]", outer, outer,
             node->arguments.steps.first);
}

const Op op_info_slice_steps = {.name = "positions",
                                .signs = {.before = "", .second = ",", .later = ",", .after = ""},
                                .formula = "y[b,t,…] = x[b,first + t,…]",
                                .write_formula = slice_steps_formula,
                                .shape = slice_steps_shape,
                                .count = slice_steps_count,
                                .run = slice_steps_run,
                                .chain = slice_steps_chain,
                                .join = slice_steps_join,
                                .overlaps = slice_steps_overlaps,
                                .explain = slice_steps_explain,
                                .shares_input = -1};

Node *op_slice_steps(Tape *tape, const char *name, Node *x, int first, int count) {
    OpArguments arguments = {.steps = {first, count}};
    return tape_append(tape, OP_SLICE_STEPS, name, &x, 1, &arguments);
}

// ---- concat_steps: (B,T,…) each -> (B,sum of T,…), or (B,H,T,…) each

static bool concat_steps_shape(Node *node, Error *reason) {
    int T = 0;
    node->shape = node->inputs[0]->shape;
    int axis = steps_axis(&node->shape);
    for (int i = 0; i < node->n_inputs; i++) {
        Shape other = node->inputs[i]->shape;
        T += other.sizes[axis];
        other.sizes[axis] = node->shape.sizes[axis];
        if (shape_rank(&node->shape) < 2 || !shape_equal(&node->shape, &other)) {
            return op_shape_mismatch(node, reason, "inputs (B,T,…) that differ in T only");
        }
    }
    node->shape.sizes[axis] = T;
    return true;
}

// Where each goes on with what the one before it counts.
static void concat_steps_count(Node *node) {
    int axis = steps_axis(&node->shape);
    const Counted first = node->inputs[0]->counts[axis];
    int next = first.first;
    bool goes_on = true;
    for (int i = 0; i < node->n_inputs; i++) {
        const Counted counted = node->inputs[i]->counts[axis];
        goes_on = goes_on && counted.ids == first.ids && counted.first == next;
        next += node->inputs[i]->shape.sizes[axis];
    }
    node->counts[axis] = goes_on ? first : (Counted){NULL, 0};
}

static void concat_steps_run(const Tape *tape, const Node *node) {
    int axis = steps_axis(&node->shape);
    Steps steps = steps_of(&node->shape);
    int first = 0;
    for (int i = 0; i < node->n_inputs; i++) {
        int count = node->inputs[i]->shape.sizes[axis];
        tape->device->backend->columns_write(tape->device, node->array, node->inputs[i]->array,
                                             steps.rows, count * steps.width, first * steps.width,
                                             node->shape.sizes[axis] * steps.width);
        first += count;
    }
}

static void concat_steps_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                               Node **contributions) {
    int axis = steps_axis(&node->shape);
    int first = 0;
    for (int i = 0; i < node->n_inputs; i++) {
        int count = node->inputs[i]->shape.sizes[axis];
        if (needs[i]) {
            contributions[i] = op_slice_steps(tape, NULL, dy, first, count);
        }
        first += count;
    }
}

static void concat_steps_explain(Explanation *explanation, const Node *node, const int *indices) {
    int axis = steps_axis(&node->shape);
    int at[SHAPE_MAX_RANK];
    memcpy(at, indices, sizeof at);
    int i = 0;
    for (; at[axis] >= node->inputs[i]->shape.sizes[axis]; i++) {
        at[axis] -= node->inputs[i]->shape.sizes[axis];
    }
    copied(explanation, node->inputs[i], at);
}

const Op op_info_concat_steps = {.name = "concat positions",
                                 .signs = {.before = "", .second = ";", .later = ";", .after = ""},
                                 .formula = "y[b] = [x0[b] ; x1[b] ; …], one after the other",
                                 .shape = concat_steps_shape,
                                 .count = concat_steps_count,
                                 .run = concat_steps_run,
                                 .chain = concat_steps_chain,
                                 .explain = concat_steps_explain,
                                 .shares_input = -1};

Node *op_concat_steps(Tape *tape, const char *name, Node *const *inputs, int n_inputs) {
    return tape_append(tape, OP_CONCAT_STEPS, name, inputs, n_inputs, NULL);
}
