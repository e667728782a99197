// model_seq2seq.c - translation before the Transformer: an LSTM reads the source, another writes.
//
// What the writer knows of the source: the reader's last state alone (Sutskever et al. 2014), or
// all of the reader's states, by additive attention before each step (Bahdanau et al. 2015) or by
// attention of products after it (Luong et al. 2015, "dot" and "general"). The reader goes from
// left to right in all of them.
#include <math.h>

#include "engine/models/family.h"
#include "engine/models/lstm.h"

static const char *const ATTENTION_NAMES[] = {"none", "additive", "dot", "general"};

static void enter_word(Build *build, int t) {
    tape_enter(build->tape, arena_format(&build->tape->arena, "t%d", t), SCOPE_PLAIN);
}

static Node *embed(Build *build, const char *side, ScopeKind kind, const char *table_name,
                   Node *ids) {
    Tape *tape = build->tape;
    int V = build->config->vocab_size;
    int C = build->config->d_model;
    tape_enter(tape, side, kind);
    Node *table =
        layer_parameter(build, "", table_name, (Shape){"VC", {V, C}}, (Init){INIT_NORMAL, 1.0F});
    Node *x = op_embedding(tape, "embedding", table, ids, 1.0F);
    layer_role(x, ROLE_EMBEDDING);
    x = op_dropout(tape, "dropout", x, build->config->dropout);
    tape_leave(tape);
    return x;
}

// The words of x (B,T,C), one node each.
static Node **words_of(Build *build, Node *x, int T) {
    Node **words = arena_allocate(&build->tape->arena, (size_t)T * sizeof(Node *));
    for (int t = 0; t < T; t++) {
        enter_word(build, t);
        words[t] = op_slice_steps(build->tape, "x", x, t, 1);
        tape_leave(build->tape);
    }
    return words;
}

// ---- the reader

typedef struct Encoded {
    LstmState *last; // of each layer, at the sentence's last word
    Node *memory;    // (B,S,C), the states of the uppermost
    Node *source;
} Encoded;

// One layer over all words, which become its states.
static LstmState encoder_layer(Build *build, int layer, Node **words, int S, Encoded *encoded) {
    Tape *tape = build->tape;
    const ModelConfig *config = build->config;
    Lstm lstm = lstm_declare(build, "encoder", layer, config->d_model);
    Node **cells = arena_allocate(&tape->arena, (size_t)S * sizeof(Node *));
    Shape shape = {"BTC", {encoded->source->shape.sizes[0], 1, config->d_model}};
    LstmState state = {op_constant(tape, "first_hidden", shape, 0.0F),
                       op_constant(tape, "first_cell", shape, 0.0F)};
    for (int t = 0; t < S; t++) {
        enter_word(build, t);
        Node *x = layer == 0 ? words[t] : op_dropout(tape, "dropout", words[t], config->dropout);
        state = lstm_step(build, &lstm, x, state);
        words[t] = state.hidden;
        cells[t] = state.cell;
        tape_leave(tape);
    }
    encoded->memory = layer_role(op_concat_steps(tape, "hidden", words, S), ROLE_HIDDEN_STATE);
    Node *cell = layer_role(op_concat_steps(tape, "cell", cells, S), ROLE_CELL);
    return (LstmState){
        op_last_step(tape, "last_hidden", encoded->memory, encoded->source, config->pad_id),
        op_last_step(tape, "last_cell", cell, encoded->source, config->pad_id)};
}

static Encoded encode(Build *build, Node *x, Node *source, int S) {
    Tape *tape = build->tape;
    int n_layers = build->config->n_layers;
    Encoded encoded = {.last = arena_allocate(&tape->arena, (size_t)n_layers * sizeof(LstmState)),
                       .source = source};
    if (x == NULL) {
        return encoded;
    }
    tape_enter(tape, "encoder", SCOPE_ENCODER);
    Node **words = words_of(build, x, S);
    for (int layer = 0; layer < n_layers; layer++) {
        tape_enter_layer(tape, layer);
        encoded.last[layer] = encoder_layer(build, layer, words, S, &encoded);
        tape_leave(tape);
    }
    tape_leave(tape);
    if (build->config->attention != SEQ2SEQ_NONE) {
        layer_role(encoded.memory, ROLE_MEMORY);
    }
    return encoded;
}

// ---- additive attention

