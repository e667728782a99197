// picture.h - a raster of RGB pixels.
#ifndef VIEWS_PICTURES_PICTURE_H
#define VIEWS_PICTURES_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "views/pictures/palette.h"
#include "views/rect.h"

// 64 million pixels are 192 MB and still far from the sizes at which PNG writers overflow.
enum { PICTURE_MAX_SIDE = 32768, PICTURE_MAX_PIXELS = 64 * 1024 * 1024 };

typedef struct Picture {
    int width, height;
    unsigned char *pixels; // height rows of width times r, g, b; owned
} Picture;

// On a zeroed struct. Fails when a side is below 1, when the picture would be too big, or when
// there is no memory for it.
bool picture_init(Picture *picture, int width, int height, Rgb paper, Error *err);
void picture_free(Picture *picture);

// What lies outside is cut off.
void picture_fill(Picture *picture, Rect rect, Rgb colour);

// The outline of rect, one pixel wide, inside it.
void picture_frame(Picture *picture, Rect rect, Rgb colour);

// Diagonal lines, one pixel wide and `step` apart, that meet those of neighbouring rectangles.
void picture_hatch(Picture *picture, Rect rect, int step, Rgb colour);

// Lays ink over a pixel, 0 leaving it as it is, 255 covering it.
void picture_blend(Picture *picture, int x, int y, Rgb ink, unsigned coverage);

// NULL outside.
unsigned char *picture_pixel(const Picture *picture, int x, int y);

#endif
