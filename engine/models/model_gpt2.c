// model_gpt2.c - GPT-2 (Radford et al. 2019): pre-norm blocks, learned positions, GELU.
//
// Parameters are named and laid out as in Hugging Face's GPT2LMHeadModel: Conv1D weights are (in,
// out).
#include <math.h>

#include "engine/models/layers.h"

static const float DEVIATION = 0.02F;

static Node *block_norm(Build *build, const char *prefix, const char *name, Node *x) {
    const char *names = arena_format(&build->tape->arena, "%s%s.", prefix, name);
    return layer_norm(build, name, ROLE_NORM, names, x);
}

static Node *residual(Build *build, int number, Node *x, Node *y) {
    const char *stage = arena_format(&build->tape->arena, "residual%d", number);
    const char *dropout = arena_format(&build->tape->arena, "dropout%d", number);
    y = op_dropout(build->tape, dropout, y, build->config->dropout);
    if (build->config->switches.without_residual) {
        return y;
    }
    return layer_role(op_add(build->tape, stage, x, y), ROLE_RESIDUAL);
}

static Node *attention(Build *build, const char *prefix, Node *x, float residual_deviation) {
    const ModelConfig *config = build->config;
    Tape *tape = build->tape;
    int C = config->d_model;
    tape_enter(tape, "attn", SCOPE_SELF_ATTENTION);
    const char *in = arena_format(&tape->arena, "%sattn.c_attn.", prefix);
    const char *out = arena_format(&tape->arena, "%sattn.c_proj.", prefix);
    Node *qkv = layer_conv(build, "qkv", ROLE_PROJECTION, in, x, 3 * C, "3C", DEVIATION);
    Attention heads = {.q = qkv,
                       .k = qkv,
                       .v = qkv,
                       .n_heads = config->n_heads,
                       .causal = !config->switches.without_mask};
    Node *concat = layer_attention(build, "concat", &heads);
    Node *y =
        layer_conv(build, "output", ROLE_ATTENTION_OUTPUT, out, concat, C, "C", residual_deviation);
    tape_leave(tape);
    return y;
}

static Node *feed_forward(Build *build, const char *prefix, Node *x, float residual_deviation) {
    const ModelConfig *config = build->config;
    Tape *tape = build->tape;
    tape_enter(tape, "mlp", SCOPE_FEED_FORWARD);
    const char *in = arena_format(&tape->arena, "%smlp.c_fc.", prefix);
    const char *out = arena_format(&tape->arena, "%smlp.c_proj.", prefix);
    Node *hidden = layer_conv(build, "hidden", ROLE_HIDDEN, in, x, config->d_ff, "F", DEVIATION);
    Node *activation = layer_role(op_gelu(tape, "activation", hidden), ROLE_ACTIVATION);
    Node *y = layer_conv(build, "output", ROLE_FEED_FORWARD_OUTPUT, out, activation,
                         config->d_model, "C", residual_deviation);
    tape_leave(tape);
    return y;
}

static Node *block(Build *build, int layer, Node *x) {
    Tape *tape = build->tape;
    const char *prefix = arena_format(&tape->arena, "transformer.h.%d.", layer);
    // Section 2.3: weights of residual layers are scaled by one over the root of their number.
    float deviation = DEVIATION / sqrtf(2.0F * (float)build->config->n_layers);
    tape_enter_layer(tape, layer);
    Node *y = attention(build, prefix, block_norm(build, prefix, "ln_1", x), deviation);
    x = residual(build, 1, x, y);
    y = feed_forward(build, prefix, block_norm(build, prefix, "ln_2", x), deviation);
    x = residual(build, 2, x, y);
    tape_leave(tape);
    return x;
}

void model_gpt2(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes) {
    const ModelConfig *config = build->config;
    Tape *tape = build->tape;
    int V = config->vocab_size;
    int C = config->d_model;
    layer_tokens(build, nodes, shape.B, shape.T);
    if (with_loss) {
        nodes->labels = op_ids(tape, "labels", ROLE_LABELS, (Shape){"BT", {shape.B, shape.T}});
    }
    Init init = {INIT_NORMAL, DEVIATION};
    Node *table = layer_parameter(build, "transformer.", "wte.weight", (Shape){"VC", {V, C}}, init);
    Node *x = op_embedding(tape, "embedding", table, nodes->tokens, 1.0F);
    layer_role(x, ROLE_EMBEDDING);
    Node *rows = layer_parameter(build, "transformer.", "wpe.weight",
                                 (Shape){"TC", {config->n_positions, C}}, init);
    if (!config->switches.without_positions) {
        Node *positions = layer_positions(build, nodes->tokens, rows, C);
        x = layer_role(op_add(tape, "input", x, positions), ROLE_INPUT);
    }
    x = op_dropout(tape, "dropout", x, config->dropout);
    tape_enter(tape, "h", SCOPE_DECODER);
    for (int layer = 0; layer < config->n_layers; layer++) {
        x = block(build, layer, x);
    }
    tape_leave(tape);
    x = layer_norm(build, "ln_f", ROLE_NORM, "transformer.ln_f.", x);
    Node *head = config->tie_embeddings
                     ? table
                     : layer_parameter(build, "", "lm_head.weight", (Shape){"VC", {V, C}}, init);
    nodes->logits =
        layer_role(layer_product(build, "logits", x, head, NULL, true, "V"), ROLE_LOGITS);
    if (with_loss) {
        nodes->loss = layer_loss(build, nodes->logits, nodes->labels);
    }
}
