// checkpoint.c - writes checkpoints, and removes those that are no longer kept.
#include "engine/training/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/training/checkpoint_folder.h"
#include "engine/files/json_seal.h"
#include "engine/files/safetensors.h"

static const char NAME_FORMAT[] = "step-%08" PRId64;

// What a checkpoint can hold beside state.json: it does not name the files that are not there. The
// tokenizer is there in our form, which is read again, and in Hugging Face's for others, where that
// can say it.
#define TOKENIZER_FILE "tokenizer.tokenizer"
#define TOKENIZER_JSON "tokenizer.json"
#define END_TOKENS "generation_config.json"
static const char *const FILES[] = {"model.safetensors",     "config.json",  END_TOKENS,
                                    "optimizer.safetensors", TOKENIZER_FILE, TOKENIZER_JSON};
enum { N_FILES = sizeof FILES / sizeof FILES[0] };
// A run's folder is a model by links to these.
static const char *const LINKED[] = {"model.safetensors", "config.json", END_TOKENS, TOKENIZER_FILE,
                                     TOKENIZER_JSON};
enum { N_LINKED = sizeof LINKED / sizeof LINKED[0] };

void checkpoint_state_free(CheckpointState *state) {
    json_decref(state->settings);
    *state = (CheckpointState){.settings = NULL};
}

static void step_name(char name[CHECKPOINT_NAME_BYTES], int64_t step) {
    snprintf(name, CHECKPOINT_NAME_BYTES, NAME_FORMAT, step);
}

char *checkpoint_folder(const char *run, int64_t step) {
    char name[CHECKPOINT_NAME_BYTES];
    step_name(name, step);
    return file_join(run, name);
}

// ---- writing

static bool save_optimizer(const char *folder, const Optimizer *optimizer, Error *err) {
    const Params *states[] = {&optimizer->m, &optimizer->v};
    static const char *const LETTERS[] = {"m", "v"};
    int n = optimizer->m.count;
    Arena arena = {0};
    NamedTensor *tensors = calloc((size_t)(2 * n) + 1, sizeof *tensors);
    char *path = file_join(folder, "optimizer.safetensors");
    char step[32];
    snprintf(step, sizeof step, "%" PRId64, optimizer->step);
    const SafetensorsPair metadata = {"step", step};
    if (tensors == NULL || path == NULL) {
        free(tensors);
        free(path);
        return error_set(err, "not enough memory to write a checkpoint");
    }
    for (int i = 0; i < 2 * n; i++) {
        const Params *state = states[i / n];
        const Parameter *parameter = &state->items[i % n];
        tensors[i] =
            tensor_data_named(arena_format(&arena, "%s.%s", LETTERS[i / n], parameter->name),
                              &parameter->shape, DTYPE_F32, params_values(state, parameter));
    }
    bool ok = safetensors_save(path, tensors, 2 * n, &metadata, 1, err);
    free(path);
    free(tensors);
    arena_free(&arena);
    return ok;
}

static bool save_tokenizer(const char *folder, const Tokenizer *tokenizer, Error *err) {
    if (tokenizer == NULL) {
        return true;
    }
    char *path = file_join(folder, TOKENIZER_FILE);
    char *json = file_join(folder, TOKENIZER_JSON);
    bool ok = path != NULL && json != NULL && tokenizer_save(tokenizer, path, err) &&
              (!tokenizer_fits_json(tokenizer, NULL) || tokenizer_save(tokenizer, json, err));
    free(path);
    free(json);
    return ok;
}

static bool describe_file(json_t *files, const char *folder, const char *name, Error *err) {
    char *path = file_join(folder, name);
    uint32_t crc = 0;
    uint64_t size_bytes = 0;
    if (path != NULL && !file_exists(path)) {
        free(path);
        return true;
    }
    bool ok = path != NULL && checkpoint_checksum(path, &crc, &size_bytes, err);
    char digits[9];
    snprintf(digits, sizeof digits, "%08" PRIx32, crc);
    ok = ok && json_object_set_new(files, name,
                                   json_pack("{s:I, s:s}", "size_bytes", (json_int_t)size_bytes,
                                             "crc32", digits)) == 0;
    free(path);
    return ok || error_set(err, "%s: not enough memory", name);
}

