// train_open.c - a run's settings, from the command line, a preset or a checkpoint; its data and
// model.
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output_check.h"
#include "app/train/train_run.h"
#include "app/train/train_signals.h"
#include "app/train/train_tokenizer.h"
#include "engine/base/clock.h"
#include "engine/base/plural.h"
#include "engine/files/json_text.h"

enum { MANY_BLANKS = 20 }; // blanks in one text: it may be several

// ---- settings

bool train_open_settings(TrainRun *run, Error *err) {
    bool found = false;
    const TrainCommand *command = run->command;
    run->state.best_loss = INFINITY;
    if (command->resume && !train_resume_find(run, &found, err)) {
        return false;
    }
    run->wrong_usage = !found && (command->preset == NULL) == (command->config == NULL);
    if (command->resume && !found && command->preset == NULL && command->config == NULL) {
        return error_set(
            err, "%s: there is no run to continue; --preset NAME or --config FILE begins one",
            command->output == NULL ? "--resume" : command->output);
    }
    if (found ? !train_setup_resume(&run->setup, run->command, err)
              : !train_setup_begin(&run->setup, run->command, err)) {
        return false;
    }
    if (!found && (!output_check(command->output, command->config, err) ||
                   !output_check(command->output, command->tokenizer, err) ||
                   !output_check(command->output, command->given.data, err))) {
        return false;
    }
    run->wrong_usage = !train_check_data(run, err) ||
                       !train_settings_check(&run->setup.settings, err) ||
                       !train_settings_trainer(&run->setup.settings, run->setup.config.d_model,
                                               &run->options, err) ||
                       !train_check_shape(run, err) || !train_check_used(run, err);
    return !run->wrong_usage && train_check_file(run, err);
}

// ---- data

static bool check_kind(const TrainRun *run, Error *err) {
    bool is_pairs = run->source.format == TEXT_PAIRS;
    if (is_pairs == config_has_two_sides(&run->setup.config)) {
        return true;
    }
    return is_pairs ? error_set(err,
                                "%s: holds pairs, but the model has one side: expected texts, or a "
                                "model with an encoder and a decoder",
                                run->source.path)
                    : error_set(err,
                                "%s: holds texts, but the model has two sides: expected a .tsv (or "
                                "--format tsv), a source, a tab and a target a line",
                                run->source.path);
}

bool train_open_source(TrainRun *run, Error *err) {
    run->data_folder = arena_format(&run->arena, "%s/data", run->command->output);
    bool has_end = run->source.made == NULL || run->source.made->has_end;
    run->marks = text_marks_learned(&run->setup.config, &run->tokenizer, has_end);
    return file_make_folder(run->data_folder, NULL, err) && check_kind(run, err);
}

static bool tell_tokenizing(void *context, size_t read_bytes, size_t size_bytes) {
    TrainProgress *progress = context;
    double now = clock_seconds();
    if (train_signals_stop() != 0) {
        return false;
    }
    if (!progress->is_terminal || progress->is_quiet || now - progress->last_line < 0.2) {
        return true;
    }
    progress->last_line = now;
    char text[PROGRESS_LINE_BYTES];
    snprintf(text, sizeof text, "tokenizing: %.1f of %.1f MB", (double)read_bytes * 1e-6,
             (double)size_bytes * 1e-6);
    train_progress_over(progress, text);
    return true;
}

static void say_counts(TrainRun *run, const DatasetCounts *counts) {
    const char *texts = run->source.format == TEXT_PAIRS ? "pair" : "text";
    train_progress_say(&run->progress,
                       "data: %" PRIu64 " token%s in %" PRIu64 " %s%s to learn from, %" PRIu64
                       " in %" PRIu64 " held out",
                       counts->n_tokens, plural((long long)counts->n_tokens), counts->n_texts,
                       texts, plural((long long)counts->n_texts), counts->n_held_tokens,
                       counts->n_held_texts);
    if (counts->n_whole == 1 && counts->n_blanks >= MANY_BLANKS) {
        train_progress_say(&run->progress,
                           "data: it is one text with %" PRIu64
                           " blank lines; --paragraphs parts texts there, --separator elsewhere",
                           counts->n_blanks);
    }
    if (counts->report.n_unknown > 0) {
        train_progress_say(&run->progress,
                           "data: the tokenizer cannot spell %zu character%s, the first is \"%s\"",
                           counts->report.n_unknown, plural((long long)counts->report.n_unknown),
                           counts->report.first_unknown);
    }
    if (counts->report.n_invalid_bytes > 0) {
        train_progress_say(&run->progress, "data: %zu byte%s not UTF-8",
                           counts->report.n_invalid_bytes,
                           counts->report.n_invalid_bytes == 1 ? " is" : "s are");
    }
}

