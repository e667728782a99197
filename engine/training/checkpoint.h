// checkpoint.h - a run on disk: folders that are whole or not there at all.
//
// A run's folder holds step-00001000/ and others like it, each with model.safetensors, config.json,
// a tokenizer, optimizer.safetensors and state.json (which has the sizes and checksums of the
// others, and its own); links `last` and `best` name two of them, and links model.safetensors,
// config.json and the tokenizer's name those of the best, so that the run itself is a model.
#ifndef ENGINE_TRAINING_CHECKPOINT_H
#define ENGINE_TRAINING_CHECKPOINT_H

#include <jansson.h>

#include "engine/models/model.h"
#include "engine/tape/optimizer.h"
#include "engine/tokenizers/tokenizer.h"

enum { CHECKPOINT_NAME_BYTES = 32 };

typedef struct CheckpointState {
    int64_t step;           // updates done
    uint64_t data_position; // sequences read
    uint64_t seed;
    double seconds;   // of training up to here, of all processes of the run
    double best_loss; // of held-out data; infinite: none yet
    int64_t best_step;
    char tokenizer_hash[17];
    char data_hash[17]; // of the tokens it learns from
    json_t *settings;   // of the run, the caller's object; checkpoint_state_free gives it back
} CheckpointState;

void checkpoint_state_free(CheckpointState *state);

// Writes step-N beside, syncs it, and renames it into place; then the links, then removes what is
// no longer kept: all but the last `keep`, the best one stays. On failure nothing that was there
// has changed. Numbers that are none (infinite, NaN) are refused: nobody could go on from them.
typedef struct CheckpointParts {
    const Model *model;
    const Optimizer *optimizer;
    const Tokenizer *tokenizer; // NULL: none
} CheckpointParts;
bool checkpoint_write(const char *run, const CheckpointState *state, const CheckpointParts *parts,
                      int keep, Error *err);

// Sets the links for a checkpoint that is gone on from: a writer may have been killed before it
// did.
bool checkpoint_relink(const char *run, const CheckpointState *state, Error *err);

// The steps of the checkpoints in a run's folder, rising. Only looks: a run may be live in it.
typedef struct CheckpointList {
    int64_t *steps;
    int count;
} CheckpointList;
bool checkpoint_list(CheckpointList *list, const char *run, Error *err);
void checkpoint_list_free(CheckpointList *list);

// Moves the checkpoints of later steps than this into a new folder of the run's, after-step-N,
// *aside (malloc, the caller's; NULL where there are none).
bool checkpoint_set_aside(const char *run, int64_t step, char **aside, Error *err);

// Removes what a killed writer left in a run's folder: for who holds its lock alone.
bool checkpoint_clean(const char *run, Error *err);

// "run/step-00001000" (malloc, the caller's).
char *checkpoint_folder(const char *run, int64_t step);

// Reads state.json and holds every file against its size and checksum. A damaged checkpoint is
// refused with the name of the file.
bool checkpoint_open(CheckpointState *state, const char *folder, Error *err);

// Holds what a model needs of a checkpoint, or of a run's best one, against sizes and checksums; a
// folder that is neither is fine.
bool checkpoint_check_model(const char *folder, Error *err);

// The model's weights and the optimizer's state of a checkpoint that was opened.
bool checkpoint_load(const char *folder, Model *model, Optimizer *optimizer, Error *err);
// The same of the optimizer alone: its m and v, and how many steps made them.
bool checkpoint_load_optimizer(const char *folder, Optimizer *optimizer, Error *err);
// The checkpoint that the weights of a folder are of, a checkpoint's or a run's: malloc, the
// caller's. NULL: they are of none.
char *checkpoint_of_weights(const char *folder);

#endif
