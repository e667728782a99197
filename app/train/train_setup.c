// train_setup.c - what a run is set to: from a command for a new one, or checked where one goes on.
#include "app/train/train_setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/base/file.h"
#include "engine/files/json_text.h"
#include "engine/models/config_keys.h"
#include "engine/models/family.h"

enum { MOST_PIECES = 1 << 24 };

static bool read_config_file(TrainSetup *setup, const char *path, Error *err) {
    char *inside = file_is_folder(path) ? file_join(path, "config.json") : strdup(path);
    setup->initial = file_is_folder(path) ? path : NULL;
    json_t *object = inside == NULL ? NULL : json_text_load(inside, err);
    bool ok = object != NULL && config_read(&setup->config, object, inside, err);
    if (ok && setup->initial == NULL && family_of(&setup->config)->model_type != NULL) {
        config_keys_name_unknown(object, inside, &setup->notes);
    }
    json_decref(object);
    free(inside);
    return ok;
}

static void apply_to_config(TrainSetup *setup) {
    if (!isnan(setup->settings.dropout)) {
        config_set_dropout(&setup->config, (float)setup->settings.dropout);
    }
    if (!isnan(setup->settings.smoothing)) {
        setup->config.label_smoothing = (float)setup->settings.smoothing;
    }
}

// Another vocabulary than the preset's has no words or tokenizer of the preset's.
static bool apply_vocab_size(TrainSetup *setup, int given, Error *err) {
    if (given == TRAIN_NO_INT || given == setup->config.vocab_size) {
        return true;
    }
    if (given < 2 || given > MOST_PIECES) {
        return error_set(err, "--vocab-size: expected 2 to %d, found %d", MOST_PIECES, given);
    }
    if (setup->initial != NULL) {
        return error_set(err, "--vocab-size: the weights of %s have %d", setup->initial,
                         setup->config.vocab_size);
    }
    preset_free(&setup->preset);
    setup->config.vocab_size = given;
    return true;
}

bool train_setup_begin(TrainSetup *setup, const TrainCommand *command, Error *err) {
    *setup = (TrainSetup){0};
    train_settings_defaults(&setup->settings);
    if ((command->preset == NULL) == (command->config == NULL)) {
        return error_set(err, "expected --preset NAME or --config FILE, one of the two");
    }
    if (command->preset != NULL) {
        if (!preset_load(&setup->preset, command->preset, err)) {
            return false;
        }
        train_settings_from_preset(&setup->settings, &setup->preset);
        setup->config = setup->preset.config;
    } else if (!read_config_file(setup, command->config, err)) {
        return false;
    }
    if (!family_check_writes(&setup->config,
                             command->preset != NULL ? command->preset : command->config, err)) {
        return false;
    }
    if (setup->config.n_positions > 0 && setup->settings.length > setup->config.n_positions) {
        setup->settings.length = setup->config.n_positions; // unless another is given
    }
    train_settings_begin(&setup->settings, &command->given);
    apply_to_config(setup);
    return apply_vocab_size(setup, command->vocab_size, err);
}

// A command that would begin this run goes on with it; what would begin another is refused.
static bool check_model_given(const TrainSetup *setup, const TrainCommand *command, Error *err) {
    TrainSetup other = {0};
    char from[80];
    if (command->preset == NULL && command->config == NULL) {
        return true;
    }
    char shown[64];
    utf8_shown(command->preset != NULL ? command->preset : command->config, shown, sizeof shown);
    snprintf(from, sizeof from, "--%s %s: ", command->preset != NULL ? "preset" : "config", shown);
    bool ok = train_setup_begin(&other, command, err) &&
              (config_is_same(&setup->config, &other.config) ||
               error_set(err,
                         "%sis not the model that the run was started with; a resumed run keeps "
                         "it, a new folder (-o) starts a new run",
                         from)) &&
              train_settings_may_resume(&setup->settings, &other.settings, from, err);
    train_setup_free(&other);
    return ok;
}

bool train_setup_resume(TrainSetup *setup, const TrainCommand *command, Error *err) {
    const int vocab_size = command->vocab_size;
    if (vocab_size != TRAIN_NO_INT && vocab_size != setup->config.vocab_size) {
        return error_set(err, "--vocab-size: the run's model has %d", setup->config.vocab_size);
    }
    if (!train_settings_may_resume(&setup->settings, &command->given, "", err) ||
        !check_model_given(setup, command, err)) {
        return false;
    }
    train_settings_apply(&setup->settings, &command->given);
    return true;
}

void train_setup_free(TrainSetup *setup) {
    preset_free(&setup->preset);
    buffer_free(&setup->notes);
    *setup = (TrainSetup){0};
}
