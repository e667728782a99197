// train_settings.c - what a run of training is set to: from options, presets and checkpoints.
#include "app/train/train_settings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/model_choice.h"
#include "engine/base/utf8.h"
#include "engine/base/file.h"
#include "engine/files/json_text.h"

// When a run goes on: whether a setting may be given anew, and whether its checkpoints may lack it.
enum { KEPT = 0, FREE = 1, OPTIONAL = 2 };

// One table for options, checkpoints and what may change when a run goes on.
typedef struct Setting {
    const char *name;
    const char *help;
    size_t offset;
    OptionType type;
    int rule;
} Setting;

#define SETTING(name, type, field, rule, help)                                                     \
    { name, help, offsetof(TrainSettings, field), type, rule }

static const Setting SETTINGS[] = {
    SETTING("data", OPTION_TEXT, data, KEPT,
            "text, .tsv of pairs or .jsonl; \"-\": standard input"),
    SETTING("format", OPTION_TEXT, format, OPTIONAL,
            "text, tsv or jsonl (default: by the file's name)"),
    SETTING("separator", OPTION_TEXT, separator, KEPT, "what separates texts (<|endoftext|>)"),
    SETTING("field", OPTION_TEXT, field, KEPT, "the field of a .jsonl that holds the text (text)"),
    SETTING("held-out", OPTION_INT, held_out, KEPT,
            "hold out one text of this many for evaluation (20), 0: none"),
    SETTING("batch", OPTION_INT, batch, KEPT,
            "sequences in a micro-batch, of all processes together"),
    SETTING("accumulate", OPTION_INT, accumulate, KEPT, "micro-batches in a step (1)"),
    SETTING("length", OPTION_INT, length, KEPT,
            "tokens in a sequence; for pairs: at most this many"),
    SETTING("steps", OPTION_INT, steps, FREE, "number of updates"),
    SETTING("optimizer", OPTION_TEXT, optimizer, KEPT, "adamw or sgd"),
    SETTING("lr", OPTION_REAL, lr, KEPT, "learning rate"),
    SETTING("schedule", OPTION_TEXT, schedule, KEPT,
            "constant, linear (to 0), cosine (to a tenth) or 2017"),
    SETTING("warmup", OPTION_INT, warmup, KEPT, "steps in which the learning rate rises from 0"),
    SETTING("decay", OPTION_REAL, decay, KEPT,
            "weight decay of all parameters, as in PyTorch's AdamW"),
    SETTING("clip", OPTION_REAL, clip, KEPT, "clip the gradient to this norm, 0: never"),
    SETTING("beta1", OPTION_REAL, beta1, KEPT, "of AdamW"),
    SETTING("beta2", OPTION_REAL, beta2, KEPT, "of AdamW"),
    SETTING("eps", OPTION_REAL, eps, KEPT, "of AdamW"),
    SETTING("dropout", OPTION_REAL, dropout, OPTIONAL, "probability"),
    SETTING("label-smoothing", OPTION_REAL, smoothing, OPTIONAL,
            "probability that the other tokens share"),
    SETTING("seed", OPTION_INT, seed, KEPT, "seed of weights, shuffling and dropout"),
    SETTING("eval-every", OPTION_INT, eval_every, FREE,
            "steps between evaluations (a tenth of all, 500 at most), 0: none"),
    SETTING("eval-batches", OPTION_INT, eval_batches, FREE,
            "batches in an evaluation, at most (20)"),
    SETTING("sample-every", OPTION_INT, sample_every, FREE,
            "steps between samples (every second evaluation), 0: none"),
    SETTING("prompt", OPTION_TEXT, prompt, FREE | OPTIONAL, "text with which a sample begins"),
    SETTING("save-every", OPTION_INT, save_every, FREE,
            "steps between checkpoints, 0: only at the end"),
    SETTING("keep", OPTION_INT, keep, FREE, "number of checkpoints kept, besides the best (2)"),
};
enum { N_SETTINGS = sizeof SETTINGS / sizeof SETTINGS[0] };

static void *field_of(TrainSettings *settings, const Setting *setting) {
    return (char *)settings + setting->offset;
}

