// view_training.c - a model that learns: loss and gradient norm as curves, rate, speed, and what
// attention looks like by now; two runs compared.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/screen/view_attention.h"
#include "views/screen/view_chart.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { SIDE_COLUMNS = 30, WIDE_SIDE = 36, WIDE = 80 };

// ---- curves

// Longer runs have a logarithmic axis, so that the descent at their beginning stays to be seen.
enum { LINEAR_STEPS = 400, MOST_PLACES = 1024 };

static int place_of(int step, int across, int n_places) {
    double part = across < 2 ? 0.0 : (double)(step - 1) / (across - 1);
    if (across > LINEAR_STEPS) {
        part = log((double)step) / log((double)across);
    }
    return (int)(part * (n_places - 1));
}

// A dotted column at the step whose weights are in the model.
static void draw_shown_step(Canvas *canvas, const ViewChart *chart, int step, int n) {
    if (step < 1 || step > n || n < 2) {
        return;
    }
    const Rect *rect = &chart->rect;
    int x = rect->x + place_of(step, n, rect->width);
    for (int y = rect->y; y < rect->y + rect->height; y++) {
        const Cell *cell = canvas_cell(canvas, x, y);
        if (cell != NULL && cell->glyph[0] == ' ') {
            canvas_text(canvas, x, y, STYLE_ACTIVE, canvas->ascii ? "!" : "┊");
        }
    }
}

// The values of one place: the first of them, and the one furthest from it.
typedef struct Curve {
    float pairs[2 * MOST_PLACES];
    int n_places;
} Curve;

// Places between two that have values lie on the line between these.
static void fill_between(Curve *curve, int from, int to) {
    float start = curve->pairs[2 * from + 1];
    float end = curve->pairs[2 * to];
    for (int i = 2 * from + 2; i < 2 * to; i++) {
        float part = (float)(i - 2 * from - 1) / (float)(2 * (to - from) - 1);
        curve->pairs[i] = start + part * (end - start);
    }
}

static void sample(Curve *curve, const ViewRun *run, const float *values, int across,
                   int n_places) {
    int last = -1;
    for (int i = 0; i < run->n_kept; i++) {
        int place = place_of(run->steps[i], across, n_places);
        float *pair = &curve->pairs[2 * place];
        if (place != last) {
            pair[0] = values[i];
            pair[1] = values[i];
            if (last >= 0) {
                fill_between(curve, last, place);
            }
            last = place;
        } else if (fabsf(values[i] - pair[0]) >= fabsf(pair[1] - pair[0])) {
            pair[1] = values[i];
        }
    }
    curve->n_places = last + 1;
}

static int values_of(const ViewRun *run) {
    return run->steps == NULL ? run->n_steps : run->n_kept;
}

// Of a run that is longer than the axis is linear; without them there is nothing to draw.
static void draw_sampled(Canvas *canvas, const ViewChart *chart, const ViewRun *run,
                         const float *values, int across, bool is_other) {
    Curve curve;
    int n_places = chart->rect.width * 2; // a column is two dots wide
    if (n_places > MOST_PLACES) {
        n_places = MOST_PLACES;
    }
    if (run->steps == NULL || values == NULL || n_places < 2) {
        return;
    }
    sample(&curve, run, values, across, n_places);
    ViewChart places = *chart;
    places.from = 1;
    places.to = 2L * n_places;
    const ChartValues points = {curve.pairs, 2 * curve.n_places, 1.0, 1.0};
    view_chart_curve(canvas, &places, &points, is_other ? STYLE_DIM : STYLE_GOOD, is_other);
}

// The axis starts at 0, so that how far a number has fallen is seen.
static void draw_chart(Canvas *canvas, Rect rect, const ViewTraining *training, const float *values,
                       const float *others) {
    const ViewRun *run = &training->run;
    const ViewRun *other = &training->other;
    int across = run->n_steps > other->n_steps ? run->n_steps : other->n_steps;
    ViewChart chart = view_chart(rect, CHART_FROM_ZERO, 1, across);
    ChartValues curve = {values, values == NULL ? 0 : values_of(run), 1.0, 1.0};
    ChartValues second = {others, others == NULL ? 0 : values_of(other), 1.0, 1.0};
    view_chart_widen(&chart, &curve);
    view_chart_widen(&chart, &second);
    view_chart_close(&chart);
    if (across > LINEAR_STEPS && (run->steps != NULL || other->steps != NULL)) {
        draw_sampled(canvas, &chart, other, others, across, true);
        draw_sampled(canvas, &chart, run, values, across, false);
    } else {
        view_chart_curve(canvas, &chart, &second, STYLE_DIM, true);
        view_chart_curve(canvas, &chart, &curve, STYLE_GOOD, false);
    }
    view_chart_axis(canvas, &chart);
    draw_shown_step(canvas, &chart, training->shown_step, across);
}

