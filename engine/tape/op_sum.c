// op_sum.c - gradients gathered and handed on, and products of two activations.
#include <math.h>
#include <stdio.h>

#include "engine/tape/op.h"

// ---- accumulate: a value used several times has the sum of its uses' gradients

static bool accumulate_shape(Node *node, Error *reason) {
    node->shape = node->inputs[0]->shape;
    if (node->n_inputs > OP_MAX_TERMS) {
        return error_set(reason, "a sum of %d terms, expected at most %d", node->n_inputs,
                         OP_MAX_TERMS);
    }
    for (int i = 1; i < node->n_inputs; i++) {
        if (!shape_equal(&node->shape, &node->inputs[i]->shape)) {
            return op_shape_mismatch(node, reason, "gradients of the same shape");
        }
    }
    return true;
}

// The first TERMS_MAX terms, then what is there and the next ones.
static void accumulate_run(const Tape *tape, const Node *node) {
    Terms terms;
    terms.count = 0;
    for (int i = 0; i < node->n_inputs; i++) {
        terms.items[terms.count++] = node->inputs[i]->array;
        if (terms.count == TERMS_MAX || i + 1 == node->n_inputs) {
            tape->device->backend->sum(tape->device, node->array, &terms,
                                       shape_count(&node->shape));
            terms.items[0] = node->array;
            terms.count = 1;
        }
    }
}

static void accumulate_explain(Explanation *explanation, const Node *node, const int *indices) {
    size_t element = shape_flat(&node->shape, indices);
    ExprList list = {0};
    for (int i = 0; i < node->n_inputs; i++) {
        expr_list_append(explanation, &list, expr_cell(explanation, node->inputs[i], element));
    }
    explain_result(explanation, expr_list_close(explanation, &list, EXPR_SUM), EXPLAIN_NOTE_NONE);
}

const Op op_info_accumulate = {.name = "accumulate",
                               .no_chain = "a gradient: of several uses",
                               .signs = {.before = "", .second = "+", .later = "+", .after = ""},
                               .formula = "y = x0 + x1 + …, one term for each use",
                               .output = OUTPUT_AS_INPUT,
                               .shape = accumulate_shape,
                               .run = accumulate_run,
                               .explain = accumulate_explain,
                               .shares_input = -1};

// ---- pass: the sum's gradient goes on unchanged to both of its terms

static void pass_run(const Tape *tape, const Node *node) {
    if (node->array.data != node->inputs[0]->array.data) {
        tape->device->backend->scale(tape->device, node->array, node->inputs[0]->array, 1.0F,
                                     shape_count(&node->shape));
    }
}

static void pass_explain(Explanation *explanation, const Node *node, const int *indices) {
    explain_result(explanation, expr_cell_at(explanation, node->inputs[0], indices),
                   EXPLAIN_NOTE_COPIED);
}

const Op op_info_pass = {.name = "pass",
                         .no_chain = "a gradient: of a sum's terms",
                         .signs = {.before = "", .second = ",", .later = ",", .after = ""},
                         .formula = "y = x",
                         .output = OUTPUT_AS_INPUT,
                         .shape = op_shape_like_first,
                         .run = pass_run,
                         .explain = pass_explain,
                         .shares_input = 0};

// ---- matmul over the last two axes: op(a) (…,M,K) op(b) (…,K,N) -> (…,M,N), times scale

typedef struct MatmulSizes {
    int M, N, K;
} MatmulSizes;

static MatmulSizes matmul_sizes(const Node *node) {
    const Shape *a = &node->inputs[0]->shape;
    const Shape *b = &node->inputs[1]->shape;
    int rank = shape_rank(a);
    bool ta = node->arguments.matmul.transpose_a;
    bool tb = node->arguments.matmul.transpose_b;
    return (MatmulSizes){a->sizes[rank - (ta ? 1 : 2)], b->sizes[rank - (tb ? 2 : 1)],
                         a->sizes[rank - (ta ? 2 : 1)]};
}

