// canvas_svg.h - reads a canvas as SVG: text stays text, curves of dots are circles.
#ifndef VIEWS_PICTURES_CANVAS_SVG_H
#define VIEWS_PICTURES_CANVAS_SVG_H

#include "views/canvas.h"
#include "views/text_buffer.h"

// As large as canvas_to_picture makes it. *svg is the caller's, ended by NUL.
bool canvas_to_svg(const Canvas *canvas, ThemeName theme, char **svg, size_t *length, Error *err);

#endif