static const void *field_in(const TrainSettings *settings, const Setting *setting) {
    return (const char *)settings + setting->offset;
}

static int int_of(const TrainSettings *settings, const Setting *setting) {
    return *(const int *)field_in(settings, setting);
}

static double real_of(const TrainSettings *settings, const Setting *setting) {
    return *(const double *)field_in(settings, setting);
}

static const char *text_of(const TrainSettings *settings, const Setting *setting) {
    return *(const char *const *)field_in(settings, setting);
}

static void clear(TrainSettings *settings) {
    *settings = (TrainSettings){.paragraphs = TRAIN_NO_INT};
    for (int i = 0; i < N_SETTINGS; i++) {
        if (SETTINGS[i].type == OPTION_INT) {
            *(int *)field_of(settings, &SETTINGS[i]) = TRAIN_NO_INT;
        } else if (SETTINGS[i].type == OPTION_REAL) {
            *(double *)field_of(settings, &SETTINGS[i]) = (double)NAN;
        }
    }
}

size_t train_settings_options(TrainCommand *command, Option options[TRAIN_MAX_OPTIONS]) {
    *command =
        (TrainCommand){.resume_step = TRAIN_NO_INT, .vocab_size = TRAIN_NO_INT, .device = "cpu"};
    clear(&command->given);
    const Option own[] = {
        {"preset", 'p', OPTION_TEXT, &command->preset, "model and settings by name"},
        {"config", 0, OPTION_TEXT, &command->config,
         "config.json of a model, or the folder of a model to continue from"},
        {"tokenizer", 't', OPTION_TEXT, &command->tokenizer,
         "file or folder (default: the preset's own, else one is learned from the data)"},
        TEXT_OPTIONS(&command->texts),
        {"vocab-size", 0, OPTION_INT, &command->vocab_size,
         "vocabulary size of a new model, instead of the preset's"},
        {"output", 'o', OPTION_TEXT, &command->output, "folder of the run"},
        {"resume", 0, OPTION_FLAG, &command->resume, "continue the run in the folder of -o"},
        {"resume-from", 0, OPTION_INT, &command->resume_step,
         "continue from the checkpoint of this step"},
        {"dry-run", 'n', OPTION_FLAG, &command->dry_run,
         "print parameters and memory, train nothing"},
        {"watch", 0, OPTION_FLAG, &command->watch,
         "show the run in the folder, while it trains or afterwards"},
        {"with", 0, OPTION_TEXT, &command->with, "with --watch: another run to compare with"},
        {"theme", 0, OPTION_TEXT, &command->theme, "with --watch: dark, light or mono"},
        {"color", 0, OPTION_TEXT, &command->color, "with --watch: none, 8, 16, 256 or true"},
        {"lang", 0, OPTION_TEXT, &command->lang, "with --watch: en or zh"},
        {"ascii", 0, OPTION_FLAG, &command->ascii, "with --watch: lines and signs with ASCII"},
        {"device", 0, OPTION_TEXT, &command->device, "cpu, cuda, or auto: a GPU if there is one"},
        {"threads", 0, OPTION_INT, &command->threads, "0: as many as there are cores"},
        {"paragraphs", 0, OPTION_FLAG, &command->paragraphs, "a blank line also separates texts"},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        options[n++] = own[i];
    }
    for (int i = 0; i < N_SETTINGS; i++) {
        const Setting *setting = &SETTINGS[i];
        bool is_data = strcmp(setting->name, "data") == 0; // only one: the last must not win
        options[n++] = (Option){
            setting->name, is_data ? 'd' : '\0', is_data ? OPTION_TEXTS : setting->type,
            is_data ? (void *)&command->data : field_of(&command->given, setting), setting->help};
    }
    options[n++] = (Option){"help", 'h', OPTION_FLAG, &command->help, "show this"};
    return n;
}

// A decimal of the preset comes back as it was written: the shortest one that is this float.
static double decimal(float value) {
    char text[JSON_TEXT_FLOAT_BYTES];
    return strtod(json_text_float(value, text), NULL);
}