// ---- what is written beside

static int put_value(const ViewState *state, Canvas *canvas, int y, ViewTextId id,
                     const char *value) {
    int x = canvas_text(canvas, 0, y, STYLE_DIM, view_text(state->language, id));
    canvas_text(canvas, x + 1, y, STYLE_NUMBER, value);
    return y + 1;
}

static void draw_run(const ViewState *state, Canvas *canvas, int y, ViewTextId id,
                     const ViewRun *run, Style style) {
    if (run->n_steps > 0) {
        char number[VIEW_NUMBER_BYTES];
        int x = canvas_text(canvas, 0, y, style, id == VIEW_TEXT_THIS_RUN ? "— " : "· ");
        x = canvas_text(canvas, x, y, style, view_text(state->language, id));
        canvas_format(canvas, x + 1, y, STYLE_NUMBER, "%d: %s", run->n_steps,
                      view_number_text((double)run->losses[values_of(run) - 1], 8, number));
    }
}

static int draw_numbers(const ViewState *state, Canvas *canvas) {
    const ViewTraining *training = state->training;
    char text[VIEW_NUMBER_BYTES];
    char label[64];
    draw_run(state, canvas, 0, VIEW_TEXT_THIS_RUN, &training->run, STYLE_GOOD);
    int y = 1;
    if (training->other.n_steps > 0) {
        draw_run(state, canvas, y++, VIEW_TEXT_OTHER_RUN, &training->other, STYLE_DIM);
    }
    y = put_value(state, canvas, y, VIEW_TEXT_LEARNING_RATE,
                  view_number_text((double)training->lr, 8, text));
    snprintf(text, sizeof text, "%.0f", training->tokens_per_second);
    y = put_value(state, canvas, y, VIEW_TEXT_TOKENS_PER_SECOND, text);
    snprintf(text, sizeof text, "%d", training->shown_step);
    canvas_text(canvas, 0, y, STYLE_ACTIVE,
                view_text_fill(label, sizeof label,
                               view_text(state->language, VIEW_TEXT_SHOWN_STEP), text, NULL, NULL));
    if (training->is_running) {
        canvas_format(canvas, 0, y + 1, STYLE_GOOD, "▸ %s",
                      view_text(state->language, VIEW_TEXT_RUNNING));
    }
    return y + 3;
}

// The last attention of the model with the weights that it has now, all heads.
static void draw_attention(const ViewState *state, Canvas *canvas) {
    const Node *node = NULL;
    for (int n = 0; attention_node(state, n) != NULL; n++) {
        node = attention_node(state, n);
    }
    if (node == NULL || !attention_has_run(state, node) || canvas->height < 3) {
        return;
    }
    canvas_text(canvas, 0, 0, STYLE_HEADING, view_text(state->language, VIEW_TEXT_ATTENTION_NOW));
    canvas_text_in(canvas, 0, 1, canvas->width, ALIGN_LEFT, STYLE_DIM, node->scope->path);
    AttentionPlace place = {.tape = state->tape, .node = node, .key = -1};
    int y = 2;
    for (int head = 0; head < node->shape.sizes[1] && y < canvas->height; head++) {
        ViewMatrix matrix = attention_matrix(&place, head);
        ViewGridOptions options = {.number_columns = 5, .has_labels = true, .has_heat = true};
        ViewGrid grid = view_grid_fit(state, &matrix, -1, -1, canvas->width, canvas->height - y,
                                      canvas->ascii, &options);
        if (grid.scale == HEAT_LINEAR) {
            grid.min = 0.0;
            grid.max = 1.0;
        }
        view_grid_draw(state, canvas, 0, y, &grid);
        y += view_grid_height(&grid) + 1;
        if (y <= canvas->height) {
            char text[128];
            canvas_text_in(canvas, 0, y - 1, canvas->width, ALIGN_LEFT, STYLE_DIM,
                           view_grid_scale_text(state, &grid, text));
        }
    }
}

