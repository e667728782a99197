// layers.c - what the models are made of. Parameters are declared by the layer that uses them.
#include "engine/models/layers.h"

#include <math.h>

#include "engine/models/family.h"

Node *layer_role(Node *node, Role role) {
    if (node != NULL) {
        node->role = role;
    }
    return node;
}

Node *layer_parameter(Build *build, const char *prefix, const char *name, Shape shape, Init init) {
    Tape *tape = build->tape;
    const char *full = arena_format(&tape->arena, "%s%s", prefix, name);
    const Parameter *parameter = params_declare(tape->params, full, &shape, init);
    if (parameter == NULL) {
        char wanted[SHAPE_TEXT_BYTES];
        error_set(&tape->err, "%s: the model has no parameter of that name and shape %s", full,
                  shape_sizes_text(&shape, wanted));
        return NULL;
    }
    return op_parameter(tape, parameter);
}

Node *layer_product(Build *build, const char *stage, Node *x, Node *weight, Node *bias, bool out_in,
                    const char *axis) {
    if (build->weights == NULL || x == NULL || weight == NULL) {
        return op_linear(build->tape, stage, x, weight, bias, out_in, axis);
    }
    bool is_slice = weight->op == OP_SLICE_ROWS;
    const Node *whole = is_slice ? weight->inputs[0] : weight;
    int first = is_slice ? weight->arguments.rows.first : 0;
    int count = weight->shape.sizes[out_in ? 0 : 1];
    const QuantizedMatrix *matrix = quantized_find(build->weights, whole->parameter);
    return op_quantized_linear(build->tape, stage, x, matrix, first, count, bias, axis);
}

// PyTorch's default for Linear, unless the family has its own.
static LinearInit linear_init(const ModelConfig *config, int n_in, int n_out) {
    if (family_of(config)->linear_init != NULL) {
        return family_of(config)->linear_init(n_in, n_out);
    }
    Init init = {INIT_UNIFORM, 1.0F / sqrtf((float)n_in)};
    return (LinearInit){init, init};
}

Node *layer_linear(Build *build, const char *stage, Role role, const char *prefix, Node *x,
                   int n_out, const char *axis, bool has_bias) {
    if (x == NULL) {
        return NULL;
    }
    int n_in = shape_width(&x->shape);
    LinearInit init = linear_init(build->config, n_in, n_out);
    char in_axis[4];
    shape_axis_name(&x->shape, shape_rank(&x->shape) - 1, in_axis);
    Shape none = {{0}, {0}};
    Shape bias_shape = shape_append(&none, axis, n_out);
    Shape weight_shape = shape_append(&bias_shape, in_axis, n_in);
    Node *weight = layer_parameter(build, prefix, "weight", weight_shape, init.weight);
    Node *bias = has_bias ? layer_parameter(build, prefix, "bias", bias_shape, init.bias) : NULL;
    return layer_role(layer_product(build, stage, x, weight, bias, true, axis), role);
}

Node *layer_conv(Build *build, const char *stage, Role role, const char *prefix, Node *x, int n_out,
                 const char *axis, float deviation) {
    if (x == NULL) {
        return NULL;
    }
    char in_axis[4];
    shape_axis_name(&x->shape, shape_rank(&x->shape) - 1, in_axis);
    Shape none = {{0}, {0}};
    Shape in_shape = shape_append(&none, in_axis, shape_width(&x->shape));
    Node *weight = layer_parameter(build, prefix, "weight", shape_append(&in_shape, axis, n_out),
                                   (Init){INIT_NORMAL, deviation});
    Node *bias = layer_parameter(build, prefix, "bias", shape_append(&none, axis, n_out),
                                 (Init){INIT_ZEROS, 0.0F});
    return layer_role(layer_product(build, stage, x, weight, bias, false, axis), role);
}