void train_settings_defaults(TrainSettings *settings) {
    OptimizerConfig optimizer = optimizer_defaults();
    *settings = (TrainSettings){.separator = "<|endoftext|>",
                                .field = "text",
                                .optimizer = OPTIMIZER_NAMES[OPTIMIZER_ADAMW],
                                .schedule = SCHEDULE_NAMES[SCHEDULE_COSINE],
                                .held_out = 20,
                                .batch = 8,
                                .accumulate = 1,
                                .length = 128,
                                .steps = 1000,
                                .warmup = 50,
                                .seed = 1,
                                .eval_every = 100,
                                .eval_batches = 20,
                                .sample_every = 0,
                                .save_every = 100,
                                .keep = 2,
                                .lr = 1e-3,
                                .decay = 0.1,
                                .clip = 1.0,
                                .dropout = (double)NAN, // as the model's config says
                                .smoothing = (double)NAN,
                                .beta1 = decimal(optimizer.beta1),
                                .beta2 = 0.99,
                                .eps = 1e-8};
}

void train_settings_from_preset(TrainSettings *settings, const Preset *preset) {
    const TrainingConfig *training = &preset->training;
    const OptimizerConfig *optimizer = &training->optimizer;
    settings->batch = training->batch;
    settings->length = training->length;
    settings->steps = (int)training->n_steps;
    settings->optimizer = OPTIMIZER_NAMES[optimizer->kind];
    settings->lr = decimal(optimizer->lr);
    settings->beta1 = decimal(optimizer->beta1);
    settings->beta2 = decimal(optimizer->beta2);
    settings->eps = decimal(optimizer->eps);
    settings->decay = decimal(optimizer->decay);
    settings->clip = decimal(optimizer->clip);
    settings->schedule = SCHEDULE_NAMES[training->schedule.kind];
    settings->warmup = (int)training->schedule.n_warmup;
    settings->seed = (int)preset->seed;
    const MadeData *made = made_data_find(preset->data);
    settings->held_out = made != NULL ? made->held_out_every : settings->held_out;
}

// How often a run is evaluated, says something and is saved, unless that is given.
static void choose_rhythm(TrainSettings *settings) {
    int tenth = settings->steps / 10;
    settings->eval_every = tenth < 1 ? 1 : tenth > 500 ? 500 : tenth;
    settings->sample_every = 2 * settings->eval_every;
    settings->save_every = settings->eval_every < 100 ? 100 : settings->eval_every;
}

static bool is_given(const TrainSettings *settings, const Setting *setting) {
    switch (setting->type) {
    case OPTION_INT:
        return int_of(settings, setting) != TRAIN_NO_INT;
    case OPTION_REAL:
        return !isnan(real_of(settings, setting));
    case OPTION_TEXT:
        return text_of(settings, setting) != NULL;
    case OPTION_FLAG:
    case OPTION_LIST:
    case OPTION_TEXTS:
        break;
    }
    return false;
}

void train_settings_apply(TrainSettings *settings, const TrainSettings *given) {
    if (given->paragraphs != TRAIN_NO_INT) {
        settings->paragraphs = given->paragraphs;
    }
    for (int i = 0; i < N_SETTINGS; i++) {
        const Setting *setting = &SETTINGS[i];
        if (!is_given(given, setting)) {
            continue;
        }
        if (setting->type == OPTION_INT) {
            *(int *)field_of(settings, setting) = int_of(given, setting);
        } else if (setting->type == OPTION_REAL) {
            *(double *)field_of(settings, setting) = real_of(given, setting);
        } else {
            *(const char **)field_of(settings, setting) = text_of(given, setting);
        }
    }
}

void train_settings_begin(TrainSettings *settings, const TrainSettings *given) {
    if (given->steps != TRAIN_NO_INT) {
        settings->steps = given->steps;
    }
    choose_rhythm(settings);
    train_settings_apply(settings, given);
}

// What names files is the same where it is the same file.
static bool is_same_data(const char *a, const char *b) {
    return strcmp(a, b) == 0 || file_is_same(a, b);
}

// A format may be given that the name's end says anyway.
static bool is_same_format(const TrainSettings *stored, const char *format) {
    TrainSettings other = *stored;
    TextSource left;
    TextSource right;
    other.format = format;
    return train_settings_source(stored, &left, NULL) &&
           train_settings_source(&other, &right, NULL) && left.format == right.format;
}

