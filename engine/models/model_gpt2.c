// model_gpt2.c - GPT-2 (Radford et al. 2019): pre-norm blocks, learned positions, GELU.
//
// Parameters are named and laid out as in Hugging Face's GPT2LMHeadModel: Conv1D weights are (in,
// out).
#include <math.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/models/end_ids.h"
#include "engine/models/family.h"
#include "engine/models/stored_tensors.h"

static const float DEVIATION = 0.02F;

// 0 in a configuration that was made by hand.
static float deviation_of(const ModelConfig *config) {
    return config->initializer_range > 0.0F ? config->initializer_range : DEVIATION;
}

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
    Node *qkv = layer_conv(build, "qkv", ROLE_PROJECTION, in, x, 3 * C, "3C", deviation_of(config));
    Attention heads = {.q = qkv,
                       .k = qkv,
                       .v = qkv,
                       .n_heads = config->n_heads,
                       .dropout = config->attention_dropout,
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
    Node *hidden =
        layer_conv(build, "hidden", ROLE_HIDDEN, in, x, config->d_ff, "F", deviation_of(config));
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
    float deviation = deviation_of(build->config) / sqrtf(2.0F * (float)build->config->n_layers);
    tape_enter_layer(tape, layer);
    Node *y = attention(build, prefix, block_norm(build, prefix, "ln_1", x), deviation);
    x = residual(build, 1, x, y);
    y = feed_forward(build, prefix, block_norm(build, prefix, "ln_2", x), deviation);
    x = residual(build, 2, x, y);
    tape_leave(tape);
    return x;
}

