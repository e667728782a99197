// canvas_picture.h - reads a canvas as a picture: a screen for a README, without a terminal.
#ifndef VIEWS_PICTURES_CANVAS_PICTURE_H
#define VIEWS_PICTURES_CANVAS_PICTURE_H

#include "engine/base/error.h"
#include "views/canvas.h"
#include "views/pictures/font.h"
#include "views/pictures/picture.h"

// Each cell is CANVAS_CELL_WIDTH x CANVAS_CELL_HEIGHT pixels; a margin in the theme's paper lies
// around them. On a zeroed Picture that the caller frees.
enum { CANVAS_CELL_WIDTH = 8, CANVAS_CELL_HEIGHT = 18, CANVAS_MARGIN = 8 };

bool canvas_to_picture(const Canvas *canvas, ThemeName theme, Font *font, Picture *picture,
                       Error *err);

#endif
