// bench_generate.c - measures generation, one text: a step of the cached tape and a greedy choice.
#include <stdio.h>

#include "app/bench/bench.h"
#include "engine/generation/generate.h"
#include "engine/models/preset.h"
#include "engine/generation/sampling.h"
#include "engine/devices/device.h"

typedef struct Case {
    const char *preset;
    int n_threads; // 0: all
    int length;    // tokens of the text; a round goes through all of them
    double goal, goal_int8;
} Case;

typedef struct Run {
    const Case *test;
    Preset preset;
    Model model;
    Device *device;
    Generator generator;
    QuantizedWeights weights;
    Sampler sampler;
    Error err;
} Run;

static bool open_generator(Run *run, const QuantizedWeights *weights, Error *err) {
    GeneratorConfig config = {
        .mode = TAPE_INFER, .n_rows = 1, .capacity = run->test->length, .weights = weights};
    return generator_open(&run->generator, &run->model, run->device, &config, err);
}

static bool run_open(Run *run, const Case *test, const char *device, Error *err) {
    *run = (Run){.test = test, .device = device_open(device, test->n_threads, NULL, err)};
    SamplingConfig sampling = sampling_defaults();
    sampling.temperature = 0.0;
    return run->device != NULL && preset_load(&run->preset, test->preset, err) &&
           model_init(&run->model, &run->preset.config, run->preset.seed, err) &&
           sampler_init(&run->sampler, &sampling, run->model.config.vocab_size, err) &&
           open_generator(run, NULL, err);
}

static void run_close(Run *run) {
    generator_close(&run->generator);
    quantized_free(&run->weights);
    sampler_free(&run->sampler);
    model_free(&run->model);
    preset_free(&run->preset);
    device_close(run->device);
}

static void write_text(void *context) {
    Run *run = context;
    generator_rewind(&run->generator, 0, 0);
    int32_t token = 1;
    for (int i = 0; i < run->test->length; i++) {
        const float *logits = NULL;
        if (!generator_step(&run->generator, &token, &logits, &run->err)) {
            return;
        }
        token = sampler_draw(&run->sampler, logits, NULL, 0, (uint64_t)i, 0);
    }
}

static void record(BenchReport *report, Run *run, const char *weights, double goal) {
    double time = bench_fastest(write_text, run, 5) / run->test->length;
    char name[96];
    snprintf(name, sizeof name, "generate: %s, %s, one text of %d", run->test->preset, weights,
             run->test->length);
    bench_record(report,
                 &(BenchRecord){name, 1.0 / time, "tokens/s", goal > 0.0 ? "goal" : NULL, goal});
    if (report->err.text[0] == '\0' && run->err.text[0] != '\0') {
        report->err = run->err;
    }
}

static bool measure(BenchReport *report, Run *run) {
    record(report, run, "float32", run->test->goal);
    static const WeightFormat FORMATS[] = {WEIGHT_BF16, WEIGHT_INT8};
    for (int i = 0; i < 2; i++) {
        if (!quantized_make(&run->weights, &run->generator.step.tape, FORMATS[i], &report->err)) {
            return false;
        }
        generator_close(&run->generator);
        if (!open_generator(run, &run->weights, &report->err)) {
            return false;
        }
        record(report, run, quantized_format_name(FORMATS[i]),
               FORMATS[i] == WEIGHT_INT8 ? run->test->goal_int8 : 0.0);
        generator_close(&run->generator);
        quantized_free(&run->weights);
        if (!open_generator(run, NULL, &report->err)) {
            return false;
        }
    }
    return true;
}

static void generate(BenchReport *report, const Case *test) {
    Run run;
    if (run_open(&run, test, report->device, &report->err)) {
        measure(report, &run);
    }
    run_close(&run);
}

void bench_generate_tiny(BenchReport *report) {
    generate(report, &(Case){"gpt2-tiny", 1, 64, 45000.0, 0.0});
}

void bench_generate_10m(BenchReport *report) {
    generate(report, &(Case){"gpt2-10m", 0, 128, 360.0, 1700.0});
}

void bench_generate_124m(BenchReport *report) {
    generate(report, &(Case){"gpt2-124m", 0, 32, 38.0, 110.0});
}