Node *layer_norm(Build *build, const char *stage, Role role, const char *prefix, Node *x) {
    if (x == NULL) {
        return NULL;
    }
    char axis[4];
    shape_axis_name(&x->shape, shape_rank(&x->shape) - 1, axis);
    Shape none = {{0}, {0}};
    Shape shape = shape_append(&none, axis, shape_width(&x->shape));
    Node *weight = layer_parameter(build, prefix, "weight", shape, (Init){INIT_ONES, 0.0F});
    Node *bias = layer_parameter(build, prefix, "bias", shape, (Init){INIT_ZEROS, 0.0F});
    Node *node = op_layer_norm(build->tape, stage, x, weight, bias, build->config->layer_norm_eps,
                               build->config->layer_norm);
    return layer_role(node, role);
}

static int head_width(const Attention *attention, bool is_one) {
    int width = shape_width(&attention->q->shape);
    return (is_one ? width / 3 : width) / attention->n_heads;
}

// Each step a node, as the paper's equation 1 reads.
static Node *watched_attention(Build *build, const char *stage, const Attention *attention,
                               float scale) {
    Tape *tape = build->tape;
    bool is_one = attention->q == attention->k;
    int n_parts = is_one ? 3 : 1;
    int n_heads = attention->n_heads;
    Node *q = op_split_heads(tape, "q", attention->q, n_heads, 0, n_parts);
    Node *k = op_split_heads(tape, "k", attention->k, n_heads, is_one ? 1 : 0, n_parts);
    Node *v = op_split_heads(tape, "v", attention->v, n_heads, is_one ? 2 : 0, n_parts);
    layer_role(q, ROLE_QUERY);
    layer_role(k, ROLE_KEY);
    layer_role(v, ROLE_VALUE);
    Node *scores = op_matmul(tape, "scores", q, k, false, true, scale);
    Node *masked = op_mask(tape, "masked", scores, attention->key_ids, attention->causal,
                           build->config->pad_id);
    Node *weights = op_softmax(tape, "weights", masked);
    Node *kept = op_dropout(tape, "dropout", weights, attention->dropout);
    Node *context = op_matmul(tape, "context", kept, v, false, false, 1.0F);
    layer_role(scores, ROLE_SCORES);
    layer_role(masked, ROLE_MASKED_SCORES);
    layer_role(weights, ROLE_ATTENTION_WEIGHTS);
    layer_role(context, ROLE_CONTEXT);
    return layer_role(op_merge_heads(tape, stage, &context, 1), ROLE_CONCAT);
}

// Keys and values of these positions join those of earlier runs.
static Node *continued_attention(Build *build, const char *stage, const Attention *attention,
                                 const OpArguments *arguments, int C) {
    Tape *tape = build->tape;
    ModelState *state = build->state;
    Array keys = state_block(state, build->n_blocks++, C);
    Array values = state_block(state, build->n_blocks++, C);
    if (keys.data == NULL || values.data == NULL) {
        error_set(&tape->err, "out of memory: the keys and values of %d positions",
                  state->capacity);
        return NULL;
    }
    Shape shape = {"BSC", {attention->q->shape.sizes[0], state->capacity, C}};
    Node *k = op_cache(tape, "k_cache", attention->k, build->positions,
                       arguments->attention.first_k, shape, keys);
    Node *v = op_cache(tape, "v_cache", attention->v, build->positions,
                       arguments->attention.first_v, shape, values);
    return layer_role(
        op_cached_attention(tape, stage, attention->q, k, v, build->positions, arguments),
        ROLE_CONCAT);
}