// ---- the view

static bool fits(const ViewState *state) {
    return state->training != NULL;
}

static void draw_title(const ViewState *state, Canvas *canvas, Rect rect, ViewTextId id) {
    canvas_text(canvas, rect.x, rect.y - 1, STYLE_HEADING, view_text(state->language, id));
}

static void draw_steps(const ViewState *state, Canvas *canvas, const Rect *rect, int n) {
    char number[16];
    char text[48];
    snprintf(number, sizeof number, "%d", n);
    view_text_fill(text, sizeof text,
                   view_text(state->language, n > LINEAR_STEPS ? VIEW_TEXT_TRAINING_STEPS_LOG
                                                               : VIEW_TEXT_TRAINING_STEPS),
                   number, NULL, NULL);
    canvas_line_across(canvas, rect->x - 1, rect->y + rect->height, rect->width + 1, STYLE_BORDER);
    canvas_text(canvas, rect->x, rect->y + rect->height, STYLE_DIM, " 1 ");
    canvas_format(canvas, rect->x + rect->width - text_columns(text) - 1, rect->y + rect->height,
                  STYLE_DIM, " %s", text);
}

static void draw(const ViewState *state, Canvas *canvas) {
    const ViewTraining *training = state->training;
    const ViewRun *run = &training->run;
    const ViewRun *other = &training->other;
    if (run->n_steps == 0 && other->n_steps == 0) {
        canvas_text(canvas, 1, 0, STYLE_DIM, view_text(state->language, VIEW_TEXT_NOT_TRAINED));
        return;
    }
    int side = canvas->width >= WIDE ? WIDE_SIDE : (canvas->width >= 60 ? SIDE_COLUMNS : 0);
    int width = canvas->width - CHART_AXIS_COLUMNS - side - 2;
    bool has_norms = canvas->height >= 14 && run->norms != NULL;
    bool has_rates = canvas->height >= 22 && training->rates != NULL;
    int rows = canvas->height - 2 - 2 * has_norms - 2 * has_rates;
    int norm_rows = has_norms ? rows / 4 : 0;
    int rate_rows = has_rates ? rows / 5 : 0;
    Rect loss = {CHART_AXIS_COLUMNS, 1, width, rows - norm_rows - rate_rows};
    draw_title(state, canvas, loss, VIEW_TEXT_LOSS);
    draw_chart(canvas, loss, training, run->losses, other->losses);
    draw_steps(state, canvas, &loss, run->n_steps > other->n_steps ? run->n_steps : other->n_steps);
    int y = 1 + loss.height + 2;
    if (has_norms) {
        Rect norm = {CHART_AXIS_COLUMNS, y, width, norm_rows};
        draw_title(state, canvas, norm, VIEW_TEXT_GRADIENT_NORM);
        draw_chart(canvas, norm, training, run->norms, other->norms);
        y += norm_rows + 2;
    }
    if (has_rates) {
        Rect rate = {CHART_AXIS_COLUMNS, y - 1, width, rate_rows};
        draw_title(state, canvas, rate, VIEW_TEXT_LEARNING_RATE);
        draw_chart(canvas, rate, training, training->rates, NULL);
    }
    if (side == 0 || (!has_norms && run->norms != NULL) ||
        (!has_rates && training->rates != NULL)) {
        canvas_tell_part(canvas);
    }
    if (side > 0) {
        Canvas part =
            canvas_part(canvas, (Rect){canvas->width - side + 1, 1, side - 2, canvas->height - 1});
        int used = draw_numbers(state, &part);
        Canvas below = canvas_part(&part, (Rect){0, used, part.width, part.height - used});
        draw_attention(state, &below);
    }
}

const View view_training = {
    .name = "training",
    .titles = {"training", "训练"},
    .needs = {"a training: :train", "一次训练：:train"},
    .min_width = 36,
    .min_height = 6,
    .is_whole = true,
    .fits = fits,
    .draw = draw,
};
