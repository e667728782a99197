// op_points.c - points of a plane: where they lie, their features, how alike two of them are.
//
// Points are given as ids, so nothing before these ops is learned and none has a chain rule.
#include <stdio.h>

#include "engine/tape/op.h"

// ---- grid: (B,T) -> (B,T,2)

static bool grid_shape(Node *node, Error *reason) {
    const Node *ids = node->inputs[0];
    if (!node_holds_ids(ids) || node->arguments.grid.side < 2) {
        return op_shape_mismatch(node, reason, "ids of a grid of at least 2 x 2 places");
    }
    node->shape = shape_append(&ids->shape, "C", 2);
    return true;
}

static void grid_run(const Tape *tape, const Node *node) {
    tape->device->backend->grid(tape->device, node->array, node->inputs[0]->array,
                                (int)shape_rows(&node->shape), node->arguments.grid.first,
                                node->arguments.grid.side);
}

// 2 · (place − middle) / middle
static void grid_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *ids = node->inputs[0];
    const size_t element = shape_flat(&node->shape, indices);
    const int side = node->arguments.grid.side;
    const int id = tape_ids(explanation->tape, ids)[element / 2] - node->arguments.grid.first;
    const Expr *middle = expr_number(explanation, (side - 1) / 2.0);
    const Expr *place = expr_number(explanation, element % 2 == 0 ? id % side : id / side);
    const Expr *from_middle = expr_two(explanation, EXPR_DIFFERENCE, place, middle);
    const Expr *twice =
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, 2.0), from_middle);
    explain_result(explanation, expr_two(explanation, EXPR_QUOTIENT, twice, middle),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_grid = {
    .name = "places of a grid",
    .formula = "x = 2·(place − middle) / middle, place: the column and the row of the id",
    .no_chain = "has ids alone",
    .output = OUTPUT_FLOAT32,
    .shape = grid_shape,
    .run = grid_run,
    .explain = grid_explain,
    .shares_input = -1};

Node *op_grid(Tape *tape, const char *name, Node *ids, int first, int side) {
    OpArguments arguments = {.grid = {first, side}};
    return tape_append(tape, OP_GRID, name, &ids, 1, &arguments);
}

// ---- feature map: (B,T,2) -> (B,T,6)

static bool feature_map_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    if (shape_rank(x) == 0 || shape_width(x) != 2) {
        return op_shape_mismatch(node, reason, "points of two coordinates");
    }
    const Shape rest = shape_without_last(x);
    node->shape = shape_append(&rest, "F", 6);
    return true;
}

static void feature_map_run(const Tape *tape, const Node *node) {
    tape->device->backend->feature_map(tape->device, node->array, node->inputs[0]->array,
                                       (int)shape_rows(&node->shape));
}

