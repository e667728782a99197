// view_dots.h - lines and curves in dots finer than cells: braille, or signs of growing weight with
// ASCII.
#ifndef VIEWS_SCREEN_VIEW_DOTS_H
#define VIEWS_SCREEN_VIEW_DOTS_H

#include "views/canvas.h"
#include "views/dots.h"

// A cell is 2 dots wide and 4 high. A dot is added to those its cell has; what else stood there
// goes.
void view_dots_set(Canvas *canvas, int x, int y, Style style);
void view_dots_line(Canvas *canvas, int x0, int y0, int x1, int y1, Style style);

// A curve of n values over the whole canvas, the first at its left edge; values outside min..max
// stay at the edge, what is not finite is left out.
typedef struct DotsCurve {
    const float *values;
    int n;
    int n_across;         // how many places the whole width is for; less than n: n
    double first, stride; // places of the first value and from one to the next; stride 0: 0 and 1
    float min, max;
    bool is_logarithmic; // then both are above 0, and what is not is left out
    Style style;
    bool is_dotted; // so that two curves are told apart without colour
} DotsCurve;
void view_dots_curve(Canvas *canvas, const DotsCurve *curve);

// Where value i stands, in dots of the canvas; false where it is not drawn.
bool view_dots_place(const Canvas *canvas, const DotsCurve *curve, int i, int *x, int *y);

#endif
