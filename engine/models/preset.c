// preset.c - models by name: what each is, its words, and how it is trained.
#include "engine/models/preset.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/files/assets.h"
#include "engine/files/json_text.h"

static char *preset_path(const char *name) {
    char relative[128];
    bool is_name = name[0] != '\0' && strchr(name, '/') == NULL && strlen(name) < 64;
    if (!is_name) {
        return NULL;
    }
    snprintf(relative, sizeof relative, "assets/presets/%s.json", name);
    return assets_find(relative);
}

bool preset_exists(const char *name) {
    char *path = preset_path(name);
    free(path);
    return path != NULL;
}

static void append_name(void *context, const char *name) {
    char *text = context;
    size_t length = strlen(text);
    const char *dot = strrchr(name, '.');
    int name_length = dot == NULL ? (int)strlen(name) : (int)(dot - name);
    if (length + (size_t)name_length + 3 < ERROR_TEXT_BYTES / 2) {
        snprintf(text + length, ERROR_TEXT_BYTES / 2 - length, "%s%.*s", length == 0 ? "" : ", ",
                 name_length, name);
    }
}

static bool refuse_name(const char *name, Error *err) {
    if (file_exists(name)) {
        return error_set(err,
                         "%s: is a file: expected a preset's name or a folder with config.json; "
                         "`attend convert` makes one of a checkpoint of llm.c",
                         name);
    }
    char names[ERROR_TEXT_BYTES / 2] = "";
    assets_list("assets/presets", append_name, names);
    return error_set(err,
                     "\"%s\": no such preset, and no folder with config.json; the presets are %s",
                     name, names[0] == '\0' ? "missing from this installation" : names);
}

static void read_training(TrainingConfig *training, JsonFields *fields, int d_model) {
    OptimizerConfig *optimizer = &training->optimizer;
    *optimizer = optimizer_defaults();
    training->batch = json_text_int(fields, "batch", 1, 1 << 20);
    training->length = json_text_int(fields, "length", 1, 1 << 20);
    training->n_steps = json_text_int(fields, "steps", 1, 1 << 30);
    optimizer->kind = (OptimizerKind)json_text_choice_or(fields, "optimizer", OPTIMIZER_NAMES,
                                                         N_OPTIMIZERS, OPTIMIZER_ADAMW);
    optimizer->lr = (float)json_text_number(fields, "lr", 0.0, 1e6);
    optimizer->beta1 = (float)json_text_number_or(fields, "beta1", 0.0, 1.0, 0.9);
    optimizer->beta2 = (float)json_text_number_or(fields, "beta2", 0.0, 1.0, 0.98);
    optimizer->eps = (float)json_text_number_or(fields, "eps", 0.0, 1.0, 1e-9);
    optimizer->decay = (float)json_text_number_or(fields, "decay", 0.0, 10.0, 0.0);
    optimizer->clip = (float)json_text_number_or(fields, "clip", 0.0, 1e9, 0.0);
    training->schedule.kind = (ScheduleKind)json_text_choice_or(fields, "schedule", SCHEDULE_NAMES,
                                                                N_SCHEDULES, SCHEDULE_CONSTANT);
    training->schedule.n_warmup = json_text_int_or(fields, "warmup", 0, 1 << 30, 0);
    training->schedule.n_steps = training->n_steps;
    training->schedule.d_model = d_model;
}

static bool read_words(Preset *preset, json_t *words, const char *path, Error *err) {
    size_t count = json_array_size(words);
    if (count == 0) {
        return true;
    }
    preset->words = calloc(count, sizeof(char *));
    for (size_t i = 0; preset->words != NULL && i < count; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (word == NULL) {
            return error_set(err, "%s: \"words\": expected an array of strings", path);
        }
        preset->words[i] = strdup(word);
        preset->n_words++;
    }
    if (preset->n_words != preset->config.vocab_size) {
        return error_set(err, "%s: \"words\": expected %d, as many as \"vocab_size\", found %d",
                         path, preset->config.vocab_size, preset->n_words);
    }
    return true;
}

// A copy of a text that may be missing; NULL then, or without memory.
static char *read_text(JsonFields *fields, const char *key) {
    const char *text = json_text_string_or(fields, key, "");
    return text[0] == '\0' ? NULL : strdup(text);
}

