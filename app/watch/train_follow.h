// train_follow.h - follows a run by its folder: reads what log.jsonl has got since the last time.
#ifndef APP_WATCH_TRAIN_FOLLOW_H
#define APP_WATCH_TRAIN_FOLLOW_H

#include "app/watch/train_history.h"

enum { FOLLOW_LONGEST_LINE = 1 << 20 }; // what is longer is no line of ours

typedef struct TrainFollow {
    const char *folder; // borrowed
    char *path;         // of its log
    int descriptor;     // -1: not there yet
    int64_t taken;      // bytes of whole lines that were read
    int64_t size;       // of the log when it was looked at last
    char *buffer;       // bytes after `taken`
    size_t used;
    bool is_overlong; // the line in the buffer is longer than any of ours: passed over to its end
    int64_t refused;  // where a step did not rise and the log was read anew; -1: nowhere
    bool is_settled;  // a second reading found the same
    TrainHistory history;
    TrainLogEntry last;   // each number as it was told last, in whichever line; sample: below
    int64_t first_step;   // that the process which writes has taken up the run after
    double first_seconds; // of training until then
    double best;          // held-out loss; NaN: none
    int64_t best_step;
    int64_t held_out_step; // of last.held_out_loss
    char *sample;          // NULL: none
    int64_t sample_step;
    int64_t n_lines, n_broken, first_broken; // lines that could not be read, and the first of them
    // The folder when it was looked at last:
    bool is_live;       // somebody trains in it
    int64_t checkpoint; // step of the newest; 0: none
} TrainFollow;

// Fails with a sentence where the folder is none of a run. A run that has just begun may have no
// log yet. Nothing is read.
bool train_follow_open(TrainFollow *follow, const char *folder, Error *err);
void train_follow_close(TrainFollow *follow);

// Reads for about budget_ms; a log that was cut or replaced is read anew. *changed: there was
// something new. True where there is more to read at once.
bool train_follow_read(TrainFollow *follow, double budget_ms, bool *changed);

// Looks whether somebody trains there and for the newest checkpoint. True where that has changed.
bool train_follow_look(TrainFollow *follow);

// Of the run, by the speed since its process began; NaN where it is not known.
double train_follow_seconds_left(const TrainFollow *follow);

#endif
