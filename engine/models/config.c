// config.c - what a model is: the numbers of config.json.
#include "engine/models/config.h"

#include <math.h>
#include <stdlib.h>

#include "engine/files/json_text.h"

enum { MAX_SIZE = 1 << 20, MAX_VOCABULARY = 1 << 24, MAX_LAYERS = 1024 };

static const char *const FAMILY_NAMES[] = {"encoder-decoder", "story", "gpt2"};
static const char *const HEADS_NAMES[] = {"single", "sequential", "parallel"};
static const char *const NORM_NAMES[] = {"standard", "annotated"};

const char *config_family_name(Family family) {
    return FAMILY_NAMES[family];
}

bool config_has_two_sides(const ModelConfig *config) {
    return config->family == FAMILY_ENCODER_DECODER;
}

static void read_encoder_decoder(ModelConfig *config, JsonFields *fields) {
    config->d_model = json_text_int(fields, "d_model", 1, MAX_SIZE);
    config->n_heads = json_text_int(fields, "n_heads", 1, MAX_SIZE);
    config->n_layers = json_text_int(fields, "n_layers", 1, MAX_LAYERS);
    config->d_ff = json_text_int(fields, "d_ff", 1, MAX_SIZE);
    config->norm_first = json_text_bool_or(fields, "norm_first", false);
    config->label_smoothing =
        (float)json_text_number_or(fields, "label_smoothing", 0.0, 0.999, 0.0);
    config->pad_id = json_text_int_or(fields, "pad_id", 0, config->vocab_size - 1, 0);
    config->bos_id = json_text_int_or(fields, "bos_id", 0, config->vocab_size - 1, 1);
    config->eos_id = json_text_int_or(fields, "eos_id", -1, config->vocab_size - 1, -1);
    config->layer_norm =
        (NormKind)json_text_choice_or(fields, "layer_norm", NORM_NAMES, 2, NORM_STANDARD);
    config->layer_norm_eps = config->layer_norm == NORM_STANDARD ? 1e-5F : 1e-6F;
    config->tie_embeddings = json_text_bool_or(fields, "tie_embeddings", false);
}

static void read_story(ModelConfig *config, JsonFields *fields) {
    config->d_model = json_text_int(fields, "d_model", 1, MAX_SIZE);
    config->n_heads = json_text_int_or(fields, "n_heads", 1, MAX_SIZE, 1);
    config->n_layers = 1;
    config->heads = (StoryHeads)json_text_choice_or(fields, "heads", HEADS_NAMES, 3, STORY_SINGLE);
    config->causal = json_text_bool_or(fields, "causal", true);
    config->layer_norm_eps = 1e-5F;
}

static void read_gpt2(ModelConfig *config, JsonFields *fields) {
    static const char *const ACTIVATIONS[] = {"gelu_new", "gelu_pytorch_tanh"};
    config->d_model = json_text_int(fields, "n_embd", 1, MAX_SIZE);
    config->n_heads = json_text_int(fields, "n_head", 1, MAX_SIZE);
    config->n_layers = json_text_int(fields, "n_layer", 1, MAX_LAYERS);
    config->n_positions = json_text_int(fields, "n_positions", 1, MAX_SIZE);
    config->d_ff = json_text_int_or(fields, "n_inner", 1, 4 * MAX_SIZE, 4 * config->d_model);
    config->layer_norm_eps =
        (float)json_text_number_or(fields, "layer_norm_epsilon", 0.0, 1.0, 1e-5);
    config->tie_embeddings = json_text_bool_or(fields, "tie_word_embeddings", true);
    json_text_choice_or(fields, "activation_function", ACTIVATIONS, 2, 0);
    // Variants that compute other numbers are refused, not run as what they are not.
    json_text_bool_only(fields, "scale_attn_weights", true);
    json_text_bool_only(fields, "scale_attn_by_inverse_layer_idx", false);
    config->bos_id = json_text_int_or(fields, "bos_token_id", -1, MAX_VOCABULARY, -1);
    config->eos_id = json_text_int_or(fields, "eos_token_id", -1, MAX_VOCABULARY, -1);
}

