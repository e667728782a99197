// op_linear.c - products with weights, and what their gradients are made of.
#include <stdio.h>
#include <string.h>

#include "engine/tape/gradient.h"
#include "engine/tape/op.h"

// ---- linear: x (…,C) times a weight (O,C) or (C,O), plus bias (O) -> (…,O)

static bool weight_is_out_in(const Node *node) {
    return node->arguments.linear.weight_is_out_in;
}

static bool linear_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    const Shape *weight = &node->inputs[1]->shape;
    int width_in = weight->sizes[weight_is_out_in(node) ? 1 : 0];
    int width_out = weight->sizes[weight_is_out_in(node) ? 0 : 1];
    if (shape_rank(x) < 1 || shape_rank(weight) != 2 || shape_width(x) != width_in) {
        return op_shape_mismatch(node, reason,
                                 weight_is_out_in(node) ? "x (…,C) and a weight (O,C)"
                                                        : "x (…,C) and a weight (C,O)");
    }
    if (node->n_inputs == 3 && shape_count(&node->inputs[2]->shape) != (size_t)width_out) {
        return op_shape_mismatch(node, reason, "a bias as long as the weight's output");
    }
    Shape rest = shape_without_last(x);
    node->shape = shape_append(&rest, node->arguments.linear.axis, width_out);
    return true;
}

static void linear_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[0];
    int K = shape_width(&x->shape);
    int N = shape_width(&node->shape);
    Product product = {.M = (int)shape_rows(&x->shape),
                       .N = N,
                       .K = K,
                       .transpose_b = weight_is_out_in(node),
                       .stride_a = K,
                       .stride_b = weight_is_out_in(node) ? K : N,
                       .stride_y = N,
                       .outer = 1,
                       .inner = 1,
                       .scale = 1.0F};
    tape->device->backend->product(tape->device, &product, node->array, x->array,
                                   node->inputs[1]->array,
                                   node->n_inputs == 3 ? node->inputs[2]->array : array_none());
}

static Node *sum_rows(Tape *tape, Node *x, int kept_axes) {
    OpArguments arguments = {.rows = {.count = kept_axes}};
    return tape_append(tape, OP_SUM_ROWS, NULL, &x, 1, &arguments);
}

static void linear_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                         Node **contributions) {
    Node *x = node->inputs[0];
    if (needs[0]) {
        OpArguments arguments = {.linear = {.weight_is_out_in = !weight_is_out_in(node)}};
        shape_axis_name(&x->shape, shape_rank(&x->shape) - 1, arguments.linear.axis);
        Node *inputs[] = {dy, node->inputs[1]};
        contributions[0] = tape_append(tape, OP_LINEAR, NULL, inputs, 2, &arguments);
    }
    if (needs[1]) {
        x = gradient_reads(tape, x);
        Node *out_in[] = {dy, x};
        Node *in_out[] = {x, dy};
        contributions[1] = tape_append(tape, OP_WEIGHT_GRAD, NULL,
                                       weight_is_out_in(node) ? out_in : in_out, 2, NULL);
    }
    if (node->n_inputs == 3 && needs[2]) {
        contributions[2] = sum_rows(tape, dy, 1);
    }
}

static void linear_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *x = node->inputs[0];
    size_t K = (size_t)shape_width(&x->shape);
    size_t N = (size_t)shape_width(&node->shape);
    size_t element = shape_flat(&node->shape, indices);
    size_t row = element / N;
    size_t column = element % N;
    ExprList list = {0};
    for (size_t k = 0; k < K; k++) {
        size_t at = weight_is_out_in(node) ? column * K + k : k * N + column;
        expr_list_append(explanation, &list,
                         expr_two(explanation, EXPR_PRODUCT, expr_cell(explanation, x, row * K + k),
                                  expr_cell(explanation, node->inputs[1], at)));
    }
    if (node->n_inputs == 3) {
        expr_list_append(explanation, &list, expr_cell(explanation, node->inputs[2], column));
    }
    explain_result(explanation, expr_list_close(explanation, &list, EXPR_SUM), EXPLAIN_NOTE_NONE);
}

