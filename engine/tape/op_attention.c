// op_attention.c - scores, mask, softmax and context in one node that never stores (B,H,T,S).
#include "engine/tape/op.h"

// Inputs: q (B,T,·), k (B,S,·), v (B,S,·), each read from its first column on, and key ids (B,S)
// where padding is hidden. q, k and v may be one node: [q | k | v] in a row. Several items of q may
// look at one item of k and v, where nothing is causal: for the kernel they are rows of one item.

static AttentionShape attention_shape_of(const Node *node) {
    const Shape *q = &node->inputs[0]->shape;
    const Shape *k = &node->inputs[1]->shape;
    int C = shape_width(&node->shape);
    Array ids = node->arguments.attention.has_key_ids ? node->inputs[node->n_inputs - 1]->array
                                                      : array_none();
    return (AttentionShape){
        .B = k->sizes[0],
        .T = q->sizes[0] / k->sizes[0] * q->sizes[1],
        .S = k->sizes[1],
        .H = node->arguments.attention.n_heads,
        .D = C / node->arguments.attention.n_heads,
        .stride_q = q->sizes[2],
        .stride_k = k->sizes[2],
        .stride_v = node->inputs[2]->shape.sizes[2],
        .stride_y = C,
        .scale = node->arguments.attention.scale,
        .mask = {node->arguments.attention.causal, ids, node->arguments.attention.pad_id}};
}

bool op_attention_fits(int n_keys, int width, Error *reason) {
    if (n_keys > ATTENTION_MAX_KEYS) {
        return error_set(reason, "attention over %d positions: expected %d at most", n_keys,
                         ATTENTION_MAX_KEYS);
    }
    return width <= ATTENTION_MAX_WIDTH ||
           error_set(reason, "attention with heads of width %d: expected %d at most", width,
                     ATTENTION_MAX_WIDTH);
}

static bool attention_shape(Node *node, Error *reason) {
    const Shape *q = &node->inputs[0]->shape;
    const Shape *k = &node->inputs[1]->shape;
    const Shape *v = &node->inputs[2]->shape;
    bool is_one = node->inputs[0] == node->inputs[1];
    int C = is_one ? q->sizes[2] / 3 : q->sizes[2];
    bool fits = shape_rank(q) == 3 && shape_rank(k) == 3 &&
                (q->sizes[0] == k->sizes[0] ||
                 (!node->arguments.attention.causal && q->sizes[0] % k->sizes[0] == 0)) &&
                shape_equal(k, v) && k->sizes[2] == (is_one ? 3 * C : C) &&
                C % node->arguments.attention.n_heads == 0;
    if (fits && node->arguments.attention.has_key_ids) {
        const Node *ids = node->inputs[node->n_inputs - 1];
        fits = node_holds_ids(ids) && shape_rank(&ids->shape) == 2 &&
               ids->shape.sizes[0] == k->sizes[0] && ids->shape.sizes[1] == k->sizes[1];
    }
    if (!fits) {
        return op_shape_mismatch(
            node, reason, "q (B,T,C), k and v (B,S,C), key ids (B,S), C a multiple of the heads");
    }
    node->shape = (Shape){"BTC", {q->sizes[0], q->sizes[1], C}};
    node->saved_count = (size_t)q->sizes[0] * (size_t)node->arguments.attention.n_heads *
                        (size_t)q->sizes[1]; // log of the row's sum, (B,H,T)
    return op_attention_fits(k->sizes[1], C / node->arguments.attention.n_heads, reason);
}

static Array columns_from(const Node *node, int first) {
    return array_at(node->array, (size_t)first);
}

static void attention_run(const Tape *tape, const Node *node) {
    tape->device->backend->attention(
        tape->device, node->array, node->saved,
        columns_from(node->inputs[0], node->arguments.attention.first_q),
        columns_from(node->inputs[1], node->arguments.attention.first_k),
        columns_from(node->inputs[2], node->arguments.attention.first_v), attention_shape_of(node));
}

Node *op_part(Tape *tape, const char *name, Node *writer, int number) {
    OpArguments arguments = {.part = {number}};
    Node *node = tape_append(tape, OP_PART, name, &writer, 1, &arguments);
    if (node != NULL) {
        node->writer = writer;
    }
    return node;
}

static void attention_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                            Node **contributions) {
    if (!needs[0] && !needs[1] && !needs[2]) {
        return;
    }
    Node *inputs[6] = {dy, node, node->inputs[0], node->inputs[1], node->inputs[2]};
    int n_inputs = 5;
    if (node->arguments.attention.has_key_ids) {
        inputs[n_inputs++] = node->inputs[3];
    }
    Node *gradient = tape_append(tape, OP_ATTENTION_GRAD, NULL, inputs, n_inputs, &node->arguments);
    contributions[0] = gradient;
    if (node->inputs[0] != node->inputs[1]) {
        contributions[1] = op_part(tape, NULL, gradient, 1);
        contributions[2] = op_part(tape, NULL, gradient, 2);
    }
}

// ---- explaining: each score, weight and its gradient as an expression of the cells

