// op_activation.c - ReLU, GELU and dropout.
#include <math.h>
#include <string.h>

#include "engine/tape/op.h"
#include "kernels/random.h"

static void unary_chain(Tape *tape, OpKind op, Node *node, Node *dy, const bool *needs,
                        Node **contributions) {
    if (needs[0]) {
        Node *inputs[] = {dy, node->inputs[0]};
        contributions[0] = tape_append(tape, op, NULL, inputs, 2, NULL);
    }
}

// ---- relu

static void relu_run(const Tape *tape, const Node *node) {
    tape->device->backend->relu(tape->device, node->array, node->inputs[0]->array,
                                shape_count(&node->shape));
}

static void relu_chain(Tape *tape, Node *node, Node *dy, const bool *needs, Node **contributions) {
    unary_chain(tape, OP_RELU_GRAD, node, dy, needs, contributions);
}

static void relu_explain(Explanation *explanation, const Node *node, const int *indices) {
    explain_result(explanation,
                   expr_two(explanation, EXPR_MAX,
                            expr_cell_at(explanation, node->inputs[0], indices),
                            expr_number(explanation, 0.0)),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_relu = {.name = "relu",
                         .signs = {.before = "max(0,", .second = ",", .later = ",", .after = ")"},
                         .formula = "y = max(x, 0)",
                         .shape = op_shape_like_first,
                         .run = relu_run,
                         .chain = relu_chain,
                         .explain = relu_explain,
                         .shares_input = -1};

Node *op_relu(Tape *tape, const char *name, Node *x) {
    return tape_append(tape, OP_RELU, name, &x, 1, NULL);
}

static void relu_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->relu_grad(tape->device, node->array, node->inputs[0]->array,
                                     node->inputs[1]->array, shape_count(&node->shape));
}

static void relu_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *dy = expr_cell_at(explanation, node->inputs[0], indices);
    const Expr *x = expr_cell_at(explanation, node->inputs[1], indices);
    bool is_open = x->value > 0.0;
    explain_result(
        explanation,
        expr_two(explanation, EXPR_PRODUCT, dy, expr_number(explanation, is_open ? 1.0 : 0.0)),
        is_open ? EXPLAIN_NOTE_RELU_OPEN : EXPLAIN_NOTE_RELU_CLOSED);
}

const Op op_info_relu_grad = {.name = "relu gradient",
                              .no_chain = "a gradient",
                              .formula = "dx = dy where x > 0, else 0",
                              .shape = op_shape_like_first,
                              .run = relu_grad_run,
                              .explain = relu_grad_explain,
                              .shares_input = -1};

// ---- gelu, in its tanh form

static void gelu_run(const Tape *tape, const Node *node) {
    tape->device->backend->gelu(tape->device, node->array, node->inputs[0]->array,
                                shape_count(&node->shape));
}

static void gelu_chain(Tape *tape, Node *node, Node *dy, const bool *needs, Node **contributions) {
    unary_chain(tape, OP_GELU_GRAD, node, dy, needs, contributions);
}

static const double GELU_ROOT = 0.79788456080286535588; // √(2/π)
static const double GELU_CUBE = 0.044715;

// tanh(√(2/π) · (x + 0.044715·x³)), named "t"
static const Expr *gelu_tanh(Explanation *explanation, const Expr *x) {
    const Expr *cube = expr_two(explanation, EXPR_POWER, x, expr_number(explanation, 3.0));
    const Expr *curved =
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, GELU_CUBE), cube);
    const Expr *inner = expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, GELU_ROOT),
                                 expr_two(explanation, EXPR_SUM, x, curved));
    return explain_step(explanation, "t", expr_one(explanation, EXPR_TANH, inner));
}

static void gelu_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *x = expr_cell_at(explanation, node->inputs[0], indices);
    const Expr *t = gelu_tanh(explanation, x);
    const Expr *factors[] = {expr_number(explanation, 0.5), x,
                             expr_two(explanation, EXPR_SUM, expr_number(explanation, 1.0), t)};
    explain_result(explanation, expr_of(explanation, EXPR_PRODUCT, factors, 3), EXPLAIN_NOTE_NONE);
}

const Op op_info_gelu = {.name = "gelu",
                         .signs = {.before = "gelu(", .second = ",", .later = ",", .after = ")"},
                         .formula = "y = 0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))",
                         .shape = op_shape_like_first,
                         .run = gelu_run,
                         .chain = gelu_chain,
                         .explain = gelu_explain,
                         .shares_input = -1};

Node *op_gelu(Tape *tape, const char *name, Node *x) {
    return tape_append(tape, OP_GELU, name, &x, 1, NULL);
}

static void gelu_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->gelu_grad(tape->device, node->array, node->inputs[0]->array,
                                     node->inputs[1]->array, shape_count(&node->shape));
}

