// model.c - a model: its configuration and its parameters, from a seed or from files, and tapes
// over them.
#include "engine/models/model.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/plural.h"
#include "engine/models/config_keys.h"
#include "engine/models/family.h"
#include "engine/models/stored_tensors.h"
#include "engine/tape/gradient.h"
#include "engine/files/json_text.h"
#include "engine/files/safetensors.h"

// Building a tape declares the parameters; this one is built for that alone.
static bool declare(Model *model, bool (*allocate)(Params *params), Error *err) {
    Tape tape;
    ModelNodes nodes = {0};
    tape_init(&tape, TAPE_INFER, NULL, &model->params);
    Build build = {.tape = &tape, .config = &model->config};
    family_of(build.config)->build(&build, (BatchShape){1, 1, 1}, false, &nodes);
    bool ok = !error_is_set(&tape.err) || error_set(err, "%s", tape.err.text);
    tape_free(&tape);
    if (ok && !allocate(&model->params)) {
        ok = error_set(err, "out of memory: the parameters need %zu MiB",
                       model->params.n_values * sizeof(float) >> 20);
    }
    return ok;
}

bool model_init_zeros(Model *model, const ModelConfig *config, Error *err) {
    *model = (Model){.config = *config};
    if (!declare(model, params_allocate, err)) {
        model_free(model);
        return false;
    }
    return true;
}

bool model_draw(Model *model, uint64_t seed, Progress *progress, Error *err) {
    model->seed = seed;
    if (!declare(model, params_reserve, err) || !params_draw(&model->params, seed, progress, err)) {
        model_free(model);
        return false;
    }
    return true;
}

bool model_init_watched(Model *model, const ModelConfig *config, uint64_t seed, Progress *progress,
                        Error *err) {
    *model = (Model){.config = *config};
    return model_draw(model, seed, progress, err);
}

bool model_init(Model *model, const ModelConfig *config, uint64_t seed, Error *err) {
    return model_init_watched(model, config, seed, NULL, err);
}

static bool read_weights(Model *model, const Safetensors *file, Progress *progress, Error *err) {
    bool ok = true;
    for (int i = 0; ok && i < model->params.count; i++) {
        const Parameter *parameter = &model->params.items[i];
        ok = progress_at(progress, parameter->offset, model->params.n_values, err) &&
             safetensors_read_floats(file, stored_tensor_name(file, parameter->name),
                                     &parameter->shape, params_change(&model->params, parameter),
                                     err);
    }
    if (ok) {
        stored_tensors_name_unused(file, &model->config, &model->params, &model->notes);
    }
    return ok;
}

bool model_load_weights_watched(Model *model, const char *path, Progress *progress, Error *err) {
    Safetensors file = {0};
    bool ok = safetensors_open(&file, path, err) && read_weights(model, &file, progress, err);
    safetensors_close(&file);
    return ok;
}

bool model_load_weights(Model *model, const char *path, Error *err) {
    return model_load_weights_watched(model, path, NULL, err);
}

static bool load_config(Model *model, const char *folder, Error *err) {
    char *path = file_join(folder, "config.json");
    json_t *object = path == NULL ? NULL : json_text_load(path, err);
    ModelConfig *config = &model->config;
    bool ok = object != NULL && config_read(config, object, path, err) &&
              end_ids_append(&model->ends, object, path, config->vocab_size, err) &&
              end_ids_read(&model->ends, folder, config->vocab_size, &model->notes, err);
    if (ok && family_of(config)->model_type != NULL) {
        config_keys_name_unknown(object, path, &model->notes);
    }
    json_decref(object);
    free(path);
    return ok;
}

bool model_open(Model *model, const char *folder, Error *err) {
    *model = (Model){0};
    if (!load_config(model, folder, err)) {
        model_free(model);
        return false;
    }
    return true;
}

bool model_read(Model *model, const char *path, Progress *progress, Error *err) {
    Safetensors file = {0};
    bool ok = safetensors_open(&file, path, err);
    const Family *family = ok ? family_of(&model->config) : NULL;
    if (family != NULL && family->heed != NULL) {
        family->heed(&model->config, &file, &model->notes);
    }
    ok = ok && declare(model, params_reserve, err) && read_weights(model, &file, progress, err);
    safetensors_close(&file);
    if (!ok) {
        model_free(model);
    }
    return ok;
}

bool model_load_watched(Model *model, const char *folder, Progress *progress, Error *err) {
    return model_open(model, folder, err) && model_read(model, folder, progress, err);
}

bool model_load(Model *model, const char *folder, Error *err) {
    return model_load_watched(model, folder, NULL, err);
}