static bool linear_turns(const Node *node, int input) {
    return input == 1 && node->arguments.linear.weight_is_out_in;
}

static void linear_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    bool out_in = weight_is_out_in(node);
    snprintf(text, OP_FORMULA_BYTES, "y = x·W%s%s, W (%s)", out_in ? "ᵀ" : "",
             node->n_inputs == 3 ? " + b" : "", out_in ? "out, in" : "in, out");
}

const Op op_info_linear = {
    .name = "linear",
    .signs = {.before = "", .second = "·", .later = "+", .after = "", .turns = linear_turns},
    .formula = "y = x·Wᵀ + b, W (out, in)",
    .write_formula = linear_formula,
    .shape = linear_shape,
    .run = linear_run,
    .chain = linear_chain,
    .explain = linear_explain,
    .shares_input = -1};

Node *op_linear(Tape *tape, const char *name, Node *x, Node *weight, Node *bias, bool out_in,
                const char *axis) {
    OpArguments arguments = {.linear = {.weight_is_out_in = out_in}};
    strncpy(arguments.linear.axis, axis, sizeof arguments.linear.axis - 1);
    Node *inputs[] = {x, weight, bias};
    return tape_append(tape, OP_LINEAR, name, inputs, bias == NULL ? 2 : 3, &arguments);
}

// ---- weight_grad: a (…,M), b (…,N) -> (M,N), summed over all rows

static bool weight_grad_shape(Node *node, Error *reason) {
    const Shape *a = &node->inputs[0]->shape;
    const Shape *b = &node->inputs[1]->shape;
    if (shape_rows(a) != shape_rows(b)) {
        return op_shape_mismatch(node, reason, "as many rows in both");
    }
    char axis_a[4];
    char axis_b[4];
    shape_axis_name(a, shape_rank(a) - 1, axis_a);
    shape_axis_name(b, shape_rank(b) - 1, axis_b);
    Shape shape = {{0}, {0}};
    shape = shape_append(&shape, axis_a, shape_width(a));
    node->shape = shape_append(&shape, axis_b, shape_width(b));
    return true;
}

static void weight_grad_run(const Tape *tape, const Node *node) {
    const Node *a = node->inputs[0];
    int M = node->shape.sizes[0];
    int N = node->shape.sizes[1];
    Product product = {.M = M,
                       .N = N,
                       .K = (int)shape_rows(&a->shape),
                       .transpose_a = true,
                       .stride_a = M,
                       .stride_b = N,
                       .stride_y = N,
                       .outer = 1,
                       .inner = 1,
                       .scale = 1.0F};
    tape->device->backend->product(tape->device, &product, node->array, a->array,
                                   node->inputs[1]->array, array_none());
}

static void weight_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *a = node->inputs[0];
    size_t rows = shape_rows(&a->shape);
    size_t M = (size_t)node->shape.sizes[0];
    size_t N = (size_t)node->shape.sizes[1];
    ExprList list = {0};
    for (size_t row = 0; row < rows; row++) {
        const Expr *left = expr_cell(explanation, a, row * M + (size_t)indices[0]);
        const Expr *right = expr_cell(explanation, node->inputs[1], row * N + (size_t)indices[1]);
        expr_list_append(explanation, &list, expr_two(explanation, EXPR_PRODUCT, left, right));
    }
    explain_result(explanation, expr_list_close(explanation, &list, EXPR_SUM), EXPLAIN_NOTE_NONE);
}

static bool weight_grad_turns(const Node *node, int input) {
    (void)node;
    return input == 0;
}

const Op op_info_weight_grad = {
    .name = "weight gradient",
    .no_chain = "a gradient",
    .signs = {.before = "", .second = "·", .later = "·", .after = "", .turns = weight_grad_turns},
    .formula = "dW[i,j] = Σ over (b,t) of a[b,t,i] · b[b,t,j]",
    .output = OUTPUT_FLOAT32,
    .shape = weight_grad_shape,
    .run = weight_grad_run,
    .explain = weight_grad_explain,
    .shares_input = -1};