static void feature_map_explain(Explanation *explanation, const Node *node, const int *indices) {
    static const struct {
        bool has_root;
        int n_factors;
        int coordinates[2];
    } FEATURES[] = {{false, 0, {0}}, {true, 1, {0}},     {true, 1, {1}},
                    {false, 2, {0}}, {false, 2, {1, 1}}, {true, 2, {0, 1}}};
    const size_t element = shape_flat(&node->shape, indices);
    const size_t feature = element % 6;
    ExprList factors = {0};
    if (FEATURES[feature].has_root) {
        expr_list_append(explanation, &factors,
                         expr_one(explanation, EXPR_ROOT, expr_number(explanation, 2.0)));
    }
    for (int i = 0; i < FEATURES[feature].n_factors; i++) {
        const size_t coordinate = (size_t)FEATURES[feature].coordinates[i];
        expr_list_append(explanation, &factors,
                         expr_cell(explanation, node->inputs[0], element / 6 * 2 + coordinate));
    }
    const bool is_one = factors.count == 0;
    explain_result(explanation,
                   is_one ? expr_number(explanation, 1.0)
                          : expr_list_close(explanation, &factors, EXPR_PRODUCT),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_feature_map = {
    .name = "feature map",
    .formula = "φ(x) = (1, √2·x1, √2·x2, x1², x2², √2·x1·x2)",
    .no_chain = "its points are given, not learned",
    .output = OUTPUT_FLOAT32,
    .shape = feature_map_shape,
    .run = feature_map_run,
    .explain = feature_map_explain,
    .shares_input = -1,
    .signs = {.before = "φ(", .second = ",", .later = ",", .after = ")"}};

Node *op_feature_map(Tape *tape, const char *name, Node *x) {
    return tape_append(tape, OP_FEATURE_MAP, name, &x, 1, NULL);
}

// ---- kernel: (B,T,C) (B,S,C) -> (B,T,S)

static bool kernel_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    const Shape *z = &node->inputs[1]->shape;
    const bool fits = shape_rank(x) == 3 && shape_rank(z) == 3 && x->sizes[0] == z->sizes[0] &&
                      x->sizes[2] == z->sizes[2];
    if (!fits) {
        return op_shape_mismatch(node, reason, "x (B,T,C) and z (B,S,C)");
    }
    const Shape rest = shape_without_last(x);
    node->shape = shape_append(&rest, "S", z->sizes[1]);
    return true;
}

static void kernel_count(Node *node) {
    node->counts[1] = node->inputs[0]->counts[1];
    node->counts[2] = node->inputs[1]->counts[1];
}

static void kernel_run(const Tape *tape, const Node *node) {
    const Shape *x = &node->inputs[0]->shape;
    const KernelShape shape = {.kind = node->arguments.kernel.kind,
                               .gamma = node->arguments.kernel.gamma,
                               .B = x->sizes[0],
                               .T = x->sizes[1],
                               .S = node->shape.sizes[2],
                               .C = x->sizes[2]};
    tape->device->backend->kernel_function(tape->device, node->array, node->inputs[0]->array,
                                           node->inputs[1]->array, shape);
}

static const Expr *squared(Explanation *explanation, const Expr *x) {
    return expr_two(explanation, EXPR_POWER, x, expr_number(explanation, 2.0));
}

static void kernel_explain(Explanation *explanation, const Node *node, const int *indices) {
    const bool is_polynomial = node->arguments.kernel.kind == KERNEL_POLYNOMIAL;
    ExprList terms = {0};
    for (int c = 0; c < node->inputs[0]->shape.sizes[2]; c++) {
        const Expr *x =
            expr_cell_at(explanation, node->inputs[0], (int[]){indices[0], indices[1], c});
        const Expr *z =
            expr_cell_at(explanation, node->inputs[1], (int[]){indices[0], indices[2], c});
        expr_list_append(explanation, &terms,
                         is_polynomial
                             ? expr_two(explanation, EXPR_PRODUCT, x, z)
                             : squared(explanation, expr_two(explanation, EXPR_DIFFERENCE, x, z)));
    }
    const Expr *sum = expr_list_close(explanation, &terms, EXPR_SUM);
    if (is_polynomial) {
        sum = explain_step(explanation, "x·z", sum);
        const Expr *more = expr_two(explanation, EXPR_SUM, expr_number(explanation, 1.0), sum);
        explain_result(explanation, squared(explanation, more), EXPLAIN_NOTE_NONE);
        return;
    }
    sum = explain_step(explanation, "‖x − z‖²", sum);
    const Expr *gamma = expr_number(explanation, -(double)node->arguments.kernel.gamma);
    explain_result(explanation,
                   expr_one(explanation, EXPR_EXP, expr_two(explanation, EXPR_PRODUCT, gamma, sum)),
                   EXPLAIN_NOTE_NONE);
}

static void kernel_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    if (node->arguments.kernel.kind == KERNEL_POLYNOMIAL) {
        snprintf(text, OP_FORMULA_BYTES, "k(x,z) = (1 + x·z)²");
        return;
    }
    snprintf(text, OP_FORMULA_BYTES, "k(x,z) = exp(−%g·‖x − z‖²)",
             (double)node->arguments.kernel.gamma);
}

const Op op_info_kernel = {.name = "kernel",
                           .formula = "k(x,z), a number for each pair of points",
                           .write_formula = kernel_formula,
                           .no_chain = "its points are given, not learned",
                           .output = OUTPUT_FLOAT32,
                           .shape = kernel_shape,
                           .count = kernel_count,
                           .run = kernel_run,
                           .explain = kernel_explain,
                           .shares_input = -1,
                           .signs = {.before = "k(", .second = ",", .later = ",", .after = ")"}};

Node *op_kernel(Tape *tape, const char *name, Node *x, Node *z, KernelKind kind, float gamma) {
    OpArguments arguments = {.kernel = {kind, gamma}};
    Node *inputs[] = {x, z};
    return tape_append(tape, OP_KERNEL, name, inputs, 2, &arguments);
}
