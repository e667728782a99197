// model_options.h - the options that say which model runs on what, shared by trace, explain and
// heatmap.
#ifndef APP_MODEL_OPTIONS_H
#define APP_MODEL_OPTIONS_H

#include <getopt.h>

#include "engine/playground/model_input.h"

// For a command's table of long options.
#define MODEL_LONG_OPTIONS                                                                         \
    {"model", required_argument, NULL, MODEL_INPUT_MODEL},                                         \
        {"input", required_argument, NULL, MODEL_INPUT_INPUT},                                     \
        {"target", required_argument, NULL, MODEL_INPUT_TARGET},                                   \
        {"ids", required_argument, NULL, MODEL_INPUT_IDS},                                         \
        {"target-ids", required_argument, NULL, MODEL_INPUT_TARGET_IDS},                           \
        {"seed", required_argument, NULL, MODEL_INPUT_SEED},                                       \
        {"device", required_argument, NULL, MODEL_INPUT_DEVICE},                                   \
        {"special", required_argument, NULL, MODEL_INPUT_SPECIAL},                                 \
        {"pattern", required_argument, NULL, MODEL_INPUT_PATTERN},                                 \
        {"threads", required_argument, NULL, MODEL_INPUT_THREADS}, {                               \
        "untrained", no_argument, NULL, MODEL_INPUT_UNTRAINED                                      \
    }

extern const char MODEL_OPTIONS_HELP[]; // their lines of a command's --help

// Lines on standard error: where a preset ships no trained weights, unless --untrained asked for
// the initial ones; that a seed, which was given for nothing but initial weights, draws none; and
// the notes of the model's files.
void model_say_notes(const NamedModel *named, bool is_asked_for, bool has_seed);

// Why a loss that is NaN or infinite is refused; always false.
bool model_refuse_loss(const char *model, Error *err);

// As model_input_open, with that line where it applies.
bool model_options_open(OpenModel *opened, const ModelInput *input, TapeMode mode, TapeParts parts,
                        Error *err);

#endif
