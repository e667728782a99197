// train_open.c - a run's settings, from the command line, a preset or a checkpoint; its data and
// model.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/train/train_run.h"
#include "app/train/train_signals.h"
#include "app/train/train_tokenizer.h"
#include "engine/files/json_text.h"
#include "kernels/cpu.h"

enum { MANY_BLANKS = 20 }; // in one text: it may be several

// ---- settings

static bool read_config_file(TrainRun *run, const char *path, Error *err) {
    char *inside = file_is_folder(path) ? file_join(path, "config.json") : strdup(path);
    run->initial = file_is_folder(path) ? path : NULL;
    json_t *object = inside == NULL ? NULL : json_text_load(inside, err);
    bool ok = object != NULL && config_read(&run->config, object, inside, err);
    json_decref(object);
    free(inside);
    return ok;
}

static bool new_settings(TrainRun *run, Error *err) {
    const TrainCommand *command = run->command;
    train_settings_defaults(&run->settings);
    if ((command->preset == NULL) == (command->config == NULL)) {
        return error_set(err, "expected --preset NAME or --config FILE, one of the two");
    }
    if (command->preset != NULL) {
        if (!preset_load(&run->preset, command->preset, err)) {
            return false;
        }
        train_settings_from_preset(&run->settings, &run->preset);
        run->config = run->preset.config;
    } else if (!read_config_file(run, command->config, err)) {
        return false;
    }
    if (run->config.n_positions > 0 && run->settings.length > run->config.n_positions) {
        run->settings.length = run->config.n_positions; // unless another is given
    }
    train_settings_begin(&run->settings, &command->given);
    return true;
}

// The newest whole checkpoint before the one at `at`; -1: none.
static int64_t whole_before(const char *run_folder, const CheckpointList *list, int at) {
    for (int i = at - 1; i >= 0; i--) {
        CheckpointState state;
        char *folder = checkpoint_folder(run_folder, list->steps[i]);
        bool is_whole = folder != NULL && checkpoint_open(&state, folder, NULL);
        free(folder);
        if (is_whole) {
            checkpoint_state_free(&state);
            return list->steps[i];
        }
    }
    return -1;
}

// A damaged one is not passed over in silence: the sentence offers the one before.
static bool open_checkpoint(TrainRun *run, const CheckpointList *list, int at, Error *err) {
    Error reason = {""};
    run->checkpoint = checkpoint_folder(run->command->output, list->steps[at]);
    if (run->checkpoint != NULL && checkpoint_open(&run->state, run->checkpoint, &reason)) {
        return true;
    }
    int64_t before = whole_before(run->command->output, list, at);
    if (before < 0) {
        return error_set(err, "%.400s; there is no whole checkpoint before it", reason.text);
    }
    return error_set(err, "%.400s; the one before is whole: --resume-from %" PRId64 " takes it",
                     reason.text, before);
}

// The newest checkpoint, or the one that was asked for.
static bool choose_checkpoint(TrainRun *run, bool *found, Error *err) {
    const TrainCommand *command = run->command;
    CheckpointList list = {0};
    *found = false;
    if (!file_is_folder(command->output)) {
        return true;
    }
    if (!checkpoint_list(&list, command->output, err)) {
        return false;
    }
    int at = list.count - 1;
    bool is_any = command->resume_step == TRAIN_NO_INT;
    while (!is_any && at >= 0 && list.steps[at] != command->resume_step) {
        at--;
    }
    bool ok = is_any || at >= 0 ||
              error_set(err, "%s: there is no checkpoint of step %d", command->output,
                        command->resume_step);
    if (ok && at >= 0) {
        ok = open_checkpoint(run, &list, at, err);
        *found = ok;
    }
    checkpoint_list_free(&list);
    return ok;
}

static bool resumed_settings(TrainRun *run, Error *err) {
    char *path = file_join(run->checkpoint, "config.json");
    json_t *object = path == NULL ? NULL : json_text_load(path, err);
    bool ok = object != NULL && config_read(&run->config, object, path, err) &&
              train_settings_from_json(&run->settings, run->state.settings, run->checkpoint,
                                       &run->arena, err) &&
              train_settings_may_resume(&run->settings, &run->command->given, err);
    json_decref(object);
    free(path);
    if (ok) {
        train_settings_apply(&run->settings, &run->command->given);
    }
    return ok;
}

