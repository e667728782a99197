// op_norm.c - LayerNorm (Ba et al. 2016), and the Annotated Transformer's form of it.
#include <math.h>
#include <stdio.h>

#include "engine/tape/op.h"

// ---- layer_norm: x (…,C), weight (C), bias (C)

static bool layer_norm_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    int C = shape_width(x);
    node->shape = *x;
    node->saved_count = shape_rows(x) * 2; // mean and 1/deviation
    return (shape_count(&node->inputs[1]->shape) == (size_t)C &&
            shape_count(&node->inputs[2]->shape) == (size_t)C) ||
           op_shape_mismatch(node, reason, "x (…,C), weight (C) and bias (C)");
}

static void layer_norm_run(const Tape *tape, const Node *node) {
    tape->device->backend->layer_norm(
        tape->device, node->array, node->saved, node->inputs[0]->array, node->inputs[1]->array,
        node->inputs[2]->array, (int)shape_rows(&node->shape), shape_width(&node->shape),
        node->arguments.norm.eps, node->arguments.norm.kind);
}

static void layer_norm_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                             Node **contributions) {
    Node *statistics = node->again != NULL ? node->again : node;
    if (needs[0]) {
        Node *inputs[] = {dy, node->inputs[0], node->inputs[1], statistics};
        contributions[0] = tape_append(tape, OP_LAYER_NORM_GRAD, NULL, inputs, 4, &node->arguments);
    }
    if (needs[1]) {
        Node *inputs[] = {dy, node->inputs[0], statistics};
        contributions[1] =
            tape_append(tape, OP_LAYER_NORM_WEIGHT_GRAD, NULL, inputs, 3, &node->arguments);
    }
    if (needs[2]) {
        OpArguments arguments = {.rows = {.count = 1}};
        contributions[2] = tape_append(tape, OP_SUM_ROWS, NULL, &dy, 1, &arguments);
    }
}

typedef struct NormSteps {
    const Expr *mean;
    const Expr *divisor; // what x - mean is divided by
} NormSteps;

static NormSteps norm_steps(Explanation *explanation, const Node *x, size_t row,
                            const OpArguments *arguments) {
    size_t C = (size_t)shape_width(&x->shape);
    bool is_standard = arguments->norm.kind == NORM_STANDARD;
    ExprList sum = {0};
    for (size_t i = 0; i < C; i++) {
        expr_list_append(explanation, &sum, expr_cell(explanation, x, row * C + i));
    }
    const Expr *mean = explain_step(explanation, "mean",
                                    expr_two(explanation, EXPR_QUOTIENT,
                                             expr_list_close(explanation, &sum, EXPR_SUM),
                                             expr_number(explanation, (double)C)));
    ExprList squares = {0};
    for (size_t i = 0; i < C; i++) {
        const Expr *off = expr_two(explanation, EXPR_DIFFERENCE, sum.terms[i], mean);
        expr_list_append(explanation, &squares,
                         expr_two(explanation, EXPR_POWER, off, expr_number(explanation, 2.0)));
    }
    double n = (double)C - (is_standard ? 0.0 : 1.0);
    const Expr *variance = explain_step(explanation, "variance",
                                        expr_two(explanation, EXPR_QUOTIENT,
                                                 expr_list_close(explanation, &squares, EXPR_SUM),
                                                 expr_number(explanation, n)));
    const Expr *eps = expr_number(explanation, arguments->norm.eps);
    const Expr *divisor =
        is_standard
            ? expr_one(explanation, EXPR_ROOT, expr_two(explanation, EXPR_SUM, variance, eps))
            : expr_two(explanation, EXPR_SUM, expr_one(explanation, EXPR_ROOT, variance), eps);
    return (NormSteps){mean, explain_step(explanation, "deviation", divisor)};
}