// What all steps share, and the scores that each leaves, (B,1,1,S).
typedef struct Additive {
    Node *keys, *values; // (B,1,S,C): U h, and h itself
    Node *weight;        // v, (B,1,1,C)
    Node *ones;          // (B,1,S,1), which repeats a row for each word of the source
    Node **scores;       // T
} Additive;

static Additive additive_open(Build *build, const Encoded *encoded, int S, int T) {
    Tape *tape = build->tape;
    int B = encoded->source->shape.sizes[0];
    int C = build->config->d_model;
    Node *keys = layer_linear(build, "k_proj", ROLE_PROJECTION, "attention.U_a.", encoded->memory,
                              C, "C", false);
    Node *weight = layer_parameter(build, "", "attention.v_a.weight", (Shape){"OC", {1, C}},
                                   (Init){INIT_UNIFORM, 1.0F / sqrtf((float)C)});
    Node *one = op_constant(tape, "one", (Shape){"BTC", {B, 1, 1}}, 1.0F);
    Node *repeated = op_linear(tape, "v_rows", one, weight, NULL, false, "C");
    Additive additive = {.keys = op_split_heads(tape, "k", keys, 1, 0, 1),
                         .values = op_split_heads(tape, "v", encoded->memory, 1, 0, 1),
                         .weight = op_split_heads(tape, "v_a", repeated, 1, 0, 1),
                         .ones = op_constant(tape, "ones", (Shape){"BHSD", {B, 1, S, 1}}, 1.0F),
                         .scores = arena_allocate(&tape->arena, (size_t)T * sizeof(Node *))};
    if (additive.ones != NULL) {
        additive.ones->counts[2].ids = encoded->source;
    }
    layer_role(additive.keys, ROLE_KEY);
    layer_role(additive.values, ROLE_VALUE);
    return additive;
}

// From scores (B,1,T,S) to the means of the values, (B,1,T,C).
static Node *attention_context(Build *build, const Additive *additive, const Encoded *encoded,
                               Node *scores) {
    Tape *tape = build->tape;
    int pad_id = build->config->pad_id;
    Node *masked = op_mask(tape, "masked", scores, encoded->source, false, pad_id);
    Node *weights = op_softmax(tape, "weights", masked);
    return op_matmul(tape, "context", weights, additive->values, false, false, 1.0F);
}

// Section 3.1: e[s] = v · tanh(W h + U s[s]) from the state h before the step, its softmax over the
// source, and the context, (B,1,C).
static Node *additive_context(Build *build, const Additive *additive, const Encoded *encoded,
                              Node *hidden, const Counted *position, int t) {
    Tape *tape = build->tape;
    Node *query = layer_linear(build, "q_proj", ROLE_PROJECTION, "attention.W_a.", hidden,
                               build->config->d_model, "C", false);
    Node *q = op_split_heads(tape, "q", query, 1, 0, 1);
    Node *rows = op_matmul(tape, "q_rows", additive->ones, q, false, false, 1.0F);
    Node *energy = op_tanh(tape, "energy", op_add(tape, "energy_sum", rows, additive->keys));
    Node *scores = op_matmul(tape, "scores", additive->weight, energy, false, true, 1.0F);
    if (scores == NULL) {
        return NULL;
    }
    scores->counts[2] = *position;
    scores->role = ROLE_SCORES;
    additive->scores[t] = scores;
    Node *context = attention_context(build, additive, encoded, scores);
    return op_merge_heads(tape, "concat", &context, 1);
}

// The rows of all steps as one matrix, as the other kinds have it, and all contexts, (B,T,C).
static Node *additive_close(Build *build, const Additive *additive, const Encoded *encoded, int T) {
    Tape *tape = build->tape;
    Node *scores = op_concat_steps(tape, "scores", additive->scores, T);
    Node *context = attention_context(build, additive, encoded, scores);
    if (context != NULL) {
        Node *weights = context->inputs[0];
        layer_role(scores, ROLE_SCORES);
        layer_role(weights->inputs[0], ROLE_MASKED_SCORES);
        layer_role(weights, ROLE_ATTENTION_WEIGHTS);
        layer_role(context, ROLE_CONTEXT);
    }
    return layer_role(op_merge_heads(tape, "concat", &context, 1), ROLE_CONCAT);
}

// ---- attention of products (Luong et al., section 3.1)

static Node *product_context(Build *build, const Encoded *encoded, Node *hidden) {
    bool is_general = build->config->attention == SEQ2SEQ_GENERAL;
    Node *query = is_general ? layer_linear(build, "q_proj", ROLE_PROJECTION, "attention.W_a.",
                                            hidden, build->config->d_model, "C", false)
                             : hidden;
    Attention attention = {.q = query,
                           .k = encoded->memory,
                           .v = encoded->memory,
                           .n_heads = 1,
                           .key_ids = encoded->source,
                           .is_unscaled = true};
    return layer_attention(build, "concat", &attention);
}

