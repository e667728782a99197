// bench_model.h - a preset's model on a training tape, with its optimizer, to be measured.
#ifndef APP_BENCH_BENCH_MODEL_H
#define APP_BENCH_BENCH_MODEL_H

#include "engine/models/preset.h"
#include "engine/tape/optimizer.h"

typedef struct BenchModel {
    Preset preset;
    Model model;
    Device *device;
    ModelTape built;
    Optimizer optimizer;
} BenchModel;

// Initial weights, made-up tokens. device as for device_open; n_threads 0: all. To be closed also
// where it fails.
bool bench_model_open(BenchModel *run, const char *preset, BatchShape shape, const char *device,
                      int n_threads, Error *err);
void bench_model_close(BenchModel *run);

// The tape alone, built and allocated; free it with model_tape_free.
bool bench_model_build(BenchModel *run, BatchShape shape, Error *err);

// One training step of a BenchModel: forward, backward, AdamW.
void bench_model_step(void *context);

#endif
