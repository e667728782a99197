// train_settings.h - what a run of training is set to: from options, presets and checkpoints.
#ifndef APP_TRAIN_TRAIN_SETTINGS_H
#define APP_TRAIN_TRAIN_SETTINGS_H

#include <jansson.h>

#include "app/options.h"
#include "engine/base/arena.h"
#include "engine/models/preset.h"
#include "engine/training/trainer.h"

// What is kept with a run. Not given: TRAIN_NO_INT, NaN, NULL.
typedef struct TrainSettings {
    const char *data, *format, *separator, *field;
    const char *optimizer, *schedule, *prompt;
    int paragraphs; // 0 or 1
    int held_out;   // one text in so many
    int batch, accumulate, length, steps, warmup, seed;
    int eval_every, eval_batches, sample_every, save_every, keep;
    double lr, decay, clip, dropout, smoothing, beta1, beta2, eps;
} TrainSettings;

// All that the command line says.
typedef struct TrainCommand {
    TrainSettings given;
    OptionList data; // as often as it was given; the caller's to free
    const char *preset, *config, *tokenizer, *device, *output;
    TokenizerChoice texts; // kept with the run's tokenizer
    int resume_step;
    int vocab_size; // of a new model; TRAIN_NO_INT: as its preset or config has it
    int threads;
    bool resume, dry_run, watch, help, paragraphs;
    // Of --watch alone:
    const char *with; // folder of another run
    const char *theme, *color, *lang;
    bool ascii;
} TrainCommand;

enum { TRAIN_NO_INT = -2147483647, TRAIN_MAX_OPTIONS = 48 };

// Options that write into the command, which this empties first.
size_t train_settings_options(TrainCommand *command, Option options[TRAIN_MAX_OPTIONS]);

// In this order: the defaults, then a preset's, then what was given.
void train_settings_defaults(TrainSettings *settings);
void train_settings_from_preset(TrainSettings *settings, const Preset *preset);
void train_settings_begin(TrainSettings *settings, const TrainSettings *given);

// What is given anew where a run goes on.
void train_settings_apply(TrainSettings *settings, const TrainSettings *given);

// When a run goes on, only how long it runs and what it tells may be given anew. What is the same
// in effect is the same: another path of a file, a value that the run had anyway. from starts the
// sentence.
bool train_settings_may_resume(const TrainSettings *stored, const TrainSettings *given,
                               const char *from, Error *err);

// Of checkpoints; texts come from the arena. Reading fails where a setting is missing or of another
// type.
json_t *train_settings_to_json(const TrainSettings *settings);
bool train_settings_from_json(TrainSettings *settings, json_t *object, const char *where,
                              Arena *arena, Error *err);

// Checks the values and turns them into what the engine takes.
bool train_settings_check(const TrainSettings *settings, Error *err);
bool train_settings_trainer(const TrainSettings *settings, int d_model, TrainerOptions *options,
                            Error *err);
bool train_settings_source(const TrainSettings *settings, TextSource *source, Error *err);

#endif