typedef struct Place {
    Explanation *explanation;
    const Node *node; // the forward node
    AttentionShape shape;
    int b, h;
} Place;

static Place place_of(Explanation *explanation, const Node *node, int b, int h) {
    return (Place){explanation, node, attention_shape_of(node), b, h};
}

// The item and position of q that a row of the kernel's item is.
static void find_query(const Place *place, int t, int at[SHAPE_MAX_RANK]) {
    int T = place->node->inputs[0]->shape.sizes[1];
    at[0] = place->b * (place->shape.T / T) + t / T;
    at[1] = t % T;
}

// Channel d of this head at a position of q (0), k (1) or v (2).
static const Expr *cell(const Place *place, int input, int position, int d) {
    const OpArguments *arguments = &place->node->arguments;
    const int first[] = {arguments->attention.first_q, arguments->attention.first_k,
                         arguments->attention.first_v};
    int at[SHAPE_MAX_RANK] = {place->b, position, first[input] + place->h * place->shape.D + d};
    if (input == 0) {
        find_query(place, position, at);
    }
    return expr_cell_at(place->explanation, place->node->inputs[input], at);
}

static const Expr *output_cell(const Place *place, const Node *node, int t, int d) {
    int at[SHAPE_MAX_RANK] = {place->b, t, place->h * place->shape.D + d};
    find_query(place, t, at);
    return expr_cell_at(place->explanation, node, at);
}

static bool may_look(const Place *place, int t, int s) {
    const Mask *mask = &place->shape.mask;
    if (mask->causal && s > t + place->shape.S - place->shape.T) {
        return false;
    }
    if (mask->key_ids.data == NULL) {
        return true;
    }
    const Node *ids = place->node->inputs[place->node->n_inputs - 1];
    return tape_ids(place->explanation->tape, ids)[place->b * place->shape.S + s] != mask->pad_id;
}

static const Expr *score(const Place *place, int t, int s) {
    Explanation *explanation = place->explanation;
    ExprList list = {0};
    for (int d = 0; d < place->shape.D; d++) {
        expr_list_append(
            explanation, &list,
            expr_two(explanation, EXPR_PRODUCT, cell(place, 0, t, d), cell(place, 1, s, d)));
    }
    return expr_two(explanation, EXPR_PRODUCT, expr_list_close(explanation, &list, EXPR_SUM),
                    expr_number(explanation, place->shape.scale));
}

// exp(score - lse): the attention weight of query t on key s
static const Expr *weight(const Place *place, int t, int s) {
    Explanation *explanation = place->explanation;
    size_t row =
        ((size_t)place->b * (size_t)place->shape.H + (size_t)place->h) * (size_t)place->shape.T +
        (size_t)t;
    const Expr *lse =
        expr_number(explanation, (double)tape_saved(place->explanation->tape, place->node)[row]);
    return expr_one(explanation, EXPR_EXP,
                    expr_two(explanation, EXPR_DIFFERENCE, score(place, t, s), lse));
}

static void close_sum(Explanation *explanation, const ExprList *list) {
    if (list->count == 0) {
        explain_result(explanation, expr_number(explanation, 0.0), EXPLAIN_NOTE_ALL_MASKED);
        return;
    }
    explain_result(explanation, expr_list_close(explanation, list, EXPR_SUM), EXPLAIN_NOTE_NONE);
}

static void attention_explain(Explanation *explanation, const Node *node, const int *indices) {
    const AttentionShape shape = attention_shape_of(node);
    int D = shape.D;
    int T = node->shape.sizes[1];
    int group = shape.T / T;
    int t = indices[0] % group * T + indices[1];
    Place place = place_of(explanation, node, indices[0] / group, indices[2] / D);
    ExprList list = {0};
    for (int s = 0; s < place.shape.S; s++) {
        if (may_look(&place, t, s)) {
            expr_list_append(explanation, &list,
                             expr_two(explanation, EXPR_PRODUCT, weight(&place, t, s),
                                      cell(&place, 2, s, indices[2] % D)));
        }
    }
    close_sum(explanation, &list);
}

const Op op_info_attention = {.name = "attention",
                              .formula =
                                  "y[t] = Σ over s of exp(scale · q[t]·k[s] − lse[t]) · v[s]",
                              .shape = attention_shape,
                              .run = attention_run,
                              .chain = attention_chain,
                              .explain = attention_explain,
                              .shares_input = -1};

Node *op_attention(Tape *tape, const char *name, Node *q, Node *k, Node *v, Node *ids,
                   const OpArguments *arguments) {
    OpArguments with_ids = *arguments;
    with_ids.attention.has_key_ids = ids != NULL;
    Node *inputs[] = {q, k, v, ids};
    return tape_append(tape, OP_ATTENTION, name, inputs, ids == NULL ? 3 : 4, &with_ids);
}

// ---- attention_grad: dy, the forward node, q, k, v (key ids) -> dq; dk and dv are parts, or all
// lie in one row

static bool attention_grad_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape = node->inputs[2]->shape;
    return true;
}