// ---- sum_rows: over all axes but the last `count`

static bool sum_rows_shape(Node *node, Error *reason) {
    (void)reason;
    const Shape *x = &node->inputs[0]->shape;
    int dropped = shape_rank(x) - node->arguments.rows.count;
    Shape shape = {{0}, {0}};
    for (int i = dropped; i < shape_rank(x); i++) {
        char name[4];
        shape_axis_name(x, i, name);
        shape = shape_append(&shape, name, x->sizes[i]);
    }
    node->shape = shape;
    return true;
}

static void sum_rows_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[0];
    size_t C = shape_count(&node->shape);
    tape->device->backend->sum_rows(tape->device, node->array, x->array,
                                    (int)(shape_count(&x->shape) / C), (int)C);
}

static void sum_rows_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *x = node->inputs[0];
    size_t C = shape_count(&node->shape);
    size_t rows = shape_count(&x->shape) / C;
    size_t element = shape_flat(&node->shape, indices);
    ExprList list = {0};
    for (size_t row = 0; row < rows; row++) {
        expr_list_append(explanation, &list, expr_cell(explanation, x, row * C + element));
    }
    explain_result(explanation, expr_list_close(explanation, &list, EXPR_SUM), EXPLAIN_NOTE_NONE);
}

const Op op_info_sum_rows = {.name = "sum of rows",
                             .no_chain = "a gradient: of a row added to many",
                             .signs = {.before = "Σ", .second = "+", .later = "+", .after = ""},
                             .formula = "y[c] = Σ over the outer axes of x[…,c]",
                             .output = OUTPUT_FLOAT32,
                             .shape = sum_rows_shape,
                             .run = sum_rows_run,
                             .explain = sum_rows_explain,
                             .shares_input = -1};

// ---- add: b may lack a's outer axes

static bool add_shape(Node *node, Error *reason) {
    const Shape *a = &node->inputs[0]->shape;
    const Shape *b = &node->inputs[1]->shape;
    int missing = shape_rank(a) - shape_rank(b);
    bool fits = missing >= 0;
    for (int i = 0; fits && i < shape_rank(b); i++) {
        fits = a->sizes[missing + i] == b->sizes[i];
    }
    node->shape = *a;
    return fits ||
           op_shape_mismatch(node, reason, "equal shapes, or b without the outer axes of a");
}

static void add_run(const Tape *tape, const Node *node) {
    tape->device->backend->add(tape->device, node->array, node->inputs[0]->array,
                               node->inputs[1]->array, shape_count(&node->shape),
                               shape_count(&node->inputs[1]->shape));
}

static void add_chain(Tape *tape, Node *node, Node *dy, const bool *needs, Node **contributions) {
    const Shape *b = &node->inputs[1]->shape;
    contributions[0] = needs[0] ? dy : NULL;
    if (needs[1]) {
        contributions[1] =
            shape_rank(b) == shape_rank(&node->shape) ? dy : sum_rows(tape, dy, shape_rank(b));
    }
}

static void add_explain(Explanation *explanation, const Node *node, const int *indices) {
    size_t element = shape_flat(&node->shape, indices);
    size_t n_b = shape_count(&node->inputs[1]->shape);
    explain_result(explanation,
                   expr_two(explanation, EXPR_SUM, expr_cell(explanation, node->inputs[0], element),
                            expr_cell(explanation, node->inputs[1], element % n_b)),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_add = {.name = "add",
                        .signs = {.before = "", .second = "+", .later = "+", .after = ""},
                        .formula = "y = a + b",
                        .shape = add_shape,
                        .run = add_run,
                        .chain = add_chain,
                        .explain = add_explain,
                        .shares_input = -1};

Node *op_add(Tape *tape, const char *name, Node *a, Node *b) {
    Node *inputs[] = {a, b};
    return tape_append(tape, OP_ADD, name, inputs, 2, NULL);
}
