// op_source.c - where numbers come from: parameters, ids, constants, positions, embeddings.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/tape/op.h"

// ---- parameter

static bool parameter_shape(Node *node, Error *reason) {
    (void)node;
    (void)reason;
    return true; // set by op_parameter
}

static void given_explain(Explanation *explanation, const Node *node, const int *indices) {
    size_t element = shape_flat(&node->shape, indices);
    bool is_carried = node->op == OP_PARAMETER && node->phase == PHASE_UPDATE;
    if (is_carried) {
        explanation->formula = "a running mean that the optimizer keeps for each weight";
    }
    explain_result(explanation, expr_cell(explanation, node, element),
                   is_carried ? EXPLAIN_NOTE_CARRIED : EXPLAIN_NOTE_GIVEN);
}

const Op op_info_parameter = {.name = "parameter",
                              .no_chain = "has no inputs",
                              .formula = "a weight of the model",
                              .output = OUTPUT_FLOAT32,
                              .shape = parameter_shape,
                              .explain = given_explain,
                              .shares_input = -1};

Node *op_parameter_of(Tape *tape, Params *params, const Parameter *parameter, const char *stage) {
    if (parameter == NULL) {
        return NULL;
    }
    for (int i = 0; i < tape->n_nodes; i++) { // one node a parameter, however often it is used
        Node *node = tape->nodes[i];
        if (node->op == OP_PARAMETER && node->parameter == parameter && node->params == params) {
            return node;
        }
    }
    Node *node = tape_append(tape, OP_PARAMETER, NULL, NULL, 0, NULL);
    const char *dot = strrchr(stage, '.');
    node->parameter = parameter;
    node->params = params;
    node->shape = parameter->shape;
    node->role = ROLE_PARAMETER;
    node->stage = stage;
    node->name = dot == NULL ? stage : dot + 1;
    return node;
}

Node *op_parameter(Tape *tape, const Parameter *parameter) {
    return parameter == NULL ? NULL
                             : op_parameter_of(tape, tape->params, parameter, parameter->name);
}

// ---- ids, constant

static bool source_shape(Node *node, Error *reason) {
    (void)reason;
    memcpy(node->shape.axes, node->arguments.source.axes, sizeof node->shape.axes);
    memcpy(node->shape.sizes, node->arguments.source.sizes, sizeof node->shape.sizes);
    return true;
}

const Op op_info_ids = {.name = "ids",
                        .no_chain = "has no inputs",
                        .formula = "the ids of the tokens",
                        .output = OUTPUT_IDS,
                        .shape = source_shape,
                        .explain = given_explain,
                        .shares_input = -1};

static Node *source_append(Tape *tape, OpKind op, const char *name, const Shape *shape,
                           float value) {
    OpArguments arguments = {.source = {.value = value}};
    memcpy(arguments.source.axes, shape->axes, sizeof shape->axes);
    memcpy(arguments.source.sizes, shape->sizes, sizeof shape->sizes);
    return tape_append(tape, op, name, NULL, 0, &arguments);
}

Node *op_ids(Tape *tape, const char *name, Role role, Shape shape) {
    Node *node = source_append(tape, OP_IDS, name, &shape, 0.0F);
    node->role = role;
    node->counts[1].ids = shape_rank(&shape) == 2 ? node : NULL;
    return node;
}

static void constant_run(const Tape *tape, const Node *node) {
    tape->device->backend->fill(tape->device, node->array, node->arguments.source.value,
                                shape_count(&node->shape));
}

const Op op_info_constant = {.name = "constant",
                             .no_chain = "has no inputs",
                             .formula = "a fixed number",
                             .output = OUTPUT_FLOAT32,
                             .shape = source_shape,
                             .run = constant_run,
                             .explain = given_explain,
                             .shares_input = -1};

Node *op_constant(Tape *tape, const char *name, Shape shape, float value) {
    return source_append(tape, OP_CONSTANT, name, &shape, value);
}

// ---- sinusoid

static bool sinusoid_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape = (Shape){"TC", {node->arguments.sinusoid.T, node->arguments.sinusoid.C}};
    return true;
}

static void sinusoid_run(const Tape *tape, const Node *node) {
    tape->device->backend->sinusoid(tape->device, node->array, node->shape.sizes[0],
                                    node->shape.sizes[1], node->arguments.sinusoid.first);
}

static void sinusoid_explain(Explanation *explanation, const Node *node, const int *indices) {
    int C = node->shape.sizes[1];
    int even = indices[1] / 2 * 2;
    const Expr *position = expr_number(explanation, indices[0] + node->arguments.sinusoid.first);
    const Expr *base = expr_number(explanation, 10000.0);
    const Expr *exponent = expr_two(explanation, EXPR_QUOTIENT, expr_number(explanation, even),
                                    expr_number(explanation, C));
    const Expr *angle = expr_two(explanation, EXPR_QUOTIENT, position,
                                 expr_two(explanation, EXPR_POWER, base, exponent));
    ExprKind wave = indices[1] % 2 == 0 ? EXPR_SIN : EXPR_COS;
    explain_result(explanation, expr_one(explanation, wave, angle), EXPLAIN_NOTE_NONE);
}

