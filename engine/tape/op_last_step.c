// op_last_step.c - what stands at the last position of a sentence, whatever padding is behind it.
#include "engine/tape/op.h"

// ---- last_step: x (B,T,C), ids (B,T) -> (B,1,C)

static bool ids_fit(const Shape *x, const Node *ids) {
    return shape_rank(x) == 3 && node_holds_ids(ids) && shape_rank(&ids->shape) == 2 &&
           ids->shape.sizes[0] == x->sizes[0];
}

static bool last_step_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    const Node *ids = node->inputs[1];
    node->shape = *x;
    node->shape.sizes[1] = 1;
    return (ids_fit(x, ids) && ids->shape.sizes[1] == x->sizes[1]) ||
           op_shape_mismatch(node, reason, "x (B,T,C) and ids (B,T)");
}

// Another position in each item: it counts none.
static void last_step_count(Node *node) {
    node->counts[1] = (Counted){NULL, 0};
}

static int last_of(const Tape *tape, const Node *node, int item) {
    const Node *ids = node->inputs[1];
    int last = ids->shape.sizes[1] - 1;
    const int32_t *row = tape_ids(tape, ids) + item * (last + 1);
    while (last > 0 && row[last] == node->arguments.last_step.pad_id) {
        last--;
    }
    return last;
}

static void last_step_run(const Tape *tape, const Node *node) {
    const int *x = node->inputs[0]->shape.sizes;
    tape->device->backend->last_read(tape->device, node->array, node->inputs[0]->array,
                                     node->inputs[1]->array, x[0], x[1], x[2],
                                     node->arguments.last_step.pad_id);
}

static void last_step_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                            Node **contributions) {
    if (needs[0]) {
        OpArguments arguments = node->arguments;
        arguments.last_step.T = node->inputs[0]->shape.sizes[1];
        Node *inputs[] = {dy, node->inputs[1]};
        contributions[0] = tape_append(tape, OP_LAST_STEP_GRAD, NULL, inputs, 2, &arguments);
    }
}

static void last_step_explain(Explanation *explanation, const Node *node, const int *indices) {
    int at[SHAPE_MAX_RANK] = {indices[0], last_of(explanation->tape, node, indices[0]), indices[2]};
    explain_result(explanation, expr_cell_at(explanation, node->inputs[0], at),
                   EXPLAIN_NOTE_COPIED);
}

const Op op_info_last_step = {
    .name = "last position",
    .signs = {.before = "last(", .second = ",", .later = ",", .after = ")"},
    .formula = "y[b] = x[b,n], n the last position without padding",
    .shape = last_step_shape,
    .count = last_step_count,
    .run = last_step_run,
    .chain = last_step_chain,
    .explain = last_step_explain,
    .shares_input = -1};

Node *op_last_step(Tape *tape, const char *name, Node *x, Node *ids, int pad_id) {
    OpArguments arguments = {.last_step = {.pad_id = pad_id}};
    Node *inputs[] = {x, ids};
    return tape_append(tape, OP_LAST_STEP, name, inputs, 2, &arguments);
}

// ---- its gradient: dy (B,1,C), ids (B,T) -> (B,T,C)

static bool last_step_grad_shape(Node *node, Error *reason) {
    const Shape *dy = &node->inputs[0]->shape;
    const Node *ids = node->inputs[1];
    node->shape = *dy;
    node->shape.sizes[1] = node->arguments.last_step.T;
    return (ids_fit(dy, ids) && ids->shape.sizes[1] == node->shape.sizes[1] && dy->sizes[1] == 1) ||
           op_shape_mismatch(node, reason, "dy (B,1,C) and ids (B,T)");
}

static void last_step_grad_run(const Tape *tape, const Node *node) {
    const int *dx = node->shape.sizes;
    tape->device->backend->last_write(tape->device, node->array, node->inputs[0]->array,
                                      node->inputs[1]->array, dx[0], dx[1], dx[2],
                                      node->arguments.last_step.pad_id);
}

static void last_step_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    int at[SHAPE_MAX_RANK] = {indices[0], 0, indices[2]};
    bool is_last = indices[1] == last_of(explanation->tape, node, indices[0]);
    explain_result(explanation,
                   is_last ? expr_cell_at(explanation, node->inputs[0], at)
                           : expr_number(explanation, 0.0),
                   is_last ? EXPLAIN_NOTE_COPIED : EXPLAIN_NOTE_NOT_LOOKED_UP);
}

const Op op_info_last_step_grad = {
    .name = "last position gradient",
    .no_chain = "a gradient",
    .formula = "dx[b,t] = dy[b] where t is the last position without padding, else 0",
    .shape = last_step_grad_shape,
    .run = last_step_grad_run,
    .explain = last_step_grad_explain,
    .shares_input = -1};
