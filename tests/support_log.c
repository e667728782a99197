// support_log.c - the logs of two runs, compared.
#include "tests/support_log.h"

#include <math.h>
#include <string.h>

#include "app/train/train_log.h"

static bool is_same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

// Moves *text behind its first line.
static bool read_entry(const char **text, TrainLogEntry *entry, json_t **object) {
    const char *end = strchr(*text, '\n');
    if (end == NULL) {
        return false;
    }
    const char *line = *text;
    *text = end + 1;
    return train_log_read(entry, object, line, (size_t)(end - line));
}

bool support_log_is_same(const FileBytes *a, const FileBytes *b, int64_t *step) {
    const char *left = (const char *)a->bytes;
    const char *right = (const char *)b->bytes;
    bool is_same = true;
    while (is_same) {
        TrainLogEntry x = {0};
        TrainLogEntry y = {0};
        json_t *x_object = NULL;
        json_t *y_object = NULL;
        bool has_x = read_entry(&left, &x, &x_object);
        bool has_y = read_entry(&right, &y, &y_object);
        *step = has_x && has_y ? x.step : -1;
        is_same = has_x == has_y;
        if (has_x && has_y) {
            is_same = x.step == y.step && is_same_number(x.loss, y.loss) &&
                      is_same_number(x.held_out_loss, y.held_out_loss) &&
                      is_same_number(x.lr, y.lr) && is_same_number(x.norm, y.norm) &&
                      (x.sample == NULL) == (y.sample == NULL) &&
                      (x.sample == NULL || strcmp(x.sample, y.sample) == 0);
        }
        json_decref(x_object);
        json_decref(y_object);
        if (!has_x && !has_y) {
            return true;
        }
    }
    return false;
}
