// rect.h - a rectangle of cells or pixels.
#ifndef VIEWS_RECT_H
#define VIEWS_RECT_H

// x to the right, y down; the corner is inside, x + width and y + height are not.
typedef struct Rect {
    int x, y, width, height;
} Rect;

// What a and b have in common; a width or height of 0 where that is nothing.
static inline Rect rect_common(Rect a, Rect b) {
    int left = a.x > b.x ? a.x : b.x;
    int top = a.y > b.y ? a.y : b.y;
    int right = a.x + a.width < b.x + b.width ? a.x + a.width : b.x + b.width;
    int bottom = a.y + a.height < b.y + b.height ? a.y + a.height : b.y + b.height;
    return (Rect){left, top, right > left ? right - left : 0, bottom > top ? bottom - top : 0};
}

#endif
