// model_input.h - which model runs on which ids, and the two opened with a tape over them.
#ifndef ENGINE_PLAYGROUND_MODEL_INPUT_H
#define ENGINE_PLAYGROUND_MODEL_INPUT_H

#include "engine/tape/optimizer.h"
#include "engine/playground/batch.h"

enum { MODEL_INPUT_MAX_ITEMS = 256 };

// As given on a command line or by `open`; zero is "not given". Borrows its texts.
typedef struct ModelInput {
    const char *model;
    const char *inputs[MODEL_INPUT_MAX_ITEMS]; // --input, one item each
    int n_inputs;
    const char *targets[MODEL_INPUT_MAX_ITEMS];
    int n_targets;
    const char *ids; // "1,5,4;1,3,6"
    const char *target_ids;
    const char *otherwise_ids; // where neither it nor the preset has an input; NULL: it is refused
    uint64_t seed;
    bool has_seed;      // it was given
    int n_threads;      // 0: as many as there are
    const char *device; // what computes; NULL: the CPU
    bool untrained;
    TokenizerChoice texts;
    // The optimizer's step after the gradients, as nodes: of a run the next one, with the m and v
    // of the checkpoint that the weights are of; else the first, of the model's preset or the
    // defaults. Its learning rate is lr; below 0: the schedule's of that step.
    bool with_updates;
    float lr;
} ModelInput;

enum {
    MODEL_INPUT_OPTION = 1000,
    MODEL_INPUT_MODEL = MODEL_INPUT_OPTION,
    MODEL_INPUT_INPUT,
    MODEL_INPUT_TARGET,
    MODEL_INPUT_IDS,
    MODEL_INPUT_TARGET_IDS,
    MODEL_INPUT_SEED,
    MODEL_INPUT_THREADS,
    MODEL_INPUT_UNTRAINED,
    MODEL_INPUT_DEVICE,
    MODEL_INPUT_SPECIAL,
    MODEL_INPUT_PATTERN,
    MODEL_INPUT_OPTION_END,
};

// Takes one of the options above. False with a sentence for a value that cannot be.
bool model_input_take(ModelInput *input, int option, const char *value, Error *err);

// A model that is open, its ids, and a tape over them that has been allocated and filled but not
// run.
typedef struct OpenModel {
    NamedModel named;
    Device *device;
    Error notice; // why the device is not the one that was wished for; empty: it is
    Batch batch;
    ModelTape built;
    Optimizer optimizer; // of a tape with updates
    float lr;
} OpenModel;

// The ids that the input gives to a model, in a zeroed Batch.
bool model_input_batch(Batch *batch, const NamedModel *named, const ModelInput *given, Error *err);

// The model, its ids and a device, without a tape.
bool model_input_load(OpenModel *opened, const ModelInput *input, Progress *progress, Error *err);

// parts TAPE_GRADIENTS is refused where there are no labels; TAPE_LOSS falls back to logits.
bool model_input_open(OpenModel *opened, const ModelInput *input, TapeMode mode, TapeParts parts,
                      Error *err);
// Runs the tape once, the updates with the step's numbers; waits for it. Fails where the device
// does.
bool model_input_run(OpenModel *opened, Error *err);
void model_input_close(OpenModel *opened);

// How a token is shown: its piece, or its number where the model has no tokenizer. Returns text.
const char *model_input_token(const OpenModel *opened, int32_t id, char *text, size_t size);

#endif