const Op op_info_sinusoid = {
    .name = "sinusoid",
    .no_chain = "has no inputs",
    .formula = "PE[t,2i] = sin(t / 10000^(2i/C)), PE[t,2i+1] = cos(t / 10000^(2i/C))",
    .shape = sinusoid_shape,
    .run = sinusoid_run,
    .explain = sinusoid_explain,
    .shares_input = -1};

Node *op_sinusoid(Tape *tape, const char *name, int T, int C) {
    OpArguments arguments = {.sinusoid = {T, C, 0}};
    return tape_append(tape, OP_SINUSOID, name, NULL, 0, &arguments);
}

// ---- embedding: (V,C) (B,T) -> (B,T,C)

static bool embedding_shape(Node *node, Error *reason) {
    const Node *table = node->inputs[0];
    const Node *ids = node->inputs[1];
    if (shape_rank(&table->shape) != 2 || !node_holds_ids(ids)) {
        return op_shape_mismatch(node, reason, "a table (V,C) and ids (B,T)");
    }
    node->shape = shape_append(&ids->shape, "C", table->shape.sizes[1]);
    return true;
}

static void embedding_run(const Tape *tape, const Node *node) {
    tape->device->backend->embedding(tape->device, node->array, node->inputs[0]->array,
                                     node->inputs[1]->array, (int)shape_rows(&node->shape),
                                     shape_width(&node->shape), node->arguments.embedding.scale);
}

static void embedding_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                            Node **contributions) {
    if (needs[0]) {
        OpArguments arguments = node->arguments;
        arguments.embedding.V = node->inputs[0]->shape.sizes[0];
        Node *inputs[] = {dy, node->inputs[1]};
        contributions[0] = tape_append(tape, OP_EMBEDDING_GRAD, NULL, inputs, 2, &arguments);
    }
}

// scale * cell, or the cell alone where the scale is 1.
static const Expr *scaled(Explanation *explanation, const Expr *cell, float scale) {
    if (scale == 1.0F) {
        return cell;
    }
    return expr_two(explanation, EXPR_PRODUCT, cell, expr_number(explanation, scale));
}

static void embedding_explain(Explanation *explanation, const Node *node, const int *indices) {
    size_t row = shape_flat(&node->shape, indices) / (size_t)shape_width(&node->shape);
    int channel = indices[shape_rank(&node->shape) - 1];
    int at[SHAPE_MAX_RANK] = {tape_ids(explanation->tape, node->inputs[1])[row], channel};
    const Expr *cell = expr_cell_at(explanation, node->inputs[0], at);
    explain_result(explanation, scaled(explanation, cell, node->arguments.embedding.scale),
                   EXPLAIN_NOTE_LOOKED_UP);
}

static float embedding_scale(const Node *node) {
    return node->arguments.embedding.scale;
}

const Op op_info_embedding = {
    .name = "embedding",
    .signs = {.before = "", .second = "@", .later = ",", .after = "", .scale = embedding_scale},
    .formula = "y[b,t] = scale · table[ids[b,t]]",
    .shape = embedding_shape,
    .run = embedding_run,
    .chain = embedding_chain,
    .explain = embedding_explain,
    .shares_input = -1};

Node *op_embedding(Tape *tape, const char *name, Node *table, Node *ids, float scale) {
    OpArguments arguments = {.embedding = {.scale = scale}};
    Node *inputs[] = {table, ids};
    return tape_append(tape, OP_EMBEDDING, name, inputs, 2, &arguments);
}

// ---- embedding_grad: dy (B,T,C), ids (B,T) -> (V,C)

static bool embedding_grad_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape =
        (Shape){"VC", {node->arguments.embedding.V, shape_width(&node->inputs[0]->shape)}};
    return true;
}

static void embedding_grad_run(const Tape *tape, const Node *node) {
    const Node *dy = node->inputs[0];
    tape->device->backend->embedding_grad(
        tape->device, node->array, dy->array, node->inputs[1]->array, (int)shape_rows(&dy->shape),
        node->shape.sizes[0], node->shape.sizes[1], node->arguments.embedding.scale);
}

static void embedding_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *dy = node->inputs[0];
    const int32_t *ids = tape_ids(explanation->tape, node->inputs[1]);
    size_t rows = shape_rows(&dy->shape);
    size_t C = (size_t)node->shape.sizes[1];
    ExprList list = {0};
    for (size_t row = 0; row < rows; row++) {
        if (ids[row] == indices[0]) {
            const Expr *cell = expr_cell(explanation, dy, row * C + (size_t)indices[1]);
            expr_list_append(explanation, &list,
                             scaled(explanation, cell, node->arguments.embedding.scale));
        }
    }
    if (list.count == 0) {
        explain_result(explanation, expr_number(explanation, 0.0), EXPLAIN_NOTE_NOT_LOOKED_UP);
        return;
    }
    explain_result(explanation, expr_list_close(explanation, &list, EXPR_SUM),
                   EXPLAIN_NOTE_LOOKED_UP);
}

const Op op_info_embedding_grad = {
    .name = "embedding gradient",
    .no_chain = "a gradient",
    .formula = "dtable[v] = Σ over (b,t) with ids[b,t] = v of scale · dy[b,t]",
    .output = OUTPUT_FLOAT32,
    .shape = embedding_grad_shape,
    .run = embedding_grad_run,
    .explain = embedding_grad_explain,
    .shares_input = -1};
