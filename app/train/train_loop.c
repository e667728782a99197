// train_loop.c - steps until the end or a signal, with evaluations, samples and checkpoints.
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/train/train_run.h"
#include "app/train/train_signals.h"
#include "engine/base/clock.h"

// What happens after a step. Of several processes all do the same.
typedef struct Wishes {
    bool evaluate, sample, save, is_last;
    bool was_asked; // to save, by SIGUSR1
    int stop;       // the signal, 0: none
} Wishes;

static bool is_due(int every, int64_t step) {
    return every > 0 && step % every == 0;
}

// A signal to one process is a signal to all: they stop after the same step.
static bool share_signals(TrainRun *run, Wishes *wishes, Error *err) {
    double n_signalled[N_STOPPING_SIGNALS + 1];
    if (run->group.size == 1) {
        return true;
    }
    for (int i = 0; i < N_STOPPING_SIGNALS; i++) {
        n_signalled[i] = wishes->stop == train_signals_stopping(i);
    }
    n_signalled[N_STOPPING_SIGNALS] = wishes->save;
    if (!run->group.sum_doubles(&run->group, n_signalled, N_STOPPING_SIGNALS + 1, err)) {
        return false;
    }
    wishes->stop = 0;
    for (int i = N_STOPPING_SIGNALS - 1; i >= 0; i--) {
        wishes->stop = n_signalled[i] > 0.0 ? train_signals_stopping(i) : wishes->stop;
    }
    wishes->save = n_signalled[N_STOPPING_SIGNALS] > 0.0;
    return true;
}

static bool find_wishes(TrainRun *run, int64_t step, Wishes *wishes, Error *err) {
    const TrainSettings *settings = &run->setup.settings;
    *wishes = (Wishes){.stop = train_signals_stop(), .save = train_signals_take_save()};
    if (!share_signals(run, wishes, err)) {
        return false;
    }
    wishes->was_asked = wishes->save;
    wishes->is_last = step >= settings->steps || wishes->stop != 0;
    bool is_regular = is_due(settings->save_every, step) || step >= settings->steps;
    bool has_held = run->held.count > 0 && settings->eval_every > 0;
    wishes->evaluate = has_held && (is_due(settings->eval_every, step) || is_regular);
    wishes->sample = is_due(settings->sample_every, step);
    // The first one is saved, so that a run can be gone on with from then on.
    bool is_first = step == 1 && settings->save_every > 0;
    wishes->save = wishes->save || is_regular || is_first || wishes->stop != 0;
    return true;
}

// Of training, since the run was begun.
static double seconds_passed(const TrainRun *run) {
    return run->first_seconds + clock_seconds() - run->progress.start;
}

static void save(TrainRun *run, double held_out) {
    int64_t step = run->trainer.step;
    CheckpointState *state = &run->state;
    CheckpointParts parts = {&run->model, &run->trainer.optimizer, &run->tokenizer};
    double old_loss = state->best_loss;
    int64_t old_step = state->best_step;
    Error err = {""};
    if (!isnan(held_out) && held_out < state->best_loss) {
        state->best_loss = held_out;
        state->best_step = step;
    }
    state->step = step;
    state->seconds = seconds_passed(run);
    state->seed = (uint64_t)run->setup.settings.seed;
    state->data_position = (uint64_t)step * (uint64_t)run->setup.settings.accumulate *
                           (uint64_t)run->setup.settings.batch;
    memcpy(state->tokenizer_hash, run->tokenizer_hash, sizeof state->tokenizer_hash);
    memcpy(state->data_hash, run->data_hash, sizeof state->data_hash);
    json_decref(state->settings);
    state->settings = train_settings_to_json(&run->setup.settings);
    run->save_failed =
        !checkpoint_write(run->command->output, state, &parts, run->setup.settings.keep, &err);
    if (run->save_failed) {
        state->best_loss = old_loss;
        state->best_step = old_step;
        train_progress_say(&run->progress,
                           "attend train: step %" PRId64 " could not be saved, %s: %s", step,
                           train_resume_has_any(run) ? "the checkpoint before it stays"
                                                     : "and there is no checkpoint yet",
                           err.text);
    }
}

