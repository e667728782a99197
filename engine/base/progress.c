// progress.c - long work that somebody waits for: how far it is, and whether it is to end.
#include "engine/base/progress.h"

bool progress_at(Progress *progress, size_t done, size_t total, Error *err) {
    if (progress == NULL) {
        return true;
    }
    double part = total > 0 ? (double)done / (double)total : 0.0;
    progress->part = progress->width > 0.0 ? progress->begin + progress->width * part : part;
    progress->is_ended = progress->is_ended || !progress->goes_on(progress);
    if (progress->is_ended && err != NULL) {
        error_set(err, "ended before it was done");
    }
    return !progress->is_ended;
}

void progress_piece(Progress *progress, size_t piece, size_t n_pieces) {
    if (progress != NULL) {
        progress->begin = n_pieces > 0 ? (double)piece / (double)n_pieces : 0.0;
        progress->width = n_pieces > 0 ? 1.0 / (double)n_pieces : 0.0;
    }
}
