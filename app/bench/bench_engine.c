// bench_engine.c - measurements of the engine: the toy, tapes, whole processes, a GPT.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/bench/bench.h"
#include "engine/models/preset.h"
#include "engine/training/toy.h"
#include "kernels/cpu.h"

// A preset's model on a training tape, with its optimizer.
typedef struct Run {
    Preset preset;
    Model model;
    Device *device;
    ModelTape built;
    Optimizer optimizer;
} Run;

static void fill_ids(Node *node, int vocab_size) {
    size_t count = node == NULL ? 0 : shape_count(&node->shape);
    for (size_t i = 0; i < count; i++) {
        node->ids[i] = 3 + (int32_t)(i * 7 % (size_t)(vocab_size - 3));
    }
}

static bool build(Run *run, BatchShape shape, Error *err) {
    return model_tape_build(&run->built, &run->model, TAPE_TRAIN, &CPU_BACKEND, run->device, shape,
                            TAPE_GRADIENTS, err) &&
           tape_allocate(&run->built.tape, err);
}

static bool run_open(Run *run, const char *name, BatchShape shape, int n_threads, Error *err) {
    *run = (Run){.device = cpu_open(n_threads)};
    bool ok = run->device != NULL && preset_load(&run->preset, name, err) &&
              model_init(&run->model, &run->preset.config, run->preset.seed, err) &&
              build(run, shape, err) &&
              optimizer_init(&run->optimizer, &run->preset.training.optimizer, &run->model.params);
    if (ok) {
        int V = run->model.config.vocab_size;
        fill_ids(run->built.nodes.source, V);
        fill_ids(run->built.nodes.tokens, V);
        fill_ids(run->built.nodes.labels, V);
    }
    return ok;
}

static void run_close(Run *run) {
    model_tape_free(&run->built);
    optimizer_free(&run->optimizer);
    model_free(&run->model);
    preset_free(&run->preset);
    cpu_close(run->device);
}

static void step(void *context) {
    Run *run = context;
    tape_run(&run->built.tape);
    optimizer_step(&run->optimizer, &run->model.params, run->built.tape.gradients, 1e-4F, 1.0F,
                   &CPU_BACKEND, run->device, NULL);
}

static const BatchShape TOY_BATCH = {2, 2, 3};

void bench_toy(BenchReport *report) {
    Run run;
    if (run_open(&run, "toy-copy", TOY_BATCH, 1, &report->err)) {
        double time = bench_fastest(step, &run, 20);
        bench_record(report, &(BenchRecord){"toy: training steps, batch 2, one core", 1.0 / time,
                                            "steps/s", "goal", 20000.0});
    }
    run_close(&run);
}

static void rebuild(void *context) {
    Run *run = context;
    Error err = {""};
    model_tape_free(&run->built);
    build(run, TOY_BATCH, &err);
}

void bench_tape(BenchReport *report) {
    Run run;
    if (run_open(&run, "toy-copy", TOY_BATCH, 1, &report->err)) {
        double time = bench_fastest(rebuild, &run, 20);
        bench_record(report, &(BenchRecord){.name = "tape: build and allocate the toy's",
                                            .value = time * 1e6,
                                            .unit = "µs"});
    }
    run_close(&run);
}

static void record_program(BenchReport *report, const char *name, const char *const *arguments,
                           double goal_ms) {
    double time = bench_program(arguments, 15);
    if (time < 0.0) {
        error_set(&report->err, "%s: the program could not be run", name);
        return;
    }
    bench_record(report, &(BenchRecord){name, time * 1e3, "ms", "goal", goal_ms});
}

void bench_trace(BenchReport *report) {
    static const char *const ARGUMENTS[] = {"attend", "trace",       "--model", "toy-copy",
                                            "--ids",  "1,5,4;1,3,6", NULL};
    record_program(report, "trace: the toy, whole process", ARGUMENTS, 20.0);
}

void bench_heatmap(BenchReport *report) {
    char ids[64 * 4] = "1";
    size_t length = 1;
    for (int i = 1; i < 64; i++) {
        length += (size_t)snprintf(ids + length, sizeof ids - length, ",%d", i * 37 % 100);
    }
    char path[] = "/tmp/attend-bench-XXXXXX.png";
    int file = mkstemps(path, 4);
    if (file < 0) {
        error_set(&report->err, "%s: cannot be made", path);
        return;
    }
    close(file);
    const char *const arguments[] = {"attend",      "heatmap", "--model", "gpt2-grid",
                                     "--untrained", "--ids",   ids,       "--layer",
                                     "all",         "-o",      path,      NULL};
    record_program(report, "heatmap: 12 × 12 heads of 64 tokens, process", arguments, 60.0);
    unlink(path);
}

// The machine's best product: 1024 × 1024 × 1024, through the same backend.
typedef struct Square {
    Device *device;
    float *numbers; // three matrices
} Square;

enum { SQUARE = 1024 };

static void multiply(void *context) {
    Square *square = context;
    const size_t n = (size_t)SQUARE * SQUARE;
    Product product = {.M = SQUARE,
                       .N = SQUARE,
                       .K = SQUARE,
                       .stride_a = SQUARE,
                       .stride_b = SQUARE,
                       .stride_y = SQUARE,
                       .outer = 1,
                       .inner = 1,
                       .scale = 1.0F};
    CPU_BACKEND.product(square->device, &product, square->numbers, square->numbers + n,
                        square->numbers + 2 * n, NULL);
}

static double best_flops(Device *device) {
    const size_t n = (size_t)SQUARE * SQUARE;
    Square square = {device, calloc(3 * n, sizeof(float))};
    if (square.numbers == NULL) {
        return 0.0;
    }
    for (size_t i = 0; i < 3 * n; i++) {
        square.numbers[i] = (float)(i % 7) - 3.0F;
    }
    double time = bench_fastest(multiply, &square, 5);
    free(square.numbers);
    return 2.0 * SQUARE * SQUARE * SQUARE / time;
}

void bench_gpt(BenchReport *report) {
    enum { B = 8, T = 256 };
    Run run;
    if (run_open(&run, "gpt2-10m", (BatchShape){.B = B, .T = T}, 0, &report->err)) {
        double time = bench_fastest(step, &run, 3);
        double best = best_flops(run.device);
        const ModelConfig *config = &run.model.config;
        double C = config->d_model;
        double L = config->n_layers;
        // Forward, and twice as much backward: 12·C² weights a layer, V·C for the logits, causal
        // attention T·C.
        double flops =
            3.0 * B * T * (2.0 * (12.0 * L * C * C + config->vocab_size * C) + 2.0 * L * T * C);
        bench_record(report, &(BenchRecord){.name = "gpt 6 × 384, batch 8 × 256: a training step",
                                            .value = time * 1e3,
                                            .unit = "ms"});
        bench_record(report, &(BenchRecord){.name = "gpt 6 × 384, batch 8 × 256: tokens",
                                            .value = B * T / time,
                                            .unit = "tokens/s"});
        bench_record(report,
                     &(BenchRecord){"gpt 6 × 384, batch 8 × 256: arithmetic", flops / time / 1e9,
                                    "GFLOP/s", "sgemm of 1024³ here", best / 1e9});
    }
    run_close(&run);
}
