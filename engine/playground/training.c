// training.c - an opened model learns while somebody looks: in slices, with snapshots.
//
// Not by the Trainer of engine/training: that reads batches by their number from tokenized files,
// does a whole step or none, and owns its optimizer. Here the ids are those on the screen or pairs
// made on the way, a step stops after any node so that a key is answered, and the means are the
// ones that the steps of the update show and that undo puts aside. What both do, the tape and
// optimizer_step do.
#include "engine/playground/training.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/models/family.h"
#include "engine/playground/snapshots.h"

// An update of more takes longer than a key may wait.
enum { MAX_TRAINED = 80 * 1000 * 1000 };

void training_rest(Training *training) {
    if (training->is_built) {
        model_tape_free(&training->built);
    }
    batch_free(&training->batch);
    training->is_built = false;
    training->next = 0;
}

void training_free(Training *training) {
    training_rest(training);
    snapshots_forget(training);
    training_run_free(&training->run);
    training_run_free(&training->other);
    *training = (Training){.shown = -1};
}

// ---- what it learns from

// Without memory the old pairs come again.
static void take_next_pairs(Training *training, const OpenModel *opened) {
    Batch next;
    Error ignored = {""};
    if (training->source.moves &&
        training_batch_make(&next, &training->source, opened, training->run.n_steps, &ignored)) {
        batch_free(&training->batch);
        training->batch = next;
        batch_fill(&training->batch, &training->built);
    }
}

static bool build(Training *training, OpenModel *opened, Progress *progress, Error *err) {
    size_t n_values = opened->named.model.params.n_values;
    if (family_of(&opened->named.model.config)->fit != NULL) {
        return error_set(err, "%s is fitted to its points at once: there is nothing to train",
                         opened->named.name);
    }
    if (n_values > MAX_TRAINED) {
        return error_set(err,
                         "%.0f million weights: at most %d million are trained here; `attend "
                         "train` trains larger models",
                         1e-6 * (double)n_values, MAX_TRAINED / 1000000);
    }
    if (opened->optimizer.m.count == 0) {
        OptimizerConfig config = optimizer_defaults();
        if (!optimizer_init_watched(&opened->optimizer, &config, &opened->named.model.params,
                                    progress, err)) {
            return false;
        }
    }
    training->source = training_source_find(opened);
    training->lr = training->source.lr;
    if (!training_batch_make(&training->batch, &training->source, opened, training->run.n_steps,
                             err) ||
        !model_tape_build(&training->built, &opened->named.model, TAPE_TRAIN, opened->device,
                          training->batch.shape, TAPE_GRADIENTS, err)) {
        return false;
    }
    training->is_built = true;
    training->built.tape.progress = progress;
    if (!tape_allocate(&training->built.tape, err)) {
        return false;
    }
    batch_fill(&training->batch, &training->built);
    training->next = 0;
    return true;
}

// ---- steps

static void finish_step(Training *training, OpenModel *opened) {
    Tape *tape = &training->built.tape;
    double norm = 0.0;
    optimizer_step(&opened->optimizer, &opened->named.model.params, tape->gradients, training->lr,
                   1.0F, opened->device, &norm);
    TrainingRun *run = &training->run;
    training_run_append(run, *tape_values(tape, tape->loss), (float)norm);
    snapshots_take(training, &opened->named.model.params);
    take_next_pairs(training, opened);
    training->next = 0;
    training->n_granted -= training->is_paced;
    if (training->n_wanted > 0) {
        training->n_wanted--;
    } else if (run->n_low == TRAINING_LOW_STEPS) {
        training->n_wanted = 0;
        training->is_learned = true;
    } else if (training_run_is_flat(run)) {
        training->n_wanted = 0;
        training->is_flat = true;
        training_run_go_on(run);
    }
}

bool training_is_running(const Training *training) {
    return training->n_wanted != 0;
}

bool training_waits(const Training *training) {
    return training_is_running(training) && training->is_paced && training->n_granted <= 0;
}

bool training_run_for(Training *training, OpenModel *opened, double budget_ms, int *n_done,
                      Progress *progress, Error *err) {
    *n_done = 0;
    if (!training->is_built && !build(training, opened, progress, err)) {
        training_rest(training);
        training->n_wanted = 0;
        return false;
    }
    if (training->newest != NULL) {
        snapshots_show_newest(training, opened);
    }
    if (training->run.n_steps == 0 && training->n_snapshots == 0) {
        snapshots_take(training, &opened->named.model.params);
    }
    training->is_learned = false;
    training->is_flat = false;
    double start_ms = clock_ms();
    double end_ms = start_ms + budget_ms;
    double left_ms = budget_ms;
    while (training_is_running(training) && !training_waits(training)) {
        tape_set_draw(&training->built.tape, (uint64_t)opened->optimizer.step);
        if (tape_run_for(&training->built.tape, &training->next, left_ms)) {
            finish_step(training, opened);
            ++*n_done;
        }
        left_ms = end_ms - clock_ms();
        if (left_ms <= 0.0) {
            break;
        }
    }
    double spent_ms = clock_ms() - start_ms;
    training->busy_ms += spent_ms;
    int n_tokens = training->batch.shape.B * training->batch.shape.T;
    if (*n_done > 0 && spent_ms > 0.0) {
        training->tokens_per_second = 1e3 * *n_done * n_tokens / spent_ms;
        tape_set_draw(&opened->built.tape, (uint64_t)opened->optimizer.step);
    }
    return true;
}
