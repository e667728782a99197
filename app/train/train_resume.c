// train_resume.c - the run in a folder: its lock, and the checkpoint it goes on from.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/train/train_run.h"
#include "engine/files/json_text.h"

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

// Where it was locked before, nothing happens.
static bool lock_folder(TrainRun *run, Error *err) {
    const char *output = run->command->output;
    if (run->lock >= 0) {
        return true;
    }
    char *path = file_join(output, "lock");
    run->lock = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    free(path);
    if (run->lock < 0) {
        return error_set(err, "%s: cannot write: %s", output, strerror(errno));
    }
    if (!lock_alone(run->lock)) {
        return error_set(err, "%s: another process is training in this folder", output);
    }
    return true;
}

// A log without checkpoints is of a run that somebody may want to look at.
static bool check_log(const char *output, Error *err) {
    char *path = file_join(output, "log.jsonl");
    struct stat about;
    bool has_log = path != NULL && stat(path, &about) == 0 && about.st_size > 0;
    free(path);
    return !has_log || error_set(err,
                                 "%s: holds the log of a run without a checkpoint; another folder "
                                 "starts a new one, or this one without its log.jsonl",
                                 output);
}

// A run's folder has links to its checkpoints: a file is somebody's weights.
static bool check_model(const char *output, Error *err) {
    char *path = file_join(output, "model.safetensors");
    struct stat about;
    bool has_model = path != NULL && lstat(path, &about) == 0 && S_ISREG(about.st_mode);
    free(path);
    return !has_model || error_set(err,
                                   "%s: holds a model that is not of a run here: expected another "
                                   "folder",
                                   output);
}

bool train_open_folder(TrainRun *run, Error *err) {
    const char *output = run->command->output;
    CheckpointList list = {0};
    if ((run->checkpoint == NULL && !check_model(output, err)) ||
        !file_make_folder(output, &run->made_folder, err) || !lock_folder(run, err) ||
        !checkpoint_clean(output, err)) {
        return false;
    }
    bool ok = run->command->resume || checkpoint_list(&list, output, err);
    if (ok && list.count > 0) {
        ok = error_set(err,
                       "%s: holds a run of %" PRId64
                       " steps; --resume goes on with it, another folder starts a new one",
                       output, list.steps[list.count - 1]);
    }
    ok = ok && (run->checkpoint != NULL || check_log(output, err));
    checkpoint_list_free(&list);
    file_remove_leftovers(output);
    return ok;
}

void train_remove_folder(TrainRun *run) {
    if (!run->made_folder) {
        return;
    }
    char *lock = file_join(run->command->output, "lock");
    char *data = file_join(run->command->output, "data");
    if (lock != NULL && data != NULL) {
        (void)rmdir(data); // what holds something stays
        (void)unlink(lock);
        (void)rmdir(run->command->output);
    }
    free(lock);
    free(data);
}

// ---- the checkpoint

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

static bool read_checkpoint(TrainRun *run, Error *err) {
    if (!checkpoint_open(&run->state, run->checkpoint, err)) {
        return false;
    }
    char *path = file_join(run->checkpoint, "config.json");
    json_t *object = path == NULL ? NULL : json_text_load(path, err);
    bool ok = object != NULL && config_read(&run->setup.config, object, path, err) &&
              train_settings_from_json(&run->setup.settings, run->state.settings, run->checkpoint,
                                       &run->arena, err);
    json_decref(object);
    free(path);
    return ok;
}

// What is wrong with the checkpoint at `at` is not passed over: the sentence offers the one before.
static bool offer_before(const char *run_folder, const CheckpointList *list, int at,
                         const Error *reason, Error *err) {
    int64_t before = whole_before(run_folder, list, at);
    if (before < 0) {
        return error_set(err, "%.400s; there is no whole checkpoint before it", reason->text);
    }
    return error_set(err, "%.400s; the one before is whole: --resume-from %" PRId64 " takes it",
                     reason->text, before);
}