static void build(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes) {
    const ModelConfig *config = build->config;
    Tape *tape = build->tape;
    int V = config->vocab_size;
    int C = config->d_model;
    layer_tokens(build, nodes, shape.B, shape.T);
    if (with_loss) {
        layer_labels(build, nodes);
    }
    Init init = {INIT_NORMAL, deviation_of(config)};
    Node *table = layer_parameter(build, "transformer.", "wte.weight", (Shape){"VC", {V, C}}, init);
    Node *x = op_embedding(tape, "embedding", table, nodes->tokens, 1.0F);
    layer_role(x, ROLE_EMBEDDING);
    Node *rows = layer_parameter(build, "transformer.", "wpe.weight",
                                 (Shape){"TC", {config->n_positions, C}}, init);
    if (!config->switches.without_positions) {
        Node *positions = layer_positions(build, nodes->tokens, rows, C);
        x = layer_role(op_add(tape, "input", x, positions), ROLE_INPUT);
    }
    x = op_dropout(tape, "dropout", x, config->embedding_dropout);
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

// ---- configuration, with the keys of Hugging Face

static void read_nothing(JsonFields *fields, const char *key) {
    const json_t *value = json_object_get(fields->object, key);
    bool is_nothing = value == NULL || json_is_null(value) ||
                      (json_is_object(value) && json_object_size(value) == 0);
    if (fields->ok && !is_nothing) {
        fields->ok = error_set(fields->err, "%s: \"%s\": expected null or {}", fields->where, key);
    }
}

// -1: null, or GPT-2's own where the vocabulary does not have it.
static int read_id(const ModelConfig *config, JsonFields *fields, const char *key) {
    const json_t *value = json_object_get(fields->object, key);
    const bool is_foreign = json_is_integer(value) && json_integer_value(value) == END_IDS_GPT2 &&
                            config->vocab_size <= END_IDS_GPT2;
    return is_foreign ? -1 : json_text_int_or(fields, key, 0, config->vocab_size - 1, -1);
}

// The first of a list; end_ids.h keeps the others.
static int read_end(const ModelConfig *config, JsonFields *fields) {
    EndIds ends = {.n_ids = 0};
    if (!json_is_array(json_object_get(fields->object, "eos_token_id"))) {
        return read_id(config, fields, "eos_token_id");
    }
    fields->ok = fields->ok && end_ids_append(&ends, fields->object, fields->where,
                                              config->vocab_size, fields->err);
    return ends.n_ids > 0 ? ends.ids[0] : -1;
}

static float read_probability(JsonFields *fields, const char *key, double otherwise) {
    return (float)json_text_number_or(fields, key, 0.0, 0.999, otherwise);
}

static void read_config(ModelConfig *config, JsonFields *fields) {
    static const char *const ACTIVATIONS[] = {"gelu_new", "gelu_pytorch_tanh"};
    config->d_model = json_text_int(fields, "n_embd", 1, CONFIG_MAX_SIZE);
    config->n_heads = json_text_int(fields, "n_head", 1, CONFIG_MAX_SIZE);
    config->n_layers = json_text_int(fields, "n_layer", 1, CONFIG_MAX_LAYERS);
    config->n_positions = json_text_int(fields, "n_positions", 1, CONFIG_MAX_SIZE);
    config->d_ff = json_text_int_or(fields, "n_inner", 1, 4 * CONFIG_MAX_SIZE, 4 * config->d_model);
    config->layer_norm_eps =
        (float)json_text_number_or(fields, "layer_norm_epsilon", 1e-12, 1.0, 1e-5);
    config->tie_embeddings = json_text_bool_or(fields, "tie_word_embeddings", true);
    json_text_choice_or(fields, "activation_function", ACTIVATIONS, 2, 0);
    // Variants that compute other numbers are refused, not run as what they are not.
    json_text_bool_only(fields, "scale_attn_weights", true);
    json_text_bool_only(fields, "scale_attn_by_inverse_layer_idx", false);
    json_text_bool_only(fields, "add_cross_attention", false);
    json_text_bool_only(fields, "is_encoder_decoder", false);
    read_nothing(fields, "pruned_heads");
    read_nothing(fields, "quantization_config");
    config->initializer_range =
        (float)json_text_number_or(fields, "initializer_range", 1e-9, 10.0, (double)DEVIATION);
    // "dropout" alone is of runs from before attention weights were dropped too.
    double otherwise = config_decimal(config->dropout);
    config->dropout = read_probability(fields, "resid_pdrop", otherwise);
    config->embedding_dropout = read_probability(fields, "embd_pdrop", otherwise);
    config->attention_dropout = read_probability(fields, "attn_pdrop", 0.0);
    config->bos_id = read_id(config, fields, "bos_token_id");
    config->eos_id = read_end(config, fields);
    config_check_heads(config, fields);
}

static json_t *id_json(const ModelConfig *config, int id) {
    return id >= 0 && id < config->vocab_size ? json_integer(id) : json_null();
}

static json_t *write_config(const ModelConfig *config) {
    json_t *object =
        json_pack("{s:s, s:s, s:[s], s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:s, s:b}", "family",
                  "gpt2", "model_type", "gpt2", "architectures", "GPT2LMHeadModel", "vocab_size",
                  config->vocab_size, "n_positions", config->n_positions, "n_embd", config->d_model,
                  "n_head", config->n_heads, "n_layer", config->n_layers, "n_inner", config->d_ff,
                  "layer_norm_epsilon", config_decimal(config->layer_norm_eps),
                  "activation_function", "gelu_new", "tie_word_embeddings", config->tie_embeddings);
    // Without these keys Hugging Face takes 50256 for both ids, in whatever vocabulary, and drops a
    // tenth in all places.
    if (object != NULL) {
        if (deviation_of(config) != DEVIATION) {
            json_object_set_new(object, "initializer_range",
                                json_real(config_decimal(config->initializer_range)));
        }
        json_object_set_new(object, "resid_pdrop", json_real(config_decimal(config->dropout)));
        json_object_set_new(object, "embd_pdrop",
                            json_real(config_decimal(config->embedding_dropout)));
        json_object_set_new(object, "attn_pdrop",
                            json_real(config_decimal(config->attention_dropout)));
        json_object_set_new(object, "bos_token_id", id_json(config, config->bos_id));
        json_object_set_new(object, "eos_token_id", id_json(config, config->eos_id));
    }
    return object;
}

// Some files hold a head of their own though the configuration ties it to the table, or does not
// say. What the file holds is what was trained.
static void heed(ModelConfig *config, const Safetensors *file, Buffer *notes) {
    const char *table = stored_tensor_name(file, "transformer.wte.weight");
    if (config->tie_embeddings && stored_tensors_differ(file, "lm_head.weight", table)) {
        config->tie_embeddings = false;
        buffer_format(notes,
                      "%s: lm_head.weight differs from %s: both are kept, though config.json does "
                      "not say \"tie_word_embeddings\": false\n",
                      file->path, table);
    }
}

// The causal mask, which older files of Hugging Face hold for each layer, and the table a second
// time.
static bool is_idle(const ModelConfig *config, const Safetensors *file, const char *name) {
    bool is_table =
        config->tie_embeddings && strcmp(name, "lm_head.weight") == 0 &&
        !stored_tensors_differ(file, name, stored_tensor_name(file, "transformer.wte.weight"));
    return is_table || file_has_ending(name, ".attn.bias") ||
           file_has_ending(name, ".attn.masked_bias");
}

static bool keeps_state(const ModelConfig *config) {
    return !config->switches.without_mask;
}

static unsigned switches(const ModelConfig *config) {
    (void)config;
    return SWITCH_MASK | SWITCH_SCALE | SWITCH_RESIDUAL | SWITCH_POSITIONS | SWITCH_HEADS |
           SWITCH_LAYERS | SWITCH_WIDTH | SWITCH_NORM_FORMULA;
}

const Family family_gpt2 = {.name = "gpt2",
                            .model_type = "gpt2",
                            .n_sides = 1,
                            .marks = MARKS_OF_TOKENIZER,
                            .config_repeats_marks = true,
                            .is_llmc = true,
                            .has_dropout = true,
                            .has_places = true,
                            .read = read_config,
                            .write = write_config,
                            .build = build,
                            .heed = heed,
                            .is_idle = is_idle,
                            .keeps_state = keeps_state,
                            .switches = switches};