static void layer_norm_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *x = node->inputs[0];
    size_t C = (size_t)shape_width(&x->shape);
    size_t element = shape_flat(&node->shape, indices);
    size_t channel = element % C;
    NormSteps steps = norm_steps(explanation, x, element / C, &node->arguments);
    const Expr *off =
        expr_two(explanation, EXPR_DIFFERENCE, expr_cell(explanation, x, element), steps.mean);
    const Expr *normal = expr_two(explanation, EXPR_QUOTIENT, off, steps.divisor);
    const Expr *weighted = expr_two(explanation, EXPR_PRODUCT,
                                    expr_cell(explanation, node->inputs[1], channel), normal);
    explain_result(
        explanation,
        expr_two(explanation, EXPR_SUM, weighted, expr_cell(explanation, node->inputs[2], channel)),
        EXPLAIN_NOTE_NONE);
}

static void layer_norm_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    double eps = (double)node->arguments.norm.eps;
    if (node->arguments.norm.kind == NORM_STANDARD) {
        snprintf(text, OP_FORMULA_BYTES, "y = weight · (x − mean) / √(variance + %g) + bias", eps);
        return;
    }
    snprintf(text, OP_FORMULA_BYTES,
             "y = weight · (x − mean) / (√variance + %g) + bias, variance over C − 1", eps);
}

const Op op_info_layer_norm = {
    .name = "layer norm",
    .signs = {.before = "norm(", .second = ")·", .later = "+", .after = ""},
    .formula = "y = weight · (x − mean) / deviation + bias",
    .write_formula = layer_norm_formula,
    .shape = layer_norm_shape,
    .run = layer_norm_run,
    .chain = layer_norm_chain,
    .explain = layer_norm_explain,
    .normalizes = true,
    .shares_input = -1};

Node *op_layer_norm(Tape *tape, const char *name, Node *x, Node *weight, Node *bias, float eps,
                    NormKind kind) {
    OpArguments arguments = {.norm = {eps, kind}};
    Node *inputs[] = {x, weight, bias};
    return tape_append(tape, OP_LAYER_NORM, name, inputs, 3, &arguments);
}

// ---- layer_norm_grad: dy, x, weight, the forward node -> dx

static bool grad_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape = node->inputs[1]->shape;
    return true;
}

static void layer_norm_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->layer_norm_grad(
        tape->device, node->array, node->inputs[0]->array, node->inputs[1]->array,
        node->inputs[2]->array, node->inputs[3]->saved, (int)shape_rows(&node->shape),
        shape_width(&node->shape), node->arguments.norm.eps, node->arguments.norm.kind);
}

// g = weight·dy, n = (x − mean) / deviation. Standard: dx = (g − mean(g) − n·mean(g·n)) /
// deviation. Annotated: the deviation is s + eps with s the sample deviation, so d deviation / d x
// = (x − mean) / ((C−1)·s): dx = (g − mean(g)) / deviation − (x − mean) · Σ(g·n) / (deviation ·
// (C−1) · s), s = deviation − eps.
static void layer_norm_grad_explain(Explanation *explanation, const Node *node,
                                    const int *indices) {
    const Node *x = node->inputs[1];
    size_t C = (size_t)shape_width(&x->shape);
    size_t element = shape_flat(&node->shape, indices);
    size_t row = element / C;
    NormSteps steps = norm_steps(explanation, x, row, &node->arguments);
    ExprList sum_g = {0};
    ExprList sum_gn = {0};
    const Expr *own_g = NULL;
    for (size_t i = 0; i < C; i++) {
        const Expr *g =
            expr_two(explanation, EXPR_PRODUCT, expr_cell(explanation, node->inputs[2], i),
                     expr_cell(explanation, node->inputs[0], row * C + i));
        const Expr *off = expr_two(explanation, EXPR_DIFFERENCE,
                                   expr_cell(explanation, x, row * C + i), steps.mean);
        const Expr *n = expr_two(explanation, EXPR_QUOTIENT, off, steps.divisor);
        expr_list_append(explanation, &sum_g, g);
        expr_list_append(explanation, &sum_gn, expr_two(explanation, EXPR_PRODUCT, g, n));
        own_g = i == element % C ? g : own_g;
    }
    const Expr *width = expr_number(explanation, (double)C);
    const Expr *mean_g =
        explain_step(explanation, "mean_g",
                     expr_two(explanation, EXPR_QUOTIENT,
                              expr_list_close(explanation, &sum_g, EXPR_SUM), width));
    const Expr *dot =
        explain_step(explanation, "dot", expr_list_close(explanation, &sum_gn, EXPR_SUM));
    const Expr *off =
        expr_two(explanation, EXPR_DIFFERENCE, expr_cell(explanation, x, element), steps.mean);
    const Expr *inner = expr_two(explanation, EXPR_DIFFERENCE, own_g, mean_g);
    const Expr *pull = NULL;
    if (node->arguments.norm.kind == NORM_STANDARD) {
        pull = expr_two(explanation, EXPR_QUOTIENT, dot, width);
        const Expr *n = expr_two(explanation, EXPR_QUOTIENT, off, steps.divisor);
        pull = expr_two(explanation, EXPR_PRODUCT, n, pull);
    } else {
        const Expr *eps = expr_number(explanation, node->arguments.norm.eps);
        const Expr *sample = expr_two(explanation, EXPR_DIFFERENCE, steps.divisor, eps);
        const Expr *below =
            expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, (double)C - 1.0), sample);
        pull = expr_two(explanation, EXPR_QUOTIENT, expr_two(explanation, EXPR_PRODUCT, off, dot),
                        below);
    }
    explain_result(explanation,
                   expr_two(explanation, EXPR_QUOTIENT,
                            expr_two(explanation, EXPR_DIFFERENCE, inner, pull), steps.divisor),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_layer_norm_grad = {.name = "layer norm gradient",
                                    .no_chain = "a gradient",
                                    .formula = "g = weight · dy, n = (x − mean) / deviation; dx = "
                                               "(g − mean(g) − n · mean(g·n)) / deviation",
                                    .shape = grad_shape,
                                    .run = layer_norm_grad_run,
                                    .explain = layer_norm_grad_explain,
                                    .normalizes = true,
                                    .shares_input = -1};

// ---- layer_norm_weight_grad: dy, x, the forward node -> dweight (C)

static bool weight_grad_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape = (Shape){"C", {shape_width(&node->inputs[1]->shape)}};
    return true;
}

