// model_encoder_decoder.c - the Transformer of "Attention Is All You Need" (Vaswani et al. 2017).
//
// Parameters are named as in torch.nn.Transformer; both stacks end in a LayerNorm, as there.
#include <math.h>
#include <string.h>

#include "engine/models/family.h"

static const char *const NORM_NAMES[] = {"standard", "annotated"};

static Init xavier(int n_in, int n_out) {
    return (Init){INIT_UNIFORM, sqrtf(6.0F / (float)(n_in + n_out))};
}

// Section 3.4: embeddings times the root of the width; section 3.5: sinusoids added.
static Node *embed(Build *build, const char *side, ScopeKind kind, const char *table_name,
                   Node *ids) {
    const ModelConfig *config = build->config;
    Tape *tape = build->tape;
    int V = config->vocab_size;
    int C = config->d_model;
    const char *name = config->tie_embeddings ? "src_embed.weight" : table_name;
    tape_enter(tape, side, kind);
    Node *table = layer_parameter(build, "", name, (Shape){"VC", {V, C}}, xavier(V, C));
    Node *embedding = op_embedding(tape, "embedding", table, ids, sqrtf((float)C));
    layer_role(embedding, ROLE_EMBEDDING);
    Node *input = embedding;
    if (!config->switches.without_positions && ids != NULL) {
        Node *positions = layer_positions(build, ids, NULL, C);
        input = layer_role(op_add(tape, "input", embedding, positions), ROLE_INPUT);
    }
    input = op_dropout(tape, "dropout", input, config->dropout);
    tape_leave(tape);
    return input;
}

// Rows first .. first+C of the three projections that torch keeps in one matrix.
static Node *projection(Build *build, const char *stage, const char *prefix, Node *x, int third) {
    Tape *tape = build->tape;
    int C = build->config->d_model;
    Node *weight = layer_parameter(build, prefix, "in_proj_weight", (Shape){"3CC", {3 * C, C}},
                                   xavier(C, 3 * C));
    Node *bias = layer_parameter(build, prefix, "in_proj_bias", (Shape){"3C", {3 * C}},
                                 (Init){INIT_ZEROS, 0.0F});
    const char *stage_weight = arena_format(&tape->arena, "%s_weight", stage);
    const char *stage_bias = arena_format(&tape->arena, "%s_bias", stage);
    Node *own_weight = op_slice_rows(tape, stage_weight, weight, third * C, C, "C");
    Node *own_bias = op_slice_rows(tape, stage_bias, bias, third * C, C, "C");
    return layer_role(layer_product(build, stage, x, own_weight, own_bias, true, "C"),
                      ROLE_PROJECTION);
}

// Section 3.2.2. x asks, y is asked.
static Node *multi_head_attention(Build *build, const char *prefix, Node *x, Node *y, Node *key_ids,
                                  bool causal) {
    Attention attention = {.q = projection(build, "q_proj", prefix, x, 0),
                           .k = projection(build, "k_proj", prefix, y, 1),
                           .v = projection(build, "v_proj", prefix, y, 2),
                           .n_heads = build->config->n_heads,
                           .key_ids = key_ids,
                           .causal = causal && !build->config->switches.without_mask};
    Node *concat = layer_attention(build, "concat", &attention);
    const char *out = arena_format(&build->tape->arena, "%sout_proj.", prefix);
    return layer_linear(build, "output", ROLE_ATTENTION_OUTPUT, out, concat, build->config->d_model,
                        "C", true);
}

// Section 3.3
static Node *feed_forward(Build *build, const char *prefix, Node *x) {
    Tape *tape = build->tape;
    tape_enter(tape, "ffn", SCOPE_FEED_FORWARD);
    const char *in = arena_format(&tape->arena, "%slinear1.", prefix);
    const char *out = arena_format(&tape->arena, "%slinear2.", prefix);
    Node *hidden =
        layer_linear(build, "hidden", ROLE_HIDDEN, in, x, build->config->d_ff, "F", true);
    Node *activation = layer_role(op_relu(tape, "activation", hidden), ROLE_ACTIVATION);
    Node *y = layer_linear(build, "output", ROLE_FEED_FORWARD_OUTPUT, out, activation,
                           build->config->d_model, "C", true);
    tape_leave(tape);
    return y;
}