static Array part_array(const Tape *tape, const Node *node, int number) {
    return tape->nodes[node->id + number]->array; // parts follow their writer
}

static void attention_grad_run(const Tape *tape, const Node *node) {
    const Node *forward = node->inputs[1];
    const OpArguments *arguments = &node->arguments;
    bool is_one = node->inputs[2] == node->inputs[3];
    Array dk =
        is_one ? columns_from(node, arguments->attention.first_k) : part_array(tape, node, 1);
    Array dv =
        is_one ? columns_from(node, arguments->attention.first_v) : part_array(tape, node, 2);
    tape->device->backend->attention_grad(
        tape->device, columns_from(node, arguments->attention.first_q), dk, dv,
        node->inputs[0]->array, columns_from(node->inputs[2], arguments->attention.first_q),
        columns_from(node->inputs[3], arguments->attention.first_k),
        columns_from(node->inputs[4], arguments->attention.first_v), forward->array, forward->saved,
        attention_shape_of(forward));
}

// d loss / d score[t,s] = weight · (dy[t]·v[s] − dy[t]·y[t])
static const Expr *score_gradient(const Place *place, const Node *dy, int t, int s) {
    Explanation *explanation = place->explanation;
    ExprList with_v = {0};
    ExprList with_y = {0};
    for (int d = 0; d < place->shape.D; d++) {
        const Expr *gradient = output_cell(place, dy, t, d);
        expr_list_append(explanation, &with_v,
                         expr_two(explanation, EXPR_PRODUCT, gradient, cell(place, 2, s, d)));
        expr_list_append(
            explanation, &with_y,
            expr_two(explanation, EXPR_PRODUCT, gradient, output_cell(place, place->node, t, d)));
    }
    const Expr *difference =
        expr_two(explanation, EXPR_DIFFERENCE, expr_list_close(explanation, &with_v, EXPR_SUM),
                 expr_list_close(explanation, &with_y, EXPR_SUM));
    return expr_two(explanation, EXPR_PRODUCT, weight(place, t, s), difference);
}

// which: 0 dq, 1 dk, 2 dv, at (position, d) of this head
static void gradient_explain(const Place *place, const Node *dy, int which, int position, int d) {
    Explanation *explanation = place->explanation;
    ExprList list = {0};
    int n = which == 0 ? place->shape.S : place->shape.T;
    for (int i = 0; i < n; i++) {
        int t = which == 0 ? position : i;
        int s = which == 0 ? i : position;
        if (!may_look(place, t, s)) {
            continue;
        }
        const Expr *left = which == 2 ? weight(place, t, s) : score_gradient(place, dy, t, s);
        const Expr *right = which == 0   ? cell(place, 1, s, d)
                            : which == 1 ? cell(place, 0, t, d)
                                         : output_cell(place, dy, t, d);
        const Expr *term = expr_two(explanation, EXPR_PRODUCT, left, right);
        if (which != 2) {
            term = expr_two(explanation, EXPR_PRODUCT, term,
                            expr_number(explanation, place->shape.scale));
        }
        expr_list_append(explanation, &list, term);
    }
    close_sum(explanation, &list);
}

static void attention_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *forward = node->inputs[1];
    int C = shape_width(&forward->shape);
    int D = attention_shape_of(forward).D;
    int which = node->inputs[2] == node->inputs[3] ? indices[2] / C : 0;
    Place place = place_of(explanation, forward, indices[0], indices[2] % C / D);
    gradient_explain(&place, node->inputs[0], which, indices[1], indices[2] % C % D);
}

const Op op_info_attention_grad = {
    .name = "attention gradient",
    .no_chain = "a gradient",
    .formula = "ds = p · (dy·v − dy·y); dq = scale · ds·k, dk = scale · dsᵀ·q, dv = pᵀ·dy",
    .shape = attention_grad_shape,
    .run = attention_grad_run,
    .explain = attention_grad_explain,
    .shares_input = -1};

// ---- part: an output that another node writes

static bool part_shape(Node *node, Error *reason) {
    (void)reason;
    const Node *writer = node->inputs[0];
    bool is_update = writer->op == OP_ADAMW;
    node->shape = is_update ? writer->shape : writer->inputs[2 + node->arguments.part.part]->shape;
    return true;
}

static void part_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *writer = node->inputs[0];
    if (writer->op == OP_ADAMW) {
        op_adamw_explain_part(explanation, writer, node->arguments.part.part, indices);
        return;
    }
    const Node *forward = writer->inputs[1];
    int D = attention_shape_of(forward).D;
    Place place = place_of(explanation, forward, indices[0], indices[2] / D);
    gradient_explain(&place, writer->inputs[0], node->arguments.part.part, indices[1],
                     indices[2] % D);
}

const Op op_info_part = {.name = "part",
                         .no_chain = "an output of a gradient or an update",
                         .formula = "another output of the previous step",
                         .output = OUTPUT_AS_INPUT,
                         .shape = part_shape,
                         .explain = part_explain,
                         .shares_input = -1};
