// op_softmax.c - the mask, softmax and log-softmax, one step each, as they are watched.
#include <math.h>

#include "engine/tape/op.h"

// ---- mask: scores (B,H,T,S), key ids (B,S) where padding is to be hidden

static Array key_ids(const Node *node) {
    return node->n_inputs == 2 ? node->inputs[1]->array : array_none();
}

static Mask mask_of(const Node *node) {
    return (Mask){node->arguments.mask.causal, key_ids(node), node->arguments.mask.pad_id};
}

static bool mask_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    bool fits = shape_rank(x) == 4;
    if (fits && node->n_inputs == 2) {
        const Shape *ids = &node->inputs[1]->shape;
        fits = node_holds_ids(node->inputs[1]) && shape_rank(ids) == 2 &&
               ids->sizes[0] == x->sizes[0] && ids->sizes[1] == x->sizes[3];
    }
    node->shape = *x;
    return fits || op_shape_mismatch(node, reason, "scores (B,H,T,S) and key ids (B,S)");
}

static void mask_run(const Tape *tape, const Node *node) {
    const int *x = node->shape.sizes;
    tape->device->backend->mask(tape->device, node->array, node->inputs[0]->array, x[0], x[1], x[2],
                                x[3], mask_of(node));
}

static void mask_grad_run(const Tape *tape, const Node *node) {
    const int *x = node->shape.sizes;
    tape->device->backend->mask_grad(tape->device, node->array, node->inputs[0]->array, x[0], x[1],
                                     x[2], x[3], mask_of(node));
}

static void mask_chain(Tape *tape, Node *node, Node *dy, const bool *needs, Node **contributions) {
    if (needs[0]) {
        Node *inputs[] = {dy, node->n_inputs == 2 ? node->inputs[1] : NULL};
        contributions[0] =
            tape_append(tape, OP_MASK_GRAD, NULL, inputs, node->n_inputs, &node->arguments);
    }
}

static ExplainNote mask_note(const Tape *tape, const Node *node, const int *indices) {
    const int *x = node->shape.sizes;
    if (node->arguments.mask.causal && indices[3] > indices[2] + x[3] - x[2]) {
        return EXPLAIN_NOTE_MASKED_FUTURE;
    }
    const int32_t *ids = node->n_inputs == 2 ? tape_ids(tape, node->inputs[1]) : NULL;
    if (ids != NULL && ids[indices[0] * x[3] + indices[3]] == node->arguments.mask.pad_id) {
        return EXPLAIN_NOTE_MASKED_PADDING;
    }
    return EXPLAIN_NOTE_VISIBLE;
}

static void mask_explain(Explanation *explanation, const Node *node, const int *indices) {
    ExplainNote note = mask_note(explanation->tape, node, indices);
    double hidden = node->op == OP_MASK ? -(double)INFINITY : 0.0;
    explain_result(explanation,
                   note == EXPLAIN_NOTE_VISIBLE
                       ? expr_cell_at(explanation, node->inputs[0], indices)
                       : expr_number(explanation, hidden),
                   note);
}

const Op op_info_mask = {.name = "mask",
                         .signs = {.before = "mask(", .second = ",", .later = ",", .after = ")"},
                         .formula = "y = x where the query may look at the key, else −∞",
                         .shape = mask_shape,
                         .run = mask_run,
                         .chain = mask_chain,
                         .explain = mask_explain,
                         .shares_input = -1};

const Op op_info_mask_grad = {.name = "mask gradient",
                              .no_chain = "a gradient",
                              .formula = "dx = dy where the query may look at the key, else 0",
                              .shape = mask_shape,
                              .run = mask_grad_run,
                              .explain = mask_explain,
                              .shares_input = -1};

Node *op_mask(Tape *tape, const char *name, Node *scores, Node *ids, bool causal, int pad_id) {
    OpArguments arguments = {.mask = {causal, pad_id}};
    Node *inputs[] = {scores, ids};
    return tape_append(tape, OP_MASK, name, inputs, ids == NULL ? 1 : 2, &arguments);
}

