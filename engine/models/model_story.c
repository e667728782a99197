// model_story.c - the small story model: one block of attention, then prediction layers over the
// vocabulary.
//
// Three forms: one head as wide as the model; full-width heads one after the other, each adding x,
// then concatenated; heads side by side, which add x once. LayerNorm over the vocabulary makes the
// logits.
#include "engine/models/family.h"

static const char *const HEADS_NAMES[] = {"single", "sequential", "parallel"};

static Node *projection(Build *build, const char *stage, const char *prefix, const char *weight,
                        Node *x) {
    const char *names = arena_format(&build->tape->arena, "%s%s.", prefix, weight);
    return layer_linear(build, stage, ROLE_PROJECTION, names, x, build->config->d_model, "C",
                        false);
}

// x + attention(x), the heads of one scope.
static Node *head(Build *build, const char *prefix, Node *x, int n_heads) {
    const ModelConfig *config = build->config;
    Attention attention = {.q = projection(build, "q_proj", prefix, "W_Q", x),
                           .k = projection(build, "k_proj", prefix, "W_K", x),
                           .v = projection(build, "v_proj", prefix, "W_V", x),
                           .n_heads = n_heads,
                           .causal = config->causal && !config->switches.without_mask};
    Node *merged = layer_attention(build, "concat", &attention);
    if (config->switches.without_residual) {
        return merged;
    }
    return layer_role(op_add(build->tape, "output", x, merged), ROLE_RESIDUAL);
}

static Node *heads(Build *build, Node *x) {
    const ModelConfig *config = build->config;
    Tape *tape = build->tape;
    tape_enter(tape, "attention", SCOPE_SELF_ATTENTION);
    Node *y = NULL;
    if (config->heads != STORY_SEQUENTIAL) {
        bool is_single = config->heads == STORY_SINGLE;
        y = is_single ? head(build, "attention.0.", x, 1)
                      : head(build, "attention.", x, config->n_heads);
        tape_leave(tape);
        return y;
    }
    Node **outputs = arena_allocate(&tape->arena, (size_t)config->n_heads * sizeof(Node *));
    for (int i = 0; i < config->n_heads; i++) {
        tape_enter(tape, arena_format(&tape->arena, "%d", i), SCOPE_SELF_ATTENTION);
        outputs[i] = head(build, arena_format(&tape->arena, "attention.%d.", i), x, 1);
        tape_leave(tape);
    }
    tape_leave(tape);
    return layer_role(op_concat(tape, "concat", outputs, config->n_heads, "NC"), ROLE_CONCAT);
}

static void build(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes) {
    const ModelConfig *config = build->config;
    Tape *tape = build->tape;
    int V = config->vocab_size;
    bool is_single = config->heads == STORY_SINGLE;
    layer_tokens(build, nodes, shape.B, shape.T);
    if (with_loss) {
        layer_labels(build, nodes);
    }
    Node *table = layer_parameter(build, "", "token_embedding.weight",
                                  (Shape){"VC", {V, config->d_model}}, (Init){INIT_NORMAL, 1.0F});
    Node *x = op_embedding(tape, "embedding", table, nodes->tokens, 1.0F);
    layer_role(x, ROLE_EMBEDDING);
    if (!config->switches.without_positions) {
        Node *positions = layer_positions(build, nodes->tokens, NULL, config->d_model);
        x = layer_role(op_add(tape, "input", x, positions), ROLE_INPUT);
    }
    Node *y = heads(build, x);
    y = layer_linear(build, "hidden1", ROLE_HIDDEN, "prediction_layer1.", y, is_single ? 2 * V : V,
                     is_single ? "2V" : "V", true);
    if (!is_single) {
        y = layer_norm(build, "norm1", ROLE_NORM, "layer_norm1.", y);
    }
    y = layer_linear(build, "hidden2", ROLE_HIDDEN, "prediction_layer2.", y, V, "V", true);
    nodes->logits =
        layer_norm(build, "logits", ROLE_LOGITS, is_single ? "layer_norm." : "layer_norm2.", y);
    if (with_loss) {
        nodes->loss = layer_loss(build, nodes->logits, nodes->labels);
    }
}

// ---- configuration

static void read_config(ModelConfig *config, JsonFields *fields) {
    config->d_model = json_text_int(fields, "d_model", 1, CONFIG_MAX_SIZE);
    config->n_heads = json_text_int_or(fields, "n_heads", 1, CONFIG_MAX_SIZE, 1);
    config->n_layers = 1;
    config->heads = (StoryHeads)json_text_choice_or(fields, "heads", HEADS_NAMES, 3, STORY_SINGLE);
    config->causal = json_text_bool_or(fields, "causal", true);
    config->layer_norm_eps = 1e-5F;
    if (config->heads == STORY_PARALLEL) { // the others have the model's whole width
        config_check_heads(config, fields);
    }
}

static json_t *write_config(const ModelConfig *config) {
    return json_pack("{s:s, s:i, s:i, s:i, s:s, s:b}", "family", "story", "vocab_size",
                     config->vocab_size, "d_model", config->d_model, "n_heads", config->n_heads,
                     "heads", HEADS_NAMES[config->heads], "causal", config->causal);
}

static bool is_masked(const ModelConfig *config) {
    return config->causal && !config->switches.without_mask;
}

static unsigned switches(const ModelConfig *config) {
    return (config->causal ? SWITCH_MASK : 0) | SWITCH_SCALE | SWITCH_RESIDUAL | SWITCH_POSITIONS |
           (config->heads == STORY_SINGLE ? 0 : SWITCH_HEADS) | SWITCH_WIDTH | SWITCH_NORM_FORMULA;
}

const Family family_story = {.name = "story",
                             .n_sides = 1,
                             .marks = MARKS_OF_TOKENIZER,
                             .read = read_config,
                             .write = write_config,
                             .build = build,
                             .keeps_state = is_masked,
                             .switches = switches};
