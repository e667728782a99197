// train_sample.c - what the model says while it learns.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/plural.h"
#include "app/train/train_run.h"
#include "engine/generation/decode.h"
#include "engine/generation/generate.h"
#include "engine/generation/sampling.h"
#include "engine/models/text_marks.h"

enum { SAMPLE_TOKENS = 40 };

static bool start_ids(const TrainRun *run, TokenIds *ids, Error *err) {
    const Tokenizer *tokenizer = &run->tokenizer;
    int start = text_marks_start(tokenizer);
    if (start >= 0) {
        token_ids_append(ids, start);
    }
    const char *prompt = run->setup.settings.prompt != NULL ? run->setup.settings.prompt
                         : start >= 0                       ? ""
                                                            : "The";
    return tokenizer_encode(tokenizer, prompt, strlen(prompt), ids, NULL, err);
}

// The next token after ids, the last of which the generator has not seen yet.
static bool append_next(TrainRun *run, Generator *generator, Sampler *sampler, TokenIds *ids,
                        Error *err) {
    const float *logits = NULL;
    if (!generator_step(generator, &ids->ids[ids->count - 1], &logits, err) ||
        !sampling_check_logits(logits, sampler->V, -1, err)) {
        return false;
    }
    int32_t id = sampler_draw(sampler, logits, ids->ids, (int)ids->count, ids->count, 0);
    token_ids_append(ids, id);
    int end_id = text_marks_end(&run->setup.config, &run->tokenizer, true);
    return !model_ends_with(&run->model, end_id, id);
}

// How many ids a sample of this prompt may have in the end, its last one unseen by the model; 0:
// the prompt alone has no place.
static int most_ids(const TrainRun *run, size_t n_prompt) {
    int n_positions = run->setup.config.n_positions;
    if (n_positions > 0 && n_prompt > (size_t)n_positions) {
        return 0;
    }
    int most = (int)n_prompt + SAMPLE_TOKENS;
    return n_positions > 0 && most > n_positions + 1 ? n_positions + 1 : most;
}

static bool check_prompt(const TrainRun *run, const TokenIds *ids, Error *err) {
    if (ids->count == 0) {
        return error_set(err, "--prompt: is empty: expected at least one token, as the tokenizer "
                              "has none that begins a text");
    }
    return most_ids(run, ids->count) > 0 ||
           error_set(err, "--prompt: its %zu token%s are more than the model's %d position%s",
                     ids->count, plural((long long)ids->count), run->setup.config.n_positions,
                     plural(run->setup.config.n_positions));
}

bool train_sample_check(TrainRun *run, Error *err) {
    TokenIds ids = {0};
    bool is_used =
        run->setup.settings.sample_every > 0 && !config_has_two_sides(&run->setup.config);
    bool ok = !is_used || (start_ids(run, &ids, err) && check_prompt(run, &ids, err));
    token_ids_free(&ids);
    const TrainSettings *given = &run->command->given;
    if (!ok && given->sample_every == TRAIN_NO_INT && given->prompt == NULL) {
        run->setup.settings.sample_every = 0; // nobody asked for samples
        *err = (Error){""};
        return true;
    }
    return ok;
}

static bool continue_text(TrainRun *run, TokenIds *ids, Error *err) {
    if (!check_prompt(run, ids, err)) {
        return false;
    }
    int most = most_ids(run, ids->count);
    GeneratorConfig config = {.mode = TAPE_INFER, .n_rows = 1, .capacity = most - 1};
    SamplingConfig sampling = sampling_defaults();
    sampling.seed = (uint64_t)run->setup.settings.seed ^ (uint64_t)run->trainer.step << 32;
    Generator generator = {.model = NULL};
    Sampler sampler = {.V = 0};
    Error ended = {""};
    bool ok =
        generator_open(&generator, &run->model, run->device, &config, err) &&
        sampler_init(&sampler, &sampling, run->tokenizer.n_pieces, err) &&
        (ids->count == 1 || generator_read(&generator, 0, ids->ids, (int)ids->count - 1, err));
    while (ok && (int)ids->count < most && append_next(run, &generator, &sampler, ids, &ended)) {
    }
    generator_close(&generator);
    sampler_free(&sampler);
    return ok && (!error_is_set(&ended) || error_set(err, "%s", ended.text));
}

static bool sample_text(TrainRun *run, char **text, Error *err) {
    TokenIds ids = {0};
    size_t length = 0;
    bool ok = start_ids(run, &ids, err) && continue_text(run, &ids, err) &&
              tokenizer_decode(&run->tokenizer, ids.ids, ids.count, text, &length, err);
    token_ids_free(&ids);
    return ok;
}

// The text of a row of ids, its padding (or labels that do not count) left out.
static bool row_text(const TrainRun *run, const int32_t *ids, int n, char **text, Error *err) {
    size_t length = 0;
    while (n > 1 && (ids[n - 1] == run->setup.config.pad_id || ids[n - 1] < 0)) {
        n--;
    }
    return tokenizer_decode(&run->tokenizer, ids, (size_t)n, text, &length, err);
}

// "source => what the model says (reference: target)".
static bool pair_text(const TrainRun *run, const DataBatch *batch, const Decoding *decoding,
                      char **text, Error *err) {
    char *parts[3] = {NULL, NULL, NULL};
    bool ok = row_text(run, batch->source, batch->S, &parts[0], err) &&
              row_text(run, decoding->best->ids, decoding->best->n_ids, &parts[1], err) &&
              row_text(run, batch->labels, batch->T, &parts[2], err);
    if (ok && asprintf(text, "%s => %s (reference: %s)", parts[0], parts[1], parts[2]) < 0) {
        *text = NULL;
        ok = error_set(err, "not enough memory for a sample");
    }
    for (int i = 0; i < 3; i++) {
        free(parts[i]);
    }
    return ok;
}

// The first held-out pair (else the first one), decoded greedily.
static bool sample_pair(TrainRun *run, char **text, Error *err) {
    Dataset *dataset = run->held.count > 0 ? &run->held : &run->train;
    DataBatch batch = {0};
    Decoding decoding = {.n_steps = 0};
    if (!dataset_read_in_order(dataset, 0, 1, run->setup.config.pad_id, &batch, err)) {
        return false;
    }
    int S = batch.S;
    while (S > 1 && batch.source[S - 1] == run->setup.config.pad_id) {
        S--;
    }
    BeamConfig config = {.width = 1,
                         .max_length = decode_longest(S, run->marks.eos_id),
                         .end_id = run->marks.eos_id};
    bool ok = decode_beam(&decoding, &run->model, run->device, batch.source, S, &config, err) &&
              pair_text(run, &batch, &decoding, text, err);
    decode_free(&decoding);
    data_batch_free(&batch);
    return ok;
}

bool train_sample(TrainRun *run, char **text, Error *err) {
    *text = NULL;
    return config_has_two_sides(&run->setup.config) ? sample_pair(run, text, err)
                                                    : sample_text(run, text, err);
}