// ---- softmax over the last axis

static void softmax_run(const Tape *tape, const Node *node) {
    tape->device->backend->softmax(tape->device, node->array, node->inputs[0]->array,
                                   (int)shape_rows(&node->shape), shape_width(&node->shape));
}

static void softmax_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                          Node **contributions) {
    if (needs[0]) {
        Node *inputs[] = {dy, node};
        contributions[0] = tape_append(tape, OP_SOFTMAX_GRAD, NULL, inputs, 2, NULL);
    }
}

// The cells of the row that element lies in.
static ExprList row_cells(Explanation *explanation, const Node *node, size_t element) {
    size_t n = (size_t)shape_width(&node->shape);
    ExprList list = {0};
    for (size_t i = element / n * n; i < element / n * n + n; i++) {
        expr_list_append(explanation, &list, expr_cell(explanation, node, i));
    }
    return list;
}

// exp(x - max) of one cell
static const Expr *exp_below(Explanation *explanation, const Expr *x, const Expr *max) {
    return expr_one(explanation, EXPR_EXP, expr_two(explanation, EXPR_DIFFERENCE, x, max));
}

static const Expr *sum_of_exp(Explanation *explanation, const ExprList *row, const Expr *max) {
    ExprList list = {0};
    for (int i = 0; i < row->count; i++) {
        expr_list_append(explanation, &list, exp_below(explanation, row->terms[i], max));
    }
    return expr_list_close(explanation, &list, EXPR_SUM);
}

static void softmax_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *x = node->inputs[0];
    size_t element = shape_flat(&node->shape, indices);
    ExprList row = row_cells(explanation, x, element);
    const Expr *max = expr_list_close(explanation, &row, EXPR_MAX);
    if (isinf(max->value)) {
        explain_result(explanation, expr_number(explanation, 0.0), EXPLAIN_NOTE_ALL_MASKED);
        return;
    }
    max = explain_step(explanation, "max", max);
    const Expr *sum = explain_step(explanation, "sum", sum_of_exp(explanation, &row, max));
    const Expr *top = exp_below(explanation, expr_cell(explanation, x, element), max);
    explain_result(explanation, expr_two(explanation, EXPR_QUOTIENT, top, sum), EXPLAIN_NOTE_NONE);
}

const Op op_info_softmax = {
    .name = "softmax",
    .signs = {.before = "softmax(", .second = ",", .later = ",", .after = ")"},
    .formula = "y[i] = exp(x[i] − max) / Σ over j of exp(x[j] − max)",
    .shape = op_shape_like_first,
    .run = softmax_run,
    .chain = softmax_chain,
    .explain = softmax_explain,
    .normalizes = true,
    .shares_input = -1};

Node *op_softmax(Tape *tape, const char *name, Node *x) {
    return tape_append(tape, OP_SOFTMAX, name, &x, 1, NULL);
}

static void softmax_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->softmax_grad(tape->device, node->array, node->inputs[0]->array,
                                        node->inputs[1]->array, (int)shape_rows(&node->shape),
                                        shape_width(&node->shape));
}

static void softmax_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *dy = node->inputs[0];
    const Node *y = node->inputs[1];
    size_t element = shape_flat(&node->shape, indices);
    ExprList row_dy = row_cells(explanation, dy, element);
    ExprList row_y = row_cells(explanation, y, element);
    ExprList list = {0};
    for (int i = 0; i < row_y.count; i++) {
        expr_list_append(explanation, &list,
                         expr_two(explanation, EXPR_PRODUCT, row_y.terms[i], row_dy.terms[i]));
    }
    const Expr *dot =
        explain_step(explanation, "dot", expr_list_close(explanation, &list, EXPR_SUM));
    const Expr *difference =
        expr_two(explanation, EXPR_DIFFERENCE, expr_cell(explanation, dy, element), dot);
    explain_result(
        explanation,
        expr_two(explanation, EXPR_PRODUCT, expr_cell(explanation, y, element), difference),
        EXPLAIN_NOTE_NONE);
}

