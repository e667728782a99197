// train_run.h - one run of training: everything it holds, from opening to the last checkpoint.
#ifndef APP_TRAIN_TRAIN_RUN_H
#define APP_TRAIN_TRAIN_RUN_H

#include "app/train/tensorboard.h"
#include "app/train/train_log.h"
#include "app/train/train_progress.h"
#include "app/train/train_setup.h"
#include "engine/training/checkpoint.h"
#include "engine/training/group.h"

typedef struct TrainRun {
    const TrainCommand *command;
    TrainSetup setup;
    Arena arena;         // texts of the settings
    Tokenizer tokenizer; // n_pieces 0: none yet
    TextSource source;
    const char *data_folder; // of the shards, in the arena
    TrainerOptions options;
    Device *device;
    Group group;
    Model model;
    Dataset train, held;
    Trainer trainer;
    CheckpointState state; // of the checkpoint that is gone on from, then of the last one
    char *checkpoint;      // its folder; NULL: a new run
    int64_t first_step;    // where this process began, that of the checkpoint
    double first_seconds;  // of training until then
    TrainProgress progress;
    TextMarks marks;
    TrainLog log;
    TensorBoard board;
    int lock; // descriptor, -1: none
    char tokenizer_hash[17];
    char data_hash[DATASET_HASH_BYTES];
    bool wrong_usage; // what failed is what was asked for
    bool made_folder; // it was not there before
    bool trainer_is_open;
    bool save_failed;   // the last checkpoint could not be written
    bool sample_failed; // and that has been said
    bool fails_alone;   // the others do not know that this process fails: it ends them
} TrainRun;

// ---- train_open.c: from the command to something that can be stepped, in this order. What is told
// to be one process' business is called by the one that speaks; the others wait for it.
bool train_open_settings(TrainRun *run, Error *err);
bool train_open_tokenizer(TrainRun *run, Error *err);
bool train_open_source(TrainRun *run, Error *err);
bool train_open_shards(TrainRun *run, Error *err); // makes them: one process' business
bool train_open_splits(TrainRun *run, Error *err);
bool train_open_model(TrainRun *run, Error *err);

// ---- train_check.c: before anything is written
// Chooses the data: what a preset learns from needs no file, whatever files lie around.
bool train_check_data(TrainRun *run, Error *err);
// Refuses options that would have no effect on this run.
bool train_check_used(const TrainRun *run, Error *err);
// What the model and the number of processes allow.
bool train_check_shape(TrainRun *run, Error *err);
// That the data's file can be read; a run that goes on has its tokens.
bool train_check_file(const TrainRun *run, Error *err);

// ---- train_resume.c: the folder, its lock, and the run that is in it
bool train_open_folder(TrainRun *run, Error *err); // makes, locks, cleans it: one process' business
void train_remove_folder(TrainRun *run);           // if it was made for this run and holds nothing
// Opens the checkpoint that is gone on from, with the folder locked; *found false: there is none.
bool train_resume_find(TrainRun *run, bool *found, Error *err);
// Later checkpoints than the one that is gone on from, and the log, go into a folder of their own.
bool train_resume_set_aside(TrainRun *run, Error *err);
bool train_resume_has_any(const TrainRun *run); // a checkpoint is in its folder
// Adds to err, of a step that failed, which checkpoint can be gone on from.
void train_resume_offer(const TrainRun *run, Error *err);

// ---- train_plan.c
bool train_plan_print(TrainRun *run, Error *err);
size_t train_plan_resident_bytes(void); // of this process now
size_t train_plan_peak_bytes(void);     // so far

// ---- train_sample.c: what the model says at this step, of a pair beside source and reference.
// *text is malloc'ed; NULL on failure.
bool train_sample(TrainRun *run, char **text, Error *err);
bool train_sample_check(TrainRun *run, Error *err); // that --prompt can be gone on with

// ---- train_loop.c: steps until the end or a signal; the exit status.
int train_loop(TrainRun *run, Error *err);

// ---- train_run.c: says what went wrong, once for all processes; the exit status. is_understood
// false: err says what is wrong with the command.
int train_run(const TrainCommand *command, bool is_understood, Error *err);

static inline bool train_run_speaks(const TrainRun *run) {
    return run->group.rank == 0;
}

#endif
