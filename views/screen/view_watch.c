// view_watch.c - a run of training on disk: its charts, and where everything stands.
#include "views/screen/view_watch.h"

#include <math.h>
#include <stdio.h>

#include "views/screen/view_texts.h"

enum {
    WIDE = 72, // from here on the numbers stand beside the charts
    SIDE_COLUMNS = 31,
    VERY_WIDE = 110,
    WIDE_SIDE_COLUMNS = 38,
    ROWS_WITH_NORMS = 16, // of charts
    ROWS_WITH_RATES = 24,
    ROWS_WITH_SAMPLE = 14, // of everything but the header
    MOST_SAMPLE_LINES = 6,
    LEAST_WIDTH = 30,
    LEAST_HEIGHT = 6,
    TITLE_BYTES = 128,
};

static const char *text_of(const ViewWatch *watch, ViewTextId id) {
    return view_text(watch->language, id);
}

int view_watch_values(int width) {
    return 2 * width;
}

static ChartValues values_of(const WatchRun *run, const float *values) {
    // A value of several steps stands in their middle.
    double middle = 0.5 * (double)(run->stride - 1);
    return (ChartValues){values, run->n, (double)run->first + middle, (double)run->stride};
}

// ---- titles

static ViewTextId scale_text(ChartScale scale) {
    switch (scale) {
    case CHART_FROM_ZERO:
        return VIEW_TEXT_AXIS_ZERO;
    case CHART_FITTED:
        return VIEW_TEXT_AXIS_FITTED;
    case CHART_LOGARITHMIC:
    case CHART_SCALE_COUNT:
        break;
    }
    return VIEW_TEXT_AXIS_LOGARITHMIC;
}

// "gradient norm  from 0  largest of 4 steps".
static void draw_title(const ViewWatch *watch, Canvas *canvas, const ViewChart *chart,
                       ViewTextId id, ViewTextId grouped) {
    char group[TITLE_BYTES] = "";
    char text[2 * TITLE_BYTES];
    int y = chart->rect.y - 1;
    int x = canvas_text(canvas, chart->rect.x, y, STYLE_HEADING, text_of(watch, id));
    if (watch->run.stride > 1 && grouped != VIEW_TEXT_COUNT) {
        char stride[24];
        snprintf(stride, sizeof stride, "%lld", (long long)watch->run.stride);
        view_text_fill(group, sizeof group, text_of(watch, grouped), stride, NULL, NULL);
    }
    const int room = chart->rect.x + chart->rect.width - x - 2;
    snprintf(text, sizeof text, "%s  %s", text_of(watch, scale_text(chart->scale)), group);
    // The numbers beside the chart show its scale, too.
    const char *shown = group[0] != '\0' && text_columns(text) > room ? group : text;
    canvas_text_in(canvas, x + 2, y, room, ALIGN_LEFT, STYLE_DIM, shown);
}

// The line below a chart: first and last step, and which part of the run that is.
static void draw_steps(const ViewWatch *watch, Canvas *canvas, const Rect *rect) {
    int y = rect->y + rect->height;
    char number[24];
    char text[TITLE_BYTES];
    canvas_line_across(canvas, rect->x - 1, y, rect->width + 1, STYLE_BORDER);
    canvas_format(canvas, rect->x, y, STYLE_DIM, "%lld ", (long long)watch->from);
    snprintf(number, sizeof number, "%lld", (long long)watch->to);
    canvas_format(canvas, rect->x + rect->width - text_columns(number) - 1, y, STYLE_DIM, " %s",
                  number);
    if (watch->window > 0) {
        snprintf(number, sizeof number, "%lld", (long long)watch->window);
        view_text_fill(text, sizeof text, text_of(watch, VIEW_TEXT_LAST_STEPS), number, NULL, NULL);
    } else {
        snprintf(text, sizeof text, "%s", text_of(watch, VIEW_TEXT_WHOLE_RUN));
    }
    int columns = text_columns(text) + 2;
    canvas_format(canvas, rect->x + (rect->width - columns) / 2, y, STYLE_DIM, " %s ", text);
}

