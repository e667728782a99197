// op_cached.c - what positions leave from run to run, and attention over keys and values of it:
// what generation needs to run one position at a time.
#include "engine/tape/op.h"

// ---- cache: x (B,T,·), positions (B,T) -> (B,S,C), whose numbers outlive the tape

static bool cache_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    const Node *positions = node->inputs[1];
    bool fits = shape_rank(x) == 3 && node_holds_ids(positions) &&
                shape_rank(&positions->shape) == 2 && positions->shape.sizes[0] == x->sizes[0] &&
                positions->shape.sizes[1] == x->sizes[1];
    return fits || op_shape_mismatch(node, reason, "x (B,T,C) and positions (B,T)");
}

static void cache_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[0];
    CacheShape shape = {.B = x->shape.sizes[0],
                        .T = x->shape.sizes[1],
                        .S = node->shape.sizes[1],
                        .C = node->shape.sizes[2],
                        .first = node->arguments.cache.first,
                        .width = shape_width(&x->shape)};
    tape->device->backend->cache_write(tape->device, node->array, x->array, node->inputs[1]->array,
                                       shape, tape_step_block(tape));
}

static void cache_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *x = node->inputs[0];
    int T = x->shape.sizes[1];
    const int32_t *positions = tape_ids(explanation->tape, node->inputs[1]);
    for (int t = T - 1; t >= 0; t--) {
        if (positions[indices[0] * T + t] == indices[1]) {
            int at[SHAPE_MAX_RANK] = {indices[0], t, node->arguments.cache.first + indices[2]};
            explain_result(explanation, expr_cell_at(explanation, x, at), EXPLAIN_NOTE_COPIED);
            return;
        }
    }
    const Expr *itself = expr_cell_at(explanation, node, indices);
    explain_result(explanation, itself, EXPLAIN_NOTE_GIVEN);
}

const Op op_info_cache = {.name = "cache",
                          .no_chain = "generation has no gradients",
                          .formula = "y[b, position[b,t]] = x[b,t], the other rows as they were",
                          .shape = cache_shape,
                          .run = cache_run,
                          .explain = cache_explain,
                          .shares_input = -1};

Node *op_cache(Tape *tape, const char *name, Node *x, Node *positions, int first, Shape shape,
               Array memory) {
    OpArguments arguments = {.cache = {first}};
    Node *inputs[] = {x, positions};
    Node *node = tape_append(tape, OP_CACHE, name, inputs, 2, &arguments);
    if (node != NULL) {
        node->shape = shape;
        node->array = memory;
    }
    return node;
}

// ---- carry: first (B,1,C) or (1,1,C), positions (B,1) -> (B,1,C)

static bool carry_shape(Node *node, Error *reason) {
    const Shape *first = &node->inputs[0]->shape;
    const Node *positions = node->inputs[1];
    bool fits = shape_rank(first) == 3 && first->sizes[1] == 1 && node_holds_ids(positions) &&
                shape_rank(&positions->shape) == 2 && positions->shape.sizes[1] == 1 &&
                (first->sizes[0] == 1 || first->sizes[0] == positions->shape.sizes[0]);
    node->shape = *first;
    node->shape.sizes[0] = positions->shape.sizes[0];
    return fits || op_shape_mismatch(node, reason, "first (B,1,C) or (1,1,C) and positions (B,1)");
}

// It is of the position before.
static void carry_count(Node *node) {
    node->counts[1] = (Counted){NULL, 0};
}

static void carry_run(const Tape *tape, const Node *node) {
    const Node *first = node->inputs[0];
    CacheShape shape = {.B = node->shape.sizes[0],
                        .T = 1,
                        .S = node->arguments.carry.S,
                        .C = node->shape.sizes[2],
                        .width = node->shape.sizes[2]};
    tape->device->backend->cache_read(tape->device, node->array, first->array,
                                      first->shape.sizes[0], node->arguments.carry.memory,
                                      node->inputs[1]->array, shape, tape_step_block(tape));
}

static void carry_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *first = node->inputs[0];
    if (tape_ids(explanation->tape, node->inputs[1])[indices[0]] > 0) {
        explain_result(explanation, expr_cell_at(explanation, node, indices), EXPLAIN_NOTE_GIVEN);
        return;
    }
    int at[SHAPE_MAX_RANK] = {indices[0] % first->shape.sizes[0], 0, indices[2]};
    explain_result(explanation, expr_cell_at(explanation, first, at), EXPLAIN_NOTE_COPIED);
}

const Op op_info_carry = {.name = "carry",
                          .no_chain = "generation has no gradients",
                          .formula = "y[b] = what the position before left, first[b] at position 0",
                          .shape = carry_shape,
                          .count = carry_count,
                          .run = carry_run,
                          .explain = carry_explain,
                          .shares_input = -1};

Node *op_carry(Tape *tape, const char *name, Node *first, Node *positions, int capacity,
               Array memory) {
    OpArguments arguments = {.carry = {memory, capacity}};
    Node *inputs[] = {first, positions};
    return tape_append(tape, OP_CARRY, name, inputs, 2, &arguments);
}

// ---- cached_attention: q (B,T,·), k and v (B,S,C), positions (B,T) -> (B,T,C)

