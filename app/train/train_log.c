// train_log.c - log.jsonl of a run: a line a step, and what the training view reads back.
#include "app/train/train_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/files/json_text.h"

TrainLogEntry train_log_entry(int64_t step) {
    double none = (double)NAN;
    return (TrainLogEntry){.step = step,
                           .loss = none,
                           .held_out_loss = none,
                           .lr = none,
                           .norm = none,
                           .tokens_per_second = none,
                           .seconds = none};
}

// The step of a whole line; -1 where it is not one of ours.
static int64_t step_of(const char *line, size_t length) {
    json_t *object = json_text_parse(line, length, "log.jsonl", NULL);
    const json_t *step = json_object_get(object, "step");
    int64_t value = json_is_integer(step) ? (int64_t)json_integer_value(step) : -1;
    json_decref(object);
    return value;
}

// How many bytes of the log belong to steps up to last_step.
static size_t kept_bytes(const FileBytes *file, int64_t last_step) {
    const char *text = (const char *)file->bytes;
    size_t kept = 0;
    while (kept < file->size_bytes) {
        const char *end = memchr(text + kept, '\n', file->size_bytes - kept);
        size_t length = end == NULL ? 0 : (size_t)(end - text) - kept;
        int64_t step = end == NULL ? -1 : step_of(text + kept, length);
        if (step < 0 || step > last_step) {
            break;
        }
        kept += length + 1;
    }
    return kept;
}

static bool cut(const char *path, int64_t last_step, Error *err) {
    FileBytes file = {0};
    if (!file_exists(path)) {
        return true;
    }
    if (!file_read(&file, path, 0, err)) {
        return false;
    }
    size_t kept = kept_bytes(&file, last_step);
    bool is_longer = kept < file.size_bytes;
    file_close(&file);
    return !is_longer || truncate(path, (off_t)kept) == 0 ||
           error_set(err, "%s: cannot cut: %s", path, strerror(errno));
}

bool train_log_open(TrainLog *log, const char *run, int64_t last_step, Error *err) {
    *log = (TrainLog){.descriptor = -1};
    char *path = file_join(run, "log.jsonl");
    bool ok = path != NULL && cut(path, last_step, err);
    if (ok) {
        log->descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        log->is_open = log->descriptor >= 0;
        ok = log->is_open || error_set(err, "%s: cannot write: %s", path, strerror(errno));
    }
    free(path);
    return ok;
}

void train_log_close(TrainLog *log) {
    if (log->is_open) {
        close(log->descriptor);
    }
    *log = (TrainLog){.descriptor = -1};
}

static void put_number(FileWriter *line, const char *key, double value, int digits) {
    if (!isnan(value)) {
        file_writer_print(line, ",\"%s\":%.*g", key, digits, value);
    }
}

bool train_log_append(const TrainLog *log, const TrainLogEntry *entry, Error *err) {
    FileWriter line = {0};
    FileBytes bytes = {0};
    if (!file_writer_open_memory(&line, err)) {
        return false;
    }
    file_writer_print(&line, "{\"step\":%" PRId64, entry->step);
    put_number(&line, "loss", entry->loss, 17);
    put_number(&line, "held_out_loss", entry->held_out_loss, 17);
    put_number(&line, "lr", entry->lr, 9);
    put_number(&line, "norm", entry->norm, 17);
    put_number(&line, "tokens_per_second", entry->tokens_per_second, 6);
    put_number(&line, "seconds", entry->seconds, 6);
    if (entry->sample != NULL) {
        file_writer_text(&line, ",\"sample\":");
        json_text_write_string(&line, entry->sample);
    }
    file_writer_text(&line, "}\n");
    if (!file_writer_take(&line, &bytes, err)) {
        return false;
    }
    ssize_t written = write(log->descriptor, bytes.bytes, bytes.size_bytes);
    bool ok = written == (ssize_t)bytes.size_bytes;
    if (!ok) {
        error_set(err, "log.jsonl: cannot write: %s",
                  written < 0 ? strerror(errno) : "the disk is full");
    }
    file_close(&bytes);
    return ok;
}
