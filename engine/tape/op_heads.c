// op_heads.c - channels cut into heads and heads laid side by side again.
#include <stdio.h>

#include "engine/tape/op.h"

static void copied(Explanation *explanation, const Node *from, const int *indices) {
    explain_result(explanation, expr_cell_at(explanation, from, indices), EXPLAIN_NOTE_COPIED);
}

static bool is_key_side(const Shape *x) {
    char name[4];
    shape_axis_name(x, 1, name);
    return name[0] == 'S';
}

// ---- split_heads: columns part*C .. of (B,T,nC) -> (B,H,T,D)

static bool split_heads_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    int n_heads = node->arguments.heads.n_heads;
    if (shape_rank(x) != 3 || x->sizes[2] % (node->arguments.heads.n_parts * n_heads) != 0) {
        char sizes[SHAPE_TEXT_BYTES];
        return error_set(reason, "%d heads do not divide the channels of %s", n_heads,
                         shape_sizes_text(x, sizes));
    }
    int D = x->sizes[2] / node->arguments.heads.n_parts / n_heads;
    node->shape = (Shape){"BHTD", {x->sizes[0], n_heads, x->sizes[1], D}};
    if (is_key_side(x)) {
        node->shape.axes[2] = 'S';
    }
    return true;
}

static void split_heads_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[0];
    const int *y = node->shape.sizes; // B H T D
    tape->device->backend->split_heads(tape->device, node->array, x->array, y[0], y[2], y[1], y[3],
                                       node->arguments.heads.part * y[1] * y[3], x->shape.sizes[2]);
}

static void split_heads_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                              Node **contributions) {
    (void)tape;
    (void)node;
    contributions[0] = needs[0] ? dy : NULL;
}

// Parts that nothing depends on have the gradient 0.
static Node *split_heads_join(Tape *tape, Node *whole, Node *const *parts, int n_parts) {
    int n_whole = parts[0]->of->arguments.heads.n_parts;
    Node **ordered = arena_allocate(&tape->arena, (size_t)n_whole * sizeof(Node *));
    (void)whole;
    for (int i = 0; i < n_parts; i++) {
        ordered[parts[i]->of->arguments.heads.part] = parts[i];
    }
    for (int i = 0; i < n_whole; i++) {
        if (ordered[i] == NULL) {
            ordered[i] = op_constant(tape, NULL, parts[0]->shape, 0.0F);
        }
    }
    return op_merge_heads(tape, NULL, ordered, n_whole);
}

// Into as many heads of as many parts alike: another cut of the same columns has other rows.
static bool split_heads_overlaps(const Node *a, const Node *b) {
    return a->arguments.heads.part == b->arguments.heads.part ||
           a->arguments.heads.n_parts != b->arguments.heads.n_parts ||
           a->arguments.heads.n_heads != b->arguments.heads.n_heads;
}

static void split_heads_explain(Explanation *explanation, const Node *node, const int *indices) {
    int H = node->shape.sizes[1];
    int D = node->shape.sizes[3];
    int column = (node->arguments.heads.part * H + indices[1]) * D + indices[3];
    int at[SHAPE_MAX_RANK] = {indices[0], indices[2], column};
    copied(explanation, node->inputs[0], at);
}

// Heads of one part of several begin where those of the parts before end.
static void split_heads_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    int first = node->arguments.heads.part * node->shape.sizes[1] * node->shape.sizes[3];
    char letter = node->shape.axes[2];
    char offset[24] = "";
    if (first > 0) {
        snprintf(offset, sizeof offset, "%d + ", first);
    }
    snprintf(text, OP_FORMULA_BYTES, "y[b,h,%c,d] = x[b,%c,%sh·%d + d]", letter == 'S' ? 's' : 't',
             letter == 'S' ? 's' : 't', offset, node->shape.sizes[3]);
}

const Op op_info_split_heads = {.name = "split heads",
                                .signs = {.before = "", .second = ",", .later = ",", .after = ""},
                                .formula = "y[b,h,t,d] = x[b,t,h·D + d]",
                                .write_formula = split_heads_formula,
                                .shape = split_heads_shape,
                                .run = split_heads_run,
                                .chain = split_heads_chain,
                                .join = split_heads_join,
                                .overlaps = split_heads_overlaps,
                                .explain = split_heads_explain,
                                .shares_input = -1};

Node *op_split_heads(Tape *tape, const char *name, Node *x, int n_heads, int part, int n_parts) {
    OpArguments arguments = {.heads = {n_heads, part, n_parts}};
    return tape_append(tape, OP_SPLIT_HEADS, name, &x, 1, &arguments);
}

// ---- merge_heads: (B,H,T,D) x parts -> (B,T,nC)

static bool merge_heads_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    for (int i = 0; i < node->n_inputs; i++) {
        if (shape_rank(x) != 4 || !shape_equal(x, &node->inputs[i]->shape)) {
            return op_shape_mismatch(node, reason, "parts (B,H,T,D) of equal shapes");
        }
    }
    int width = node->n_inputs * x->sizes[1] * x->sizes[3];
    node->shape = (Shape){"BTC", {x->sizes[0], x->sizes[2], width}};
    if (node->n_inputs > 1) {
        snprintf(node->shape.axes, sizeof node->shape.axes, "BT%dC", node->n_inputs);
    }
    if (x->axes[2] == 'S') {
        node->shape.axes[1] = 'S';
    }
    return true;
}

static void merge_heads_run(const Tape *tape, const Node *node) {
    const int *x = node->inputs[0]->shape.sizes; // B H T D
    for (int i = 0; i < node->n_inputs; i++) {
        tape->device->backend->merge_heads(tape->device, node->array, node->inputs[i]->array, x[0],
                                           x[2], x[1], x[3], i * x[1] * x[3], node->shape.sizes[2]);
    }
}

static void merge_heads_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                              Node **contributions) {
    int n_heads = node->inputs[0]->shape.sizes[1];
    for (int i = 0; i < node->n_inputs; i++) {
        if (needs[i]) {
            contributions[i] = op_split_heads(tape, NULL, dy, n_heads, i, node->n_inputs);
        }
    }
}

static void merge_heads_explain(Explanation *explanation, const Node *node, const int *indices) {
    int H = node->inputs[0]->shape.sizes[1];
    int D = node->inputs[0]->shape.sizes[3];
    int part = indices[2] / (H * D);
    int column = indices[2] % (H * D);
    int at[SHAPE_MAX_RANK] = {indices[0], column / D, indices[1], column % D};
    copied(explanation, node->inputs[part], at);
}

static void merge_heads_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    const int *x = node->inputs[0]->shape.sizes; // B H T D
    bool is_one = node->n_inputs == 1;
    char offset[32] = "";
    if (!is_one) {
        snprintf(offset, sizeof offset, "p·%d + ", x[1] * x[3]);
    }
    snprintf(text, OP_FORMULA_BYTES, "y[b,t,%sh·%d + d] = x%s[b,h,t,d]", offset, x[3],
             is_one ? "" : "p");
}

const Op op_info_merge_heads = {.name = "merge heads",
                                .signs = {.before = "", .second = "|", .later = "|", .after = ""},
                                .formula = "y[b,t,h·D + d] = x[b,h,t,d]",
                                .write_formula = merge_heads_formula,
                                .shape = merge_heads_shape,
                                .run = merge_heads_run,
                                .chain = merge_heads_chain,
                                .explain = merge_heads_explain,
                                .shares_input = -1};

Node *op_merge_heads(Tape *tape, const char *name, Node *const *parts, int n_parts) {
    return tape_append(tape, OP_MERGE_HEADS, name, parts, n_parts, NULL);
}