static bool cached_attention_shape(Node *node, Error *reason) {
    const Shape *q = &node->inputs[0]->shape;
    const Shape *k = &node->inputs[1]->shape;
    const Shape *v = &node->inputs[2]->shape;
    const Node *positions = node->inputs[3];
    bool fits = shape_rank(q) == 3 && shape_rank(k) == 3 && shape_equal(k, v) &&
                q->sizes[0] == k->sizes[0] && q->sizes[2] >= k->sizes[2] &&
                k->sizes[2] % node->arguments.attention.n_heads == 0 && node_holds_ids(positions) &&
                shape_rank(&positions->shape) == 2 && positions->shape.sizes[0] == q->sizes[0] &&
                positions->shape.sizes[1] == q->sizes[1];
    if (!fits) {
        return op_shape_mismatch(node, reason,
                                 "q (B,T,C), cached k and v (B,S,C), positions (B,T), C a multiple "
                                 "of the heads");
    }
    node->shape = (Shape){"BTC", {q->sizes[0], q->sizes[1], k->sizes[2]}};
    node->saved_count = (size_t)q->sizes[0] * (size_t)node->arguments.attention.n_heads *
                        (size_t)q->sizes[1]; // log of the row's sum, (B,H,T)
    return op_attention_fits(k->sizes[1], k->sizes[2] / node->arguments.attention.n_heads, reason);
}

static int keys_of(const Tape *tape, const Node *node, int b, int t) {
    return tape_ids(tape, node->inputs[3])[b * node->shape.sizes[1] + t] + 1;
}

static void cached_attention_run(const Tape *tape, const Node *node) {
    const Shape *q = &node->inputs[0]->shape;
    int C = node->shape.sizes[2];
    int H = node->arguments.attention.n_heads;
    AttentionShape shape = {.B = q->sizes[0],
                            .T = q->sizes[1],
                            .S = node->inputs[1]->shape.sizes[1],
                            .H = H,
                            .D = C / H,
                            .stride_q = q->sizes[2],
                            .stride_k = C,
                            .stride_v = C,
                            .stride_y = C,
                            .scale = node->arguments.attention.scale,
                            .mask = {.causal = true}};
    Array from = array_at(node->inputs[0]->array, (size_t)node->arguments.attention.first_q);
    tape->device->backend->attention_kept(tape->device, node->array, node->saved, from,
                                          node->inputs[1]->array, node->inputs[2]->array,
                                          node->inputs[3]->array, shape, tape_step_block(tape));
}

// The score of query (b,t) and key s in head h: scale · Σ q · k.
static const Expr *score(Explanation *explanation, const Node *node, const int at[4], int D) {
    ExprList list = {0};
    for (int d = 0; d < D; d++) {
        int c = at[2] * D + d;
        int q[SHAPE_MAX_RANK] = {at[0], at[1], node->arguments.attention.first_q + c};
        int k[SHAPE_MAX_RANK] = {at[0], at[3], c};
        expr_list_append(explanation, &list,
                         expr_two(explanation, EXPR_PRODUCT,
                                  expr_cell_at(explanation, node->inputs[0], q),
                                  expr_cell_at(explanation, node->inputs[1], k)));
    }
    return expr_two(explanation, EXPR_PRODUCT, expr_list_close(explanation, &list, EXPR_SUM),
                    expr_number(explanation, node->arguments.attention.scale));
}

static void cached_attention_explain(Explanation *explanation, const Node *node,
                                     const int *indices) {
    int H = node->arguments.attention.n_heads;
    int D = node->shape.sizes[2] / H;
    int h = indices[2] / D;
    const Expr *lse = expr_number(
        explanation,
        (double)tape_saved(explanation->tape,
                           node)[(indices[0] * H + h) * node->shape.sizes[1] + indices[1]]);
    ExprList list = {0};
    for (int s = 0; s < keys_of(explanation->tape, node, indices[0], indices[1]); s++) {
        const int at[4] = {indices[0], indices[1], h, s};
        const Expr *weight =
            expr_one(explanation, EXPR_EXP,
                     expr_two(explanation, EXPR_DIFFERENCE, score(explanation, node, at, D), lse));
        int v[SHAPE_MAX_RANK] = {indices[0], s, indices[2]};
        expr_list_append(explanation, &list,
                         expr_two(explanation, EXPR_PRODUCT, weight,
                                  expr_cell_at(explanation, node->inputs[2], v)));
    }
    explain_result(explanation, expr_list_close(explanation, &list, EXPR_SUM), EXPLAIN_NOTE_NONE);
}

const Op op_info_cached_attention = {
    .name = "attention over cached keys",
    .no_chain = "generation has no gradients",
    .formula = "y[t] = Σ over s <= position[t] of exp(scale · q[t]·k[s] − lse[t]) · v[s]",
    .shape = cached_attention_shape,
    .run = cached_attention_run,
    .explain = cached_attention_explain,
    .shares_input = -1};

Node *op_cached_attention(Tape *tape, const char *name, Node *q, Node *k, Node *v, Node *positions,
                          const OpArguments *arguments) {
    Node *inputs[] = {q, k, v, positions};
    return tape_append(tape, OP_CACHED_ATTENTION, name, inputs, 4, arguments);
}
