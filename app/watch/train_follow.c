// train_follow.c - follows a run by its folder: reads what log.jsonl has got since the last time.
#include "app/watch/train_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/training/checkpoint.h"

enum { PIECE_BYTES = 64 * 1024, BUFFER_BYTES = FOLLOW_LONGEST_LINE + PIECE_BYTES };

// ---- the folder

static bool is_locked(const char *folder) {
    char *path = file_join(folder, "lock");
    int descriptor = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    // Shared: two who look do not take each other for a trainer.
    bool is_taken = descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) != 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    free(path);
    return is_taken;
}

// The link `last` names it: step-00000060. It is the newest that is whole, where a list of the
// folder may name one that is still being written.
static int64_t newest_checkpoint(const char *folder) {
    static const char BEGIN[] = "step-";
    char name[CHECKPOINT_NAME_BYTES] = "";
    char *path = file_join(folder, "last");
    ssize_t length = path == NULL ? -1 : readlink(path, name, sizeof name - 1);
    free(path);
    bool is_step = length > 0 && strncmp(name, BEGIN, sizeof BEGIN - 1) == 0;
    return is_step ? strtoll(name + sizeof BEGIN - 1, NULL, 10) : 0;
}

bool train_follow_look(TrainFollow *follow) {
    bool was_live = follow->is_live;
    int64_t old = follow->checkpoint;
    follow->is_live = is_locked(follow->folder);
    follow->checkpoint = newest_checkpoint(follow->folder);
    return follow->is_live != was_live || follow->checkpoint != old;
}

// ---- opening

static void forget(TrainFollow *follow) {
    free(follow->sample);
    follow->sample = NULL;
    follow->last = train_log_entry(0);
    follow->best = (double)NAN;
    follow->best_step = follow->held_out_step = follow->sample_step = follow->first_step = 0;
    follow->first_seconds = 0.0;
    follow->n_lines = follow->n_broken = follow->first_broken = 0;
    follow->taken = 0;
    follow->used = 0;
    follow->is_overlong = false;
    train_history_clear(&follow->history);
}

bool train_follow_open(TrainFollow *follow, const char *folder, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    *follow = (TrainFollow){.folder = folder, .descriptor = -1, .refused = -1};
    if (!file_is_folder(folder)) {
        return error_set(err, "%s: expected the folder of a run, found %s",
                         file_shown(folder, shown), file_exists(folder) ? "a file" : "nothing");
    }
    follow->path = file_join(folder, "log.jsonl");
    follow->buffer = malloc(BUFFER_BYTES);
    if (follow->path == NULL || follow->buffer == NULL) {
        return error_set(err, "not enough memory to follow a run");
    }
    if (!train_history_init(&follow->history, err)) {
        return false;
    }
    forget(follow);
    train_follow_look(follow);
    if (!file_exists(follow->path) && !follow->is_live) {
        return error_set(err,
                         "%s: holds no run: expected log.jsonl in it, which `attend train -o "
                         "FOLDER` writes",
                         file_shown(folder, shown));
    }
    follow->descriptor = open(follow->path, O_RDONLY | O_CLOEXEC);
    return follow->descriptor >= 0 || errno == ENOENT ||
           error_set(err, "%s: cannot read: %s", file_shown(follow->path, shown), strerror(errno));
}

void train_follow_close(TrainFollow *follow) {
    if (follow->descriptor >= 0) {
        close(follow->descriptor);
    }
    train_history_free(&follow->history);
    free(follow->path);
    free(follow->buffer);
    free(follow->sample);
    *follow = (TrainFollow){.descriptor = -1};
}

// ---- lines

static void keep_number(double *kept, double number) {
    *kept = isnan(number) ? *kept : number;
}

static void keep_sample(TrainFollow *follow, const TrainLogEntry *entry) {
    char *copy = entry->sample == NULL ? NULL : strdup(entry->sample);
    if (copy != NULL) {
        free(follow->sample);
        follow->sample = copy;
        follow->sample_step = entry->step;
    }
}

static void take_entry(TrainFollow *follow, const TrainLogEntry *entry) {
    TrainLogEntry *last = &follow->last;
    // Seconds go on, but in logs of older programs.
    bool is_anew = entry->seconds < last->seconds;
    if (entry->n_steps > 0 || is_anew) {
        follow->first_step = entry->step - 1;
        follow->first_seconds = is_anew || isnan(last->seconds) ? 0.0 : last->seconds;
        last->matrix_share = (double)NAN;
    }
    last->step = entry->step;
    last->n_steps = entry->n_steps > 0 ? entry->n_steps : last->n_steps;
    keep_number(&last->loss, entry->loss);
    keep_number(&last->lr, entry->lr);
    keep_number(&last->norm, entry->norm);
    keep_number(&last->tokens_per_second, entry->tokens_per_second);
    keep_number(&last->seconds, entry->seconds);
    keep_number(&last->matrix_share, entry->matrix_share);
    if (!isnan(entry->held_out_loss)) {
        last->held_out_loss = entry->held_out_loss;
        follow->held_out_step = entry->step;
        if (isnan(follow->best) || entry->held_out_loss < follow->best) {
            follow->best = entry->held_out_loss;
            follow->best_step = entry->step;
        }
    }
    keep_sample(follow, entry);
    train_history_append(&follow->history, entry);
}

