// training_run.h - what was measured at each step of a run of training, in bounded memory.
#ifndef ENGINE_PLAYGROUND_TRAINING_RUN_H
#define ENGINE_PLAYGROUND_TRAINING_RUN_H

#include <stdbool.h>
#include <stddef.h>

// The first TRAINING_RUN_WHOLE steps are kept, and all of them up to TRAINING_RUN_KEPT. In longer
// runs the later steps are kept in groups of equal length: of each group the step with the smallest
// loss and the one with the largest. The newest step is always kept, and always the last.
enum { TRAINING_RUN_KEPT = 4096, TRAINING_RUN_WHOLE = 1024 };

// A zeroed one is empty.
typedef struct TrainingRun {
    float *losses; // n_kept
    float *norms;  // of the gradients, n_kept
    int *steps;    // their numbers, from 1, n_kept; while all are kept step s is at s - 1
    int n_kept, capacity;
    int n_steps;
    int stride;       // steps of a group are twice that; 0: all steps are kept
    int n_closed;     // values before the newest group
    int n_low;        // the newest steps whose losses are below a thousandth of the first one
    float first_loss; // of step 1
    float smooth;     // mean of the losses, the newer the heavier: of about the last 50
    float lowest;     // such a mean that none was a hundredth below since
    int lowest_step;  // when it was
} TrainingRun;

void training_run_free(TrainingRun *run);

// Without memory the step is not kept.
void training_run_append(TrainingRun *run, float loss, float norm);

// A copy, the caller's; without memory an empty one.
TrainingRun training_run_copy(const TrainingRun *run);

// Where a step is kept, -1: it is not.
int training_run_find(const TrainingRun *run, int step);

// Whether the loss has stopped to fall: for a third of all steps, and for 500 of them, the mean of
// the last 50 has not gone down by a hundredth.
bool training_run_is_flat(const TrainingRun *run);
// Counts those steps from now on.
void training_run_go_on(TrainingRun *run);

// The loss of the newest step; 0 where there is none.
float training_run_loss(const TrainingRun *run);

size_t training_run_bytes(const TrainingRun *run);

#endif
