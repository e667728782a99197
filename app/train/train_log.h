// train_log.h - log.jsonl of a run: a line a step, written by the run and read by who watches it.
#ifndef APP_TRAIN_TRAIN_LOG_H
#define APP_TRAIN_TRAIN_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "engine/base/error.h"

typedef struct TrainLog {
    int descriptor;
    bool is_open; // false in a zeroed one
} TrainLog;

// One line: a step, with an evaluation or a sample now and then; what is NaN, NULL or 0 is left
// out.
typedef struct TrainLogEntry {
    int64_t step;
    double loss, held_out_loss, lr, norm;
    double tokens_per_second, seconds; // of training, those before it was taken up as well
    double matrix_share;               // of the machine's matrix speed, 0 to 1
    int64_t n_steps;                   // of the whole run; in the first line of each process
    const char *sample;
} TrainLogEntry;

TrainLogEntry train_log_entry(int64_t step);

// Opens run/log.jsonl to append. Lines of steps after last_step, and one that a killed writer left
// unfinished, are cut off first.
bool train_log_open(TrainLog *log, const char *run, int64_t last_step, Error *err);
void train_log_close(TrainLog *log);
bool train_log_append(const TrainLog *log, const TrainLogEntry *entry, Error *err);

// Reads a line, without its end, back. entry->sample lies in *object, the caller's to json_decref,
// which is NULL where the line is none of ours: no JSON, or without a step from 1 to 2^31 - 1.
bool train_log_read(TrainLogEntry *entry, json_t **object, const char *line, size_t length);

#endif