static bool matmul_shape(Node *node, Error *reason) {
    const Shape *a = &node->inputs[0]->shape;
    const Shape *b = &node->inputs[1]->shape;
    int rank = shape_rank(a);
    bool ta = node->arguments.matmul.transpose_a;
    bool tb = node->arguments.matmul.transpose_b;
    bool fits = rank >= 2 && rank == shape_rank(b);
    for (int i = 0; fits && i < rank - 2; i++) {
        fits = a->sizes[i] == b->sizes[i];
    }
    if (!fits || a->sizes[rank - (ta ? 2 : 1)] != b->sizes[rank - (tb ? 1 : 2)]) {
        return op_shape_mismatch(node, reason, "a (…,M,K) and b (…,K,N)");
    }
    Shape shape = shape_without_last(a);
    shape = shape_without_last(&shape);
    char name[4];
    shape_axis_name(a, rank - (ta ? 1 : 2), name);
    shape = shape_append(&shape, name, a->sizes[rank - (ta ? 1 : 2)]);
    // Positions on the key side are S, also in self-attention: q (…,T,D) times k (…,T,D) gives
    // (…,T,S).
    bool same = name[0] == 'T';
    shape_axis_name(b, rank - (tb ? 2 : 1), name);
    node->shape =
        shape_append(&shape, same && name[0] == 'T' ? "S" : name, b->sizes[rank - (tb ? 2 : 1)]);
    return true;
}

// Rows count what a's rows do, columns what b's columns do, whatever their letters.
static void matmul_count(Node *node) {
    const Node *a = node->inputs[0];
    const Node *b = node->inputs[1];
    int last = shape_rank(&node->shape) - 1;
    node->counts[last - 1] = a->counts[last - (node->arguments.matmul.transpose_a ? 0 : 1)];
    node->counts[last] = b->counts[last - (node->arguments.matmul.transpose_b ? 1 : 0)];
}

static void matmul_run(const Tape *tape, const Node *node) {
    MatmulSizes sizes = matmul_sizes(node);
    bool ta = node->arguments.matmul.transpose_a;
    bool tb = node->arguments.matmul.transpose_b;
    size_t step_y = (size_t)sizes.M * (size_t)sizes.N;
    Product product = {.M = sizes.M,
                       .N = sizes.N,
                       .K = sizes.K,
                       .transpose_a = ta,
                       .transpose_b = tb,
                       .stride_a = ta ? sizes.M : sizes.K,
                       .stride_b = tb ? sizes.K : sizes.N,
                       .stride_y = sizes.N,
                       .outer = 1,
                       .inner = (int)(shape_count(&node->shape) / step_y),
                       .inner_step_a = (size_t)sizes.M * (size_t)sizes.K,
                       .inner_step_b = (size_t)sizes.K * (size_t)sizes.N,
                       .inner_step_y = step_y,
                       .scale = node->arguments.matmul.scale};
    tape->device->backend->product(tape->device, &product, node->array, node->inputs[0]->array,
                                   node->inputs[1]->array, array_none());
}

static void matmul_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                         Node **contributions) {
    Node *a = node->inputs[0];
    Node *b = node->inputs[1];
    bool ta = node->arguments.matmul.transpose_a;
    bool tb = node->arguments.matmul.transpose_b;
    float scale = node->arguments.matmul.scale;
    if (needs[0]) { // y = a b: da = dy bᵀ; y = aᵀ b: da = b dyᵀ; bᵀ for b where y has bᵀ
        contributions[0] = ta ? op_matmul(tape, NULL, b, dy, tb, true, scale)
                              : op_matmul(tape, NULL, dy, b, false, !tb, scale);
    }
    if (needs[1]) { // y = a b: db = aᵀ dy; y = a bᵀ: db = dyᵀ a; aᵀ for a where y has aᵀ
        contributions[1] = tb ? op_matmul(tape, NULL, dy, a, true, ta, scale)
                              : op_matmul(tape, NULL, a, dy, !ta, false, scale);
    }
}

