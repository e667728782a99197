// view_chart.h - curves over steps: what runs from which value to which, axes, lines and marks.
#ifndef VIEWS_SCREEN_VIEW_CHART_H
#define VIEWS_SCREEN_VIEW_CHART_H

#include <stdint.h>

#include "views/canvas.h"

typedef enum ChartScale {
    CHART_FROM_ZERO,
    CHART_FITTED,
    CHART_LOGARITHMIC,
    CHART_SCALE_COUNT
} ChartScale;

// Columns at the left of a chart's rect where its values stand.
enum { CHART_AXIS_COLUMNS = 9 };

typedef struct ViewChart {
    Rect rect; // of the curves alone
    ChartScale scale;
    int64_t from, to; // steps at the edges
    float min, max;   // by view_chart_widen and view_chart_close
} ViewChart;

// n values, value i at step first + i * stride; NaN: none there.
typedef struct ChartValues {
    const float *values;
    int n;
    double first, stride;
} ChartValues;

ViewChart view_chart(Rect rect, ChartScale scale, int64_t from, int64_t to);

// Takes the values in that are to be seen; close, after all of them, makes an axis of it: from 0 it
// begins there unless a value is below; without any value it is 0 to 1.
void view_chart_widen(ViewChart *chart, const ChartValues *values);
void view_chart_close(ViewChart *chart);

// Largest value, smallest, and where there is room the one in the middle, at the left of a line.
void view_chart_axis(Canvas *canvas, const ViewChart *chart);
void view_chart_curve(Canvas *canvas, const ViewChart *chart, const ChartValues *values,
                      Style style, bool is_dotted);
// A sign at each value, from the last one on; so close to one another that the curve would not be
// seen below them, some are left out.
void view_chart_marks(Canvas *canvas, const ViewChart *chart, const ChartValues *values,
                      Style style, const char *sign);

#endif
