// trainer.h - steps of training: batches, gradients over micro-batches and processes, updates.
#ifndef ENGINE_TRAINING_TRAINER_H
#define ENGINE_TRAINING_TRAINER_H

#include "engine/training/dataset.h"
#include "engine/training/group.h"
#include "engine/models/model.h"
#include "engine/tape/optimizer.h"

enum { TRAINER_MAX_TAPES = 16 };

typedef struct TrainerOptions {
    int batch;      // sequences a micro-batch, all processes together
    int accumulate; // micro-batches a step
    OptimizerConfig optimizer;
    Schedule schedule;
    uint64_t seed;        // of dropout
    int eval_batches;     // of batch * accumulate sequences at most, of held-out data
    size_t bucket_floats; // gradients that processes sum in one go; 0: the usual
} TrainerOptions;

// Tapes of one length are kept: pairs come in many lengths.
typedef struct TrainerTape {
    ModelTape built; // its gradients are the trainer's
    uint64_t used;   // when last
    int *bucket_end; // with a group: the node after which a bucket's gradients are whole
} TrainerTape;

// A range of the gradients that is summed over the processes in one go.
typedef struct GradientBucket {
    size_t first, count;
} GradientBucket;

typedef struct Trainer {
    TrainerOptions options;
    Model *model;   // all borrowed
    Dataset *train; // may be NULL while only memory is asked for
    Dataset *held;  // NULL or empty: no evaluation
    Device *device;
    Group *group; // NULL: one process
    Optimizer optimizer;
    Array gradients; // of the last micro-batch, laid out as the parameters
    Array losses;    // of this step's micro-batches, options.accumulate numbers
    double *shares;  // of the labels, that each of them has
    float *read;     // the losses, once they are on the host
    Array sum;       // over micro-batches; none where there is one
    TrainerTape tapes[TRAINER_MAX_TAPES];
    int n_tapes;
    size_t widest_bytes; // of the widest tape so far
    GradientBucket *buckets;
    int n_buckets;
    DataBatch batch;
    uint64_t clock; // counts the uses of tapes
    int64_t step;   // steps done; set it to go on with a run
} Trainer;

// model, data and device outlive the trainer.
typedef struct TrainerParts {
    Model *model;
    Dataset *train;
    Dataset *held;
    Device *device;
    Group *group;
} TrainerParts;

// Fails without memory, and where the batch cannot be split among the processes.
bool trainer_init(Trainer *trainer, const TrainerParts *parts, const TrainerOptions *options,
                  Error *err);
void trainer_free(Trainer *trainer);

typedef struct TrainerReport {
    int64_t step; // of this update, from 1
    double loss;  // mean over the labels of all micro-batches and processes, before the update
    double norm;  // of the gradient, before clipping
    double lr;
    uint64_t n_labels; // that counted
    uint64_t n_tokens; // read, padding included
    double flops;      // of the products, this process alone
    double seconds;    // that the step took
} TrainerReport;

// One update from options.accumulate micro-batches, which together are one batch of batch *
// accumulate sequences. Which data, and every draw, is a function of the seeds and the step:
// however a batch is cut into micro-batches and shared among processes, it has the same loss but
// for rounding. A loss or a gradient's norm that is no number is a failure, of all processes alike
// (report has it): nothing is updated.
bool trainer_step(Trainer *trainer, TrainerReport *report, Error *err);

// Whether a step that failed did so for that reason.
bool trainer_diverged(const TrainerReport *report);

// Mean loss a label over held-out data, without dropout; the same sequences each time.
bool trainer_evaluate(Trainer *trainer, double *loss, Error *err);

// Bytes of each kind that a run will hold; what it was before (`base`) is not in it.
typedef struct TrainerMemory {
    size_t parameters, optimizer, gradients, tape, batch, total;
} TrainerMemory;

// Lays the widest tape out without running it. shape: of one process' share of a micro-batch.
bool trainer_plan_memory(const ModelConfig *config, const TrainerOptions *options, BatchShape shape,
                         TrainerMemory *memory, size_t *n_parameters, double *flops, Error *err);

#endif