static bool read_preset(Preset *preset, json_t *object, const char *path, Error *err) {
    JsonFields fields = json_text_fields(object, path, err);
    snprintf(preset->summary, sizeof preset->summary, "%s",
             json_text_string_or(&fields, "summary", ""));
    snprintf(preset->data, sizeof preset->data, "%s", json_text_string_or(&fields, "data", "text"));
    snprintf(preset->tokenizer, sizeof preset->tokenizer, "%s",
             json_text_string_or(&fields, "tokenizer", ""));
    preset->input = read_text(&fields, "input");
    preset->target = read_text(&fields, "target");
    preset->seed = (uint64_t)json_text_int_or(&fields, "seed", 0, 1 << 30, 1);
    json_t *model = json_object_get(object, "model");
    json_t *training = json_object_get(object, "training");
    if (!json_is_object(model) || !json_is_object(training)) {
        return error_set(err, "%s: expected the objects \"model\" and \"training\"", path);
    }
    if (!fields.ok || !config_read(&preset->config, model, path, err)) {
        return false;
    }
    JsonFields training_fields = json_text_fields(training, path, err);
    read_training(&preset->training, &training_fields, preset->config.d_model);
    return training_fields.ok && read_words(preset, json_object_get(object, "words"), path, err);
}

bool preset_load(Preset *preset, const char *name, Error *err) {
    *preset = (Preset){.n_words = 0};
    char *path = preset_path(name);
    if (path == NULL) {
        return refuse_name(name, err);
    }
    snprintf(preset->name, sizeof preset->name, "%s", name);
    json_t *object = json_text_load(path, err);
    bool ok = object != NULL && read_preset(preset, object, path, err);
    json_decref(object);
    free(path);
    if (!ok) {
        preset_free(preset);
    }
    return ok;
}

void preset_free(Preset *preset) {
    for (int i = 0; i < preset->n_words; i++) {
        free(preset->words[i]);
    }
    free(preset->words);
    free(preset->input);
    free(preset->target);
    *preset = (Preset){.n_words = 0};
}

bool preset_has_tokenizer(const Preset *preset) {
    return preset->n_words > 0 || preset->tokenizer[0] != '\0';
}

bool preset_load_tokenizer(const Preset *preset, Tokenizer *tokenizer, Error *err) {
    if (preset->n_words > 0) {
        const char *const *words = (const char *const *)(void *)preset->words;
        return tokenizer_init_words(tokenizer, words, preset->n_words, err);
    }
    *tokenizer = (Tokenizer){0};
    if (preset->tokenizer[0] == '\0') {
        return true;
    }
    char relative[128];
    snprintf(relative, sizeof relative, "assets/tokenizers/%s.tokenizer", preset->tokenizer);
    char *path = assets_find(relative);
    bool ok = path != NULL ? tokenizer_load(tokenizer, path, err)
                           : error_set(err, "%s: missing from this installation", relative);
    free(path);
    return ok;
}

static bool is_copy(const char *data) {
    return data != NULL && (strcmp(data, "copy") == 0 || strcmp(data, "made:copy") == 0);
}

// A model of our own trainer says in its state what it learned from.
static void read_state(NamedModel *named, const char *folder, const char *name) {
    char *path = file_join(folder, name);
    json_t *state = path != NULL && file_exists(path) ? json_text_load(path, NULL) : NULL;
    json_t *settings = json_object_get(state, "settings");
    named->copies = named->copies || is_copy(json_string_value(json_object_get(settings, "data")));
    json_int_t length = json_integer_value(json_object_get(settings, "length"));
    if (length > 0 && length < INT_MAX) {
        named->trained_length = (int)length;
    }
    if (json_is_object(settings)) {
        JsonFields fields = json_text_fields(settings, path, NULL);
        read_training(&named->training, &fields, named->model.config.d_model);
        named->has_training = fields.ok;
    }
    json_decref(state);
    free(path);
}