// 64 bits do not fit into every reader's numbers.
static json_t *wide_number(uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

static json_t *exact_number(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return json_string(text);
}

static bool save_state(const char *folder, const CheckpointState *state, Error *err) {
    json_t *files = json_object();
    bool ok = files != NULL;
    for (int i = 0; ok && i < N_FILES; i++) {
        ok = describe_file(files, folder, FILES[i], err);
    }
    json_t *object =
        json_pack("{s:i, s:I, s:f, s:o, s:o, s:I, s:s, s:s, s:O?, s:o}", "version", 2, "step",
                  (json_int_t)state->step, "seconds", state->seconds, "data_position",
                  wide_number(state->data_position), "seed", wide_number(state->seed), "best_step",
                  (json_int_t)state->best_step, "tokenizer_hash", state->tokenizer_hash,
                  "data_hash", state->data_hash, "settings", state->settings, "files", files);
    if (object != NULL && isfinite(state->best_loss)) {
        json_object_set_new(object, "best_loss", exact_number(state->best_loss));
    }
    char *path = file_join(folder, "state.json");
    ok = ok && json_seal_save(object, path, err);
    free(path);
    json_decref(object);
    return ok || error_set(err, "not enough memory to write state.json");
}

// Going on from an older checkpoint, the one that was the best then may be gone.
static bool has_best(const char *run, const CheckpointState *state) {
    char *folder = checkpoint_folder(run, state->best_step);
    bool is_there = isfinite(state->best_loss) && folder != NULL && file_is_folder(folder);
    free(folder);
    return is_there;
}

static bool link_file(const char *run, const char *best, const char *name, Error *err) {
    char target[64];
    snprintf(target, sizeof target, "%s/%s", best, name);
    char *path = file_join(run, target);
    bool is_there = path != NULL && file_exists(path);
    free(path);
    snprintf(target, sizeof target, "best/%s", name);
    return !is_there || checkpoint_link(run, name, target, err);
}

static bool write_links(const char *run, const CheckpointState *state, Error *err) {
    char last[CHECKPOINT_NAME_BYTES];
    char best[CHECKPOINT_NAME_BYTES];
    step_name(last, state->step);
    step_name(best, has_best(run, state) ? state->best_step : state->step);
    bool ok = checkpoint_link(run, "last", last, err) && checkpoint_link(run, "best", best, err);
    for (int i = 0; ok && i < N_LINKED; i++) {
        ok = link_file(run, best, LINKED[i], err);
    }
    checkpoint_sync_folder(run);
    return ok;
}

static void remove_old(const char *run, const CheckpointState *state, int keep) {
    CheckpointList list = {0};
    if (!checkpoint_list(&list, run, NULL)) {
        return;
    }
    int n_kept = 0;
    for (int i = list.count - 1; i >= 0; i--) {
        // Steps beyond this one are of a run that was taken up again before them.
        bool is_recent = list.steps[i] <= state->step && n_kept < keep;
        n_kept += is_recent;
        bool is_best = isfinite(state->best_loss) && list.steps[i] == state->best_step;
        if (!is_recent && !is_best) {
            char name[CHECKPOINT_NAME_BYTES];
            step_name(name, list.steps[i]);
            checkpoint_remove(run, name);
        }
    }
    checkpoint_list_free(&list);
}

bool checkpoint_write(const char *run, const CheckpointState *state, const CheckpointParts *parts,
                      int keep, Error *err) {
    char name[CHECKPOINT_NAME_BYTES];
    char hidden[64];
    if (!params_are_finite(&parts->model->params) || !params_are_finite(&parts->optimizer->m) ||
        !params_are_finite(&parts->optimizer->v)) {
        return error_set(err, "weights or averages of gradients are NaN or infinite");
    }
    step_name(name, state->step);
    snprintf(hidden, sizeof hidden, ".new-%s", name);
    char *folder = file_join(run, hidden);
    checkpoint_remove(run, hidden); // of a writer that was killed
    bool ok = folder != NULL && file_make_folder(folder, NULL, err) &&
              model_save(parts->model, folder, err) &&
              save_optimizer(folder, parts->optimizer, err) &&
              save_tokenizer(folder, parts->tokenizer, err) && save_state(folder, state, err);
    if (ok) {
        checkpoint_sync_folder(folder);
        ok = checkpoint_place(run, hidden, name, err);
    }
    if (!ok) {
        checkpoint_remove(run, hidden);
        free(folder);
        return error_set(err, "%s: not enough memory to write a checkpoint", run);
    }
    free(folder);
    ok = write_links(run, state, err);
    remove_old(run, state, keep);
    return ok;
}

bool checkpoint_relink(const char *run, const CheckpointState *state, Error *err) {
    return write_links(run, state, err) || error_set(err, "%s: not enough memory", run);
}