// ---- charts

static void draw_loss(const ViewWatch *watch, Canvas *canvas, Rect rect) {
    ViewChart chart = view_chart(rect, watch->scale, watch->from, watch->to);
    ChartValues losses = values_of(&watch->run, watch->run.losses);
    ChartValues held_outs = values_of(&watch->run, watch->run.held_outs);
    ChartValues other_losses = values_of(&watch->other, watch->other.losses);
    ChartValues other_held_outs = values_of(&watch->other, watch->other.held_outs);
    view_chart_widen(&chart, &losses);
    view_chart_widen(&chart, &held_outs);
    if (watch->has_other) {
        view_chart_widen(&chart, &other_losses);
        view_chart_widen(&chart, &other_held_outs);
    }
    view_chart_close(&chart);
    WatchSign sign = view_watch_sign(WATCH_SIGN_HELD_OUT, canvas->ascii);
    WatchSign other = view_watch_sign(WATCH_SIGN_OTHER_HELD_OUT, canvas->ascii);
    if (watch->has_other) {
        view_chart_curve(canvas, &chart, &other_losses, other.style, true);
    }
    view_chart_curve(canvas, &chart, &losses, STYLE_GOOD, false);
    if (watch->has_other) {
        view_chart_marks(canvas, &chart, &other_held_outs, other.style, other.text);
    }
    view_chart_marks(canvas, &chart, &held_outs, sign.style, sign.text);
    view_chart_axis(canvas, &chart);
    draw_title(watch, canvas, &chart, VIEW_TEXT_TRAINING_LOSS, VIEW_TEXT_MEANS_OF);
    draw_steps(watch, canvas, &rect);
}

// Gradient norm or learning rate, from 0.
static void draw_small(const ViewWatch *watch, Canvas *canvas, Rect rect, ViewTextId title,
                       ViewTextId grouped, const ChartValues *values, const ChartValues *others) {
    ViewChart chart = view_chart(rect, CHART_FROM_ZERO, watch->from, watch->to);
    view_chart_widen(&chart, values);
    if (watch->has_other) {
        view_chart_widen(&chart, others);
    }
    view_chart_close(&chart);
    if (watch->has_other) {
        view_chart_curve(canvas, &chart, others, STYLE_DIM, true);
    }
    view_chart_curve(canvas, &chart, values, STYLE_GOOD, false);
    view_chart_axis(canvas, &chart);
    draw_title(watch, canvas, &chart, title, grouped);
}

static void draw_charts(const ViewWatch *watch, Canvas *canvas) {
    bool has_norms = canvas->height >= ROWS_WITH_NORMS;
    bool has_rates = canvas->height >= ROWS_WITH_RATES;
    int width = canvas->width - CHART_AXIS_COLUMNS - 1;
    int rows = canvas->height - 2 - has_norms - has_rates; // without titles and the line of steps
    int norm_rows = has_norms ? rows / (has_rates ? 5 : 4) : 0;
    int rate_rows = has_rates ? rows / 6 : 0;
    Rect rect = {CHART_AXIS_COLUMNS, 1, width, rows - norm_rows - rate_rows};
    draw_loss(watch, canvas, rect);
    int y = rect.y + rect.height + 2;
    if (has_norms) {
        ChartValues norms = values_of(&watch->run, watch->run.norms);
        ChartValues others = values_of(&watch->other, watch->other.norms);
        draw_small(watch, canvas, (Rect){rect.x, y, width, norm_rows}, VIEW_TEXT_GRADIENT_NORM,
                   VIEW_TEXT_LARGEST_OF, &norms, &others);
        y += norm_rows + 1;
    }
    if (has_rates) {
        ChartValues rates = values_of(&watch->run, watch->run.rates);
        ChartValues others = values_of(&watch->other, watch->other.rates);
        draw_small(watch, canvas, (Rect){rect.x, y, width, rate_rows}, VIEW_TEXT_LEARNING_RATE,
                   VIEW_TEXT_COUNT, &rates, &others);
    }
}

