// canvas.h - a grid of cells that every view of the screen draws on; its readers are curses, text,
// PNG.
#ifndef VIEWS_CANVAS_H
#define VIEWS_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "views/pictures/palette.h"
#include "views/rect.h"
#include "views/text.h"
#include "views/theme.h"

// A cell says what it is, a reader decides how that looks. heat_ink and heat_paper, where they are
// not HEAT_NONE, go before the colours of the style; over a heat_paper without heat_ink the ink is
// black or white, whichever reads better. Only STYLE_CURSOR, STYLE_SOURCE and STYLE_HIT show
// through heat, since a person looks for them. cell_colours() below carries this out for all
// readers that have colours for heat; the others show the glyph of a cell with CELL_SHADE.
typedef struct Cell {
    char glyph[TEXT_CLUSTER_BYTES]; // UTF-8; " " where there is nothing; "" in the right half of a
                                    // wide one
    unsigned char width;            // 1; 2 for a wide glyph; 0 in the right half of a wide one
    unsigned char style;            // a Style
    unsigned char palette;          // a Palette, read only with the two below
    unsigned char attributes;       // LOOK_BOLD | ..., added to those of the style; CELL_SHADE
    int16_t heat_ink; // HEAT_NONE, an entry 0..255, HEAT_MASKED, HEAT_NAN, HEAT_INFINITE
    int16_t heat_paper;
} Cell;

// Among the attributes: the glyph stands for heat_paper, where a reader has no colours for that. A
// mark does so beside a number, whose digits tell it too: its own paper shows no heat, and a reader
// of text leaves it out.
enum { CELL_MARK = 64, CELL_SHADE = 128, CELL_SIGNS = CELL_MARK | CELL_SHADE };

// What was drawn on a canvas or on a part of it and does not show, for who tells a person of it.
typedef struct CanvasCut {
    int lines_below;  // the most lines of text that lay below the canvas or below one of its parts
    int texts_beside; // texts that begin to the right of it; those that are cut off end in "…"
    int lines_above;  // of a list that is scrolled
    bool is_in_parts; // set by who shows a part of a table and says which
} CanvasCut;

// A canvas made by canvas_init owns its cells. One made by canvas_part borrows them: it has its own
// origin and size, shows nothing outside itself or outside the canvas it is part of, and is never
// freed. All coordinates below count from the canvas's own upper left corner, in cells; whatever
// lies outside is cut off, so a view may draw without asking how much room there is.
typedef struct Canvas {
    Cell *cells; // grid_columns * grid_rows, row by row
    int grid_columns;
    int grid_rows;
    int width, height; // of this canvas
    int x, y;          // of its upper left corner, in the grid
    Rect clip;         // of what shows, in the grid
    int floor;         // the first row of the grid that lies below it and all that it is part of
    CanvasCut *cut;    // counted in here; NULL: nobody asks; a part inherits it
    bool ascii;        // lines and signs are written with ASCII; a part inherits it
} Canvas;

enum { CANVAS_MAX_SIDE = 4096 };

// Blank, in STYLE_TEXT. Fails when a side is not 1 to CANVAS_MAX_SIDE or memory is out. init on a
// zeroed struct; resize keeps nothing but `ascii`, and leaves the canvas as it was when it fails.
bool canvas_init(Canvas *canvas, int width, int height, Error *err);
bool canvas_resize(Canvas *canvas, int width, int height, Error *err);
// A canvas of that size, or of the nearest there may be; one that has it, and one that there is no
// memory for (false), stay as they are. Zeroed is none yet.
bool canvas_fit(Canvas *canvas, int width, int height);
void canvas_free(Canvas *canvas);

// A canvas within a canvas; may reach over its edge or have no area at all.
Canvas canvas_part(const Canvas *canvas, Rect rect);

// Blanks the whole canvas (or part): spaces in that style, no heat.
void canvas_clear(Canvas *canvas, Style style);

// Fills with one glyph of width 1, " " mostly.
void canvas_fill(Canvas *canvas, Rect rect, Style style, const char *glyph);

// A list of n lines shows those from `first` on; only a part of what there is shows.
void canvas_tell_list(const Canvas *canvas, int first, int n);
void canvas_tell_part(const Canvas *canvas);

// Text on one line from column x; any bytes, cleaned as in text.h. Where only a half of a wide
// glyph would show there is a space; writing on one half of a wide glyph blanks the other. Text
// that the right edge cuts off ends in "…" ("~" with ascii), so that nobody takes the beginning of
// a number for the number. Gives the column after the text, also when it was cut off, so that calls
// can be chained.
int canvas_text(Canvas *canvas, int x, int y, Style style, const char *text);
typedef enum Align { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT } Align;

// The same, formatted.
int canvas_format(Canvas *canvas, int x, int y, Style style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// The same as a field of `width` columns, filled up with spaces; text that is too long ends in "…"
// ("~" with ascii).
void canvas_text_in(Canvas *canvas, int x, int y, int width, Align align, Style style,
                    const char *text);

// Prose, broken into lines that fit; gives the number of lines of the whole text, also of those
// that rect has no room for. Draws nothing when canvas is NULL.
int canvas_paragraph(Canvas *canvas, Rect rect, Style style, const char *text);

// Lines of box drawing characters, "-", "|" and "+" with ascii.
void canvas_line_across(Canvas *canvas, int x, int y, int width, Style style);
void canvas_line_down(Canvas *canvas, int x, int y, int height, Style style);

// A frame on the edge of rect; the titles (may be NULL) stand on its upper line, left and right,
// in STYLE_TITLE. Gives the part inside the frame.
Canvas canvas_box(Canvas *canvas, Rect rect, Style border, const char *title, const char *right);

// Change what is there already: the style, more attributes, the colours of numbers. HEAT_NONE
// leaves ink or paper as it is.
void canvas_set_style(Canvas *canvas, Rect rect, Style style);
void canvas_add_attributes(Canvas *canvas, Rect rect, unsigned attributes);
void canvas_set_heat(Canvas *canvas, Rect rect, Palette palette, int ink, int paper);

// A number of a scale without its digits: cells of that heat, whose glyphs (CELL_SHADE) fill up
// with it in 8 * width steps; a single one has steps between, in STYLE_HALF. paper: as in
// canvas_set_heat; what is on no scale shows "?".
void canvas_shade(Canvas *canvas, int x, int y, int width, Style style, Palette palette, int paper);

// The same in one blank cell beside a number (CELL_MARK). What is on no scale has none.
void canvas_mark(Canvas *canvas, int x, int y, Palette palette, int paper);

// The cell at a place of the canvas, NULL where it does not show.
Cell *canvas_cell(const Canvas *canvas, int x, int y);

// False where something covers the heat of a cell that a person looks for, and for a mark.
bool cell_shows_heat(const Cell *cell);

// What a reader shows of a cell: a shade is a space where heat has a colour of its own.
const char *cell_glyph(const Cell *cell, bool has_heat_colours);

// What a reader with colours needs of a cell: heat first (none in THEME_MONO), then the style;
// LOOK_REVERSE is already carried out in ink and paper, and taken from *attributes (may be NULL).
void cell_colours(const Cell *cell, ThemeName theme, Rgb *ink, Rgb *paper, unsigned *attributes);

#endif
