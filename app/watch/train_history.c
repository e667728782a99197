// train_history.c - the curves of a run in bounded memory, however long it is: fine near both ends.
#include "app/watch/train_history.h"

#include <math.h>
#include <stdlib.h>

enum { LEVEL_POINTS = 2 * HISTORY_POINTS };

static const float NOTHING = NAN;

bool train_history_init(TrainHistory *history, Error *err) {
    size_t n = (size_t)HISTORY_LEVELS * LEVEL_POINTS;
    *history = (TrainHistory){.points = malloc(n * sizeof *history->points)};
    if (history->points == NULL) {
        return error_set(err, "not enough memory for the curves of a run");
    }
    train_history_clear(history);
    return true;
}

void train_history_free(TrainHistory *history) {
    free(history->points);
    *history = (TrainHistory){.points = NULL};
}

static HistoryPoint empty_point(int32_t group) {
    return (HistoryPoint){
        .group = group, .loss = NOTHING, .held_out = NOTHING, .norm = NOTHING, .rate = NOTHING};
}

void train_history_clear(TrainHistory *history) {
    for (int i = 0; i < HISTORY_LEVELS * LEVEL_POINTS; i++) {
        history->points[i] = empty_point(-1);
    }
    history->last_step = 0;
}

// The first groups have places of their own, the others share the second half.
static HistoryPoint *place_of(const TrainHistory *history, int level, int64_t group) {
    int64_t place = group < HISTORY_POINTS ? group : HISTORY_POINTS + group % HISTORY_POINTS;
    return &history->points[(int64_t)level * LEVEL_POINTS + place];
}

static void add_to_mean(float *mean, int32_t *n, double value) {
    if (!isnan(value)) {
        *n += 1;
        *mean = *n == 1 ? (float)value : *mean + ((float)value - *mean) / (float)*n;
    }
}

void train_history_append(TrainHistory *history, const TrainLogEntry *entry) {
    for (int level = 0; level < HISTORY_LEVELS; level++) {
        int64_t group = (entry->step - 1) >> level;
        HistoryPoint *point = place_of(history, level, group);
        if (point->group != group) {
            *point = empty_point((int32_t)group);
        }
        add_to_mean(&point->loss, &point->n_losses, entry->loss);
        add_to_mean(&point->held_out, &point->n_held_out, entry->held_out_loss);
        point->norm = fmaxf(point->norm, (float)entry->norm); // a NaN gives way to a number
        point->rate = isnan(entry->lr) ? point->rate : (float)entry->lr;
    }
    history->last_step = entry->step;
}

// ---- reading

bool train_curves_init(TrainCurves *curves, int capacity, Error *err) {
    size_t n = (size_t)capacity;
    *curves = (TrainCurves){.losses = malloc(4 * n * sizeof *curves->losses), .capacity = capacity};
    if (curves->losses == NULL) {
        return error_set(err, "not enough memory for the curves of a run");
    }
    curves->held_out = curves->losses + n;
    curves->norms = curves->losses + 2 * n;
    curves->rates = curves->losses + 3 * n;
    return true;
}

void train_curves_free(TrainCurves *curves) {
    free(curves->losses);
    *curves = (TrainCurves){.losses = NULL};
}

// True where every group from first to last still has its place.
static bool is_kept(const TrainHistory *history, int level, int64_t first, int64_t last) {
    int64_t end = (history->last_step - 1) >> level;
    int64_t oldest = end - HISTORY_POINTS + 1; // of the shared places
    return last < HISTORY_POINTS || first >= oldest || oldest <= HISTORY_POINTS;
}

void train_history_read(const TrainHistory *history, int64_t from, int64_t to, int most,
                        TrainCurves *curves) {
    most = most < curves->capacity ? most : curves->capacity;
    to = to < history->last_step ? to : history->last_step;
    from = from < 1 ? 1 : from;
    curves->n = 0;
    int level = 0;
    while (level + 1 < HISTORY_LEVELS &&
           (((to - 1) >> level) - ((from - 1) >> level) >= most ||
            !is_kept(history, level, (from - 1) >> level, (to - 1) >> level))) {
        level++;
    }
    int64_t first = (from - 1) >> level;
    curves->stride = (int64_t)1 << level;
    curves->first = first * curves->stride + 1;
    for (int64_t group = first; group <= (to - 1) >> level && curves->n < most; group++) {
        const HistoryPoint *place = place_of(history, level, group);
        HistoryPoint point = place->group == group ? *place : empty_point(-1);
        int i = curves->n++;
        curves->losses[i] = point.loss;
        curves->held_out[i] = point.held_out;
        curves->norms[i] = point.norm;
        curves->rates[i] = point.rate;
    }
}

double train_history_loss_at(const TrainHistory *history, int64_t step) {
    bool is_known = step > 0 && step <= history->last_step;
    for (int level = 0; is_known && level < HISTORY_LEVELS; level++) {
        int64_t group = (step - 1) >> level;
        const HistoryPoint *point = place_of(history, level, group);
        if (point->group == group) {
            return (double)point->loss;
        }
    }
    return (double)NAN;
}