static bool save_config(const Model *model, const char *folder, Error *err) {
    char *path = file_join(folder, "config.json");
    FileWriter writer = {0};
    bool ok = path != NULL && file_writer_open(&writer, path, err);
    if (ok) {
        config_write(&model->config, &writer);
        ok = file_writer_commit(&writer, err);
    }
    free(path);
    return ok;
}

static bool save_weights(const Model *model, const char *folder, Dtype dtype, Error *err) {
    const Params *params = &model->params;
    NamedTensor *tensors = calloc((size_t)params->count, sizeof *tensors);
    char *path = file_join(folder, "model.safetensors");
    bool ok = tensors != NULL && path != NULL;
    if (!ok) {
        error_set(err, "%s: out of memory", folder);
    }
    for (int i = 0; ok && i < params->count; i++) {
        const Parameter *parameter = &params->items[i];
        tensors[i] = tensor_data_named(parameter->name, &parameter->shape, dtype,
                                       params_values(params, parameter));
    }
    // Hugging Face's loader asks for this key.
    const SafetensorsPair format = {"format", "pt"};
    ok = ok && safetensors_save(path, tensors, params->count, &format, 1, err);
    free(path);
    free(tensors);
    return ok;
}

bool model_save(const Model *model, const char *folder, Error *err) {
    return model_save_as(model, folder, DTYPE_F32, err);
}

bool model_save_as(const Model *model, const char *folder, Dtype dtype, Error *err) {
    return file_make_folder(folder, NULL, err) && save_weights(model, folder, dtype, err) &&
           save_config(model, folder, err) &&
           end_ids_save(&model->ends, model->config.eos_id, folder, err);
}

bool model_ends_with(const Model *model, int end_id, int32_t id) {
    return id >= 0 && (id == end_id || end_ids_have(&model->ends, id));
}

void model_free(Model *model) {
    params_free(&model->params);
    buffer_free(&model->notes);
    *model = (Model){0};
}

bool model_check_batch(const ModelConfig *config, BatchShape shape, Error *err) {
    if (shape.B < 1 || shape.T < 1 || (config_has_two_sides(config) && shape.S < 1)) {
        return error_set(err, "the input is empty: expected at least one token in each item");
    }
    if (config->n_positions > 0 && shape.T > config->n_positions) {
        return error_set(err, "%d tokens are more than the model's %d position%s", shape.T,
                         config->n_positions, plural(config->n_positions));
    }
    return true;
}

bool model_tape_build_step(ModelTape *built, Model *model, Device *device, BatchShape shape,
                           const StepOptions *options, Error *err) {
    *built = (ModelTape){0};
    ModelConfig config = model->config;
    config_set_dropout(&config, 0.0F);
    if (!model_check_batch(&config, shape, err)) {
        return false;
    }
    tape_init(&built->tape, options->mode, device, &model->params);
    Build build = {.tape = &built->tape,
                   .config = &config,
                   .state = options->state,
                   .weights = options->weights};
    family_of(build.config)->build(&build, shape, false, &built->nodes);
    return true;
}

bool model_tape_build(ModelTape *built, Model *model, TapeMode mode, Device *device,
                      BatchShape shape, TapeParts parts, Error *err) {
    *built = (ModelTape){0};
    ModelConfig config = model->config;
    if (parts != TAPE_GRADIENTS) {
        config_set_dropout(&config, 0.0F); // of training alone
    }
    if (!model_check_batch(&config, shape, err)) {
        return false;
    }
    tape_init(&built->tape, mode, device, &model->params);
    built->tape.seed = model->seed;
    Build build = {.tape = &built->tape, .config = &config};
    family_of(build.config)->build(&build, shape, parts != TAPE_LOGITS, &built->nodes);
    built->tape.loss = built->nodes.loss;
    if (parts == TAPE_GRADIENTS) {
        gradient_append(&built->tape, built->nodes.loss);
    }
    return true;
}

bool model_tape_build_points(ModelTape *built, Model *model, Device *device, int T, int n_anchors,
                             Error *err) {
    *built = (ModelTape){0};
    const BatchShape shape = {.B = 1, .T = T};
    if (!model_check_batch(&model->config, shape, err)) {
        return false;
    }
    tape_init(&built->tape, TAPE_INFER, device, &model->params);
    Build build = {.tape = &built->tape, .config = &model->config, .n_anchors = n_anchors};
    family_of(build.config)->build(&build, shape, false, &built->nodes);
    return true;
}

void model_tape_free(ModelTape *built) {
    tape_free(&built->tape);
    *built = (ModelTape){0};
}
