// view_distances.c - how long each way to compute distances takes: bars on a logarithmic axis.
#include <math.h>
#include <stdio.h>

#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { LABEL = 22, TIME = 12, LEAST_BAR = 10, LAST = DISTANCE_SIZES - 1 };

static const ViewTextId WAYS[DISTANCE_WAYS] = {VIEW_TEXT_WAY_LOOP, VIEW_TEXT_WAY_PRODUCT,
                                               VIEW_TEXT_WAY_BLAS, VIEW_TEXT_WAY_BLAS_ALL,
                                               VIEW_TEXT_WAY_GPU};

static bool fits(const ViewState *state) {
    return state->distances != NULL;
}

static void draw_time(Canvas *canvas, int x, int y, double seconds) {
    char text[24];
    snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
    canvas_text_in(canvas, x, y, TIME, ALIGN_RIGHT, STYLE_NUMBER, text);
}

// A bar ten times as long in time is one unit longer; the shortest time has one cell.
static void draw_bar(Canvas *canvas, int y, int room, double seconds, double least, double most) {
    double part = most > least ? log(seconds / least) / log(most / least) : 1.0;
    int width = 1 + (int)lround(part * (room - 1));
    for (int i = 0; i < width; i++) {
        canvas_text(canvas, LABEL + i, y, STYLE_FORWARD, "█");
    }
}

static void draw_bars(const ViewState *state, Canvas *canvas, int y) {
    const Distances *distances = state->distances;
    double least = INFINITY;
    double most = 0.0;
    for (int way = 0; way < DISTANCE_WAYS; way++) {
        if (distances->is_there[way]) {
            least = fmin(least, distances->seconds[way][LAST]);
            most = fmax(most, distances->seconds[way][LAST]);
        }
    }
    for (int way = 0; way < DISTANCE_WAYS; way++) {
        canvas_text_in(canvas, 0, y + way, LABEL - 1, ALIGN_LEFT, STYLE_TEXT,
                       view_text(state->language, WAYS[way]));
        if (!distances->is_there[way]) {
            canvas_text(canvas, LABEL, y + way, STYLE_DIM,
                        view_text(state->language, VIEW_TEXT_WAY_NOT_HERE));
            continue;
        }
        double seconds = distances->seconds[way][LAST];
        draw_bar(canvas, y + way, canvas->width - LABEL - TIME, seconds, least, most);
        draw_time(canvas, canvas->width - TIME, y + way, seconds);
    }
}

static int draw_overtaking(const ViewState *state, Canvas *canvas, int y) {
    for (int way = 1; way < DISTANCE_WAYS; way++) {
        char size[24];
        char line[128];
        int from = distances_overtaken(state->distances, (DistanceWay)way);
        if (!state->distances->is_there[way]) {
            continue;
        }
        snprintf(size, sizeof size, "%d", from);
        view_text_fill(
            line, sizeof line,
            view_text(state->language, from > 0 ? VIEW_TEXT_WAY_OVERTAKES : VIEW_TEXT_WAY_NEVER),
            view_text(state->language, WAYS[way]), size, NULL);
        canvas_text(canvas, 0, y++, STYLE_TEXT, line);
    }
    return y;
}

// A row for each size, where there is room.
static void draw_sizes(const ViewState *state, Canvas *canvas, int y) {
    for (int i = 0; i < DISTANCE_SIZES; i++) {
        canvas_format(canvas, 0, y + i, STYLE_DIM, "%5d", state->distances->sizes[i]);
        for (int way = 0, x = 6; way < DISTANCE_WAYS; way++) {
            if (state->distances->is_there[way]) {
                draw_time(canvas, x, y + i, state->distances->seconds[way][i]);
                x += TIME;
            }
        }
    }
}

static void draw(const ViewState *state, Canvas *canvas) {
    char points[24];
    char numbers[24];
    char text[160];
    snprintf(points, sizeof points, "%d", state->distances->sizes[LAST]);
    snprintf(numbers, sizeof numbers, "%d", DISTANCE_NUMBERS);
    canvas_text(canvas, 0, 0, STYLE_HEADING,
                view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_DISTANCES),
                               points, numbers, NULL));
    draw_bars(state, canvas, 1);
    int y = 1 + DISTANCE_WAYS;
    snprintf(numbers, sizeof numbers, "%g", state->distances->difference);
    canvas_text(canvas, 0, y, STYLE_TEXT,
                view_text_fill(text, sizeof text,
                               view_text(state->language, VIEW_TEXT_WAY_DIFFERENCE), numbers, NULL,
                               NULL));
    y = draw_overtaking(state, canvas, y + 1);
    if (y + 1 + DISTANCE_SIZES <= canvas->height) {
        draw_sizes(state, canvas, y + 1);
    }
}

static void measure(const ViewState *state, int *width, int *height) {
    (void)state;
    *width = 100;
    *height = 2 * DISTANCE_WAYS + DISTANCE_SIZES + 3;
}

const View view_distances = {
    .name = "distances",
    .titles = {"ways to compute", "计算的方法"},
    .needs = {"times of several ways: :distances", "几种方法的时间：:distances"},
    .min_width = LABEL + LEAST_BAR + TIME,
    .min_height = 1 + DISTANCE_WAYS,
    .fits = fits,
    .draw = draw,
    .measure = measure,
    .subject = VIEW_OF_DISTANCES,
    .spoken = VIEW_SPOKEN_LINES,
    .is_whole = true};
