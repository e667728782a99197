// train_log.h - log.jsonl of a run: a line a step, and what the training view reads back.
#ifndef APP_TRAIN_TRAIN_LOG_H
#define APP_TRAIN_TRAIN_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"

typedef struct TrainLog {
    int descriptor;
    bool is_open; // false in a zeroed one
} TrainLog;

// One line: a step, an evaluation, or a sample; what is NaN or NULL is left out.
typedef struct TrainLogEntry {
    int64_t step;
    double loss, held_out_loss, lr, norm;
    double tokens_per_second, seconds; // since the run was begun or taken up
    const char *sample;
} TrainLogEntry;

TrainLogEntry train_log_entry(int64_t step);

// Opens run/log.jsonl to append. Lines of steps after last_step, and one that a killed writer left
// unfinished, are cut off first.
bool train_log_open(TrainLog *log, const char *run, int64_t last_step, Error *err);
void train_log_close(TrainLog *log);
bool train_log_append(const TrainLog *log, const TrainLogEntry *entry, Error *err);

#endif
