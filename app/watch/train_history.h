// train_history.h - the curves of a run in bounded memory, however long it is: fine near both ends.
#ifndef APP_WATCH_TRAIN_HISTORY_H
#define APP_WATCH_TRAIN_HISTORY_H

#include "app/train/train_log.h"

// Level k keeps the first HISTORY_POINTS and the last HISTORY_POINTS groups of 2^k steps; on the
// last one all steps that there can be (2^31) are 16 groups. About 1.6 MB.
enum { HISTORY_LEVELS = 28, HISTORY_POINTS = 1024 };

// What was measured in a group of steps; NaN: nothing.
typedef struct HistoryPoint {
    int32_t group; // which one this is; the place is used again for a later one
    int32_t n_losses, n_held_out;
    float loss, held_out; // means
    float norm;           // the largest
    float rate;           // the last
} HistoryPoint;

typedef struct TrainHistory {
    HistoryPoint *points; // HISTORY_LEVELS blocks of 2 * HISTORY_POINTS
    int64_t last_step;    // 0: none yet
} TrainHistory;

bool train_history_init(TrainHistory *history, Error *err);
void train_history_free(TrainHistory *history);
void train_history_clear(TrainHistory *history);

// Steps come in rising order; some may be missing.
void train_history_append(TrainHistory *history, const TrainLogEntry *entry);

// A part of the curves: value i belongs to steps first + i * stride .. first + (i + 1) * stride
// - 1.
typedef struct TrainCurves {
    float *losses, *held_out, *norms, *rates; // capacity numbers each; NaN where there is none
    int n, capacity;
    int64_t first;
    int64_t stride;
} TrainCurves;

// All arrays are one block, of losses.
bool train_curves_init(TrainCurves *curves, int capacity, Error *err);
void train_curves_free(TrainCurves *curves);

// The steps from..to in at most `most` values (and at most curves->capacity), as fine as that and
// what is kept allow.
void train_history_read(const TrainHistory *history, int64_t from, int64_t to, int most,
                        TrainCurves *curves);

// The mean loss around a step, as fine as it is known; NaN: none.
double train_history_loss_at(const TrainHistory *history, int64_t step);

#endif
