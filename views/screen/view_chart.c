// view_chart.c - curves over steps: what runs from which value to which, axes, lines and marks.
#include "views/screen/view_chart.h"

#include <math.h>

#include "views/screen/view_dots.h"
#include "views/screen/view_matrix.h"

enum { MIDDLE_FROM_ROWS = 7, MARK_GAP = 3 };

ViewChart view_chart(Rect rect, ChartScale scale, int64_t from, int64_t to) {
    return (ViewChart){rect, scale, from, to, INFINITY, -INFINITY};
}

void view_chart_widen(ViewChart *chart, const ChartValues *values) {
    for (int i = 0; i < values->n; i++) {
        float value = values->values[i];
        if (isfinite(value) && (value > 0.0F || chart->scale != CHART_LOGARITHMIC)) {
            chart->min = fminf(chart->min, value);
            chart->max = fmaxf(chart->max, value);
        }
    }
}

void view_chart_close(ViewChart *chart) {
    if (chart->min > chart->max) {
        chart->min = chart->scale == CHART_LOGARITHMIC ? 0.1F : 0.0F;
        chart->max = 1.0F;
    }
    if (chart->scale == CHART_FROM_ZERO) {
        chart->min = fminf(chart->min, 0.0F);
    }
}

static void put_value(Canvas *canvas, const ViewChart *chart, int row, double value) {
    char text[VIEW_NUMBER_BYTES];
    canvas_text_in(canvas, chart->rect.x - CHART_AXIS_COLUMNS, chart->rect.y + row,
                   CHART_AXIS_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
                   view_number_text(value, CHART_AXIS_COLUMNS - 2, text));
}

// What a curve has there where it crosses the middle of the row.
static double value_at(const ViewChart *chart, int row) {
    int n_dots = chart->rect.height * DOTS_DOWN;
    double part = 1.0 - (row * DOTS_DOWN + 0.5 * (DOTS_DOWN - 1)) / (n_dots - 1);
    double min = (double)chart->min;
    double max = (double)chart->max;
    return chart->scale == CHART_LOGARITHMIC ? min * pow(max / min, part)
                                             : min + part * (max - min);
}

void view_chart_axis(Canvas *canvas, const ViewChart *chart) {
    const Rect *rect = &chart->rect;
    put_value(canvas, chart, 0, (double)chart->max);
    put_value(canvas, chart, rect->height - 1, (double)chart->min);
    if (rect->height >= MIDDLE_FROM_ROWS && chart->max > chart->min) {
        put_value(canvas, chart, rect->height / 2, value_at(chart, rect->height / 2));
    }
    canvas_line_down(canvas, rect->x - 1, rect->y, rect->height, STYLE_BORDER);
}

static DotsCurve dots_of(const ViewChart *chart, const ChartValues *values, Style style,
                         bool is_dotted) {
    return (DotsCurve){.values = values->values,
                       .n = values->n,
                       .n_across = (int)(chart->to - chart->from + 1),
                       .first = values->first - (double)chart->from,
                       .stride = values->stride,
                       .min = chart->min,
                       .max = chart->max,
                       .is_logarithmic = chart->scale == CHART_LOGARITHMIC,
                       .style = style,
                       .is_dotted = is_dotted};
}

void view_chart_curve(Canvas *canvas, const ViewChart *chart, const ChartValues *values,
                      Style style, bool is_dotted) {
    Canvas part = canvas_part(canvas, chart->rect);
    DotsCurve curve = dots_of(chart, values, style, is_dotted);
    view_dots_curve(&part, &curve);
}

void view_chart_marks(Canvas *canvas, const ViewChart *chart, const ChartValues *values,
                      Style style, const char *sign) {
    Canvas part = canvas_part(canvas, chart->rect);
    DotsCurve curve = dots_of(chart, values, style, false);
    int next = part.width + MARK_GAP;
    for (int i = values->n - 1; i >= 0; i--) {
        int x = 0;
        int y = 0;
        if (view_dots_place(&part, &curve, i, &x, &y) && x / DOTS_ACROSS + MARK_GAP <= next) {
            next = x / DOTS_ACROSS;
            canvas_text(&part, next, y / DOTS_DOWN, style, sign);
        }
    }
}
