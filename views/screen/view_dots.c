// view_dots.c - lines and curves in dots finer than cells: braille, or signs of growing weight with
// ASCII.
#include "views/screen/view_dots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *heavier_sign(const char *glyph) {
    static const char *const SIGNS[] = {".", ".", ":", ":", "*", "*", "#"};
    for (size_t i = 0; i + 1 < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        if (strcmp(glyph, SIGNS[i]) == 0) {
            return SIGNS[i + 2 < 7 ? i + 2 : 6];
        }
    }
    return strcmp(glyph, "#") == 0 ? "#" : ".";
}

static int floor_divide(int a, int b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

void view_dots_set(Canvas *canvas, int x, int y, Style style) {
    int cell_x = floor_divide(x, DOTS_ACROSS);
    int cell_y = floor_divide(y, DOTS_DOWN);
    const Cell *cell = canvas_cell(canvas, cell_x, cell_y);
    if (cell == NULL) {
        return;
    }
    if (canvas->ascii) {
        canvas_text(canvas, cell_x, cell_y, style, heavier_sign(cell->glyph));
        return;
    }
    unsigned bits =
        dots_of_glyph(cell->glyph) | dots_bit(x - cell_x * DOTS_ACROSS, y - cell_y * DOTS_DOWN);
    char glyph[4] = {(char)0xE2, (char)(0xA0U | (bits >> 6U)), (char)(0x80U | (bits & 0x3FU)), 0};
    canvas_text(canvas, cell_x, cell_y, style, glyph);
}

void view_dots_line(Canvas *canvas, int x0, int y0, int x1, int y1, Style style) {
    int across = abs(x1 - x0);
    int down = abs(y1 - y0);
    int n = across > down ? across : down;
    for (int i = 0; i <= n; i++) {
        double part = n == 0 ? 0.0 : (double)i / n;
        view_dots_set(canvas, (int)lround(x0 + part * (x1 - x0)),
                      (int)lround(y0 + part * (y1 - y0)), style);
    }
}

static int height_of(float value, float min, float max, int n_down) {
    float part = max > min ? (value - min) / (max - min) : 0.5F;
    part = part < 0.0F ? 0.0F : (part > 1.0F ? 1.0F : part);
    return n_down - 1 - (int)lroundf(part * (float)(n_down - 1));
}

// Values outside the canvas stay at its edge.
static int column_of(const DotsCurve *curve, int i, int dots_across) {
    int n_across = curve->n_across < curve->n ? curve->n : curve->n_across;
    double place = curve->stride > 0.0 ? curve->first + i * curve->stride : (double)i;
    double x = n_across < 2 ? 0.0 : floor(place * (dots_across - 1) / (n_across - 1));
    return (int)fmin(fmax(x, 0.0), dots_across - 1);
}

bool view_dots_place(const Canvas *canvas, const DotsCurve *curve, int i, int *x, int *y) {
    bool is_log = curve->is_logarithmic;
    float value = is_log ? logf(curve->values[i]) : curve->values[i];
    if (!isfinite(value)) {
        return false;
    }
    *x = column_of(curve, i, canvas->width * DOTS_ACROSS);
    *y = height_of(value, is_log ? logf(curve->min) : curve->min,
                   is_log ? logf(curve->max) : curve->max, canvas->height * DOTS_DOWN);
    return true;
}

void view_dots_curve(Canvas *canvas, const DotsCurve *curve) {
    bool has_last = false;
    int last_x = 0;
    int last_y = 0;
    for (int i = 0; i < curve->n; i++) {
        int x = 0;
        int y = 0;
        if (!view_dots_place(canvas, curve, i, &x, &y)) {
            has_last = false;
            continue;
        }
        if (curve->is_dotted) {
            bool shows = x / 3 != last_x / 3 || !has_last;
            if (shows) {
                view_dots_set(canvas, x, y, curve->style);
            }
        } else {
            view_dots_line(canvas, has_last ? last_x : x, has_last ? last_y : y, x, y,
                           curve->style);
        }
        has_last = true;
        last_x = x;
        last_y = y;
    }
}