static void layer_norm_weight_grad_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[1];
    tape->device->backend->layer_norm_weight_grad(
        tape->device, node->array, node->inputs[0]->array, x->array, node->inputs[2]->saved,
        (int)shape_rows(&x->shape), shape_width(&x->shape));
}

static void layer_norm_weight_grad_explain(Explanation *explanation, const Node *node,
                                           const int *indices) {
    const Node *x = node->inputs[1];
    const Node *norm = node->inputs[2];
    const float *statistics = tape_saved(explanation->tape, norm);
    size_t C = (size_t)shape_width(&x->shape);
    size_t rows = shape_rows(&x->shape);
    ExprList list = {0};
    for (size_t row = 0; row < rows; row++) {
        size_t at = row * C + (size_t)indices[0];
        const Expr *mean = expr_statistic(explanation, statistics[2 * row], norm, at);
        const Expr *inverse = expr_statistic(explanation, statistics[2 * row + 1], norm, at);
        const Expr *off =
            expr_two(explanation, EXPR_DIFFERENCE, expr_cell(explanation, x, at), mean);
        const Expr *n = expr_two(explanation, EXPR_PRODUCT, off, inverse);
        expr_list_append(
            explanation, &list,
            expr_two(explanation, EXPR_PRODUCT, expr_cell(explanation, node->inputs[0], at), n));
    }
    explain_result(explanation, expr_list_close(explanation, &list, EXPR_SUM), EXPLAIN_NOTE_NONE);
}

static void layer_norm_weight_grad_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    const Node *norm = node->inputs[2];
    snprintf(text, OP_FORMULA_BYTES,
             "dweight = Σ over (b,t) of dy · (x − mean) · (1/deviation), with the mean and the "
             "deviation of the row x[b,t] in %s",
             norm->stage != NULL ? norm->stage : "the layer norm");
}

const Op op_info_layer_norm_weight_grad = {
    .name = "layer norm weight gradient",
    .no_chain = "a gradient",
    .formula = "dweight = Σ over (b,t) of dy · (x − mean) · (1/deviation)",
    .write_formula = layer_norm_weight_grad_formula,
    .output = OUTPUT_FLOAT32,
    .shape = weight_grad_shape,
    .run = layer_norm_weight_grad_run,
    .explain = layer_norm_weight_grad_explain,
    .shares_input = -1};