// n where the scale is one over the root of the whole number n, and not 1; else 0.
static int whole_below_root(float scale) {
    double square = 1.0 / ((double)scale * (double)scale);
    double whole = floor(square + 0.5);
    bool is_whole = whole >= 2.0 && whole < 1e9 && fabs(square - whole) < 1e-5 * whole;
    return scale > 0.0F && is_whole ? (int)whole : 0;
}

// sum / √n where the scale is one over the root of a whole number, else sum · scale.
static const Expr *scaled(Explanation *explanation, const Expr *sum, float scale) {
    if (scale == 1.0F) {
        return sum;
    }
    int whole = whole_below_root(scale);
    if (whole > 0) {
        const Expr *root = expr_one(explanation, EXPR_ROOT, expr_number(explanation, whole));
        return expr_two(explanation, EXPR_QUOTIENT, sum, root);
    }
    return expr_two(explanation, EXPR_PRODUCT, sum, expr_number(explanation, scale));
}

static void matmul_explain(Explanation *explanation, const Node *node, const int *indices) {
    MatmulSizes sizes = matmul_sizes(node);
    int rank = shape_rank(&node->shape);
    int row = indices[rank - 2];
    int column = indices[rank - 1];
    size_t batch = shape_flat(&node->shape, indices) / ((size_t)sizes.M * (size_t)sizes.N);
    size_t begin_a = batch * (size_t)sizes.M * (size_t)sizes.K;
    size_t begin_b = batch * (size_t)sizes.K * (size_t)sizes.N;
    ExprList list = {0};
    for (int k = 0; k < sizes.K; k++) {
        int at_a = node->arguments.matmul.transpose_a ? k * sizes.M + row : row * sizes.K + k;
        int at_b = node->arguments.matmul.transpose_b ? column * sizes.K + k : k * sizes.N + column;
        expr_list_append(explanation, &list,
                         expr_two(explanation, EXPR_PRODUCT,
                                  expr_cell(explanation, node->inputs[0], begin_a + (size_t)at_a),
                                  expr_cell(explanation, node->inputs[1], begin_b + (size_t)at_b)));
    }
    const Expr *sum = expr_list_close(explanation, &list, EXPR_SUM);
    explain_result(explanation, scaled(explanation, sum, node->arguments.matmul.scale),
                   EXPLAIN_NOTE_NONE);
}

static bool matmul_turns(const Node *node, int input) {
    return input == 0 ? node->arguments.matmul.transpose_a : node->arguments.matmul.transpose_b;
}

static float matmul_scale(const Node *node) {
    return node->arguments.matmul.scale;
}

// "1/√4" where the scale is one over the root of a whole number.
static void matmul_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    float scale = node->arguments.matmul.scale;
    int whole = whole_below_root(scale);
    char factor[32] = "";
    if (whole > 0) {
        snprintf(factor, sizeof factor, "1/√%d · ", whole);
    } else if (scale != 1.0F) {
        snprintf(factor, sizeof factor, "%g · ", (double)scale);
    }
    snprintf(text, OP_FORMULA_BYTES, "y[i,j] = %sΣ over k of a[%s] · b[%s]", factor,
             node->arguments.matmul.transpose_a ? "k,i" : "i,k",
             node->arguments.matmul.transpose_b ? "j,k" : "k,j");
}

const Op op_info_matmul = {.name = "product",
                           .signs = {.before = "",
                                     .second = "·",
                                     .later = "·",
                                     .after = "",
                                     .turns = matmul_turns,
                                     .scale = matmul_scale},
                           .formula = "y[i,j] = scale · Σ over k of a[i,k] · b[k,j]",
                           .write_formula = matmul_formula,
                           .shape = matmul_shape,
                           .count = matmul_count,
                           .run = matmul_run,
                           .chain = matmul_chain,
                           .explain = matmul_explain,
                           .shares_input = -1};

Node *op_matmul(Tape *tape, const char *name, Node *a, Node *b, bool transpose_a, bool transpose_b,
                float scale) {
    OpArguments arguments = {.matmul = {transpose_a, transpose_b, scale}};
    Node *inputs[] = {a, b};
    return tape_append(tape, OP_MATMUL, name, inputs, 2, &arguments);
}