static bool open_checkpoint(TrainRun *run, const CheckpointList *list, int at, Error *err) {
    Error reason = {""};
    run->checkpoint = checkpoint_folder(run->command->output, list->steps[at]);
    return (run->checkpoint != NULL && read_checkpoint(run, &reason)) ||
           offer_before(run->command->output, list, at, &reason, err);
}

static int place_of(const CheckpointList *list, int64_t step) {
    int at = list->count - 1;
    while (at >= 0 && list->steps[at] != step) {
        at--;
    }
    return at;
}

bool train_resume_has_any(const TrainRun *run) {
    CheckpointList list = {0};
    // A folder that cannot be looked at may hold some.
    bool has_any = !checkpoint_list(&list, run->command->output, NULL) || list.count > 0;
    checkpoint_list_free(&list);
    return has_any;
}

void train_resume_offer(const TrainRun *run, Error *err) {
    const char *output = run->command->output;
    const Error reason = *err;
    CheckpointList list = {0};
    bool is_first = run->checkpoint != NULL && run->trainer.step == run->first_step;
    if (!checkpoint_list(&list, output, NULL) || list.count == 0) {
        return;
    }
    *err = (Error){""};
    if (is_first) {
        offer_before(output, &list, place_of(&list, run->first_step), &reason, err);
    } else {
        error_set(err, "%.400s; the checkpoint of step %" PRId64 " stays", reason.text,
                  list.steps[list.count - 1]);
    }
    checkpoint_list_free(&list);
}

static bool refuse_step(const TrainCommand *command, Error *err) {
    return error_set(err, "%s: there is no checkpoint of step %d",
                     command->output == NULL ? "--resume-from" : command->output,
                     command->resume_step);
}

// The newest checkpoint, or the one that was asked for.
static bool choose_checkpoint(TrainRun *run, const CheckpointList *list, Error *err) {
    const TrainCommand *command = run->command;
    bool is_any = command->resume_step == TRAIN_NO_INT;
    int at = is_any ? list->count - 1 : place_of(list, command->resume_step);
    if (at < 0) {
        return refuse_step(command, err);
    }
    return open_checkpoint(run, list, at, err);
}

bool train_resume_find(TrainRun *run, bool *found, Error *err) {
    const TrainCommand *command = run->command;
    CheckpointList list = {0};
    *found = false;
    if (command->output == NULL || !file_is_folder(command->output)) {
        return command->resume_step == TRAIN_NO_INT || refuse_step(command, err);
    }
    if (!checkpoint_list(&list, command->output, err)) {
        return false;
    }
    bool ok = true;
    if (list.count > 0 && !command->dry_run && train_run_speaks(run)) {
        // Who trains in the folder adds and removes checkpoints: listed anew once nobody can.
        checkpoint_list_free(&list);
        ok = lock_folder(run, err) && checkpoint_list(&list, command->output, err);
    }
    if (ok && (list.count > 0 || command->resume_step != TRAIN_NO_INT)) {
        ok = choose_checkpoint(run, &list, err);
        *found = ok;
    }
    checkpoint_list_free(&list);
    return ok;
}

// The log is cut where the run goes on: all of it goes aside as well.
static bool keep_log(const char *output, const char *aside, Error *err) {
    char *log = file_join(output, "log.jsonl");
    bool ok = log != NULL && (!file_exists(log) || file_copy("log.jsonl", output, aside, err));
    free(log);
    return ok || error_set(err, "%s: not enough memory", output);
}

bool train_resume_set_aside(TrainRun *run, Error *err) {
    const char *output = run->command->output;
    char *aside = NULL;
    if (run->checkpoint == NULL || !checkpoint_set_aside(output, run->state.step, &aside, err)) {
        return run->checkpoint == NULL;
    }
    bool ok = aside == NULL || keep_log(output, aside, err);
    if (ok && aside != NULL) {
        train_progress_say(&run->progress,
                           "going back to step %" PRId64 ": what came after it lies in %s",
                           run->state.step, aside);
    }
    free(aside);
    return ok;
}
