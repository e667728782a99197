// model_choice.h - the options that generate, translate and eval share: which model, its weights in
// which numbers, on how many threads.
#ifndef APP_MODEL_CHOICE_H
#define APP_MODEL_CHOICE_H

#include "app/options.h"
#include "engine/models/preset.h"
#include "engine/models/quantized.h"

// Rows of a table of every command that reads texts: a TokenizerChoice.
#define TEXT_OPTIONS(choice)                                                                       \
    {"special", 0, OPTION_TEXT, &(choice)->special,                                                \
     "<|endoftext|> and the like in a text: token (default) or text"},                             \
    {                                                                                              \
        "pattern", 0, OPTION_TEXT, &(choice)->pattern,                                             \
            "how a rank file of one's own splits text: gpt2 (default), cl100k, o200k, …"         \
    }

typedef struct ModelChoice {
    const char *model;
    const char *tokenizer;    // file or folder; NULL: the model's own
    const char *weights_name; // as given; NULL: float32
    WeightFormat weights;     // set by model_choice_check
    const char *device;       // NULL: the CPU
    int n_threads;            // 0: all
    int seed;
    bool has_seed; // it was given
    bool untrained;
    TokenizerChoice texts;
} ModelChoice;

// Rows of a command's table, with what --seed is for.
#define MODEL_CHOICE_MODEL(choice)                                                                 \
    { "model", 'm', OPTION_TEXT, &(choice)->model, "a preset's name or a model's folder" }
#define MODEL_CHOICE_WEIGHTS(choice)                                                               \
    { "weights", 'w', OPTION_TEXT, &(choice)->weights_name, "f32 (default), bf16 or int8" }
#define MODEL_CHOICE_OTHERS(choice, seed_help)                                                     \
    {"tokenizer", 0, OPTION_TEXT, &(choice)->tokenizer, "file or folder, instead of the model's"}, \
        TEXT_OPTIONS(&(choice)->texts),                                                            \
        {"device", 0, OPTION_TEXT, &(choice)->device,                                              \
         "cpu, cuda, or auto: a GPU if there is one"},                                             \
        {"seed", 's', OPTION_INT, &(choice)->seed, seed_help},                                     \
        {"untrained", 0, OPTION_FLAG, &(choice)->untrained, "initial weights"}, {                  \
        "threads", 0, OPTION_INT, &(choice)->n_threads, "how many compute (default: all)"          \
    }

bool model_choice_check(ModelChoice *choice, Error *err);

// The model without its weights, for all that can be checked before they are read or drawn; then
// these, and a device (with a line on standard error where it is not the one that was wished for).
// The caller closes both, also after a failure.
bool model_choice_open(const ModelChoice *choice, NamedModel *named, Error *err);
bool model_choice_load(const ModelChoice *choice, NamedModel *named, Device **device, Error *err);

#endif
