// train_watch.c - looks at a run by its log, live or afterwards.
#include "app/train/train_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/app.h"
#include "engine/base/file.h"
#include "engine/files/json_text.h"
#include "views/canvas_text.h"
#include "views/screen/view.h"

enum { PIPE_COLUMNS = 100, PIPE_ROWS = 26, WAIT_MICROSECONDS = 500000 };

// What the log says, a number a step.
typedef struct Curve {
    float *losses, *norms, *rates; // one block, of losses
    int n, capacity;
    double held_out, tokens_per_second; // last; NaN: none
} Curve;

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool reserve(Curve *curve) {
    if (curve->n < curve->capacity) {
        return true;
    }
    size_t old = (size_t)curve->capacity;
    size_t capacity = old == 0 ? 1024 : 2 * old;
    float *block = malloc(3 * capacity * sizeof *block);
    if (block == NULL) {
        return false;
    }
    for (size_t i = 0; i < 3 && old > 0; i++) {
        memcpy(block + i * capacity, curve->losses + i * old, old * sizeof *block);
    }
    free(curve->losses);
    curve->losses = block;
    curve->norms = block + capacity;
    curve->rates = block + 2 * capacity;
    curve->capacity = (int)capacity;
    return true;
}

static bool append_point(Curve *curve, const json_t *object) {
    if (!reserve(curve)) {
        return false;
    }
    double held_out = number_of(object, "held_out_loss");
    curve->losses[curve->n] = (float)number_of(object, "loss");
    curve->norms[curve->n] = (float)number_of(object, "norm");
    curve->rates[curve->n] = (float)number_of(object, "lr");
    curve->n++;
    curve->held_out = isnan(held_out) ? curve->held_out : held_out;
    curve->tokens_per_second = number_of(object, "tokens_per_second");
    return true;
}

// A line that is still being written is left for the next time.
static bool read_curve(Curve *curve, const char *path, Error *err) {
    FileBytes file = {0};
    if (!file_read(&file, path, 0, err)) {
        return false;
    }
    *curve = (Curve){.held_out = (double)NAN, .tokens_per_second = 0.0};
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

static bool draw(const Curve *curve, Canvas *canvas, bool live, Error *err) {
    ViewTraining training = {.run = {curve->losses, curve->norms, curve->n},
                             .shown_step = curve->n,
                             .is_running = live,
                             .tokens_per_second = curve->tokens_per_second,
                             .lr = curve->n > 0 ? curve->rates[curve->n - 1] : 0.0F,
                             .rates = curve->rates};
    ViewState state = {.training = &training};
    char *text = NULL;
    size_t length = 0;
    canvas_clear(canvas, STYLE_TEXT);
    view_draw(view_find("training"), &state, canvas);
    if (!canvas_to_text(canvas, &text, &length, err)) {
        return false;
    }
    fwrite(text, 1, length, stdout);
    if (!isnan(curve->held_out)) {
        printf("held-out %.4f\n", curve->held_out);
    }
    fflush(stdout);
    free(text);
    return true;
}

static bool open_canvas(Canvas *canvas, bool is_terminal, Error *err) {
    struct winsize size = {.ws_row = 0};
    bool has_size = is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
                    size.ws_col > 0 && size.ws_row > 3;
    if (!canvas_init(canvas, has_size ? size.ws_col : PIPE_COLUMNS,
                     has_size ? size.ws_row - 2 : PIPE_ROWS, err)) {
        return false;
    }
    setlocale(LC_CTYPE, "");
    canvas->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    return true;
}

static bool show(const char *path, bool live, bool is_terminal, int *shown, Error *err) {
    Curve curve = {.n = 0};
    Canvas canvas = {.cells = NULL};
    bool ok = read_curve(&curve, path, err);
    if (ok && (curve.n != *shown || !live)) {
        if (is_terminal) {
            fputs("\033[H\033[J", stdout);
        }
        ok = open_canvas(&canvas, is_terminal, err) && draw(&curve, &canvas, live, err);
        *shown = curve.n;
    }
    canvas_free(&canvas);
    free(curve.losses);
    return ok;
}

int train_watch(const char *run, Error *err) {
    char *path = file_join(run, "log.jsonl");
    bool is_terminal = isatty(STDOUT_FILENO) == 1;
    bool ok = path != NULL;
    bool live = true;
    int shown = -1;
    while (ok && live) {
        live = is_terminal && is_live(run);
        ok = show(path, live, is_terminal, &shown, err);
        if (live) {
            usleep(WAIT_MICROSECONDS);
        }
    }
    free(path);
    return ok ? APP_OK : APP_FAILED;
}
