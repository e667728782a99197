// train_watch.c - looks at a run by its log, live or afterwards.
#include "app/train_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/app.h"
#include "engine/file.h"
#include "engine/json_text.h"

enum { MOST_LINES = 24, BAR_WIDTH = 40, WAIT_MICROSECONDS = 500000 };

typedef struct Point {
    long long step;
    double loss, held_out, tokens_per_second;
} Point;

typedef struct Curve {
    Point *points;
    size_t n, capacity;
    double least, most; // of the losses
} Curve;

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool append_point(Curve *curve, const json_t *object) {
    if (curve->n == curve->capacity) {
        size_t capacity = curve->capacity == 0 ? 256 : 2 * curve->capacity;
        Point *points = realloc(curve->points, capacity * sizeof *points);
        if (points == NULL) {
            return false;
        }
        curve->points = points;
        curve->capacity = capacity;
    }
    Point point = {.step = json_integer_value(json_object_get(object, "step")),
                   .loss = number_of(object, "loss"),
                   .held_out = number_of(object, "held_out_loss"),
                   .tokens_per_second = number_of(object, "tokens_per_second")};
    curve->points[curve->n++] = point;
    curve->least = fmin(curve->least, point.loss);
    curve->most = fmax(curve->most, point.loss);
    return true;
}

// A line that is still being written is left for the next time.
static bool read_curve(Curve *curve, const char *path, Error *err) {
    FileBytes file = {0};
    if (!file_read(&file, path, 0, err)) {
        return false;
    }
    *curve = (Curve){.least = INFINITY, .most = -INFINITY};
    bool ok = true;
    size_t at = 0;
    while (ok && at < file.size_bytes) {
        const char *line = (const char *)file.bytes + at;
        const char *end = memchr(line, '\n', file.size_bytes - at);
        if (end == NULL) {
            break;
        }
        json_t *object = json_text_parse(line, (size_t)(end - line), path, err);
        ok = object != NULL && append_point(curve, object);
        json_decref(object);
        at += (size_t)(end - line) + 1;
    }
    file_close(&file);
    return ok || error_set(err, "not enough memory for %s", path);
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static void print_curve(const Curve *curve) {
    size_t n_lines = smaller(curve->n, MOST_LINES);
    double range = fmax(curve->most - curve->least, 1e-9);
    double held_out = (double)NAN;
    size_t at = 0;
    for (size_t line = 0; line < n_lines; line++) {
        size_t end = (line + 1) * curve->n / n_lines;
        double sum = 0.0;
        size_t count = end - at;
        for (; at < end; at++) {
            sum += curve->points[at].loss;
            held_out = isnan(curve->points[at].held_out) ? held_out : curve->points[at].held_out;
        }
        double mean = sum / (double)count;
        int width = (int)lround((mean - curve->least) / range * BAR_WIDTH);
        printf("%9lld  loss %8.4f", curve->points[end - 1].step, mean);
        if (!isnan(held_out)) {
            printf("  held-out %8.4f", held_out);
        }
        printf("  %.*s\n", width, "########################################");
    }
    if (curve->n > 0) {
        const Point *last = &curve->points[curve->n - 1];
        printf("step %lld, loss %.4f, %.0f tokens/s\n", last->step, last->loss,
               last->tokens_per_second);
    }
    fflush(stdout);
}

static bool is_live(const char *run) {
    char *path = file_join(run, "lock");
    int descriptor = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    bool live = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    free(path);
    return live;
}

int train_watch(const char *run, Error *err) {
    char *path = file_join(run, "log.jsonl");
    bool ok = path != NULL;
    bool goes_on = true;
    size_t shown = 0;
    while (ok && goes_on) {
        goes_on = isatty(STDOUT_FILENO) == 1 && is_live(run);
        Curve curve = {0};
        ok = read_curve(&curve, path, err);
        if (ok && (curve.n != shown || !goes_on)) {
            if (shown > 0) {
                fputs("\033[H\033[J", stdout);
            }
            print_curve(&curve);
            shown = curve.n;
        }
        free(curve.points);
        if (goes_on) {
            usleep(WAIT_MICROSECONDS);
        }
    }
    free(path);
    return ok ? APP_OK : APP_FAILED;
}