// ---- the writer

// The layers one after the other at one word; state is theirs.
static Node *decoder_step(Build *build, const Lstm *layers, LstmState *state, Node *x, int t) {
    Tape *tape = build->tape;
    for (int layer = 0; layer < build->config->n_layers; layer++) {
        tape_enter_layer(tape, layer);
        enter_word(build, t);
        x = layer == 0 ? x : op_dropout(tape, "dropout", x, build->config->dropout);
        state[layer] = lstm_step(build, &layers[layer], x, state[layer]);
        x = state[layer].hidden;
        tape_leave(tape);
        tape_leave(tape);
    }
    return x;
}

// With additive attention what a step reads is the word and its context, side by side.
static Node *with_context(Build *build, const Additive *additive, const Encoded *encoded, Node *x,
                          Node *hidden, int t) {
    Tape *tape = build->tape;
    if (x == NULL) {
        return NULL;
    }
    tape_enter(tape, "attention", SCOPE_CROSS_ATTENTION);
    enter_word(build, t);
    Node *parts[] = {x, additive_context(build, additive, encoded, hidden, &x->counts[1], t)};
    Node *both = op_concat(tape, "x_and_context", parts, 2, "2C");
    tape_leave(tape);
    tape_leave(tape);
    return both;
}

// What each layer leaves for the next step, where one goes on from it.
typedef struct Left {
    Array hidden, cell;
} Left;

// state becomes what the step before left, and at a text's beginning stays the reader's.
static Left *carry_states(Build *build, LstmState *state) {
    Tape *tape = build->tape;
    int capacity = build->state->capacity;
    int C = build->config->d_model;
    int n_layers = build->config->n_layers;
    Left *left = arena_allocate(&tape->arena, (size_t)n_layers * sizeof *left);
    for (int layer = 0; layer < n_layers; layer++) {
        left[layer].hidden = state_block(build->state, build->n_blocks++, C);
        left[layer].cell = state_block(build->state, build->n_blocks++, C);
        if (left[layer].hidden.data == NULL || left[layer].cell.data == NULL) {
            error_set(&tape->err, "out of memory: the states of %d positions", capacity);
            return left;
        }
        tape_enter_layer(tape, layer);
        state[layer].hidden = op_carry(tape, "hidden_before", state[layer].hidden, build->positions,
                                       capacity, left[layer].hidden);
        state[layer].cell = op_carry(tape, "cell_before", state[layer].cell, build->positions,
                                     capacity, left[layer].cell);
        tape_leave(tape);
    }
    return left;
}

static void keep_states(Build *build, const LstmState *state, const Left *left) {
    Tape *tape = build->tape;
    Shape shape = {"BSC", {build->state->n_rows, build->state->capacity, build->config->d_model}};
    for (int layer = 0; layer < build->config->n_layers; layer++) {
        tape_enter_layer(tape, layer);
        op_cache(tape, "hidden_kept", state[layer].hidden, build->positions, 0, shape,
                 left[layer].hidden);
        op_cache(tape, "cell_kept", state[layer].cell, build->positions, 0, shape,
                 left[layer].cell);
        tape_leave(tape);
    }
}

static Lstm *decoder_layers(Build *build) {
    Tape *tape = build->tape;
    int C = build->config->d_model;
    int n_layers = build->config->n_layers;
    Lstm *layers = arena_allocate(&tape->arena, (size_t)n_layers * sizeof *layers);
    for (int layer = 0; layer < n_layers; layer++) {
        bool reads_context = layer == 0 && build->config->attention == SEQ2SEQ_ADDITIVE;
        tape_enter_layer(tape, layer);
        layers[layer] = lstm_declare(build, "decoder", layer, reads_context ? 2 * C : C);
        tape_leave(tape);
    }
    return layers;
}

// Luong et al., equation 5: tanh(W [context | hidden]).
static Node *attention_output(Build *build, Node *context, Node *hidden) {
    Node *parts[] = {context, hidden};
    Node *both = op_concat(build->tape, "context_and_hidden", parts, 2, "2C");
    Node *mixed = layer_linear(build, "mixed", ROLE_NONE, "attention.W_c.", both,
                               build->config->d_model, "C", false);
    return op_tanh(build->tape, "output", mixed);
}

