// size_plan.h - how large a model is, and how long it trains on a given device: what is asked on
// one line, and the answer.
#ifndef ENGINE_PLAYGROUND_SIZE_PLAN_H
#define ENGINE_PLAYGROUND_SIZE_PLAN_H

#include "engine/playground/model_input.h"
#include "engine/training/model_size.h"

enum { SIZE_PLAN_BYTES = 256 };

typedef struct SizePlan {
    char name[64];
    char question[SIZE_PLAN_BYTES]; // the line
    ModelSize size;                 // of one process
    int n_processes;                // that share a batch
    int64_t n_steps;                // of the whole training; 0: not known
    double flops;                   // that a process' device does a second at most; 0: not said
    bool is_said;                   // else they were measured
    double percent;                 // of them that are put to use
} SizePlan;

// "transformer-base --batch 32 --processes 8 --tflops 9.5 --percent 30": a preset's name or a
// folder, without one the model that is open (NULL: none), as it is now.
bool size_plan_read(SizePlan *plan, const OpenModel *opened, const char *line, Error *err);

double size_plan_seconds(const SizePlan *plan); // of a step

// A number by its name: those of model_size_find, "tokens" of a step of all processes, "seconds" of
// a step, "hours" of all steps.
bool size_plan_find(const SizePlan *plan, const char *name, double *value, Error *err);

#endif
