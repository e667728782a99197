// train_sample.c - what the model says while it learns.
#include <string.h>

#include "app/train/train_run.h"
#include "engine/generation/decode.h"
#include "engine/generation/generate.h"
#include "engine/generation/sampling.h"
#include "kernels/cpu.h"

enum { SAMPLE_TOKENS = 40 };

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

// The next token after ids, the last of which the generator has not seen yet.
static bool append_next(TrainRun *run, Generator *generator, Sampler *sampler, TokenIds *ids,
                        Error *err) {
    const float *logits = NULL;
    if (!generator_step(generator, &ids->ids[ids->count - 1], &logits, err)) {
        return false;
    }
    int32_t id = sampler_draw(sampler, logits, ids->ids, (int)ids->count, ids->count, 0);
    token_ids_append(ids, id);
    return id != run->tokenizer.eos_id;
}

static bool continue_text(TrainRun *run, TokenIds *ids, Error *err) {
    int most =
        run->config.n_positions > 0 ? run->config.n_positions : (int)ids->count + SAMPLE_TOKENS;
    GeneratorConfig config = {
        .mode = TAPE_INFER, .n_rows = 1, .capacity = (int)ids->count + SAMPLE_TOKENS};
    config.capacity = config.capacity < most ? config.capacity : most;
    SamplingConfig sampling = sampling_defaults();
    sampling.seed = (uint64_t)run->settings.seed ^ (uint64_t)run->trainer.step << 32;
    Generator generator = {.model = NULL};
    Sampler sampler = {.V = 0};
    Error ended = {""};
    bool ok =
        ids->count > 0 && (int)ids->count <= config.capacity &&
        generator_open(&generator, &run->model, &CPU_BACKEND, run->device, &config, err) &&
        sampler_init(&sampler, &sampling, run->tokenizer.n_pieces, err) &&
        (ids->count == 1 || generator_read(&generator, 0, ids->ids, (int)ids->count - 1, err));
    while (ok && (int)ids->count < config.capacity &&
           append_next(run, &generator, &sampler, ids, &ended)) {
    }
    generator_close(&generator);
    sampler_free(&sampler);
    return ok && (!error_is_set(&ended) || error_set(err, "%s", ended.text));
}

static bool sample_text(TrainRun *run, char **text, Error *err) {
    TokenIds ids = {0};
    size_t length = 0;
    float dropout = run->model.config.dropout;
    run->model.config.dropout = 0.0F;
    bool ok = start_ids(run, &ids, err) && continue_text(run, &ids, err) &&
              tokenizer_decode(&run->tokenizer, ids.ids, ids.count, text, &length, err);
    run->model.config.dropout = dropout;
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
    BeamConfig config = {.width = 1,
                         .max_length = decode_longest(S, run->marks.eos_id),
                         .end_id = run->marks.eos_id};
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
