// train_progress.h - the one line that says how a run goes, and plain lines in a pipe. What is told
// waits for whoever reads it, but not once a signal asks the run to stop.
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
    double start, last_line;
    double lines_left;    // how many evaluations may still have a line of their own at once
    int64_t first_step;   // of this process
    uint64_t tokens;      // of its steps,
    double flops;         // their products,
    double steps_seconds; // and their time, without evaluations, samples and checkpoints
    double machine_flops; // a second, of products; 0: not measured yet
    // What is told, of the last step:
    int64_t step;
    double loss;     // smoothed
    double held_out; // NaN: none yet
    double tokens_per_second;
    double matrix_share; // of the machine's matrix speed; NaN: not measured yet
    double seconds_left;
} TrainProgress;

void train_progress_begin(TrainProgress *progress, int64_t n_steps, int64_t first_step,
                          bool is_quiet);

// After a step. News has a line of its own in a pipe, but no more than a few a second; what must be
// told always has one.
typedef enum ProgressNews { PROGRESS_NOTHING, PROGRESS_NEWS, PROGRESS_MUST } ProgressNews;
void train_progress_step(TrainProgress *progress, const TrainerReport *report, ProgressNews news,
                         Device *device);

// The line in at most so many columns: what matters less is said shorter, then left out.
enum { PROGRESS_LINE_BYTES = 256 };
void train_progress_line(const TrainProgress *progress, int columns,
                         char text[PROGRESS_LINE_BYTES]);

// Text over the progress line of a terminal.
void train_progress_over(TrainProgress *progress, const char *text);

// A sentence on a line of its own, above the progress line.
void train_progress_say(TrainProgress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A text of the model, as lines that stand in by a bar.
void train_progress_sample(TrainProgress *progress, const char *text);
void train_progress_end(TrainProgress *progress);

// Multiplications and additions a second of one large product. 0 without memory for it.
double train_progress_machine_flops(Device *device);

#endif