static bool is_same(const TrainSettings *stored, const TrainSettings *given,
                    const Setting *setting) {
    if (setting->type == OPTION_INT) {
        return int_of(stored, setting) == int_of(given, setting);
    }
    if (setting->type == OPTION_REAL) { // the engine takes them so
        return (float)real_of(stored, setting) == (float)real_of(given, setting);
    }
    const char *left = text_of(stored, setting);
    const char *right = text_of(given, setting);
    if (setting->offset == offsetof(TrainSettings, format)) {
        return is_same_format(stored, right);
    }
    bool is_data = setting->offset == offsetof(TrainSettings, data);
    return left != NULL && (is_data ? is_same_data(left, right) : strcmp(left, right) == 0);
}

static bool refuse_change(const char *from, const char *name, const char *value, Error *err) {
    return error_set(err,
                     "%s--%s: differs from what the run was started with%s; a resumed run keeps "
                     "it, a new folder (-o) starts a new run",
                     from, name, value);
}

// " (0.001)"; nothing where it was not given.
static void value_text(const TrainSettings *settings, const Setting *setting, char text[80]) {
    text[0] = '\0';
    if (!is_given(settings, setting)) {
        return;
    }
    if (setting->type == OPTION_INT) {
        snprintf(text, 80, " (%d)", int_of(settings, setting));
    } else if (setting->type == OPTION_REAL) {
        snprintf(text, 80, " (%g)", real_of(settings, setting));
    } else {
        char shown[64];
        snprintf(text, 80, " (%s)", utf8_shown(text_of(settings, setting), shown, sizeof shown));
    }
}

bool train_settings_may_resume(const TrainSettings *stored, const TrainSettings *given,
                               const char *from, Error *err) {
    if (given->paragraphs != TRAIN_NO_INT && given->paragraphs != stored->paragraphs) {
        return refuse_change(from, "paragraphs", "", err);
    }
    for (int i = 0; i < N_SETTINGS; i++) {
        const Setting *setting = &SETTINGS[i];
        if ((setting->rule & FREE) == 0 && is_given(given, setting) &&
            !is_same(stored, given, setting)) {
            char value[80];
            value_text(stored, setting, value);
            return refuse_change(from, setting->name, value, err);
        }
    }
    return true;
}

json_t *train_settings_to_json(const TrainSettings *settings) {
    json_t *object = json_object();
    for (int i = 0; i < N_SETTINGS; i++) {
        const Setting *setting = &SETTINGS[i];
        if (!is_given(settings, setting)) {
            continue;
        }
        json_t *value = setting->type == OPTION_INT ? json_integer(int_of(settings, setting))
                        : setting->type == OPTION_REAL
                            ? json_real(real_of(settings, setting))
                            : json_text_from_bytes(text_of(settings, setting));
        json_object_set_new(object, setting->name, value);
    }
    json_object_set_new(object, "paragraphs", json_boolean(settings->paragraphs));
    return object;
}

bool train_settings_from_json(TrainSettings *settings, json_t *object, const char *where,
                              Arena *arena, Error *err) {
    clear(settings);
    if (!json_is_object(object)) {
        return error_set(err, "%s: \"settings\": expected the settings of the run", where);
    }
    JsonFields fields = json_text_fields(object, where, err);
    for (int i = 0; i < N_SETTINGS; i++) {
        const Setting *setting = &SETTINGS[i];
        if ((setting->rule & OPTIONAL) != 0 && !json_text_has(&fields, setting->name)) {
            continue;
        }
        if (setting->type == OPTION_INT) {
            *(int *)field_of(settings, setting) =
                json_text_int(&fields, setting->name, -1, 0x7fffffff);
        } else if (setting->type == OPTION_REAL) {
            *(double *)field_of(settings, setting) =
                json_text_number(&fields, setting->name, -1e30, 1e30);
        } else {
            char *text = json_text_to_bytes(json_object_get(object, setting->name));
            *(const char **)field_of(settings, setting) =
                arena_text(arena, text != NULL ? text : json_text_string(&fields, setting->name));
            free(text);
        }
    }
    settings->paragraphs = json_text_bool(&fields, "paragraphs");
    return fields.ok;
}
