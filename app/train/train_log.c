// train_log.c - log.jsonl of a run: a line a step, written by the run and read by who watches it.
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
                           .seconds = none,
                           .matrix_share = none};
}

static int64_t integer_in(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : 0;
    return number > 0 && number <= INT32_MAX ? (int64_t)number : 0;
}

static double number_in(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

bool train_log_read(TrainLogEntry *entry, json_t **object, const char *line, size_t length) {
    *object = json_text_parse(line, length, "log.jsonl", NULL);
    *entry = train_log_entry(integer_in(*object, "step"));
    if (entry->step == 0) {
        json_decref(*object);
        *object = NULL;
        return false;
    }
    entry->loss = number_in(*object, "loss");
    entry->held_out_loss = number_in(*object, "held_out_loss");
    entry->lr = number_in(*object, "lr");
    entry->norm = number_in(*object, "norm");
    entry->tokens_per_second = number_in(*object, "tokens_per_second");
    entry->seconds = number_in(*object, "seconds");
    entry->matrix_share = number_in(*object, "matrix_share");
    entry->n_steps = integer_in(*object, "steps");
    entry->sample = json_string_value(json_object_get(*object, "sample"));
    return true;
}

// The step of a whole line; -1 where it is not one of ours.
static int64_t step_of(const char *line, size_t length) {
    TrainLogEntry entry;
    json_t *object = NULL;
    bool is_ours = train_log_read(&entry, &object, line, length);
    json_decref(object);
    return is_ours ? entry.step : -1;
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
    put_number(&line, "matrix_share", entry->matrix_share, 4);
    if (entry->n_steps > 0) {
        file_writer_print(&line, ",\"steps\":%" PRId64, entry->n_steps);
    }
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
