// snapshots.c - weights kept on the way of a training, close to one another where the loss
// descends.
#include "engine/playground/snapshots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SNAPSHOT_VALUES = 256 * 1024 };

// From one snapshot to the next a run gets longer by one part in so many, or by a step.
enum { PARTS = 16 };

void snapshots_forget(Training *training) {
    for (int i = 0; i < training->n_snapshots; i++) {
        free(training->snapshots[i].values);
    }
    free(training->newest);
    training->newest = NULL;
    training->n_snapshots = 0;
    training->shown = -1;
}

static float *copy_values(const Params *params) {
    float *values = malloc(params->n_values * sizeof *values);
    if (values != NULL) {
        memcpy(values, params_values(params, NULL), params->n_values * sizeof *values);
    }
    return values;
}

// Where all places are taken, the one goes that is missed the least: whose neighbours are next to
// each other, as a part of the run up to there.
static void drop_one(Training *training) {
    Snapshot *snapshots = training->snapshots;
    int drop = 1;
    double least = 0.0;
    for (int i = 1; i + 1 < training->n_snapshots; i++) {
        double gap = (double)(snapshots[i + 1].step - snapshots[i - 1].step) /
                     (snapshots[i - 1].step + PARTS);
        if (i == 1 || gap < least) {
            drop = i;
            least = gap;
        }
    }
    free(snapshots[drop].values);
    training->n_snapshots--;
    memmove(&snapshots[drop], &snapshots[drop + 1],
            (size_t)(training->n_snapshots - drop) * sizeof *snapshots);
}

static bool is_due(const Training *training, int step) {
    if (training->n_snapshots == 0) {
        return true;
    }
    int last = training->snapshots[training->n_snapshots - 1].step;
    int more = last / PARTS;
    return step >= last + (more > 1 ? more : 1);
}

void snapshots_take(Training *training, const Params *params) {
    int step = training->run.n_steps;
    if (training->n_snapshots == 0) {
        training->shown = -1;
    }
    if (params->n_values > MAX_SNAPSHOT_VALUES || !is_due(training, step)) {
        return;
    }
    if (training->n_snapshots == TRAINING_SNAPSHOTS) {
        drop_one(training);
    }
    float *values = copy_values(params);
    if (values != NULL) {
        training->snapshots[training->n_snapshots++] = (Snapshot){step, values};
    }
}

static void show_values(OpenModel *opened, const float *values) {
    Params *params = &opened->named.model.params;
    memcpy(params_change(params, NULL), values, params->n_values * sizeof *values);
}

void snapshots_show_newest(Training *training, OpenModel *opened) {
    if (training->newest != NULL) {
        show_values(opened, training->newest);
        free(training->newest);
        training->newest = NULL;
    }
    training->shown = -1;
}

// Snapshot n_snapshots is the end of the run.
static bool show(Training *training, OpenModel *opened, int to) {
    if (to == training->n_snapshots) {
        snapshots_show_newest(training, opened);
        return true;
    }
    if (training->newest == NULL) {
        training->newest = copy_values(&opened->named.model.params);
        if (training->newest == NULL) {
            return false;
        }
    }
    training->shown = to;
    show_values(opened, training->snapshots[to].values);
    return true;
}

static int count_kept(const Training *training) {
    int n = training->n_snapshots;
    return n > 0 && training->snapshots[n - 1].step == training->run.n_steps ? n : n + 1;
}

bool training_scrub(Training *training, OpenModel *opened, int direction) {
    int last = count_kept(training) - 1; // the end of the run, which may be a snapshot too
    int now = training->newest == NULL || training->shown > last ? last : training->shown;
    int to = now + direction;
    return to >= 0 && to <= last && now != to &&
           show(training, opened, to == last ? training->n_snapshots : to);
}

bool training_scrub_to(Training *training, OpenModel *opened, int step) {
    int to = training->n_snapshots;
    while (to > 0 && step != training->run.n_steps && training->snapshots[to - 1].step != step) {
        to--;
    }
    if (step == training->run.n_steps) {
        return show(training, opened, training->n_snapshots);
    }
    return to > 0 && show(training, opened, to - 1);
}

int training_step(const Training *training) {
    return training->newest == NULL ? training->run.n_steps
                                    : training->snapshots[training->shown].step;
}

// Of the steps that are kept, the i-th; the last is the end of the run.
static int kept_step(const Training *training, int i) {
    return i < training->n_snapshots ? training->snapshots[i].step : training->run.n_steps;
}

void training_kept(const Training *training, char *text, size_t size) {
    int n = count_kept(training);
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < n;) {
        int end = i;
        while (end + 1 < n && kept_step(training, end + 1) == kept_step(training, end) + 1) {
            end++;
        }
        char part[32];
        if (end > i) {
            snprintf(part, sizeof part, "%s%d-%d", i > 0 ? ", " : "", kept_step(training, i),
                     kept_step(training, end));
        } else {
            snprintf(part, sizeof part, "%s%d", i > 0 ? ", " : "", kept_step(training, i));
        }
        bool is_last = end + 1 == n;
        if (length + strlen(part) + (is_last ? 1 : sizeof ", ...") > size) {
            snprintf(text + length, size - length, "%s", i > 0 ? ", ..." : "");
            return;
        }
        memcpy(text + length, part, strlen(part) + 1);
        length += strlen(part);
        i = end + 1;
    }
}
