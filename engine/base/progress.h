// progress.h - long work that somebody waits for: how far it is, and whether it is to end.
#ifndef ENGINE_BASE_PROGRESS_H
#define ENGINE_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

// Who waits fills in goes_on; the work asks it every few milliseconds, on its own thread, and may
// not be changed by it.
typedef struct Progress Progress;
struct Progress {
    bool (*goes_on)(Progress *progress); // false: the work is to end
    void *context;
    double part;         // of the work that is done, 0 to 1
    double begin, width; // the piece that is done now, as parts of the whole; width 0: all of it
    bool is_ended;       // goes_on said so; set back by who waits
};

// So many of total are done. False where the work is to end, from then on each time; err (may be
// NULL) then says so. progress NULL: nobody waits, the work goes on.
bool progress_at(Progress *progress, size_t done, size_t total, Error *err);

// What follows is piece number `piece` of n_pieces alike; n_pieces 0: all of the work again.
void progress_piece(Progress *progress, size_t piece, size_t n_pieces);

#endif