static Node *numbered_norm(Build *build, const char *prefix, int number, Node *x) {
    Arena *arena = &build->tape->arena;
    return layer_norm(build, arena_format(arena, "norm%d", number), ROLE_NORM,
                      arena_format(arena, "%snorm%d.", prefix, number), x);
}

// What goes into a sublayer, and what its output becomes. Post-norm, as in the paper: norm(x +
// f(x)). Pre-norm: x + f(norm(x)).
static Node *sublayer_input(Build *build, const char *prefix, int number, Node *x) {
    return build->config->norm_first ? numbered_norm(build, prefix, number, x) : x;
}

static Node *sublayer_output(Build *build, const char *prefix, int number, Node *x, Node *y) {
    const char *stage = arena_format(&build->tape->arena, "residual%d", number);
    const char *dropout = arena_format(&build->tape->arena, "dropout%d", number);
    y = op_dropout(build->tape, dropout, y, build->config->dropout);
    if (!build->config->switches.without_residual) {
        y = layer_role(op_add(build->tape, stage, x, y), ROLE_RESIDUAL);
    }
    return build->config->norm_first ? y : numbered_norm(build, prefix, number, y);
}

static Node *self_attention(Build *build, const char *prefix, int number, Node *x, Node *key_ids,
                            bool causal) {
    Node *in = sublayer_input(build, prefix, number, x);
    tape_enter(build->tape, "self_attn", SCOPE_SELF_ATTENTION);
    const char *names = arena_format(&build->tape->arena, "%sself_attn.", prefix);
    Node *y = multi_head_attention(build, names, in, in, key_ids, causal);
    tape_leave(build->tape);
    return sublayer_output(build, prefix, number, x, y);
}

static Node *cross_attention(Build *build, const char *prefix, int number, Node *x, Node *memory,
                             Node *key_ids) {
    Node *in = sublayer_input(build, prefix, number, x);
    tape_enter(build->tape, "cross_attn", SCOPE_CROSS_ATTENTION);
    const char *names = arena_format(&build->tape->arena, "%smultihead_attn.", prefix);
    Node *y = multi_head_attention(build, names, in, memory, key_ids, false);
    tape_leave(build->tape);
    return sublayer_output(build, prefix, number, x, y);
}

static Node *feed_forward_sublayer(Build *build, const char *prefix, int number, Node *x) {
    Node *in = sublayer_input(build, prefix, number, x);
    return sublayer_output(build, prefix, number, x, feed_forward(build, prefix, in));
}

static Node *encoder(Build *build, Node *x, Node *source) {
    Tape *tape = build->tape;
    tape_enter(tape, "encoder", SCOPE_ENCODER);
    for (int layer = 0; layer < build->config->n_layers; layer++) {
        const char *prefix = arena_format(&tape->arena, "encoder.layers.%d.", layer);
        tape_enter_layer(tape, layer);
        x = self_attention(build, prefix, 1, x, source, false);
        x = feed_forward_sublayer(build, prefix, 2, x);
        tape_leave(tape);
    }
    tape_leave(tape);
    return layer_norm(build, "memory", ROLE_MEMORY, "encoder.norm.", x);
}

static Node *decoder(Build *build, Node *y, Node *target, Node *memory, Node *source) {
    Tape *tape = build->tape;
    tape_enter(tape, "decoder", SCOPE_DECODER);
    for (int layer = 0; layer < build->config->n_layers; layer++) {
        const char *prefix = arena_format(&tape->arena, "decoder.layers.%d.", layer);
        tape_enter_layer(tape, layer);
        y = self_attention(build, prefix, 1, y, target, true);
        y = cross_attention(build, prefix, 2, y, memory, source);
        y = feed_forward_sublayer(build, prefix, 3, y);
        tape_leave(tape);
    }
    y = layer_norm(build, "output", ROLE_DECODER_OUTPUT, "decoder.norm.", y);
    tape_leave(tape);
    return y;
}

