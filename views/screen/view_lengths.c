// view_lengths.c - how many sentences models get right, by their length: curves and their numbers.
#include <stdio.h>

#include "views/screen/view_chart.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { LEAST_NAME = 14, MOST_NAME = 40, NUMBER_COLUMNS = 4, LEAST_CURVE_ROWS = 4 };

// How a curve is told from the others, with and without colours.
static const struct {
    Style style;
    const char *sign;
} SIGNS[LENGTHS_CURVES] = {{STYLE_BAD, "o"},      {STYLE_GOOD, "+"},   {STYLE_FORWARD, "x"},
                           {STYLE_BACKWARD, "*"}, {STYLE_ACTIVE, "#"}, {STYLE_DIM, "="}};

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static void draw_table(const ViewState *state, Canvas *canvas, int y) {
    const LengthCurves *curves = state->lengths;
    const LengthCurve *first = &curves->items[0];
    int stride = 1; // between the lengths that there is room for
    int n = first->longest - first->shortest + 1;
    while (stride < n && canvas->width - LEAST_NAME < (n + stride - 1) / stride * NUMBER_COLUMNS) {
        stride++;
    }
    int room = canvas->width - (n + stride - 1) / stride * NUMBER_COLUMNS;
    int name_columns = smaller(room, MOST_NAME);
    canvas_text_in(canvas, 0, y, name_columns - 1, ALIGN_RIGHT, STYLE_DIM,
                   view_text(state->language, VIEW_TEXT_WORDS_OF_SENTENCE));
    for (int words = first->shortest; words <= first->longest; words += stride) {
        int x = name_columns + (words - first->shortest) / stride * NUMBER_COLUMNS;
        canvas_format(canvas, x, y, STYLE_DIM, "%3d", words);
        for (int i = 0; i < curves->n; i++) {
            canvas_format(canvas, x, y + 1 + i, STYLE_NUMBER, "%3.0f",
                          (double)curves->items[i].right[words]);
        }
    }
    for (int i = 0; i < curves->n; i++) {
        int x = canvas_text(canvas, 0, y + 1 + i, SIGNS[i].style, SIGNS[i].sign);
        canvas_text_in(canvas, x + 1, y + 1 + i, name_columns - 3, ALIGN_LEFT, SIGNS[i].style,
                       curves->items[i].name);
    }
    if (stride > 1) {
        canvas_tell_part(canvas);
    }
}

static void draw_curves(const ViewState *state, Canvas *canvas, int rows) {
    static const float WHOLE[] = {0.0F, 100.0F};
    const LengthCurves *curves = state->lengths;
    const LengthCurve *first = &curves->items[0];
    Rect rect = {CHART_AXIS_COLUMNS, 1, canvas->width - CHART_AXIS_COLUMNS - 1, rows};
    ViewChart chart = view_chart(rect, CHART_FROM_ZERO, first->shortest, first->longest);
    const ChartValues whole = {WHOLE, 2, first->shortest, 1.0};
    view_chart_widen(&chart, &whole);
    view_chart_close(&chart);
    for (int i = 0; i < curves->n; i++) {
        const LengthCurve *curve = &curves->items[i];
        const ChartValues values = {curve->right + curve->shortest,
                                    curve->longest - curve->shortest + 1, curve->shortest, 1.0};
        view_chart_curve(canvas, &chart, &values, SIGNS[i].style, false);
        view_chart_marks(canvas, &chart, &values, SIGNS[i].style, SIGNS[i].sign);
    }
    view_chart_axis(canvas, &chart);
    canvas_line_across(canvas, rect.x - 1, rect.y + rows, rect.width + 1, STYLE_BORDER);
    canvas_format(canvas, rect.x, rect.y + rows, STYLE_DIM, "%d ", first->shortest);
    canvas_format(canvas, rect.x + rect.width - 9, rect.y + rows, STYLE_DIM, " %d %s",
                  first->longest, view_text(state->language, VIEW_TEXT_WORDS_OF_SENTENCE));
}

static bool fits(const ViewState *state) {
    return state->lengths != NULL;
}

static void draw(const ViewState *state, Canvas *canvas) {
    char number[16];
    char title[96];
    snprintf(number, sizeof number, "%d", LENGTHS_SENTENCES);
    canvas_text(canvas, 0, 0, STYLE_HEADING,
                view_text_fill(title, sizeof title, view_text(state->language, VIEW_TEXT_LENGTHS),
                               number, NULL, NULL));
    int table_rows = 1 + state->lengths->n;
    int rows = canvas->height - 3 - table_rows;
    if (rows < LEAST_CURVE_ROWS) {
        canvas_tell_part(canvas);
        rows = -2;
    } else {
        draw_curves(state, canvas, rows);
    }
    draw_table(state, canvas, rows + 3);
}

const View view_lengths = {.name = "lengths",
                           .titles = {"by length", "按句长"},
                           .needs = {"a measurement: :lengths", "一次测量：:lengths"},
                           .min_width = 36,
                           .min_height = 4,
                           .fits = fits,
                           .draw = draw,
                           .subject = VIEW_OF_LENGTHS,
                           .spoken = VIEW_SPOKEN_LINES,
                           .is_whole = true};
