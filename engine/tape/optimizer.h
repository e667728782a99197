// optimizer.h - AdamW and plain SGD, clipping, and the learning rate's schedule.
//
// The trainer updates in place (optimizer_step); a watched tape has the same as nodes:
// optimizer_append, then, after a run, optimizer_commit. Both give the same numbers.
#ifndef ENGINE_TAPE_OPTIMIZER_H
#define ENGINE_TAPE_OPTIMIZER_H

#include <stdint.h>

#include "engine/tape/params.h"
#include "engine/tape/tape.h"

typedef enum OptimizerKind { OPTIMIZER_ADAMW, OPTIMIZER_SGD } OptimizerKind;

typedef struct OptimizerConfig {
    OptimizerKind kind;
    float lr; // what the schedule scales
    float beta1;
    float beta2;
    float eps;
    float decay;
    float clip; // the largest norm a gradient may have; 0: any
} OptimizerConfig;

typedef enum ScheduleKind {
    SCHEDULE_CONSTANT,
    // (n_steps - step + 1) / (n_steps - n_warmup): 0 would come after n_steps.
    SCHEDULE_LINEAR,
    // From 1 to a tenth, which would come after n_steps: transformers' cosine_with_min_lr with
    // min_lr_rate 0.1.
    SCHEDULE_COSINE,
    SCHEDULE_2017, // d_model^-0.5 · min(step^-0.5, step · n_warmup^-1.5), times lr      Vaswani et
                   // al. 2017, section 5.3
} ScheduleKind;

// What they are called in presets, options and runs, by their kind.
enum { N_OPTIMIZERS = OPTIMIZER_SGD + 1, N_SCHEDULES = SCHEDULE_2017 + 1 };
extern const char *const OPTIMIZER_NAMES[N_OPTIMIZERS];
extern const char *const SCHEDULE_NAMES[N_SCHEDULES];

// After the warm-up the rates are those of transformers' schedules of these names, whose steps
// count from 0. The warm-up is one step ahead: there the first step has rate 0 and learns nothing.
typedef struct Schedule {
    ScheduleKind kind;
    int64_t n_warmup; // steps that rise in a line from 0
    int64_t n_steps;
    int d_model; // of SCHEDULE_2017
} Schedule;

// The learning rate of step number `step`, the first being 1.
float schedule_lr(const Schedule *schedule, float lr, int64_t step);

typedef struct Optimizer {
    OptimizerConfig config;
    Params m; // laid out as the model's parameters; empty for SGD
    Params v;
    int64_t step;                     // updates done
    Device *device;                   // borrowed; where it has updated in place, else NULL
    struct OptimizerScratch *scratch; // of the device
} Optimizer;

// The defaults of the references: lr 1e-2, betas 0.9 and 0.98, eps 1e-9, decay 0.01, no clipping.
OptimizerConfig optimizer_defaults(void);

// False when there is no memory for the state.
bool optimizer_init(Optimizer *optimizer, const OptimizerConfig *config, const Params *params);
// The same for who waits: the state of a large model is memory that is slow to touch.
bool optimizer_init_watched(Optimizer *optimizer, const OptimizerConfig *config,
                            const Params *params, Progress *progress, Error *err);
void optimizer_free(Optimizer *optimizer);

// One update in place.
typedef struct Update {
    Array gradients; // laid out as the parameters
    float lr;
    float scale;   // multiplies the gradients first (one over the number of micro-batches); then
                   // they are clipped
    bool measures; // their norm is asked for; also where they are clipped
    Array losses;  // of the micro-batches, or none
    int n_losses;
} Update;

// Queues it on the device. Where the norm is measured and it, or one of the losses, is not finite,
// the device updates nothing: not a weight would be a number after it. Fails without memory.
bool optimizer_begin(Optimizer *optimizer, Params *params, const Update *update, Device *device,
                     Error *err);
// Waits for it. Where the norm was measured: *norm gets it, before clipping, and *updated whether
// anything was. False with a sentence where the device failed.
bool optimizer_end(Optimizer *optimizer, const Update *update, double *norm, bool *updated,
                   Error *err);

// Both, for tests and small tapes; *norm may be NULL: then it is not measured. False with a
// sentence where the device failed or has no memory.
bool optimizer_step(Optimizer *optimizer, Params *params, Array gradients, float lr, float scale,
                    Device *device, double *norm);

// Appends update nodes for every parameter that has a gradient on this watched tape, under
// "update.<parameter>", where they are clipped the factor as "update.clip", and their state as
// "update.m.<parameter>", "update.v.<parameter>". The optimizer has to outlive the tape.
void optimizer_append(Optimizer *optimizer, Tape *tape);

// Before the update nodes run: sets what differs from step to step (rate and corrections). After
// they ran: copies next parameters and state over the old ones.
void optimizer_prepare(const Optimizer *optimizer, Tape *tape, float lr);
void optimizer_commit(Optimizer *optimizer, Tape *tape);

#endif