const Op op_info_softmax_grad = {.name = "softmax gradient",
                                 .no_chain = "a gradient",
                                 .formula = "dx[i] = y[i] · (dy[i] − Σ over j of y[j] · dy[j])",
                                 .shape = op_shape_like_first,
                                 .run = softmax_grad_run,
                                 .explain = softmax_grad_explain,
                                 .normalizes = true,
                                 .shares_input = -1};

// ---- log_softmax over the last axis

static void log_softmax_run(const Tape *tape, const Node *node) {
    tape->device->backend->log_softmax(tape->device, node->array, node->inputs[0]->array,
                                       (int)shape_rows(&node->shape), shape_width(&node->shape));
}

static void log_softmax_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                              Node **contributions) {
    if (needs[0]) {
        Node *inputs[] = {dy, node};
        contributions[0] = tape_append(tape, OP_LOG_SOFTMAX_GRAD, NULL, inputs, 2, NULL);
    }
}

static void log_softmax_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *x = node->inputs[0];
    size_t element = shape_flat(&node->shape, indices);
    ExprList row = row_cells(explanation, x, element);
    const Expr *max =
        explain_step(explanation, "max", expr_list_close(explanation, &row, EXPR_MAX));
    const Expr *sum = explain_step(explanation, "sum", sum_of_exp(explanation, &row, max));
    const Expr *below =
        expr_two(explanation, EXPR_DIFFERENCE, expr_cell(explanation, x, element), max);
    explain_result(
        explanation,
        expr_two(explanation, EXPR_DIFFERENCE, below, expr_one(explanation, EXPR_LOG, sum)),
        EXPLAIN_NOTE_NONE);
}

const Op op_info_log_softmax = {
    .name = "log-softmax",
    .signs = {.before = "ln softmax(", .second = ",", .later = ",", .after = ")"},
    .formula = "y[i] = x[i] − max − ln Σ over j of exp(x[j] − max)",
    .shape = op_shape_like_first,
    .run = log_softmax_run,
    .chain = log_softmax_chain,
    .explain = log_softmax_explain,
    .normalizes = true,
    .shares_input = -1};

Node *op_log_softmax(Tape *tape, const char *name, Node *x) {
    return tape_append(tape, OP_LOG_SOFTMAX, name, &x, 1, NULL);
}

static void log_softmax_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->log_softmax_grad(tape->device, node->array, node->inputs[0]->array,
                                            node->inputs[1]->array, (int)shape_rows(&node->shape),
                                            shape_width(&node->shape));
}

static void log_softmax_grad_explain(Explanation *explanation, const Node *node,
                                     const int *indices) {
    const Node *dy = node->inputs[0];
    size_t element = shape_flat(&node->shape, indices);
    ExprList row = row_cells(explanation, dy, element);
    const Expr *sum =
        explain_step(explanation, "sum", expr_list_close(explanation, &row, EXPR_SUM));
    const Expr *probability =
        expr_one(explanation, EXPR_EXP, expr_cell(explanation, node->inputs[1], element));
    explain_result(explanation,
                   expr_two(explanation, EXPR_DIFFERENCE, expr_cell(explanation, dy, element),
                            expr_two(explanation, EXPR_PRODUCT, probability, sum)),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_log_softmax_grad = {.name = "log-softmax gradient",
                                     .no_chain = "a gradient",
                                     .formula = "dx[i] = dy[i] − exp(y[i]) · Σ over j of dy[j]",
                                     .shape = op_shape_like_first,
                                     .run = log_softmax_grad_run,
                                     .explain = log_softmax_grad_explain,
                                     .normalizes = true,
                                     .shares_input = -1};