static void apply_to_config(TrainRun *run) {
    if (!isnan(run->settings.dropout)) {
        run->config.dropout = (float)run->settings.dropout;
    }
    if (!isnan(run->settings.smoothing)) {
        run->config.label_smoothing = (float)run->settings.smoothing;
    }
}

bool train_open_settings(TrainRun *run, Error *err) {
    bool found = false;
    const TrainCommand *command = run->command;
    run->state.best_loss = INFINITY;
    if (command->resume && !choose_checkpoint(run, &found, err)) {
        return false;
    }
    run->wrong_usage = !found && (command->preset == NULL) == (command->config == NULL);
    if (found ? !resumed_settings(run, err) : !new_settings(run, err)) {
        return false;
    }
    apply_to_config(run);
    run->wrong_usage =
        !train_check_data(run, err) || !train_settings_check(&run->settings, err) ||
        !train_settings_trainer(&run->settings, run->config.d_model, &run->options, err) ||
        !train_check_shape(run, err);
    return !run->wrong_usage && train_check_file(run, err);
}

// ---- the folder

// Who watches holds the lock for an instant, who trains holds it for good.
static bool lock_alone(int lock) {
    enum { TRIES = 5, WAIT_MICROSECONDS = 20000 };
    for (int i = 0; i < TRIES; i++) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        usleep(WAIT_MICROSECONDS);
    }
    return false;
}

bool train_open_folder(TrainRun *run, Error *err) {
    const char *output = run->command->output;
    CheckpointList list = {0};
    if (!file_make_folder(output, &run->made_folder, err)) {
        return false;
    }
    char *path = file_join(output, "lock");
    run->lock = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool ok = run->lock >= 0 || error_set(err, "%s: cannot write: %s", output, strerror(errno));
    free(path);
    if (ok && !lock_alone(run->lock)) {
        return error_set(err, "%s: another process is training in this folder", output);
    }
    if (ok && !run->command->resume && checkpoint_list(&list, output, err) && list.count > 0) {
        ok = error_set(err,
                       "%s: holds a run of %" PRId64
                       " steps; --resume goes on with it, another folder starts a new one",
                       output, list.steps[list.count - 1]);
    }
    checkpoint_list_free(&list);
    return ok;
}

void train_remove_folder(TrainRun *run) {
    char *lock = file_join(run->command->output, "lock");
    char *data = file_join(run->command->output, "data");
    if (run->made_folder && lock != NULL && data != NULL) {
        (void)rmdir(data); // what holds something stays
        (void)unlink(lock);
        (void)rmdir(run->command->output);
    }
    free(lock);
    free(data);
}

// ---- data

// Everything is marked where the model knows a mark, but for data whose sentences end where their
// source ends. A language model whose <s> is its </s> has it once.
static TextMarks choose_marks(const TrainRun *run) {
    const ModelConfig *config = &run->config;
    const Tokenizer *tokenizer = &run->tokenizer;
    if (config_has_two_sides(config)) {
        bool has_end = run->source.made == NULL || run->source.made->has_end;
        return (TextMarks){config->bos_id, has_end ? config->eos_id : -1};
    }
    bool is_one = tokenizer->bos_id == tokenizer->eos_id;
    return (TextMarks){is_one ? -1 : tokenizer->bos_id, tokenizer->eos_id};
}

