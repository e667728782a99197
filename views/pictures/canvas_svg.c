// canvas_svg.c - reads a canvas as SVG: text stays text, curves of dots are circles.
#include "views/pictures/canvas_svg.h"

#include <string.h>

#include "views/dots.h"
#include "views/pictures/canvas_picture.h"

enum { BASE_LINE = 14, FONT_SIZE = 13 };

static bool is_same(Rgb a, Rgb b) {
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static void append_colour(TextBuffer *buffer, Rgb colour) {
    text_buffer_print(buffer, " fill=\"#%02x%02x%02x\"", colour.r, colour.g, colour.b);
}

static void append_rect(TextBuffer *buffer, Rect rect, Rgb colour) {
    text_buffer_print(buffer, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", rect.x, rect.y,
                      rect.width, rect.height);
    append_colour(buffer, colour);
    text_buffer_text(buffer, "/>\n");
}

static void append_dots(TextBuffer *buffer, int x, int y, unsigned dots, Rgb ink) {
    for (int i = 0; i < DOTS_ACROSS * DOTS_DOWN; i++) {
        const int across = i % DOTS_ACROSS;
        const int down = i / DOTS_ACROSS;
        if ((dots & dots_bit(across, down)) != 0) {
            text_buffer_print(buffer, "<circle cx=\"%d\" cy=\"%.2f\" r=\"1.4\"",
                              x + CANVAS_CELL_WIDTH * (2 * across + 1) / 4,
                              y + CANVAS_CELL_HEIGHT * (2 * down + 1) / 8.0);
            append_colour(buffer, ink);
            text_buffer_text(buffer, "/>\n");
        }
    }
}

static void append_glyph(TextBuffer *buffer, int x, int y, const char *glyph, Rgb ink,
                         unsigned attributes) {
    text_buffer_print(buffer, "<text x=\"%d\" y=\"%d\"", x, y + BASE_LINE);
    append_colour(buffer, ink);
    text_buffer_text(buffer, (attributes & LOOK_BOLD) != 0 ? " font-weight=\"bold\"" : "");
    text_buffer_text(buffer, (attributes & LOOK_DIM) != 0 ? " opacity=\"0.67\"" : "");
    text_buffer_text(buffer,
                     (attributes & LOOK_UNDERLINE) != 0 ? " text-decoration=\"underline\"" : "");
    text_buffer_text(buffer, ">");
    text_buffer_xml(buffer, glyph);
    text_buffer_text(buffer, "</text>\n");
}

static void append_cell(TextBuffer *buffer, const Cell *cell, int x, int y, ThemeName theme) {
    Rgb ink;
    Rgb paper;
    unsigned attributes = 0;
    cell_colours(cell, theme, &ink, &paper, &attributes);
    if (!is_same(paper, theme_look(theme, STYLE_TEXT).paper)) {
        append_rect(buffer, (Rect){x, y, CANVAS_CELL_WIDTH * cell->width, CANVAS_CELL_HEIGHT},
                    paper);
    }
    const char *glyph = cell_glyph(cell, theme != THEME_MONO);
    const unsigned dots = dots_of_glyph(glyph);
    if (dots != 0) {
        append_dots(buffer, x, y, dots, ink);
    } else if (strcmp(glyph, " ") != 0) {
        append_glyph(buffer, x, y, glyph, ink, attributes);
    }
}

bool canvas_to_svg(const Canvas *canvas, ThemeName theme, char **svg, size_t *length, Error *err) {
    TextBuffer buffer = {0};
    const int width = canvas->width * CANVAS_CELL_WIDTH + 2 * CANVAS_MARGIN;
    const int height = canvas->height * CANVAS_CELL_HEIGHT + 2 * CANVAS_MARGIN;
    text_buffer_print(&buffer,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                      "font-family=\"DejaVu Sans Mono, monospace\" font-size=\"%d\">\n",
                      width, height, FONT_SIZE);
    append_rect(&buffer, (Rect){0, 0, width, height}, theme_look(theme, STYLE_TEXT).paper);
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            const Cell *cell = canvas_cell(canvas, x, y);
            if (cell != NULL && cell->width > 0) {
                append_cell(&buffer, cell, CANVAS_MARGIN + x * CANVAS_CELL_WIDTH,
                            CANVAS_MARGIN + y * CANVAS_CELL_HEIGHT, theme);
            }
        }
    }
    text_buffer_text(&buffer, "</svg>\n");
    return text_buffer_take(&buffer, svg, length, err);
}