static Node *generator(Build *build, Node *y) {
    const ModelConfig *config = build->config;
    if (!config->tie_embeddings) {
        return layer_linear(build, "logits", ROLE_LOGITS, "generator.", y, config->vocab_size, "V",
                            true);
    }
    int V = config->vocab_size;
    int C = config->d_model;
    Node *table =
        layer_parameter(build, "", "src_embed.weight", (Shape){"VC", {V, C}}, xavier(V, C));
    Node *bias =
        layer_parameter(build, "", "generator.bias", (Shape){"V", {V}}, (Init){INIT_ZEROS, 0.0F});
    return layer_role(layer_product(build, "logits", y, table, bias, true, "V"), ROLE_LOGITS);
}

static void build(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes) {
    layer_sides(build, nodes, shape, with_loss);
    Node *x = embed(build, "src", SCOPE_SOURCE, "src_embed.weight", nodes->source);
    Node *memory = encoder(build, x, nodes->source);
    Node *y = embed(build, "tgt", SCOPE_TARGET, "tgt_embed.weight", nodes->tokens);
    y = decoder(build, y, nodes->tokens, memory, nodes->source);
    nodes->logits = generator(build, y);
    if (with_loss) {
        nodes->loss = layer_loss(build, nodes->logits, nodes->labels);
    }
}

// ---- configuration

static void read_config(ModelConfig *config, JsonFields *fields) {
    config->d_model = json_text_int(fields, "d_model", 1, CONFIG_MAX_SIZE);
    config->n_heads = json_text_int(fields, "n_heads", 1, CONFIG_MAX_SIZE);
    config->n_layers = json_text_int(fields, "n_layers", 1, CONFIG_MAX_LAYERS);
    config->d_ff = json_text_int(fields, "d_ff", 1, CONFIG_MAX_SIZE);
    config->norm_first = json_text_bool_or(fields, "norm_first", false);
    config->pad_id = json_text_int_or(fields, "pad_id", 0, config->vocab_size - 1, 0);
    config->bos_id = json_text_int_or(fields, "bos_id", 0, config->vocab_size - 1, 1);
    config->eos_id = json_text_int_or(fields, "eos_id", -1, config->vocab_size - 1, -1);
    config->layer_norm =
        (NormKind)json_text_choice_or(fields, "layer_norm", NORM_NAMES, 2, NORM_STANDARD);
    config->layer_norm_eps = config->layer_norm == NORM_STANDARD ? 1e-5F : 1e-6F;
    config->tie_embeddings = json_text_bool_or(fields, "tie_embeddings", false);
    config_check_heads(config, fields);
}

static json_t *write_config(const ModelConfig *config) {
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:b, s:f, s:i, s:i, s:i, s:s, s:b}", "family",
                     "encoder-decoder", "vocab_size", config->vocab_size, "d_model",
                     config->d_model, "n_heads", config->n_heads, "n_layers", config->n_layers,
                     "d_ff", config->d_ff, "norm_first", config->norm_first, "label_smoothing",
                     config_decimal(config->label_smoothing), "pad_id", config->pad_id, "bos_id",
                     config->bos_id, "eos_id", config->eos_id, "layer_norm",
                     NORM_NAMES[config->layer_norm], "tie_embeddings", config->tie_embeddings);
}

// Xavier (Glorot and Bengio 2010).
static LinearInit linear_init(int n_in, int n_out) {
    return (LinearInit){xavier(n_in, n_out), {INIT_ZEROS, 0.0F}};
}

static bool keeps_state(const ModelConfig *config) {
    return !config->switches.without_mask;
}

static unsigned switches(const ModelConfig *config) {
    (void)config;
    return SWITCH_MASK | SWITCH_SCALE | SWITCH_RESIDUAL | SWITCH_POSITIONS | SWITCH_HEADS |
           SWITCH_LAYERS | SWITCH_WIDTH | SWITCH_NORM_PLACE | SWITCH_NORM_FORMULA;
}

const Family family_encoder_decoder = {.name = "encoder-decoder",
                                       .n_sides = 2,
                                       .marks = MARKS_OF_CONFIG,
                                       .has_dropout = true,
                                       .read = read_config,
                                       .write = write_config,
                                       .build = build,
                                       .linear_init = linear_init,
                                       .keeps_state = keeps_state,
                                       .switches = switches};
