// canvas_heat.c - numbers of a scale on a canvas: as colours, and as glyphs for readers without
// them.
#include "views/canvas.h"

// The cells fill from the left in turns, so that their heights differ by one step at most.
void canvas_shade(Canvas *canvas, int x, int y, int width, Style style, Palette palette,
                  int paper) {
    static const char *const BLOCKS[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const SIGNS[] = {" ", ".", ":", "-", "=", "+", "*", "%", "@"};
    enum { STEPS = 8 };
    bool is_on_scale = paper >= 0 && paper < PALETTE_ENTRIES;
    int parts = width == 1 ? 2 : width; // of a step
    int level = is_on_scale ? paper * (STEPS * parts + 1) / PALETTE_ENTRIES : 0;
    style = width == 1 && level % 2 == 1 ? STYLE_HALF : style;
    for (int i = 0; i < width; i++) {
        int height = (level + parts - 1 - i) / parts;
        const char *shade = canvas->ascii ? SIGNS[height] : BLOCKS[height];
        canvas_text(canvas, x + i, y, style, is_on_scale ? shade : "?");
    }
    Rect rect = {x, y, width, 1};
    canvas_set_heat(canvas, rect, palette, HEAT_NONE, paper);
    canvas_add_attributes(canvas, rect, CELL_SHADE);
}

void canvas_mark(Canvas *canvas, int x, int y, Palette palette, int paper) {
    if (paper >= 0 && paper < PALETTE_ENTRIES) {
        canvas_shade(canvas, x, y, 1, STYLE_NUMBER, palette, paper);
        canvas_add_attributes(canvas, (Rect){x, y, 1, 1}, CELL_MARK);
    }
}

// What a person points at or looks for must show over numbers too; digits still tell the number.
bool cell_shows_heat(const Cell *cell) {
    return cell->style != STYLE_CURSOR && cell->style != STYLE_SOURCE && cell->style != STYLE_HIT &&
           (cell->attributes & CELL_MARK) == 0;
}

const char *cell_glyph(const Cell *cell, bool has_heat_colours) {
    bool is_shade = (cell->attributes & CELL_SHADE) != 0;
    return is_shade && has_heat_colours ? " " : cell->glyph;
}

void cell_colours(const Cell *cell, ThemeName theme, Rgb *ink, Rgb *paper, unsigned *attributes) {
    Look look = theme_look(theme, (Style)cell->style);
    unsigned all = (unsigned)look.attributes | (cell->attributes & ~(unsigned)CELL_SIGNS);
    *ink = look.ink;
    *paper = look.paper;
    bool is_covered = theme == THEME_MONO || !cell_shows_heat(cell);
    if (cell->heat_paper != HEAT_NONE && !is_covered) {
        *paper = palette_colour((Palette)cell->palette, cell->heat_paper);
        *ink = palette_ink(*paper);
    }
    if (cell->heat_ink != HEAT_NONE && !is_covered) {
        *ink = palette_colour((Palette)cell->palette, cell->heat_ink);
    }
    if ((all & LOOK_REVERSE) != 0) {
        Rgb swapped = *ink;
        *ink = *paper;
        *paper = swapped;
    }
    if (attributes != NULL) {
        *attributes = all & ~(unsigned)LOOK_REVERSE;
    }
}
