// train_setup.h - what a run is set to, before it holds anything.
#ifndef APP_TRAIN_TRAIN_SETUP_H
#define APP_TRAIN_TRAIN_SETUP_H

#include "app/train/train_settings.h"
#include "engine/models/config.h"
#include "engine/models/preset.h"

typedef struct TrainSetup {
    TrainSettings settings;
    ModelConfig config;
    Preset preset;       // its name is empty where none was given
    const char *initial; // folder whose weights the run starts from; NULL: drawn. The command's
    Buffer notes;        // what a person should know of the configuration file, a line each
} TrainSetup;

// Of a new run, as the command asks for it; fails where it names no model, or one that cannot be
// read. To be freed in either case.
bool train_setup_begin(TrainSetup *setup, const TrainCommand *command, Error *err);

// setup is that of the checkpoint: what the command gives anew is taken over. A command that would
// begin this run goes on with it; what would begin another is refused.
bool train_setup_resume(TrainSetup *setup, const TrainCommand *command, Error *err);

void train_setup_free(TrainSetup *setup);

#endif
