// op_gate.c - what gates are made of: tanh, sigmoid and the product element by element.
#include "engine/tape/op.h"

// dx from dy and y, the node's own output.
static void chain_from_output(Tape *tape, OpKind op, Node *node, Node *dy, const bool *needs,
                              Node **contributions) {
    if (needs[0]) {
        Node *inputs[] = {dy, node};
        contributions[0] = tape_append(tape, op, NULL, inputs, 2, NULL);
    }
}

// ---- tanh

static void tanh_run(const Tape *tape, const Node *node) {
    tape->device->backend->tanh(tape->device, node->array, node->inputs[0]->array,
                                shape_count(&node->shape));
}

static void tanh_chain(Tape *tape, Node *node, Node *dy, const bool *needs, Node **contributions) {
    chain_from_output(tape, OP_TANH_GRAD, node, dy, needs, contributions);
}

static void tanh_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *x = expr_cell_at(explanation, node->inputs[0], indices);
    explain_result(explanation, expr_one(explanation, EXPR_TANH, x), EXPLAIN_NOTE_NONE);
}

const Op op_info_tanh = {.name = "tanh",
                         .signs = {.before = "tanh(", .second = ",", .later = ",", .after = ")"},
                         .formula = "y = tanh(x)",
                         .shape = op_shape_like_first,
                         .run = tanh_run,
                         .chain = tanh_chain,
                         .explain = tanh_explain,
                         .shares_input = -1};

Node *op_tanh(Tape *tape, const char *name, Node *x) {
    return tape_append(tape, OP_TANH, name, &x, 1, NULL);
}

static void tanh_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->tanh_grad(tape->device, node->array, node->inputs[0]->array,
                                     node->inputs[1]->array, shape_count(&node->shape));
}

// dx = dy · (1 − y²)
static void tanh_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *dy = expr_cell_at(explanation, node->inputs[0], indices);
    const Expr *y = expr_cell_at(explanation, node->inputs[1], indices);
    const Expr *square = expr_two(explanation, EXPR_POWER, y, expr_number(explanation, 2.0));
    const Expr *slope =
        expr_two(explanation, EXPR_DIFFERENCE, expr_number(explanation, 1.0), square);
    explain_result(explanation, expr_two(explanation, EXPR_PRODUCT, dy, slope), EXPLAIN_NOTE_NONE);
}

const Op op_info_tanh_grad = {.name = "tanh gradient",
                              .formula = "dx = dy · (1 − y²)",
                              .no_chain = "a gradient",
                              .shape = op_shape_like_first,
                              .run = tanh_grad_run,
                              .explain = tanh_grad_explain,
                              .shares_input = -1};

// ---- sigmoid

static void sigmoid_run(const Tape *tape, const Node *node) {
    tape->device->backend->sigmoid(tape->device, node->array, node->inputs[0]->array,
                                   shape_count(&node->shape));
}

static void sigmoid_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                          Node **contributions) {
    chain_from_output(tape, OP_SIGMOID_GRAD, node, dy, needs, contributions);
}

// 1 / (1 + exp(0 − x))
static void sigmoid_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *x = expr_cell_at(explanation, node->inputs[0], indices);
    const Expr *minus = expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, -1.0), x);
    const Expr *below = expr_two(explanation, EXPR_SUM, expr_number(explanation, 1.0),
                                 expr_one(explanation, EXPR_EXP, minus));
    explain_result(explanation,
                   expr_two(explanation, EXPR_QUOTIENT, expr_number(explanation, 1.0), below),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_sigmoid = {.name = "sigmoid",
                            .signs = {.before = "σ(", .second = ",", .later = ",", .after = ")"},
                            .formula = "y = 1 / (1 + exp(−x))",
                            .shape = op_shape_like_first,
                            .run = sigmoid_run,
                            .chain = sigmoid_chain,
                            .explain = sigmoid_explain,
                            .shares_input = -1};

Node *op_sigmoid(Tape *tape, const char *name, Node *x) {
    return tape_append(tape, OP_SIGMOID, name, &x, 1, NULL);
}

static void sigmoid_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->sigmoid_grad(tape->device, node->array, node->inputs[0]->array,
                                        node->inputs[1]->array, shape_count(&node->shape));
}

// dx = dy · y · (1 − y)
static void sigmoid_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *y = expr_cell_at(explanation, node->inputs[1], indices);
    const Expr *factors[] = {
        expr_cell_at(explanation, node->inputs[0], indices), y,
        expr_two(explanation, EXPR_DIFFERENCE, expr_number(explanation, 1.0), y)};
    explain_result(explanation, expr_of(explanation, EXPR_PRODUCT, factors, 3), EXPLAIN_NOTE_NONE);
}

const Op op_info_sigmoid_grad = {.name = "sigmoid gradient",
                                 .formula = "dx = dy · y · (1 − y)",
                                 .no_chain = "a gradient",
                                 .shape = op_shape_like_first,
                                 .run = sigmoid_grad_run,
                                 .explain = sigmoid_grad_explain,
                                 .shares_input = -1};

// ---- multiply: a and b of one shape

static bool multiply_shape(Node *node, Error *reason) {
    node->shape = node->inputs[0]->shape;
    return shape_equal(&node->shape, &node->inputs[1]->shape) ||
           op_shape_mismatch(node, reason, "two inputs of the same shape");
}

static void multiply_run(const Tape *tape, const Node *node) {
    tape->device->backend->multiply(tape->device, node->array, node->inputs[0]->array,
                                    node->inputs[1]->array, shape_count(&node->shape));
}

// da = dy · b, db = dy · a
static void multiply_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                           Node **contributions) {
    for (int i = 0; i < 2; i++) {
        if (needs[i]) {
            contributions[i] = op_multiply(tape, NULL, dy, node->inputs[1 - i]);
        }
    }
}

static void multiply_explain(Explanation *explanation, const Node *node, const int *indices) {
    explain_result(explanation,
                   expr_two(explanation, EXPR_PRODUCT,
                            expr_cell_at(explanation, node->inputs[0], indices),
                            expr_cell_at(explanation, node->inputs[1], indices)),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_multiply = {.name = "element-wise product",
                             .signs = {.before = "", .second = "⊙", .later = "⊙", .after = ""},
                             .formula = "y = a ⊙ b, element by element",
                             .shape = multiply_shape,
                             .run = multiply_run,
                             .chain = multiply_chain,
                             .explain = multiply_explain,
                             .shares_input = -1};

Node *op_multiply(Tape *tape, const char *name, Node *a, Node *b) {
    Node *inputs[] = {a, b};
    return tape_append(tape, OP_MULTIPLY, name, inputs, 2, NULL);
}