Node *layer_attention(Build *build, const char *stage, const Attention *attention) {
    if (attention->q == NULL || attention->k == NULL || attention->v == NULL) {
        return NULL;
    }
    bool is_one = attention->q == attention->k && attention->k == attention->v;
    int D = head_width(attention, is_one);
    bool is_unscaled = attention->is_unscaled || build->config->switches.without_scale;
    float scale = is_unscaled ? 1.0F : 1.0F / sqrtf((float)D);
    // The fused node draws nothing: where weights are dropped, the steps are nodes in training too.
    bool is_watched = build->tape->mode == TAPE_WATCH ||
                      (attention->dropout > 0.0F && build->tape->mode == TAPE_TRAIN);
    if (is_watched && build->state == NULL) {
        return watched_attention(build, stage, attention, scale);
    }
    int C = D * attention->n_heads;
    OpArguments arguments = {.attention = {.n_heads = attention->n_heads,
                                           .first_k = is_one ? C : 0,
                                           .first_v = is_one ? 2 * C : 0,
                                           .scale = scale,
                                           .causal = attention->causal,
                                           .pad_id = build->config->pad_id}};
    if (build->state != NULL && attention->causal) {
        return continued_attention(build, stage, attention, &arguments, C);
    }
    return layer_role(op_attention(build->tape, stage, attention->q, attention->k, attention->v,
                                   attention->key_ids, &arguments),
                      ROLE_CONCAT);
}

Node *layer_tokens(Build *build, ModelNodes *nodes, int B, int T) {
    nodes->tokens = op_ids(build->tape, "tokens", ROLE_TOKENS, (Shape){"BT", {B, T}});
    if (build->state != NULL) {
        nodes->positions = op_ids(build->tape, "token_positions", ROLE_NONE, (Shape){"BT", {B, T}});
        nodes->positions->counts[1].ids = nodes->tokens;
        build->positions = nodes->positions;
        build->tokens = nodes->tokens;
    }
    return nodes->tokens;
}

Node *layer_labels(Build *build, ModelNodes *nodes) {
    const Node *tokens = nodes->tokens;
    nodes->labels = op_ids(build->tape, "labels", ROLE_LABELS, tokens->shape);
    if (nodes->labels != NULL) {
        nodes->labels->counts[1].ids = tokens;
    }
    return nodes->labels;
}

void layer_sides(Build *build, ModelNodes *nodes, BatchShape shape, bool with_loss) {
    Tape *tape = build->tape;
    int n_sources = build->state == NULL ? shape.B : 1;
    tape_enter(tape, "src", SCOPE_SOURCE);
    nodes->source = op_ids(tape, "tokens", ROLE_TOKENS, (Shape){"BT", {n_sources, shape.S}});
    tape_leave(tape);
    tape_enter(tape, "tgt", SCOPE_TARGET);
    layer_tokens(build, nodes, shape.B, shape.T);
    tape_leave(tape);
    if (with_loss) {
        layer_labels(build, nodes);
    }
}

Node *layer_positions(Build *build, const Node *ids, Node *table, int C) {
    Tape *tape = build->tape;
    bool goes_on = build->state != NULL && ids == build->tokens;
    int T = goes_on ? build->state->capacity : ids->shape.sizes[1];
    if (goes_on) {
        Node *all = table == NULL ? op_sinusoid(tape, "position_table", T, C) : table;
        return layer_role(op_embedding(tape, "positions", all, build->positions, 1.0F),
                          ROLE_POSITIONS);
    }
    Node *rows = table == NULL ? op_sinusoid(tape, "positions", T, C)
                               : op_slice_rows(tape, "positions", table, 0, T, "T");
    if (rows != NULL) {
        rows->counts[0].ids = ids;
    }
    return layer_role(rows, ROLE_POSITIONS);
}

Node *layer_loss(Build *build, Node *logits, Node *labels) {
    Tape *tape = build->tape;
    float smoothing = build->config->label_smoothing;
    int pad_id = build->config->pad_id;
    if (tape->mode != TAPE_WATCH) {
        return layer_role(op_cross_entropy(tape, "loss", logits, labels, smoothing, pad_id),
                          ROLE_LOSS);
    }
    Node *log_probs = layer_role(op_log_softmax(tape, "log_probs", logits), ROLE_LOG_PROBABILITIES);
    return layer_role(op_loss(tape, "loss", log_probs, labels, smoothing, pad_id), ROLE_LOSS);
}
