// progress.c - long work that somebody waits for: how far it is, and whether it is to end.
#include "engine/base/progress.h"

bool progress_at(Progress *progress, size_t done, size_t total, Error *err) {
    if (progress == NULL) {
        return true;
    }
    progress->part = total > 0 ? (double)done / (double)total : 0.0;
    progress->is_ended = progress->is_ended || !progress->goes_on(progress);
    if (progress->is_ended && err != NULL) {
        error_set(err, "ended before it was done");
    }
    return !progress->is_ended;
}