static bool check_kind(const TrainRun *run, Error *err) {
    bool is_pairs = run->source.format == TEXT_PAIRS;
    if (is_pairs == config_has_two_sides(&run->config)) {
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
    run->marks = choose_marks(run);
    return file_make_folder(run->data_folder, NULL, err) && check_kind(run, err);
}

static bool tell_tokenizing(void *context, size_t read_bytes, size_t size_bytes) {
    TrainProgress *progress = context;
    double now = train_progress_now();
    if (train_signals_stop() != 0) {
        return false;
    }
    if (!progress->is_terminal || progress->is_quiet || now - progress->last_line < 0.2) {
        return true;
    }
    progress->last_line = now;
    fprintf(stderr, "\rtokenizing: %.1f of %.1f MB\033[K", (double)read_bytes * 1e-6,
            (double)size_bytes * 1e-6);
    progress->line_open = true;
    return true;
}

static void say_counts(TrainRun *run, const DatasetCounts *counts) {
    train_progress_say(&run->progress,
                       "data: %" PRIu64 " tokens in %" PRIu64 " texts to learn from, %" PRIu64
                       " in %" PRIu64 " held out",
                       counts->n_tokens, counts->n_texts, counts->n_held_tokens,
                       counts->n_held_texts);
    if (counts->n_whole == 1 && counts->n_blanks >= MANY_BLANKS) {
        train_progress_say(&run->progress,
                           "data: it is one text with %" PRIu64
                           " blank lines; --paragraphs parts texts there, --separator elsewhere",
                           counts->n_blanks);
    }
    if (counts->report.n_unknown > 0) {
        train_progress_say(&run->progress,
                           "data: the tokenizer cannot spell %zu characters, the first is \"%s\"",
                           counts->report.n_unknown, counts->report.first_unknown);
    }
    if (counts->report.n_invalid_bytes > 0) {
        train_progress_say(&run->progress, "data: %zu bytes are not UTF-8",
                           counts->report.n_invalid_bytes);
    }
}

bool train_open_shards(TrainRun *run, Error *err) {
    DatasetPlan plan = {.source = run->source,
                        .tokenizer = &run->tokenizer,
                        .tokenizer_hash = run->tokenizer_hash,
                        .marks = run->marks,
                        .held_out_every = run->settings.held_out,
                        .cpu = run->device,
                        .progress = tell_tokenizing,
                        .context = &run->progress};
    DatasetCounts counts = {0};
    // A run goes on with the tokens it was begun with, whatever became of the file.
    char *manifest = run->checkpoint == NULL ? NULL : file_join(run->data_folder, "dataset.json");
    bool is_there = manifest != NULL && file_exists(manifest);
    free(manifest);
    if (is_there || dataset_is_built(run->data_folder, &plan)) {
        return true;
    }
    bool ok = dataset_build(run->data_folder, &plan, &counts, err);
    malloc_trim(0); // what tokenizing took is not kept beside the run
    if (ok) {
        say_counts(run, &counts);
    }
    return ok;
}

bool train_open_splits(TrainRun *run, Error *err) {
    DatasetOptions options = {.length = run->settings.length,
                              .seed = (uint64_t)run->settings.seed,
                              .tokenizer_hash = run->tokenizer_hash};
    if (!dataset_open(&run->train, run->data_folder, SPLIT_TRAIN, &options, err) ||
        !dataset_open(&run->held, run->data_folder, SPLIT_HELD_OUT, &options, err) ||
        !dataset_is_enough(&run->train, run->settings.batch * run->settings.accumulate,
                           run->settings.data, err)) {
        return false;
    }
    if (run->train.n_too_long > 0) {
        train_progress_say(&run->progress,
                           "data: %" PRIu64 " pairs are longer than %d tokens (--length) or empty "
                           "and are left out",
                           run->train.n_too_long, run->settings.length);
    }
    if (run->held.count == 0 && run->settings.held_out > 0) {
        train_progress_say(&run->progress, "data: too little to hold one part in %d out",
                           run->settings.held_out);
    }
    return true;
}

// ---- model

bool train_open_model(TrainRun *run, Error *err) {
    bool ok = false;
    if (run->initial != NULL) {
        ok = model_load(&run->model, run->initial, err);
        run->model.config.dropout = run->config.dropout;
        run->model.config.label_smoothing = run->config.label_smoothing;
    } else {
        ok = model_init(&run->model, &run->config, (uint64_t)run->settings.seed, err);
    }
    if (!ok) {
        return false;
    }
    config_take_marks(&run->model.config, &run->tokenizer);
    TrainerParts parts = {.model = &run->model,
                          .train = &run->train,
                          .held = &run->held,
                          .backend = &CPU_BACKEND,
                          .device = run->device,
                          .group = run->group.size > 1 ? &run->group : NULL};
    if (!trainer_init(&run->trainer, &parts, &run->options, err)) {
        return false;
    }
    run->trainer_is_open = true;
    if (run->model.config.label_smoothing > 0.0F) {
        train_progress_say(&run->progress,
                           "loss: with label smoothing of %g, held-out losses too; `attend eval` "
                           "tells it without",
                           (double)run->model.config.label_smoothing);
    }
    if (run->checkpoint == NULL) {
        return true;
    }
    run->trainer.step = run->state.step;
    return checkpoint_load(run->checkpoint, &run->model, &run->trainer.optimizer, err);
}
