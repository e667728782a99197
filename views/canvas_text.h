// canvas_text.h - reads a canvas as plain text: for pipes, for screen readers, for golden frames.
#ifndef VIEWS_CANVAS_TEXT_H
#define VIEWS_CANVAS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "views/canvas.h"

// The glyphs, a line for each row, spaces at its end left out. *text is the caller's to free.
bool canvas_to_text(const Canvas *canvas, char **text, size_t *length, Error *err);

// The form of tests/frames/: the glyphs as above; a line "-- styles"; the letter of each cell's
// style
// ('.' at the end of a line left out); and where a cell is coloured by a number a line "-- heat"
// and, for each cell, "." or two characters "00" to "ff", "--" for -inf, "??" for NaN, "++" for
// +inf. A cell whose ink is coloured counts where its paper is not.
bool canvas_to_frame(const Canvas *canvas, char **text, size_t *length, Error *err);

#endif