bool config_read(ModelConfig *config, json_t *object, const char *where, Error *err) {
    *config = (ModelConfig){.pad_id = -1, .bos_id = -1, .eos_id = -1, .causal = true};
    JsonFields fields = json_text_fields(object, where, err);
    if (json_text_has(&fields, "family")) {
        config->family = (Family)json_text_choice(&fields, "family", FAMILY_NAMES, 3);
    } else { // a Hugging Face folder
        static const char *const TYPES[] = {"gpt2"};
        json_text_choice(&fields, "model_type", TYPES, 1);
        config->family = FAMILY_GPT2;
    }
    config->vocab_size = json_text_int(&fields, "vocab_size", 2, MAX_VOCABULARY);
    if (!fields.ok) {
        return false;
    }
    switch (config->family) {
    case FAMILY_ENCODER_DECODER:
        read_encoder_decoder(config, &fields);
        break;
    case FAMILY_STORY:
        read_story(config, &fields);
        break;
    case FAMILY_GPT2:
        read_gpt2(config, &fields);
        break;
    }
    config->dropout = (float)json_text_number_or(&fields, "dropout", 0.0, 0.999, 0.0);
    if (!fields.ok) {
        return false;
    }
    bool is_whole_width = config->family == FAMILY_STORY && config->heads != STORY_PARALLEL;
    if (!is_whole_width && config->d_model % config->n_heads != 0) {
        return error_set(err, "%s: %d heads do not divide the width %d", where, config->n_heads,
                         config->d_model);
    }
    return true;
}

void config_take_marks(ModelConfig *config, const Tokenizer *tokenizer) {
    if (config->family != FAMILY_GPT2 || tokenizer->n_pieces == 0) {
        return;
    }
    config->bos_id = tokenizer->bos_id >= 0 ? tokenizer->bos_id : config->bos_id;
    config->eos_id = tokenizer->eos_id >= 0 ? tokenizer->eos_id : config->eos_id;
}

static json_t *encoder_decoder_json(const ModelConfig *config) {
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:b, s:f, s:i, s:i, s:i, s:s, s:b}", "family",
                     "encoder-decoder", "vocab_size", config->vocab_size, "d_model",
                     config->d_model, "n_heads", config->n_heads, "n_layers", config->n_layers,
                     "d_ff", config->d_ff, "norm_first", config->norm_first, "label_smoothing",
                     round((double)config->label_smoothing * 1e7) / 1e7, "pad_id", config->pad_id,
                     "bos_id", config->bos_id, "eos_id", config->eos_id, "layer_norm",
                     NORM_NAMES[config->layer_norm], "tie_embeddings", config->tie_embeddings);
}

static json_t *story_json(const ModelConfig *config) {
    return json_pack("{s:s, s:i, s:i, s:i, s:s, s:b}", "family", "story", "vocab_size",
                     config->vocab_size, "d_model", config->d_model, "n_heads", config->n_heads,
                     "heads", HEADS_NAMES[config->heads], "causal", config->causal);
}

static json_t *id_json(const ModelConfig *config, int id) {
    return id >= 0 && id < config->vocab_size ? json_integer(id) : json_null();
}

static json_t *gpt2_json(const ModelConfig *config) {
    json_t *object =
        json_pack("{s:s, s:s, s:[s], s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:s, s:b}", "family",
                  "gpt2", "model_type", "gpt2", "architectures", "GPT2LMHeadModel", "vocab_size",
                  config->vocab_size, "n_positions", config->n_positions, "n_embd", config->d_model,
                  "n_head", config->n_heads, "n_layer", config->n_layers, "n_inner", config->d_ff,
                  "layer_norm_epsilon", round((double)config->layer_norm_eps * 1e12) / 1e12,
                  "activation_function", "gelu_new", "tie_word_embeddings", config->tie_embeddings);
    // Without these keys Hugging Face takes 50256 for both, in whatever vocabulary.
    if (object != NULL) {
        json_object_set_new(object, "bos_token_id", id_json(config, config->bos_id));
        json_object_set_new(object, "eos_token_id", id_json(config, config->eos_id));
    }
    return object;
}

bool config_write(const ModelConfig *config, FileWriter *writer) {
    json_t *object = NULL;
    switch (config->family) {
    case FAMILY_ENCODER_DECODER:
        object = encoder_decoder_json(config);
        break;
    case FAMILY_STORY:
        object = story_json(config);
        break;
    case FAMILY_GPT2:
        object = gpt2_json(config);
        break;
    }
    if (object != NULL && config->dropout > 0.0F) {
        json_object_set_new(object, "dropout",
                            json_real(round((double)config->dropout * 1e7) / 1e7));
    }
    char *text =
        object == NULL ? NULL : json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(object);
    bool ok = text != NULL && file_writer_text(writer, text) && file_writer_text(writer, "\n");
    free(text);
    return ok;
}

bool config_to_text(const ModelConfig *config, FileBytes *text) {
    FileWriter writer = {0};
    *text = (FileBytes){0};
    bool ok = file_writer_open_memory(&writer, NULL) && config_write(config, &writer) &&
              file_writer_take(&writer, text, NULL);
    file_writer_abandon(&writer);
    return ok;
}
