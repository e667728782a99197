// bench_train.c - measures training steps of GPTs beside the machine's best product.
#include <stdio.h>

#include "app/bench/bench.h"
#include "app/bench/bench_model.h"
#include "app/machine_speed.h"
#include "engine/devices/device.h"

// The machine's best product: 1024 × 1024 × 1024, through the same backend.
static double best_flops(const char *name) {
    Device *device = device_open(name, 0, NULL, NULL);
    double flops = device == NULL ? 0.0 : machine_speed_flops(device, 1024, 0.2);
    device_close(device);
    return flops;
}

// Of a training step: the products forward and twice as many backward; 12·C² weights a layer, V·C
// for the logits, causal attention T·C.
static double step_flops(const ModelConfig *config, BatchShape shape) {
    double C = config->d_model;
    double L = config->n_layers;
    double T = shape.T;
    return 3.0 * shape.B * T *
           (2.0 * (12.0 * L * C * C + config->vocab_size * C) + 2.0 * L * T * C);
}

static void record(BenchReport *report, const char *preset, BatchShape shape, BenchRecord what) {
    char name[96];
    snprintf(name, sizeof name, "train: %s, %d × %d, %s", preset, shape.B, shape.T, what.name);
    what.name = name;
    bench_record(report, &what);
}

// The product is measured when the model is gone, so that the process' peak memory is a run's.
static void bench_steps(BenchReport *report, const char *preset, BatchShape shape) {
    BenchModel run;
    double time = 0.0;
    double flops = 0.0;
    if (bench_model_open(&run, preset, shape, report->device, 0, &report->err)) {
        time = bench_fastest(bench_model_step, &run, 5);
        flops = step_flops(&run.model.config, shape);
    }
    bench_model_close(&run);
    if (time <= 0.0) {
        return;
    }
    record(report, preset, shape,
           (BenchRecord){.name = "a step", .value = time * 1e3, .unit = "ms"});
    record(report, preset, shape,
           (BenchRecord){.name = "tokens", .value = shape.B * shape.T / time, .unit = "tokens/s"});
    record(report, preset, shape,
           (BenchRecord){"arithmetic", flops / time / 1e9, "GFLOP/s", "sgemm of 1024³ here",
                         best_flops(report->device) / 1e9});
}

void bench_train_tiny(BenchReport *report) {
    bench_steps(report, "gpt2-tiny", (BatchShape){.B = 16, .T = 64});
}

void bench_train_10m(BenchReport *report) {
    bench_steps(report, "gpt2-10m", (BatchShape){.B = 8, .T = 256});
}

void bench_train_10m_long(BenchReport *report) {
    bench_steps(report, "gpt2-10m", (BatchShape){.B = 1, .T = 2048});
}

void bench_train_124m(BenchReport *report) {
    bench_steps(report, "gpt2-124m", (BatchShape){.B = 1, .T = 256});
}

void bench_train_124m_wide(BenchReport *report) {
    bench_steps(report, "gpt2-124m", (BatchShape){.B = 4, .T = 256});
}