static Node *decode(Build *build, Node *y, const Encoded *encoded, BatchShape shape) {
    Tape *tape = build->tape;
    const Seq2SeqAttention kind = build->config->attention;
    if (y == NULL || encoded->memory == NULL) {
        return NULL;
    }
    Additive additive = {.keys = NULL};
    tape_enter(tape, "decoder", SCOPE_DECODER);
    const Lstm *layers = decoder_layers(build);
    if (kind == SEQ2SEQ_ADDITIVE) {
        tape_enter(tape, "attention", SCOPE_CROSS_ATTENTION);
        additive = additive_open(build, encoded, shape.S, shape.T);
        tape_leave(tape);
    }
    Node **words = words_of(build, y, shape.T);
    LstmState *state = encoded->last;
    const LstmState *top = &state[build->config->n_layers - 1];
    const Left *left = build->state == NULL ? NULL : carry_states(build, state);
    for (int t = 0; t < shape.T; t++) {
        Node *x = kind == SEQ2SEQ_ADDITIVE
                      ? with_context(build, &additive, encoded, words[t], top->hidden, t)
                      : words[t];
        words[t] = decoder_step(build, layers, state, x, t);
    }
    if (left != NULL) {
        keep_states(build, state, left);
    }
    Node *hidden = layer_role(op_concat_steps(tape, "hidden", words, shape.T), ROLE_DECODER_OUTPUT);
    if (kind != SEQ2SEQ_NONE) {
        tape_enter(tape, "attention", SCOPE_CROSS_ATTENTION);
        Node *context = kind == SEQ2SEQ_ADDITIVE
                            ? additive_close(build, &additive, encoded, shape.T)
                            : product_context(build, encoded, hidden);
        hidden = attention_output(build, context, hidden);
        tape_leave(tape);
    }
    tape_leave(tape);
    return hidden;
}

static void build(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes) {
    layer_sides(build, nodes, shape, with_loss);
    Node *x = embed(build, "src", SCOPE_SOURCE, "src_embed.weight", nodes->source);
    Encoded encoded = encode(build, x, nodes->source, shape.S);
    Node *y = embed(build, "tgt", SCOPE_TARGET, "tgt_embed.weight", nodes->tokens);
    y = decode(build, y, &encoded, shape);
    nodes->logits = layer_linear(build, "logits", ROLE_LOGITS, "generator.", y,
                                 build->config->vocab_size, "V", true);
    if (with_loss) {
        nodes->loss = layer_loss(build, nodes->logits, nodes->labels);
    }
}

// ---- configuration

static void read_config(ModelConfig *config, JsonFields *fields) {
    config->d_model = json_text_int(fields, "d_model", 1, CONFIG_MAX_SIZE);
    config->n_layers = json_text_int_or(fields, "n_layers", 1, CONFIG_MAX_LAYERS, 1);
    config->n_heads = 1;
    config->attention = (Seq2SeqAttention)json_text_choice_or(fields, "attention", ATTENTION_NAMES,
                                                              4, SEQ2SEQ_NONE);
    config->pad_id = json_text_int_or(fields, "pad_id", 0, config->vocab_size - 1, 0);
    config->bos_id = json_text_int_or(fields, "bos_id", 0, config->vocab_size - 1, 1);
    config->eos_id = json_text_int_or(fields, "eos_id", -1, config->vocab_size - 1, -1);
}

static json_t *write_config(const ModelConfig *config) {
    return json_pack("{s:s, s:i, s:i, s:i, s:s, s:i, s:i, s:i}", "family", "seq2seq", "vocab_size",
                     config->vocab_size, "d_model", config->d_model, "n_layers", config->n_layers,
                     "attention", ATTENTION_NAMES[config->attention], "pad_id", config->pad_id,
                     "bos_id", config->bos_id, "eos_id", config->eos_id);
}

// Additive attention compares each text's own state with the source, which is there only once.
static bool keeps_state(const ModelConfig *config) {
    return config->attention != SEQ2SEQ_ADDITIVE;
}

static unsigned switches(const ModelConfig *config) {
    (void)config;
    return SWITCH_LAYERS | SWITCH_WIDTH;
}

const Family family_seq2seq = {.name = "seq2seq",
                               .n_sides = 2,
                               .marks = MARKS_OF_CONFIG,
                               .has_dropout = true,
                               .read = read_config,
                               .write = write_config,
                               .build = build,
                               .keeps_state = keeps_state,
                               .switches = switches};
