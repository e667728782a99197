// checkpoint_read.c - opens checkpoints: every file is held against its checksum first.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/training/checkpoint.h"
#include "engine/training/checkpoint_folder.h"
#include "engine/files/json_seal.h"
#include "engine/files/json_text.h"
#include "engine/files/safetensors.h"

static void refuse_number(JsonFields *fields, const char *key, const char *text) {
    fields->ok = fields->ok &&
                 error_set(fields->err, "%s: \"%s\": expected digits in quotes, found \"%.40s\"",
                           fields->where, key, text);
}

static uint64_t read_wide(JsonFields *fields, const char *key) {
    const char *text = json_text_string(fields, key);
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0') {
        refuse_number(fields, key, text);
    }
    return value;
}

static double read_exact_or(JsonFields *fields, const char *key, double otherwise) {
    if (!json_text_has(fields, key)) {
        return otherwise;
    }
    const char *text = json_text_string(fields, key);
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        refuse_number(fields, key, text);
    }
    return value;
}

static bool check_file(const char *folder, const char *name, json_t *about, const char *where,
                       Error *err) {
    JsonFields fields = json_text_fields(about, where, err);
    const char *wanted = json_text_string(&fields, "crc32");
    double wanted_bytes = json_text_number(&fields, "size_bytes", 0.0, 0x1p53);
    if (!fields.ok) {
        return false;
    }
    char *path = file_join(folder, name);
    uint32_t crc = 0;
    uint64_t size_bytes = 0;
    bool ok = path != NULL && checkpoint_checksum(path, &crc, &size_bytes, err);
    char found[9];
    snprintf(found, sizeof found, "%08" PRIx32, crc);
    if (ok && (double)size_bytes != wanted_bytes) {
        ok = error_set(err, "%s: damaged: expected %.0f bytes, found %" PRIu64, path, wanted_bytes,
                       size_bytes);
    }
    if (ok && strcmp(found, wanted) != 0) {
        ok = error_set(err, "%s: damaged: expected the checksum %s, found %s", path, wanted, found);
    }
    free(path);
    return ok;
}

static bool check_files(const char *folder, json_t *files, const char *where, Error *err) {
    static const char *const NEEDED[] = {"model.safetensors", "config.json",
                                         "optimizer.safetensors"};
    for (size_t i = 0; i < sizeof NEEDED / sizeof NEEDED[0]; i++) {
        if (json_object_get(files, NEEDED[i]) == NULL) {
            return error_set(err, "%s: \"files\": expected the checksum of %s", where, NEEDED[i]);
        }
    }
    const char *name = NULL;
    json_t *about = NULL;
    json_object_foreach(files, name, about) {
        if (strchr(name, '/') != NULL || !json_is_object(about)) {
            return error_set(err, "%s: \"files\": expected names of files in this folder", where);
        }
        if (!check_file(folder, name, about, where, err)) {
            return false;
        }
    }
    return true;
}

bool checkpoint_open(CheckpointState *state, const char *folder, Error *err) {
    *state = (CheckpointState){.best_loss = INFINITY};
    char *path = file_join(folder, "state.json");
    json_t *object = path == NULL ? NULL : json_seal_load(path, err);
    bool ok = object != NULL;
    if (ok) {
        JsonFields fields = json_text_fields(object, path, err);
        state->step = (int64_t)json_text_number(&fields, "step", 0.0, 0x1p53);
        state->seconds = json_text_number_or(&fields, "seconds", 0.0, 1e12, 0.0);
        state->best_step = (int64_t)json_text_number(&fields, "best_step", 0.0, 0x1p53);
        state->best_loss = read_exact_or(&fields, "best_loss", INFINITY);
        state->data_position = read_wide(&fields, "data_position");
        state->seed = read_wide(&fields, "seed");
        snprintf(state->tokenizer_hash, sizeof state->tokenizer_hash, "%s",
                 json_text_string_or(&fields, "tokenizer_hash", ""));
        snprintf(state->data_hash, sizeof state->data_hash, "%s",
                 json_text_string_or(&fields, "data_hash", ""));
        state->settings = json_incref(json_object_get(object, "settings"));
        ok = fields.ok && check_files(folder, json_object_get(object, "files"), path, err);
    }
    json_decref(object);
    free(path);
    if (!ok) {
        checkpoint_state_free(state);
    }
    return ok;
}