static bool open_preset(NamedModel *named, const char *name, bool untrained, uint64_t seed,
                        Error *err) {
    Preset preset;
    if (!preset_load(&preset, name, err)) {
        return false;
    }
    named->model.config = preset.config;
    named->model.seed = seed != 0 ? seed : preset.seed;
    named->copies = is_copy(preset.data);
    named->training = preset.training;
    named->has_training = true;
    char relative[128];
    snprintf(relative, sizeof relative, "assets/models/%s/model.safetensors", name);
    named->weights = untrained ? NULL : assets_find(relative);
    bool ok = preset_load_tokenizer(&preset, &named->tokenizer, err);
    named->input = preset.input;
    named->target = preset.target;
    preset.input = NULL;
    preset.target = NULL;
    preset_free(&preset);
    return ok;
}

// A tokenizer in the model's folder is used where there is one; a model without may still be run by
// ids.
static bool open_tokenizer(NamedModel *named, const char *folder, Error *err) {
    return !tokenizer_is_in(folder) || tokenizer_load(&named->tokenizer, folder, err);
}

static bool open_folder(NamedModel *named, const char *folder, bool untrained, uint64_t seed,
                        Error *err) {
    if (!model_open(&named->model, folder, err) || !open_tokenizer(named, folder, err)) {
        return false;
    }
    named->model.seed = seed != 0 ? seed : 1;
    if (!untrained) {
        named->weights = strdup(folder);
        read_state(named, folder, "state.json");
        read_state(named, folder, "last/state.json");
    }
    return true;
}

static bool fit_tokenizer(NamedModel *named, const char *where, Error *err) {
    ModelConfig *config = &named->model.config;
    config_take_marks(config, &named->tokenizer);
    return named->tokenizer.n_pieces <= config->vocab_size ||
           error_set(err, "%s: the tokenizer has %d pieces, the model's vocabulary %d", where,
                     named->tokenizer.n_pieces, config->vocab_size);
}

bool preset_is_folder(const char *name_or_folder) {
    return file_is_folder(name_or_folder) && !preset_exists(name_or_folder);
}

bool preset_open_bare(NamedModel *named, const char *name_or_folder, bool untrained, uint64_t seed,
                      Error *err) {
    *named = (NamedModel){.is_trained = false};
    snprintf(named->name, sizeof named->name, "%s", name_or_folder);
    const bool is_folder = preset_is_folder(name_or_folder);
    const bool ok = (is_folder ? open_folder(named, name_or_folder, untrained, seed, err)
                               : open_preset(named, name_or_folder, untrained, seed, err)) &&
                    fit_tokenizer(named, name_or_folder, err);
    if (!ok) {
        preset_close(named);
    }
    return ok;
}

bool preset_load_weights(NamedModel *named, Progress *progress, Error *err) {
    Model *model = &named->model;
    named->is_trained = named->weights != NULL;
    const bool ok = named->is_trained ? model_read(model, named->weights, progress, err)
                                      : model_draw(model, model->seed, progress, err);
    if (!ok) {
        preset_close(named);
    }
    return ok;
}

bool preset_open(NamedModel *named, const char *name_or_folder, bool untrained, uint64_t seed,
                 Progress *progress, Error *err) {
    return preset_open_bare(named, name_or_folder, untrained, seed, err) &&
           preset_load_weights(named, progress, err);
}

bool preset_choose(NamedModel *named, const TokenizerChoice *choice, Error *err) {
    if (named->tokenizer.n_pieces == 0) {
        const char *option = choice->special != NULL ? "special" : "pattern";
        return (choice->special == NULL && choice->pattern == NULL) ||
               error_set(err, "--%s: %s has no tokenizer, which it is for", option, named->name);
    }
    if (!tokenizer_choose(&named->tokenizer, choice, err)) {
        return false;
    }
    buffer_append_text(&named->model.notes, tokenizer_notes(&named->tokenizer));
    return true;
}

bool preset_take_tokenizer(NamedModel *named, const char *path, Error *err) {
    if (named->tokenizer.n_pieces > 0) {
        tokenizer_free(&named->tokenizer);
    }
    return tokenizer_load(&named->tokenizer, path, err) && fit_tokenizer(named, path, err);
}

void preset_close(NamedModel *named) {
    free(named->weights);
    model_free(&named->model);
    free(named->input);
    free(named->target);
    if (named->tokenizer.n_pieces > 0) {
        tokenizer_free(&named->tokenizer);
    }
    *named = (NamedModel){.is_trained = false};
}