bool train_open_shards(TrainRun *run, Error *err) {
    DatasetPlan plan = {.source = run->source,
                        .tokenizer = &run->tokenizer,
                        .tokenizer_hash = run->tokenizer_hash,
                        .marks = run->marks,
                        .held_out_every = run->setup.settings.held_out,
                        .progress = tell_tokenizing,
                        .context = &run->progress};
    DatasetCounts counts = {0};
    file_remove_leftovers(run->data_folder);
    // A run goes on with the tokens it was begun with, whatever became of the file.
    bool is_there = run->checkpoint == NULL
                        ? dataset_is_built(run->data_folder, &plan)
                        : dataset_hash(run->data_folder, run->data_hash, NULL) &&
                              strcmp(run->data_hash, run->state.data_hash) == 0;
    if (is_there && run->checkpoint == NULL) {
        train_progress_say(&run->progress, "data: the tokens are in %s already", run->data_folder);
    }
    if (is_there) {
        return true;
    }
    Pool pool;
    pool_init(&pool, run->command->threads);
    plan.pool = &pool;
    bool ok = dataset_build(run->data_folder, &plan, &counts, err);
    pool_free(&pool);
    malloc_trim(0); // what tokenizing took is not kept beside the run
    if (ok) {
        say_counts(run, &counts);
    }
    return ok;
}

static bool check_data(TrainRun *run, Error *err) {
    if (!dataset_hash(run->data_folder, run->data_hash, err)) {
        return false;
    }
    return run->checkpoint == NULL || strcmp(run->data_hash, run->state.data_hash) == 0 ||
           error_set(err,
                     "--data %s: its tokens (%s) differ from those that the run was started with "
                     "(%s): restore the file, or start a new run in another folder (-o)",
                     run->setup.settings.data, run->data_hash, run->state.data_hash);
}

// Of data that is too little nothing stays, unless it was there before.
static bool check_enough(const TrainRun *run, Error *err) {
    const TrainSettings *settings = &run->setup.settings;
    const bool is_enough =
        dataset_is_enough(&run->train, settings->batch * settings->accumulate, settings->data, err);
    if (!is_enough && run->made_folder) {
        dataset_remove(run->data_folder);
    }
    return is_enough;
}

bool train_open_splits(TrainRun *run, Error *err) {
    DatasetOptions options = {.length = run->setup.settings.length,
                              .seed = (uint64_t)run->setup.settings.seed,
                              .tokenizer_hash = run->tokenizer_hash,
                              .vocab_size = run->setup.config.vocab_size};
    if (!check_data(run, err) ||
        !dataset_open(&run->train, run->data_folder, SPLIT_TRAIN, &options, err) ||
        !dataset_open(&run->held, run->data_folder, SPLIT_HELD_OUT, &options, err) ||
        !check_enough(run, err)) {
        return false;
    }
    if (run->train.n_too_long > 0) {
        train_progress_say(&run->progress,
                           "data: left out: %" PRIu64
                           " pair%s, empty or of more than %d token%s (--length)",
                           run->train.n_too_long, plural((long long)run->train.n_too_long),
                           run->setup.settings.length, plural(run->setup.settings.length));
    }
    if (run->held.count == 0 && run->setup.settings.held_out > 0) {
        train_progress_say(&run->progress, "data: too little to hold out one part in %d",
                           run->setup.settings.held_out);
    }
    return true;
}

// ---- model

bool train_open_model(TrainRun *run, Error *err) {
    bool ok = false;
    if (run->setup.initial != NULL) {
        ok = model_load(&run->model, run->setup.initial, err);
        if (run->model.notes.length > 0) {
            train_progress_say(&run->progress, "%.*s", (int)run->model.notes.length - 1,
                               run->model.notes.bytes);
        }
        run->model.config.dropout = run->setup.config.dropout;
        run->model.config.embedding_dropout = run->setup.config.embedding_dropout;
        run->model.config.attention_dropout = run->setup.config.attention_dropout;
        run->model.config.label_smoothing = run->setup.config.label_smoothing;
    } else {
        if (run->checkpoint == NULL && run->setup.notes.length > 0) {
            train_progress_say(&run->progress, "%.*s", (int)run->setup.notes.length - 1,
                               run->setup.notes.bytes);
        }
        ok = model_init(&run->model, &run->setup.config, (uint64_t)run->setup.settings.seed, err);
    }
    if (!ok) {
        return false;
    }
    config_take_marks(&run->model.config, &run->tokenizer);
    TrainerParts parts = {.model = &run->model,
                          .train = &run->train,
                          .held = &run->held,
                          .device = run->device,
                          .group = run->group.size > 1 ? &run->group : NULL};
    if (!trainer_init(&run->trainer, &parts, &run->options, err)) {
        return false;
    }
    run->trainer_is_open = true;
    if (run->model.config.attention_dropout > 0.0F) {
        train_progress_say(&run->progress,
                           "dropout: also of attention weights, which are stored for it "
                           "(\"attn_pdrop\": 0 in config.json takes less memory and time)");
    }
    if (run->model.config.label_smoothing > 0.0F) {
        train_progress_say(&run->progress,
                           "loss: with label smoothing of %g, also of the held-out data; `attend "
                           "eval` computes it without",
                           (double)run->model.config.label_smoothing);
    }
    if (run->checkpoint == NULL) {
        return true;
    }
    run->first_step = run->state.step;
    run->first_seconds = run->state.seconds;
    run->trainer.step = run->first_step;
    return checkpoint_load(run->checkpoint, &run->model, &run->trainer.optimizer, err);
}