static bool check_model_files(const char *folder, const char *state, Error *err) {
    json_t *object = json_seal_load(state, err);
    bool ok = object != NULL;
    const char *name = NULL;
    json_t *about = NULL;
    json_object_foreach(json_object_get(object, "files"), name, about) {
        bool is_needed = strcmp(name, "optimizer.safetensors") != 0 && strchr(name, '/') == NULL;
        ok = ok && (!is_needed || check_file(folder, name, about, state, err));
    }
    json_decref(object);
    return ok;
}

// A run whose best checkpoint somebody has removed: its links lead nowhere.
static bool refuse_gone(const char *folder, Error *err) {
    CheckpointList list = {0};
    bool has_any = checkpoint_list(&list, folder, NULL) && list.count > 0;
    char *last = has_any ? checkpoint_folder(folder, list.steps[list.count - 1]) : NULL;
    error_set(err, "%s: the checkpoint that its link `best` names is gone%s%s", folder,
              last == NULL ? "" : "; there still is ", last == NULL ? "" : last);
    checkpoint_list_free(&list);
    free(last);
    return false;
}

bool checkpoint_check_model(const char *folder, Error *err) {
    char *best = file_join(folder, "best");
    const char *const places[] = {folder, best};
    struct stat about;
    bool ok = best != NULL || error_set(err, "%s: not enough memory", folder);
    if (best != NULL && !file_exists(best) && lstat(best, &about) == 0) {
        ok = refuse_gone(folder, err);
    }
    for (int i = 0; ok && i < 2; i++) {
        char *state = file_join(places[i], "state.json");
        ok = state == NULL || !file_exists(state) || check_model_files(places[i], state, err);
        free(state);
    }
    free(best);
    return ok;
}

static bool load_state(const Safetensors *file, char letter, Params *state, Error *err) {
    bool ok = true;
    for (int i = 0; ok && i < state->count; i++) {
        const Parameter *parameter = &state->items[i];
        char name[512];
        snprintf(name, sizeof name, "%c.%s", letter, parameter->name);
        ok = safetensors_read_floats(file, name, &parameter->shape, params_change(state, parameter),
                                     err);
    }
    return ok;
}

static const char OPTIMIZER_FILE[] = "optimizer.safetensors";

bool checkpoint_load_optimizer(const char *folder, Optimizer *optimizer, Error *err) {
    char *path = file_join(folder, OPTIMIZER_FILE);
    Safetensors file = {0};
    bool ok = path != NULL && safetensors_open(&file, path, err);
    if (ok) {
        ok = load_state(&file, 'm', &optimizer->m, err) &&
             load_state(&file, 'v', &optimizer->v, err);
        for (int i = 0; i < file.n_metadata; i++) {
            if (strcmp(file.metadata[i].key, "step") == 0) {
                optimizer->step = strtoll(file.metadata[i].value, NULL, 10);
            }
        }
        safetensors_close(&file);
    }
    free(path);
    return ok || error_set(err, "%s: not enough memory", folder);
}

char *checkpoint_of_weights(const char *folder) {
    char *best = file_join(folder, "best");
    const char *const places[] = {folder, best};
    char *found = NULL;
    for (int i = 0; found == NULL && i < 2; i++) {
        char *path = places[i] == NULL ? NULL : file_join(places[i], OPTIMIZER_FILE);
        found = path != NULL && file_exists(path) ? strdup(places[i]) : NULL;
        free(path);
    }
    free(best);
    return found;
}

bool checkpoint_load(const char *folder, Model *model, Optimizer *optimizer, Error *err) {
    char *weights = file_join(folder, "model.safetensors");
    bool ok = weights != NULL && model_load_weights(model, weights, err) &&
              end_ids_read(&model->ends, folder, model->config.vocab_size, &model->notes, err) &&
              checkpoint_load_optimizer(folder, optimizer, err);
    free(weights);
    return ok || error_set(err, "%s: not enough memory", folder);
}