static void write_log(TrainRun *run, const TrainerReport *report, double held_out,
                      const char *sample) {
    TrainLogEntry entry = train_log_entry(report->step);
    Error err = {""};
    entry.loss = report->loss;
    entry.held_out_loss = held_out;
    entry.lr = report->lr;
    entry.norm = report->norm;
    entry.tokens_per_second = run->progress.tokens_per_second;
    entry.seconds = seconds_passed(run);
    entry.matrix_share = run->progress.matrix_share;
    entry.n_steps = report->step == run->progress.first_step + 1 ? run->progress.n_steps : 0;
    entry.sample = sample;
    if (run->log.is_open && !train_log_append(&run->log, &entry, &err)) {
        train_progress_say(&run->progress, "attend train: %s; the run goes on without its log",
                           err.text);
        train_log_close(&run->log);
    }
    tensorboard_scalar(&run->board, report->step, "loss", report->loss);
    tensorboard_scalar(&run->board, report->step, "learning_rate", report->lr);
    tensorboard_scalar(&run->board, report->step, "gradient_norm", report->norm);
    tensorboard_scalar(&run->board, report->step, "tokens_per_second",
                       run->progress.tokens_per_second);
    if (!isnan(entry.matrix_share)) {
        tensorboard_scalar(&run->board, report->step, "matrix_share", entry.matrix_share);
    }
    if (!isnan(held_out)) {
        tensorboard_scalar(&run->board, report->step, "held_out_loss", held_out);
    }
}

// A sample that fails is no reason to end a run: it is said once.
static char *try_sample(TrainRun *run) {
    char *sample = NULL;
    Error err = {""};
    if (!train_sample(run, &sample, &err) && !run->sample_failed) {
        run->sample_failed = true;
        train_progress_say(&run->progress, "attend train: no sample: %s; the run goes on",
                           err.text);
    }
    return sample;
}

// Only the first process evaluates, samples, tells and saves; the others wait in the next sum.
static bool after_step(TrainRun *run, const TrainerReport *report, const Wishes *wishes,
                       Error *err) {
    double held_out = (double)NAN;
    char *sample = NULL;
    if (!train_run_speaks(run)) {
        return true;
    }
    if (wishes->evaluate && !trainer_evaluate(&run->trainer, &held_out, err)) {
        return false;
    }
    if (wishes->evaluate) {
        run->progress.held_out = held_out;
    }
    if (wishes->sample) {
        sample = try_sample(run);
    }
    bool is_first = run->progress.tokens == 0;
    ProgressNews news = wishes->is_last || is_first ? PROGRESS_MUST
                        : wishes->evaluate          ? PROGRESS_NEWS
                                                    : PROGRESS_NOTHING;
    train_progress_step(&run->progress, report, news, run->device);
    if (sample != NULL) {
        train_progress_sample(&run->progress, sample);
    }
    write_log(run, report, held_out, sample);
    free(sample);
    if (wishes->save) {
        save(run, held_out);
    }
    if (wishes->was_asked && !run->save_failed) {
        train_progress_say(&run->progress, "SIGUSR1: step %" PRId64 " is saved", report->step);
    }
    return true;
}

static void say_end(TrainRun *run, int stop) {
    double passed = clock_seconds() - run->progress.start;
    train_progress_end(&run->progress);
    train_progress_say(&run->progress,
                       "%s after step %" PRId64 ", %.1f s, %.0f tokens/s, peak memory %.1f MiB: %s",
                       run->save_failed ? "ended, but not saved,"
                       : stop != 0      ? "stopped"
                                        : "done",
                       run->trainer.step, passed, run->progress.tokens_per_second,
                       (double)train_plan_peak_bytes() / 1048576.0, run->command->output);
}

// A loss or norm that is no number is seen by all processes at once: the first one says it.
// Anything else befalls one alone.
static void fail(TrainRun *run, const TrainerReport *report, Error *err) {
    bool is_shared = trainer_diverged(report);
    train_progress_end(&run->progress);
    run->fails_alone = run->group.size > 1 && !is_shared;
    if (is_shared && !train_run_speaks(run)) {
        *err = (Error){""};
    } else if (is_shared) {
        train_resume_offer(run, err);
    }
}

int train_loop(TrainRun *run, Error *err) {
    Wishes wishes = {.stop = 0};
    if (run->trainer.step >= run->setup.settings.steps) {
        train_progress_say(&run->progress,
                           "%s: is at step %" PRId64 ", and --steps is %d: nothing is left; "
                           "a larger --steps trains on",
                           run->command->output, run->trainer.step, run->setup.settings.steps);
        return APP_OK;
    }
    train_signals_restart_calls();
    if (run->group.size == 1) {
        train_signals_tell("stopping after this step; Ctrl-C again leaves without saving");
    }
    train_progress_begin(&run->progress, run->setup.settings.steps, run->trainer.step,
                         !train_run_speaks(run));
    while (run->trainer.step < run->setup.settings.steps && wishes.stop == 0) {
        TrainerReport report = {.step = 0};
        if (!trainer_step(&run->trainer, &report, err) ||
            !find_wishes(run, report.step, &wishes, err) ||
            !after_step(run, &report, &wishes, err)) {
            fail(run, &report, err);
            return APP_FAILED;
        }
    }
    say_end(run, wishes.stop);
    if (wishes.stop != 0) {
        return 128 + wishes.stop;
    }
    return run->save_failed ? APP_FAILED : APP_OK;
}
