// config.c - what a model is: the numbers of config.json.
#include "engine/models/config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"

const char *config_family_name(FamilyKind family) {
    return FAMILIES[family]->name;
}

bool config_has_two_sides(const ModelConfig *config) {
    return family_of(config)->n_sides == 2;
}

void config_check_heads(const ModelConfig *config, JsonFields *fields) {
    if (fields->ok && config->d_model % config->n_heads != 0) {
        fields->ok = error_set(fields->err, "%s: %d heads do not divide the width %d",
                               fields->where, config->n_heads, config->d_model);
    }
}

// By "family"; a Hugging Face folder has its "model_type" instead.
static FamilyKind read_family(JsonFields *fields) {
    const char *names[FAMILY_COUNT];
    FamilyKind kinds[FAMILY_COUNT] = {0};
    bool is_ours = json_text_has(fields, "family");
    int n = 0;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        const char *name = is_ours ? FAMILIES[i]->name : FAMILIES[i]->model_type;
        if (name != NULL) {
            names[n] = name;
            kinds[n++] = (FamilyKind)i;
        }
    }
    return kinds[json_text_choice(fields, is_ours ? "family" : "model_type", names, n)];
}

bool config_read(ModelConfig *config, json_t *object, const char *where, Error *err) {
    *config = (ModelConfig){.pad_id = -1, .bos_id = -1, .eos_id = -1, .causal = true};
    JsonFields fields = json_text_fields(object, where, err);
    config->family = read_family(&fields);
    config->vocab_size = json_text_int(&fields, "vocab_size", 2, CONFIG_MAX_VOCABULARY);
    if (!fields.ok) {
        return false;
    }
    config->dropout = (float)json_text_number_or(&fields, "dropout", 0.0, 0.999, 0.0);
    family_of(config)->read(config, &fields);
    config->label_smoothing =
        (float)json_text_number_or(&fields, "label_smoothing", 0.0, 0.999, 0.0);
    return fields.ok;
}

void config_take_marks(ModelConfig *config, const Tokenizer *tokenizer) {
    if (!family_of(config)->config_repeats_marks || tokenizer->n_pieces == 0) {
        return;
    }
    config->bos_id = tokenizer->bos_id >= 0 ? tokenizer->bos_id : config->bos_id;
    config->eos_id = tokenizer->eos_id >= 0 ? tokenizer->eos_id : config->eos_id;
}

void config_set_dropout(ModelConfig *config, float probability) {
    config->dropout = probability;
    config->embedding_dropout = family_of(config)->has_places ? probability : 0.0F;
    config->attention_dropout = config->embedding_dropout;
}

bool config_has_dropout(const ModelConfig *config) {
    return config->dropout > 0.0F || config->embedding_dropout > 0.0F ||
           config->attention_dropout > 0.0F;
}

double config_decimal(float value) {
    char text[JSON_TEXT_FLOAT_BYTES];
    return strtod(json_text_float(value, text), NULL);
}

static void write_share(json_t *object, const char *key, float share) {
    if (object != NULL && share > 0.0F) {
        json_object_set_new(object, key, json_real(config_decimal(share)));
    }
}

// What every family may be trained with stands here, so that no family can forget it.
bool config_write(const ModelConfig *config, FileWriter *writer) {
    json_t *object = family_of(config)->write(config);
    if (!family_of(config)->has_places) { // they are written one by one
        write_share(object, "dropout", config->dropout);
    }
    write_share(object, "label_smoothing", config->label_smoothing);
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

bool config_is_same(const ModelConfig *a, const ModelConfig *b) {
    FileBytes left = {0};
    FileBytes right = {0};
    ModelConfig other = *b;
    if (family_of(a)->config_repeats_marks) {
        other.bos_id = a->bos_id;
        other.eos_id = a->eos_id;
    }
    bool is_same = config_to_text(a, &left) && config_to_text(&other, &right) &&
                   strcmp((const char *)left.bytes, (const char *)right.bytes) == 0;
    file_close(&left);
    file_close(&right);
    return is_same;
}