static void count_broken(TrainFollow *follow) {
    follow->first_broken = follow->n_broken == 0 ? follow->n_lines : follow->first_broken;
    follow->n_broken++;
}

// False where the step is not after the last one: the log was cut and has grown since, so it is to
// be read anew; where it reads the same again, the line is wrong.
static bool take_line(TrainFollow *follow, const char *line, size_t length) {
    TrainLogEntry entry;
    json_t *object = NULL;
    bool is_ours = !follow->is_overlong && train_log_read(&entry, &object, line, length);
    bool is_next = is_ours && entry.step > follow->last.step;
    bool falls = is_ours && !is_next;
    follow->is_settled = follow->is_settled || (falls && follow->taken == follow->refused);
    if (falls && !follow->is_settled) {
        follow->refused = follow->taken;
        json_decref(object);
        return false;
    }
    follow->n_lines++;
    follow->taken += (int64_t)length + 1;
    follow->is_overlong = false;
    if (is_next) {
        take_entry(follow, &entry);
    } else {
        count_broken(follow);
    }
    json_decref(object);
    return true;
}

// The whole lines of the buffer; what is left of it moves to its beginning.
static bool take_lines(TrainFollow *follow) {
    size_t at = 0;
    bool is_same = true;
    while (is_same) {
        const char *line = follow->buffer + at;
        const char *end = memchr(line, '\n', follow->used - at);
        if (end == NULL) {
            break;
        }
        is_same = take_line(follow, line, (size_t)(end - line));
        at += (size_t)(end - line) + 1;
    }
    follow->used -= at;
    memmove(follow->buffer, follow->buffer + at, follow->used);
    if (follow->used >= FOLLOW_LONGEST_LINE) {
        follow->taken += (int64_t)follow->used;
        follow->used = 0;
        follow->is_overlong = true;
    }
    return is_same;
}

// ---- the file

// Cut or replaced since the last time. One that is gone is kept as it was.
static bool is_other_file(const TrainFollow *follow) {
    struct stat by_name = {0};
    struct stat opened = {0};
    if (stat(follow->path, &by_name) != 0 || fstat(follow->descriptor, &opened) != 0) {
        return false;
    }
    return by_name.st_ino != opened.st_ino || by_name.st_dev != opened.st_dev ||
           opened.st_size < follow->taken + (int64_t)follow->used;
}

static bool begin_anew(TrainFollow *follow) {
    forget(follow);
    follow->is_settled = false;
    follow->refused = -1;
    if (follow->descriptor >= 0) {
        close(follow->descriptor);
    }
    follow->descriptor = open(follow->path, O_RDONLY | O_CLOEXEC);
    return follow->descriptor >= 0;
}

// The last line that was taken must still end where it did.
static bool ends_a_line(const TrainFollow *follow) {
    char end = '\n';
    bool reads = follow->taken == 0 || pread(follow->descriptor, &end, 1, follow->taken - 1) == 1;
    return reads && (end == '\n' || follow->is_overlong);
}

bool train_follow_read(TrainFollow *follow, double budget_ms, bool *changed) {
    double end = clock_seconds() + budget_ms * 1e-3;
    *changed = false;
    bool is_other = follow->descriptor < 0 || is_other_file(follow) || !ends_a_line(follow);
    bool had_lines = follow->n_lines > 0;
    if (is_other && !begin_anew(follow)) {
        *changed = had_lines;
        return false;
    }
    *changed = is_other && had_lines;
    do {
        ssize_t got = pread(follow->descriptor, follow->buffer + follow->used, PIECE_BYTES,
                            follow->taken + (int64_t)follow->used);
        if (got <= 0) {
            return false;
        }
        follow->used += (size_t)got;
        *changed = true;
        if (!take_lines(follow)) {
            forget(follow);
        }
    } while (clock_seconds() < end);
    struct stat status = {0};
    follow->size = fstat(follow->descriptor, &status) == 0 ? (int64_t)status.st_size : 0;
    return true;
}

double train_follow_seconds_left(const TrainFollow *follow) {
    const TrainLogEntry *last = &follow->last;
    int64_t done = last->step - follow->first_step;
    int64_t left = last->n_steps - last->step;
    double spent = last->seconds - follow->first_seconds;
    return done > 0 && left >= 0 ? spent / (double)done * (double)left : (double)NAN;
}