// ---- the whole

// The last sample over the whole width, at the bottom; gives the rows it takes.
static int draw_sample(const ViewWatch *watch, Canvas *canvas) {
    const WatchRun *run = &watch->run;
    if (run->sample == NULL || canvas->height < ROWS_WITH_SAMPLE) {
        return 0;
    }
    char step[24];
    char title[TITLE_BYTES];
    int width = canvas->width - 2;
    int most = canvas->height / 5 < MOST_SAMPLE_LINES ? canvas->height / 5 : MOST_SAMPLE_LINES;
    int lines = canvas_paragraph(NULL, (Rect){0, 0, width, 1}, STYLE_TEXT, run->sample);
    lines = lines < most ? lines : most;
    int y = canvas->height - lines;
    snprintf(step, sizeof step, "%lld", (long long)run->sample_step);
    view_text_fill(title, sizeof title, text_of(watch, VIEW_TEXT_SAMPLE), step, NULL, NULL);
    canvas_text(canvas, 1, y - 1, STYLE_HEADING, title);
    canvas_paragraph(canvas, (Rect){1, y, width, lines}, STYLE_TEXT, run->sample);
    return lines + 1;
}

static void draw_beside(const ViewWatch *watch, Canvas *body) {
    int side = body->width >= VERY_WIDE ? WIDE_SIDE_COLUMNS : SIDE_COLUMNS;
    int used = draw_sample(watch, body);
    int left = body->width - side;
    Canvas charts = canvas_part(body, (Rect){0, 0, left, body->height - used});
    Canvas facts = canvas_part(body, (Rect){left + 1, 1, side - 2, body->height - used - 1});
    draw_charts(watch, &charts);
    view_watch_draw_facts(watch, &facts);
}

static void draw_below(const ViewWatch *watch, Canvas *body) {
    int fact_rows = body->height >= 12 ? 3 : (body->height >= 8 ? 2 : 1);
    Canvas words = canvas_part(body, (Rect){1, 0, body->width - 2, fact_rows});
    int y = view_watch_draw_sentences(watch, &watch->run, &words, 0);
    y = y < fact_rows ? y : fact_rows;
    Canvas facts = canvas_part(body, (Rect){1, y, body->width - 2, fact_rows});
    view_watch_draw_short_facts(watch, &facts);
    y += fact_rows;
    Canvas rest = canvas_part(body, (Rect){0, y, body->width, body->height - y});
    int used = draw_sample(watch, &rest);
    Canvas charts = canvas_part(&rest, (Rect){0, 0, rest.width, rest.height - used});
    draw_charts(watch, &charts);
}

static void say_too_small(const ViewWatch *watch, Canvas *canvas) {
    char needed[24];
    char there[24];
    char text[TITLE_BYTES];
    snprintf(needed, sizeof needed, "%d x %d", LEAST_WIDTH, LEAST_HEIGHT);
    snprintf(there, sizeof there, "%d x %d", canvas->width, canvas->height);
    canvas_paragraph(canvas, (Rect){0, 0, canvas->width, canvas->height}, STYLE_DIM,
                     view_text_fill(text, sizeof text, text_of(watch, VIEW_TEXT_TOO_SMALL), needed,
                                    there, NULL));
}

void view_watch_draw(const ViewWatch *watch, Canvas *canvas) {
    if (canvas->width < LEAST_WIDTH || canvas->height < LEAST_HEIGHT) {
        say_too_small(watch, canvas);
        return;
    }
    view_watch_draw_header(watch, canvas);
    Canvas body = canvas_part(canvas, (Rect){0, 1, canvas->width, canvas->height - 1});
    if (watch->run.n == 0 && !watch->has_other) {
        Canvas part = canvas_part(&body, (Rect){1, 1, body.width - 2, body.height - 1});
        view_watch_draw_sentences(watch, &watch->run, &part, 0);
        return;
    }
    if (canvas->width >= WIDE) {
        draw_beside(watch, &body);
    } else {
        draw_below(watch, &body);
    }
}