// dx = dy · (0.5·(1 + t) + 0.5·x·(1 − t²)·√(2/π)·(1 + 3·0.044715·x²))
static void gelu_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *dy = expr_cell_at(explanation, node->inputs[0], indices);
    const Expr *x = expr_cell_at(explanation, node->inputs[1], indices);
    const Expr *one = expr_number(explanation, 1.0);
    const Expr *two = expr_number(explanation, 2.0);
    const Expr *half = expr_number(explanation, 0.5);
    const Expr *t = gelu_tanh(explanation, x);
    const Expr *flat =
        expr_two(explanation, EXPR_PRODUCT, half, expr_two(explanation, EXPR_SUM, one, t));
    const Expr *bend =
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, 3.0 * GELU_CUBE),
                 expr_two(explanation, EXPR_POWER, x, two));
    const Expr *slope[] = {
        half, x,
        expr_two(explanation, EXPR_DIFFERENCE, one, expr_two(explanation, EXPR_POWER, t, two)),
        expr_number(explanation, GELU_ROOT), expr_two(explanation, EXPR_SUM, one, bend)};
    const Expr *total =
        expr_two(explanation, EXPR_SUM, flat, expr_of(explanation, EXPR_PRODUCT, slope, 5));
    explain_result(explanation, expr_two(explanation, EXPR_PRODUCT, dy, total), EXPLAIN_NOTE_NONE);
}

const Op op_info_gelu_grad = {
    .name = "gelu gradient",
    .no_chain = "a gradient",
    .formula = "dx = dy · (0.5·(1 + t) + 0.5·x·(1 − t²)·√(2/π)·(1 + 0.134145·x²)), t the tanh",
    .shape = op_shape_like_first,
    .run = gelu_grad_run,
    .explain = gelu_grad_explain,
    .shares_input = -1};

// ---- dropout: its gradient is the same op on dy

// "drop", and one more for each dropout of a tape: no parameter and no sampling draws with these.
static const uint32_t PURPOSE_DROPOUT = 0x64726f70U;

static Dropout dropout_of(const Tape *tape, const Node *node) {
    return (Dropout){.probability = node->arguments.dropout.probability,
                     .purpose = node->arguments.dropout.purpose,
                     .seed = tape->seed,
                     .item_size = node->arguments.dropout.item_size};
}

static void dropout_run(const Tape *tape, const Node *node) {
    Dropout dropout = dropout_of(tape, node);
    tape->device->backend->dropout(tape->device, node->array, node->inputs[0]->array,
                                   shape_count(&node->shape), dropout, tape_step_block(tape));
}

static void dropout_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                          Node **contributions) {
    if (needs[0]) {
        contributions[0] = tape_append(tape, OP_DROPOUT, NULL, &dy, 1, &node->arguments);
    }
}

// By the draw, not by the value: a kept x may be 0.
static void dropout_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *x = expr_cell_at(explanation, node->inputs[0], indices);
    Dropout dropout = dropout_of(explanation->tape, node);
    size_t element = shape_flat(&node->shape, indices);
    const StepBlock *now = &explanation->tape->now;
    uint64_t item = now->first_item + element / dropout.item_size;
    float draw = random_uniform(dropout.seed, dropout.purpose, now->draw,
                                random_element(item, element % dropout.item_size));
    bool is_kept = now->drops == 0 || draw >= dropout.probability;
    double probability = now->drops == 0 ? 0.0 : (double)dropout.probability;
    explain_step(explanation, "draw", expr_number(explanation, (double)draw));
    const Expr *share = expr_number(explanation, is_kept ? 1.0 - probability : 0.0);
    explain_result(explanation,
                   expr_two(explanation, is_kept ? EXPR_QUOTIENT : EXPR_PRODUCT, x, share),
                   is_kept ? EXPLAIN_NOTE_KEPT : EXPLAIN_NOTE_DROPPED);
}

const Op op_info_dropout = {.name = "dropout",
                            .formula = "y = x / (1 − p) where the draw is p or more, else 0",
                            .shape = op_shape_like_first,
                            .run = dropout_run,
                            .chain = dropout_chain,
                            .explain = dropout_explain,
                            .shares_input = -1};

// Which of the tape's dropouts comes next: the same on a watched and on a trainer's tape.
static uint32_t count_dropouts(const Tape *tape) {
    uint32_t count = 0;
    for (int i = 0; i < tape->n_nodes; i++) {
        count += tape->nodes[i]->op == OP_DROPOUT;
    }
    return count;
}

static size_t item_size(const Shape *shape) {
    char axis[4] = "";
    if (shape_rank(shape) > 0) {
        shape_axis_name(shape, 0, axis);
    }
    return shape_count(shape) / (strcmp(axis, "B") == 0 ? (size_t)shape->sizes[0] : 1);
}

Node *op_dropout(Tape *tape, const char *name, Node *x, float probability) {
    if (x == NULL || probability == 0.0F || tape->mode == TAPE_INFER) {
        return x;
    }
    OpArguments arguments = {.dropout = {.probability = probability,
                                         .purpose = PURPOSE_DROPOUT + count_dropouts(tape),
                                         .item_size = item_size(&x->shape)}};
    return tape_append(tape, OP_DROPOUT, name, &x, 1, &arguments);
}
