// training_run.c - what was measured at each step of a run of training, in bounded memory.
#include "engine/playground/training_run.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 512, SPARE = 4, GROUP = 4 };

void training_run_free(TrainingRun *run) {
    free(run->losses);
    free(run->norms);
    free(run->steps);
    *run = (TrainingRun){.n_kept = 0};
}

static bool grow(TrainingRun *run, int capacity) {
    float *losses = realloc(run->losses, (size_t)capacity * sizeof *losses);
    if (losses == NULL) {
        return false;
    }
    run->losses = losses;
    float *norms = realloc(run->norms, (size_t)capacity * sizeof *norms);
    if (norms == NULL) {
        return false;
    }
    run->norms = norms;
    int *steps = realloc(run->steps, (size_t)capacity * sizeof *steps);
    if (steps == NULL) {
        return false;
    }
    run->steps = steps;
    run->capacity = capacity;
    return true;
}

static bool reserve(TrainingRun *run) {
    if (run->n_kept < run->capacity) {
        return true;
    }
    int capacity = run->capacity == 0 ? FIRST_CAPACITY : 2 * run->capacity;
    return grow(run, capacity > TRAINING_RUN_KEPT ? TRAINING_RUN_KEPT + SPARE : capacity);
}

static void move(TrainingRun *run, int to, int from) {
    run->losses[to] = run->losses[from];
    run->norms[to] = run->norms[from];
    run->steps[to] = run->steps[from];
}

// Moves the values with the smallest and the largest loss of a group to `to`, in their order, and
// says where the next one belongs.
static int keep_extremes(TrainingRun *run, int to, int first, int end) {
    int low = first;
    int high = first;
    for (int i = first + 1; i < end; i++) {
        low = run->losses[i] < run->losses[low] ? i : low;
        high = run->losses[i] > run->losses[high] ? i : high;
    }
    int one = low < high ? low : high;
    int two = low < high ? high : low;
    if (one == two) { // all are equal, or none is a number
        two = end - 1;
    }
    move(run, to++, one);
    if (two > one) {
        move(run, to++, two);
    }
    return to;
}

// Where all places are taken, half of the later values go.
static void thin_out(TrainingRun *run) {
    int to = TRAINING_RUN_WHOLE;
    for (int i = TRAINING_RUN_WHOLE; i < run->n_kept; i += GROUP) {
        to = keep_extremes(run, to, i, i + GROUP < run->n_kept ? i + GROUP : run->n_kept);
    }
    run->n_kept = to;
    run->n_closed = to;
    run->stride = run->stride == 0 ? 2 : 2 * run->stride;
}

static int group_of(const TrainingRun *run, int step) {
    return (step - 1) / (2 * run->stride);
}

// The newest value has been put behind those of its group, or begins one.
static void close_group(TrainingRun *run) {
    int newest = run->n_kept - 1;
    bool begins = group_of(run, run->steps[newest]) != group_of(run, run->steps[newest - 1]);
    if (newest - run->n_closed > 2) {
        int to = keep_extremes(run, run->n_closed, run->n_closed, newest);
        move(run, to, newest);
        run->n_kept = to + 1;
    }
    if (begins) {
        run->n_closed = run->n_kept - 1;
    }
}

static void take_mean(TrainingRun *run, float loss) {
    static const float FRESH = 1.0F / 50.0F;
    static const float FALLS = 0.99F;
    const bool is_first = run->n_steps == 1;
    run->smooth = is_first ? loss : run->smooth + FRESH * (loss - run->smooth);
    if (is_first || run->smooth < FALLS * run->lowest) {
        run->lowest = run->smooth;
        run->lowest_step = run->n_steps;
    }
}

bool training_run_is_flat(const TrainingRun *run) {
    enum { LEAST_STEPS = 500, PART = 3 };
    const int n_flat = run->n_steps - run->lowest_step;
    return n_flat >= LEAST_STEPS && n_flat >= run->n_steps / PART;
}

void training_run_go_on(TrainingRun *run) {
    run->lowest_step = run->n_steps;
}

void training_run_append(TrainingRun *run, float loss, float norm) {
    static const float LOW = 1e-3F; // of the first loss
    run->n_steps++;
    run->first_loss = run->n_steps == 1 ? loss : run->first_loss;
    take_mean(run, loss);
    run->n_low = loss < LOW * run->first_loss ? run->n_low + 1 : 0;
    if (run->n_kept >= TRAINING_RUN_KEPT) {
        thin_out(run);
    }
    if (!reserve(run)) {
        return;
    }
    run->losses[run->n_kept] = loss;
    run->norms[run->n_kept] = norm;
    run->steps[run->n_kept] = run->n_steps;
    run->n_kept++;
    if (run->stride > 0) {
        close_group(run);
    }
}

TrainingRun training_run_copy(const TrainingRun *run) {
    TrainingRun copy = {.n_kept = 0};
    if (run->n_kept == 0 || !grow(&copy, run->n_kept)) {
        training_run_free(&copy);
        return copy;
    }
    size_t n = (size_t)run->n_kept;
    memcpy(copy.losses, run->losses, n * sizeof *run->losses);
    memcpy(copy.norms, run->norms, n * sizeof *run->norms);
    memcpy(copy.steps, run->steps, n * sizeof *run->steps);
    TrainingRun all = *run;
    all.losses = copy.losses;
    all.norms = copy.norms;
    all.steps = copy.steps;
    all.capacity = copy.capacity;
    return all;
}

int training_run_find(const TrainingRun *run, int step) {
    int from = 0;
    int end = run->n_kept;
    while (from < end) {
        int middle = from + (end - from) / 2;
        if (run->steps[middle] < step) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    return from < run->n_kept && run->steps[from] == step ? from : -1;
}

float training_run_loss(const TrainingRun *run) {
    return run->n_kept > 0 ? run->losses[run->n_kept - 1] : 0.0F;
}

size_t training_run_bytes(const TrainingRun *run) {
    return (size_t)run->capacity * (2 * sizeof(float) + sizeof(int));
}
