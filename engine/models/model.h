// model.h - a model: its configuration and its parameters, from a seed or from files, and tapes
// over them.
#ifndef ENGINE_MODELS_MODEL_H
#define ENGINE_MODELS_MODEL_H

#include "engine/base/buffer.h"
#include "engine/models/config.h"
#include "engine/models/end_ids.h"
#include "engine/models/layers.h"
#include "engine/tape/params.h"
#include "engine/tape/tape.h"
#include "engine/files/tensor_data.h"

typedef struct Model {
    ModelConfig config;
    EndIds ends; // beside its configuration's eos_id and its tokenizer's
    Params params;
    uint64_t seed; // what the initial weights were drawn from
    Buffer notes;  // what a person should know of the files, a line each; empty: nothing
} Model;

// Initial weights from a seed. On failure the model is left as after model_free.
bool model_init(Model *model, const ModelConfig *config, uint64_t seed, Error *err);

// Weights of 0, to be read from somewhere. On failure the model is left as after model_free.
bool model_init_zeros(Model *model, const ModelConfig *config, Error *err);

// folder/config.json and folder/model.safetensors (or its shards): ours, torch's, Hugging Face's
// GPT-2. A missing tensor or one of another shape is named, with both shapes; those that are not
// used are named in model->notes.
bool model_load(Model *model, const char *folder, Error *err);
bool model_load_weights(Model *model, const char *path, Error *err);

// The same three for somebody who waits (progress NULL: nobody); ended is a failure like others.
bool model_init_watched(Model *model, const ModelConfig *config, uint64_t seed, Progress *progress,
                        Error *err);
bool model_load_watched(Model *model, const char *folder, Progress *progress, Error *err);
bool model_load_weights_watched(Model *model, const char *path, Progress *progress, Error *err);

// In two steps, for what is checked before weights are read or drawn: folder/config.json alone,
// whatever weights lie there or not; then the weights of that folder or file, or initial ones.
bool model_open(Model *model, const char *folder, Error *err);
bool model_read(Model *model, const char *path, Progress *progress, Error *err);
bool model_draw(Model *model, uint64_t seed, Progress *progress, Error *err);

// Writes both into the folder, which is made if it is not there.
bool model_save(const Model *model, const char *folder, Error *err);
// With weights of DTYPE_F32, DTYPE_F16 or DTYPE_BF16.
bool model_save_as(const Model *model, const char *folder, Dtype dtype, Error *err);
void model_free(Model *model);

// Whether a text ends with that token: end_id (-1: there is none), or one that its files name.
bool model_ends_with(const Model *model, int end_id, int32_t id);

// A tape over the model's parameters, which it borrows. Built first, so that more (an optimizer's
// updates) may be appended; then allocated by tape_allocate(&built->tape, err).
typedef struct ModelTape {
    Tape tape;
    ModelNodes nodes;
} ModelTape;

typedef enum TapeParts {
    TAPE_LOGITS,
    TAPE_LOSS,
    TAPE_GRADIENTS
} TapeParts; // each with those before it

// Whether a batch has that shape: not empty, not longer than the position table.
bool model_check_batch(const ModelConfig *config, BatchShape shape, Error *err);

// Fails only by the batch's shape: longer than the position table, or empty. Only a tape with
// gradients, which is one of training, has dropout.
bool model_tape_build(ModelTape *built, Model *model, TapeMode mode, Device *device,
                      BatchShape shape, TapeParts parts, Error *err);

// A forward tape that goes on where earlier runs ended: shape.T tokens in each of shape.B rows, at
// the positions in nodes.positions; what earlier ones left lies in the state, which has as many
// rows. One source sentence serves all rows. A step in mode TAPE_INFER or, to be looked at,
// TAPE_WATCH.
typedef struct StepOptions {
    TapeMode mode;
    ModelState *state;
    const QuantizedWeights *weights; // NULL: float32
} StepOptions;
bool model_tape_build_step(ModelTape *built, Model *model, Device *device, BatchShape shape,
                           const StepOptions *options, Error *err);
// A forward tape over T points, of which a support vector machine was fitted to the first
// n_anchors.
bool model_tape_build_points(ModelTape *built, Model *model, Device *device, int T, int n_anchors,
                             Error *err);
void model_tape_free(ModelTape *built);

#endif
