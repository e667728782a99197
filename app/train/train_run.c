// train_run.c - one run of training: everything it holds, from opening to the last checkpoint.
#include "app/train/train_run.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "app/app.h"
#include "app/train/train_group.h"
#include "app/train/train_signals.h"
#include "engine/devices/device.h"

enum { BIG_BLOCK_BYTES = 256 * 1024 };

static void close_run(TrainRun *run) {
    train_log_close(&run->log);
    tensorboard_close(&run->board);
    if (run->trainer_is_open) {
        trainer_free(&run->trainer);
    }
    dataset_close(&run->train);
    dataset_close(&run->held);
    model_free(&run->model);
    if (run->tokenizer.n_pieces > 0) {
        tokenizer_free(&run->tokenizer);
    }
    checkpoint_state_free(&run->state);
    train_setup_free(&run->setup);
    free(run->checkpoint);
    device_close(run->device);
    if (run->lock >= 0) {
        close(run->lock);
    }
    if (run->group.size > 1) {
        run->group.close(&run->group);
    }
    arena_free(&run->arena);
}

static bool open_device(TrainRun *run, Error *err) {
    Error notice = {""};
    run->device = device_open(run->command->device, run->command->threads, &notice, err);
    if (error_is_set(&notice)) {
        train_progress_say(&run->progress, "%s", notice.text);
    }
    return run->device != NULL;
}

// ---- one process' business

static bool open_folder(TrainRun *run, Error *err) {
    return !train_run_speaks(run) || train_open_folder(run, err);
}

static bool open_shards(TrainRun *run, Error *err) {
    return !train_run_speaks(run) || train_open_shards(run, err);
}

static bool open_logs(TrainRun *run, Error *err) {
    if (!train_run_speaks(run)) {
        return true;
    }
    const char *output = run->command->output;
    if (run->checkpoint != NULL &&
        (!train_resume_set_aside(run, err) || !checkpoint_relink(output, &run->state, err))) {
        return false;
    }
    bool has_steps = run->trainer.step < run->setup.settings.steps;
    return !has_steps || (train_log_open(&run->log, output, run->trainer.step, err) &&
                          tensorboard_open(&run->board, output, run->trainer.step, err));
}

static bool open_plan(TrainRun *run, Error *err) {
    bool has_tokenizer =
        run->command->tokenizer != NULL || preset_has_tokenizer(&run->setup.preset);
    return (!has_tokenizer || train_open_tokenizer(run, err)) && train_plan_print(run, err);
}

// Of everything that decides what is learned.
static uint32_t settings_checksum(const TrainRun *run) {
    json_t *settings = train_settings_to_json(&run->setup.settings);
    char *text = json_dumps(settings, JSON_COMPACT | JSON_SORT_KEYS);
    FileBytes config = {0};
    uLong crc = crc32(0, Z_NULL, 0);
    if (text != NULL && config_to_text(&run->setup.config, &config)) {
        crc = crc32(crc, (const Bytef *)text, (uInt)strlen(text));
        crc = crc32(crc, config.bytes, (uInt)config.size_bytes);
    }
    file_close(&config);
    free(text);
    json_decref(settings);
    return (uint32_t)crc;
}

static bool check_same(TrainRun *run, Error *err) {
    bool is_same = true;
    if (run->group.size == 1) {
        return true;
    }
    return train_group_has_same(&run->group, settings_checksum(run), &is_same, err) &&
           (is_same || error_set(err,
                                 "process %d of %d has other settings than the first: expected the "
                                 "same command for all",
                                 run->group.rank, run->group.size));
}

// ---- stages, after each of which all processes go on or none

typedef bool Stage(TrainRun *run, Error *err);

static Stage *const PLAN[] = {open_device, train_open_settings, open_plan, NULL};
static Stage *const RUN[] = {
    open_device,          train_open_settings, check_same,        open_folder,
    train_open_tokenizer, train_sample_check,  train_open_source, open_shards,
    train_open_splits,    train_open_model,    open_logs,         NULL};

static bool may_go_on(Error *err) {
    return train_signals_stop() == 0 || error_set(err, "stopped before the first step");
}

static bool pass(TrainRun *run, Stage *const *stages, Error *err) {
    bool ok = true;
    for (int i = 0; ok && stages[i] != NULL; i++) {
        ok = stages[i](run, err) && may_go_on(err);
        ok = train_group_agree(&run->group, ok, err);
    }
    return ok;
}

// A run that a signal ends before its first step leaves nothing behind, and with that signal's
// status.
static int opening_failed(TrainRun *run) {
    int stop = train_signals_stop();
    train_remove_folder(run);
    if (stop == 0) {
        return APP_FAILED;
    }
    train_progress_say(&run->progress, "stopped before the first step");
    return 128 + stop;
}

static int run_command(TrainRun *run, Error *err) {
    if (run->command->dry_run && pass(run, PLAN, err)) {
        return APP_OK;
    }
    if (!run->command->dry_run && pass(run, RUN, err)) {
        return train_loop(run, err);
    }
    return run->wrong_usage ? APP_USAGE : opening_failed(run);
}

int train_run(const TrainCommand *command, bool is_understood, Error *err) {
    TrainRun run = {.command = command, .lock = -1, .group = {.size = 1}};
    int status = is_understood ? APP_FAILED : APP_USAGE;
    if (!command->dry_run) {
        train_signals_catch();
    }
    // Left alone, glibc keeps what big blocks gave back once some were freed: tapes of other
    // lengths, shards. A threshold that is set does not move.
    mallopt(M_MMAP_THRESHOLD, BIG_BLOCK_BYTES);
    train_progress_begin(&run.progress, 0, 0, false);
    if (train_group_open(&run.group, err)) {
        run.progress.is_quiet = !train_run_speaks(&run);
        train_signals_tell(run.group.size > 1 ? NULL : "stopping; Ctrl-C again leaves at once");
        if (train_group_agree(&run.group, is_understood, err)) {
            status = run_command(&run, err);
        }
    }
    train_progress_end(&run.progress);
    if (error_is_set(err)) {
        train_signals_release(); // nobody may read what is said now
    }
    if (error_is_set(err) && status == APP_USAGE) {
        app_wrong("train", err);
    } else if (error_is_set(err) && status == APP_FAILED) {
        app_failed("train", err);
    }
    if (run.fails_alone) {
        run.group.abort(&run.group, status);
    }
    close_run(&run);
    return status;
}
