// train_check.c - what a run was asked for, against its model, its processes and its files.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/plural.h"
#include "app/train/train_run.h"
#include "engine/models/family.h"

bool train_check_data(TrainRun *run, Error *err) {
    bool has_own_data = made_data_find(run->setup.preset.data) != NULL;
    if (run->setup.settings.data == NULL && !has_own_data && !run->command->dry_run) {
        return error_set(err, "expected --data FILE, what to learn from");
    }
    if (run->setup.settings.data == NULL && has_own_data) {
        char name[sizeof run->setup.preset.data + sizeof TEXT_SOURCE_MADE];
        snprintf(name, sizeof name, "%s%s", TEXT_SOURCE_MADE, run->setup.preset.data);
        run->setup.settings.data = arena_text(&run->arena, name);
    }
    return run->setup.settings.data == NULL ||
           train_settings_source(&run->setup.settings, &run->source, err);
}

bool train_check_shape(TrainRun *run, Error *err) {
    const TrainSettings *settings = &run->setup.settings;
    int n_positions = run->setup.config.n_positions;
    if (n_positions > 0 && settings->length > n_positions) {
        return error_set(err, "--length: expected 1 to %d, the model's positions, found %d",
                         n_positions, settings->length);
    }
    if (settings->batch % run->group.size != 0) {
        return error_set(err, "a batch of %d sequence%s cannot be split among %d processes",
                         settings->batch, plural(settings->batch), run->group.size);
    }
    if (settings->warmup > settings->steps) {
        train_progress_say(&run->progress,
                           "the warm-up of %d step%s (--warmup) is longer than the run of %d: the "
                           "learning rate only rises",
                           settings->warmup, plural(settings->warmup), settings->steps);
    }
    return true;
}

static bool is_real(double value) {
    return !isnan(value);
}

// The sentence of what was given on the command line and would have no effect; NULL: all has one.
static const char *idle_option(const TrainRun *run) {
    const TrainSettings *given = &run->command->given;
    const bool is_plain = run->source.made == NULL && run->source.format == TEXT_PLAIN;
    if (given->separator != NULL && !is_plain) {
        return "--separator: only a plain text file has separators; here a line is an item";
    }
    if (given->paragraphs == 1 && !is_plain) {
        return "--paragraphs: only a plain text file has paragraphs; here a line is an item";
    }
    if (given->field != NULL && (run->source.made != NULL || run->source.format != TEXT_JSONL)) {
        return "--field: only .jsonl data has fields";
    }
    if (given->prompt != NULL && config_has_two_sides(&run->setup.config)) {
        return "--prompt: a model with two sides translates a held-out pair as its sample";
    }
    if (run->options.optimizer.kind == OPTIMIZER_SGD &&
        (is_real(given->beta1) || is_real(given->beta2) || is_real(given->eps))) {
        return "--beta1, --beta2, --eps: are of AdamW; the optimizer here is SGD";
    }
    return NULL;
}

bool train_check_used(const TrainRun *run, Error *err) {
    const char *idle = run->setup.settings.data == NULL ? NULL : idle_option(run);
    if (idle != NULL) {
        return error_set(err, "%s", idle);
    }
    const ModelConfig *config = &run->setup.config;
    if (run->checkpoint == NULL && config_has_dropout(config) && !family_of(config)->has_dropout) {
        return error_set(err, "--dropout: a %s model has no dropout: expected 0, found %g",
                         config_family_name(config->family), (double)config->dropout);
    }
    return true;
}

bool train_check_file(const TrainRun *run, Error *err) {
    bool is_file = run->setup.settings.data != NULL && run->source.made == NULL &&
                   strcmp(run->setup.settings.data, "-") != 0;
    char shown[FILE_NAME_TEXT_BYTES];
    if (run->checkpoint == NULL && is_file && file_is_folder(run->setup.settings.data)) {
        return error_set(err, "%s: is a folder, expected a file",
                         file_shown(run->setup.settings.data, shown));
    }
    if (run->checkpoint != NULL || !is_file || access(run->setup.settings.data, R_OK) == 0) {
        return true;
    }
    return error_set(err, "%s: %s", file_shown(run->setup.settings.data, shown), strerror(errno));
}
