// train_sample.c - what the model says while it learns.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/train_run.h"
#include "engine/decode.h"
#include "kernels/cpu.h"
#include "kernels/random.h"

enum { SAMPLE_TOKENS = 40, SAMPLE_PURPOSE = 0x73616d70 };

// A draw from the softmax of one row of logits, a pure function of the seed, the step and the
// place.
static int32_t draw(const float *logits, int V, uint64_t seed, uint64_t step, int place) {
    double max = -INFINITY;
    double sum = 0.0;
    for (int c = 0; c < V; c++) {
        max = fmax(max, (double)logits[c]);
    }
    for (int c = 0; c < V; c++) {
        sum += exp((double)logits[c] - max);
    }
    double left = sum * (double)random_uniform(seed, SAMPLE_PURPOSE, step, (uint64_t)place);
    for (int c = 0; c < V; c++) {
        left -= exp((double)logits[c] - max);
        if (left < 0.0) {
            return c;
        }
    }
    return V - 1;
}

static bool start_ids(const TrainRun *run, TokenIds *ids, Error *err) {
    const Tokenizer *tokenizer = &run->tokenizer;
    int start = tokenizer->bos_id >= 0 ? tokenizer->bos_id : tokenizer->eos_id;
    if (start >= 0) {
        token_ids_append(ids, start);
    }
    const char *prompt = run->settings.prompt != NULL ? run->settings.prompt
                         : start >= 0                 ? ""
                                                      : "The";
    return tokenizer_encode(tokenizer, prompt, strlen(prompt), ids, NULL, err);
}

// One tape as long as the sample, run again for every token: simple, and it is only now and then.
static bool continue_text(TrainRun *run, TokenIds *ids, Error *err) {
    int most = run->config.n_positions > 0 && run->config.n_positions < run->settings.length
                   ? run->config.n_positions
                   : run->settings.length;
    int T = most < SAMPLE_TOKENS + (int)ids->count ? most : SAMPLE_TOKENS + (int)ids->count;
    ModelTape built = {.nodes = {.source = NULL}};
    float dropout = run->model.config.dropout;
    run->model.config.dropout = 0.0F;
    bool ok = model_tape_build(&built, &run->model, TAPE_INFER, &CPU_BACKEND, run->device,
                               (BatchShape){1, T, 0}, TAPE_LOGITS, err) &&
              tape_allocate(&built.tape, err);
    run->model.config.dropout = dropout;
    int32_t *row = calloc((size_t)T, sizeof *row);
    while (ok && row != NULL && (int)ids->count < T) {
        memcpy(row, ids->ids, ids->count * sizeof *row);
        tape_set_ids(built.nodes.tokens, row);
        tape_run(&built.tape);
        int V = run->config.vocab_size;
        const float *logits = built.nodes.logits->data + (ids->count - 1) * (size_t)V;
        int n_known = run->tokenizer.n_pieces < V ? run->tokenizer.n_pieces : V;
        int32_t id = draw(logits, n_known, (uint64_t)run->settings.seed,
                          (uint64_t)run->trainer.step, (int)ids->count);
        token_ids_append(ids, id);
        if (id == run->tokenizer.eos_id) {
            break;
        }
    }
    free(row);
    model_tape_free(&built);
    return ok;
}

static bool sample_text(TrainRun *run, char **text, Error *err) {
    TokenIds ids = {0};
    size_t length = 0;
    bool ok = start_ids(run, &ids, err) && continue_text(run, &ids, err) &&
              tokenizer_decode(&run->tokenizer, ids.ids, ids.count, text, &length, err);
    token_ids_free(&ids);
    return ok;
}

// The first held-out pair (else the first one), decoded greedily.
static bool sample_pair(TrainRun *run, char **text, Error *err) {
    Dataset *dataset = run->held.count > 0 ? &run->held : &run->train;
    DataBatch batch = {0};
    Decoding decoding = {.n_steps = 0};
    if (!dataset_read_in_order(dataset, 0, 1, run->config.pad_id, &batch, err)) {
        return false;
    }
    int S = batch.S;
    while (S > 1 && batch.source[S - 1] == run->config.pad_id) {
        S--;
    }
    BeamConfig config = {
        .width = 1, .max_length = 2 * S + 8, .alpha = 0.0F, .end_id = run->marks.eos_id};
    config.max_length = config.end_id < 0 ? S - 1 : config.max_length;
    float dropout = run->model.config.dropout;
    run->model.config.dropout = 0.0F;
    size_t length = 0;
    bool ok = decode_beam(&decoding, &run->model, &CPU_BACKEND, run->device, batch.source, S,
                          &config, err) &&
              tokenizer_decode(&run->tokenizer, decoding.best->ids, (size_t)decoding.best->n_ids,
                               text, &length, err);
    run->model.config.dropout = dropout;
    decode_free(&decoding);
    data_batch_free(&batch);
    return ok;
}

bool train_sample(TrainRun *run, char **text, Error *err) {
    *text = NULL;
    return config_has_two_sides(&run->config) ? sample_pair(run, text, err)
                                              : sample_text(run, text, err);
}
