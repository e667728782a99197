// train_progress.h - the one line that says how a run goes, and plain lines in a pipe.
#ifndef APP_TRAIN_TRAIN_PROGRESS_H
#define APP_TRAIN_TRAIN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/training/trainer.h"

// Of the product that the machine's speed is measured with.
enum {
    TRAIN_PROGRESS_PRODUCT_SIZE = 384,
    TRAIN_PROGRESS_PRODUCT_BYTES =
        3 * 4 * TRAIN_PROGRESS_PRODUCT_SIZE * TRAIN_PROGRESS_PRODUCT_SIZE,
};

typedef struct TrainProgress {
    int64_t n_steps;
    bool is_terminal; // one line, written over; else lines
    bool is_quiet;    // not the process that speaks
    bool line_open;   // on a terminal: the cursor stands behind the line
    double held_out;  // last; NaN: none
    double start, last_line;
    uint64_t tokens;
    int64_t first_step; // of this process
    double flops;
    double machine_flops; // a second, of products; 0: not measured yet
    double tokens_per_second;
    double recent_loss; // smoothed
} TrainProgress;

double train_progress_now(void); // seconds of a clock that never goes back

void train_progress_begin(TrainProgress *progress, int64_t n_steps, int64_t first_step,
                          bool is_quiet);
// After a step. has_news: evaluated or the last one, so that a pipe gets a line.
void train_progress_step(TrainProgress *progress, const TrainerReport *report, bool has_news,
                         const Backend *backend, Device *device);
// A sentence on a line of its own, above the progress line.
void train_progress_say(TrainProgress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void train_progress_end(TrainProgress *progress);

// Multiplications and additions a second of one large product. 0 without memory for it.
double train_progress_machine_flops(const Backend *backend, Device *device);

#endif
