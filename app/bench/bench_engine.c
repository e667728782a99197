// bench_engine.c - measurements of the engine: the toy, its tape, whole processes.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/bench/bench.h"
#include "app/bench/bench_model.h"

static const BatchShape TOY_BATCH = {2, 2, 3};

void bench_toy(BenchReport *report) {
    BenchModel run;
    if (bench_model_open(&run, "toy-copy", TOY_BATCH, report->device, 1, &report->err)) {
        double time = bench_fastest(bench_model_step, &run, 20);
        bench_record(report, &(BenchRecord){"toy: training steps, batch 2, one core", 1.0 / time,
                                            "steps/s", "goal", 20000.0});
    }
    bench_model_close(&run);
}

static void rebuild(void *context) {
    BenchModel *run = context;
    Error err = {""};
    model_tape_free(&run->built);
    bench_model_build(run, TOY_BATCH, &err);
}

void bench_tape(BenchReport *report) {
    BenchModel run;
    if (bench_model_open(&run, "toy-copy", TOY_BATCH, report->device, 1, &report->err)) {
        double time = bench_fastest(rebuild, &run, 20);
        bench_record(report, &(BenchRecord){.name = "tape: build and allocate the toy's",
                                            .value = time * 1e6,
                                            .unit = "µs"});
    }
    bench_model_close(&run);
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

static const char *device_of(const BenchReport *report) {
    return report->device == NULL ? "cpu" : report->device;
}

void bench_trace(BenchReport *report) {
    const char *const arguments[] = {"attend",   "trace",           "--model",
                                     "toy-copy", "--ids",           "1,5,4;1,3,6",
                                     "--device", device_of(report), NULL};
    record_program(report, "trace: the toy, whole process", arguments, 20.0);
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
    const char *const arguments[] = {
        "attend",  "heatmap", "--model", "gpt2-grid", "--untrained", "--ids",           ids,
        "--layer", "all",     "-o",      path,        "--device",    device_of(report), NULL};
    record_program(report, "heatmap: 12 × 12 heads of 64 tokens, process", arguments, 60.0);
    unlink(path);
}
