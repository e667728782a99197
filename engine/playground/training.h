// training.h - an opened model learns while somebody looks: in slices, with snapshots.
#ifndef ENGINE_PLAYGROUND_TRAINING_H
#define ENGINE_PLAYGROUND_TRAINING_H

#include "engine/playground/training_batch.h"
#include "engine/playground/training_run.h"

enum { TRAINING_SNAPSHOTS = 64 };

// What is trained without an end is learned when so many losses in a row are below a thousandth of
// the first one; it also ends where the loss has stopped to fall (training_run_is_flat). Who trains
// on after that is not stopped again unless the loss rises in between, or stays as flat as long.
enum { TRAINING_LOW_STEPS = 20 };

typedef struct Snapshot {
    int step; // updates done when it was taken
    float *values;
} Snapshot;

// A zeroed one is ready. The weights and the optimizer are the opened model's.
typedef struct Training {
    ModelTape built; // of the fused kind, with gradients
    bool is_built;
    TrainingSource source;
    Batch batch; // of the step that is under way
    int next;    // node of the step that is under way
    TrainingRun run;
    TrainingRun other; // kept to be compared with; n_steps 0: none
    Snapshot snapshots[TRAINING_SNAPSHOTS];
    int n_snapshots;
    int shown;     // the snapshot whose weights are in the model; -1: the newest weights
    int n_wanted;  // steps still to do while it runs; -1: until it is learned or stopped
    bool is_paced; // then it does no more than n_granted steps and waits for more
    int n_granted;
    bool is_learned; // it ended by itself: the loss had stayed low
    bool is_flat;    // or it had stopped to fall
    float *newest;   // the weights of the end of the run, while a snapshot is shown
    double busy_ms;  // spent in training
    double tokens_per_second;
    float lr;
} Training;

void training_free(Training *training);

// The model's configuration or its ids are about to be others, or its weights are put aside: gives
// back the tape, which is built again when training goes on.
void training_rest(Training *training);

// Runs for about budget_ms, or until the steps that are wanted are done. *n_done gets how many
// steps were finished. After it the watched tape's numbers are stale where n_done > 0, or where a
// snapshot was shown. progress is of who waits before the first step, while memory is made ready.
bool training_run_for(Training *training, OpenModel *opened, double budget_ms, int *n_done,
                      Progress *progress, Error *err);

bool training_is_running(const Training *training);
bool training_waits(const Training *training); // it runs, and has done the steps granted to it

// Shows the weights after a step; false where they are not kept. Of n steps the first ones are all
// kept, then fewer the later they are; training_kept says which.
bool training_scrub_to(Training *training, OpenModel *opened, int step);

// The steps whose weights can be shown, as "0-17, 19, 21, 40", into text of so many bytes; where it
// is too short it ends in "...".
void training_kept(const Training *training, char *text, size_t size);

// Shows the weights of the snapshot before (-1) or after (1); false where there is none.
bool training_scrub(Training *training, OpenModel *opened, int direction);

// The update number whose weights are in the model now.
int training_step(const Training *training);

#endif
