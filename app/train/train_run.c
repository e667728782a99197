// train_run.c - one run of training: everything it holds, from opening to the last checkpoint.
#include "app/train/train_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/train/train_group.h"
#include "kernels/cpu.h"

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
    preset_free(&run->preset);
    free(run->checkpoint);
    if (run->device != NULL) {
        cpu_close(run->device);
    }
    if (run->lock >= 0) {
        close(run->lock);
    }
    if (run->is_group) {
        run->group.close(&run->group);
    }
    arena_free(&run->arena);
}

static bool open_device(TrainRun *run, Error *err) {
    const char *device = run->command->device;
    if (strcmp(device, "cuda") == 0) {
        return error_set(err, "--device cuda: this program has no CUDA backend yet; expected cpu");
    }
    if (strcmp(device, "cpu") != 0) {
        return error_set(err, "--device: expected cpu or cuda, found \"%.40s\"", device);
    }
    if (run->command->threads < 0) {
        return error_set(err, "--threads: expected 0 or more, found %d", run->command->threads);
    }
    run->device = cpu_open(run->command->threads);
    return run->device != NULL || error_set(err, "not enough memory to start threads");
}

static bool open_logs(TrainRun *run, Error *err) {
    if (!train_run_speaks(run)) {
        return true;
    }
    const char *output = run->command->output;
    if (run->checkpoint != NULL && !checkpoint_relink(output, &run->state, err)) {
        return false;
    }
    return train_log_open(&run->log, output, run->trainer.step, err) &&
           tensorboard_open(&run->board, output, err);
}

// The folder is one process' business; the others wait until it is locked and made.
static bool open_folder(TrainRun *run, Error *err) {
    bool ok = !train_run_speaks(run) || train_open_folder(run, err);
    double failed = ok ? 0.0 : 1.0;
    if (run->is_group && !run->group.sum_doubles(&run->group, &failed, 1, err)) {
        return false;
    }
    return ok && (failed == 0.0 || error_set(err, "the first process could not open the folder"));
}

static bool open_run(TrainRun *run, Error *err) {
    return open_folder(run, err) && train_open_tokenizer(run, err) && train_open_data(run, err) &&
           train_open_model(run, err) && open_logs(run, err);
}

int train_run(const TrainCommand *command, Error *err) {
    TrainRun run = {.command = command, .lock = -1, .group = {.size = 1}};
    int status = APP_FAILED;
    train_progress_begin(&run.progress, 0, 0, false);
    if (open_device(&run, err) && train_group_open(&run.group, &run.is_group, err)) {
        run.progress.is_quiet = !train_run_speaks(&run);
        if (train_open_settings(&run, err)) {
            if (command->dry_run) {
                bool has_tokenizer = command->tokenizer != NULL || run.preset.n_words > 0;
                status = (!has_tokenizer || train_open_tokenizer(&run, err)) &&
                                 train_plan_print(&run, err)
                             ? APP_OK
                             : APP_FAILED;
            } else if (open_run(&run, err)) {
                status = train_loop(&run, err);
            }
        }
    }
    train_progress_end(&run.progress);
    if (run.is_group && status == APP_FAILED && error_is_set(err)) {
        app_failed("train", err);
        run.group.abort(&run.group, APP_FAILED);
    }
    close_run(&run);
    return status;
}
