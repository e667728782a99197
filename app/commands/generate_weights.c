// generate_weights.c - weights in fewer bits, and what they cost: how far the logits move.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/generate_run.h"
#include "app/output.h"

typedef struct Trial {
    Model *model;
    Device *device;
    const int32_t *ids;
    int n_ids;
} Trial;

// Logits after the ids. Without weights, those of `made` are made from the tape in passing.
static bool last_logits(const Trial *trial, const QuantizedWeights *weights, QuantizedWeights *made,
                        WeightFormat format, float *values, Error *err) {
    GeneratorConfig config = {
        .mode = TAPE_INFER, .n_rows = 1, .capacity = trial->n_ids, .weights = weights};
    Generator generator;
    const float *logits = NULL;
    if (!generator_open(&generator, trial->model, trial->device, &config, err)) {
        return false;
    }
    bool ok = weights != NULL || generator.step.tape.n_nodes == 0 ||
              quantized_make(made, &generator.step.tape, format, err);
    ok = ok && generator_read(&generator, 0, trial->ids, trial->n_ids - 1, err) &&
         generator_step(&generator, &trial->ids[trial->n_ids - 1], &logits, err);
    ok = ok && sampling_check_logits(logits, trial->model->config.vocab_size, -1, err);
    if (ok) {
        memcpy(values, logits, (size_t)trial->model->config.vocab_size * sizeof *values);
    }
    generator_close(&generator);
    return ok;
}

static void say_error(const QuantizedWeights *weights, int V, const float *exact,
                      const float *narrow) {
    double greatest = 0.0;
    double sum = 0.0;
    for (int i = 0; i < V; i++) {
        double difference = fabs((double)exact[i] - (double)narrow[i]);
        greatest = fmax(greatest, difference);
        sum += difference;
    }
    size_t count = 0;
    for (int i = 0; i < weights->n_matrices; i++) {
        count += (size_t)weights->matrices[i].N * (size_t)weights->matrices[i].K;
    }
    output_say("attend generate: %s weights, %.1f MiB instead of %.1f; the logits after the first "
               "prompt differ by at most %.3g, by %.3g on average",
               quantized_format_name(weights->format), (double)weights->block_bytes / 1048576.0,
               (double)count * 4.0 / 1048576.0, greatest, sum / V);
}

bool generate_weights_make(QuantizedWeights *weights, Model *model, Device *device,
                           WeightFormat format, const int32_t *ids, int n_ids, Error *err) {
    Trial trial = {model, device, ids, n_ids};
    size_t V = (size_t)model->config.vocab_size;
    float *values = calloc(2 * V, sizeof *values);
    if (values == NULL) {
        return error_set(err, "out of memory");
    }
    bool ok = last_logits(&trial, NULL, weights, format, values, err);
    if (ok && weights->n_matrices == 0) {
        ok = error_set(err,
                       "--weights %s: this model's tokens see later ones, so it runs whole texts, "
                       "which needs f32",
                       quantized_format_name(format));
    }
    ok = ok && last_logits(&trial, weights, weights, format, values + V, err);
    if (ok) {
        say_error(weights, (int)V, values, values + V);
    }
    free(values);
    return ok;
}
