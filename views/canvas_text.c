// canvas_text.c - reads a canvas as plain text: for pipes, for screen readers, for golden frames.
#include "views/canvas_text.h"

#include <string.h>

#include "views/text_buffer.h"

// Ends a line after taking off what fills it up at its end.
static void end_line(TextBuffer *buffer, size_t line_start, char filler) {
    while (buffer->length > line_start && buffer->text[buffer->length - 1] == filler) {
        buffer->length--;
    }
    text_buffer_text(buffer, "\n");
}

static bool is_mark(const Cell *cell) {
    return (cell->attributes & CELL_MARK) != 0;
}

static void append_glyphs(TextBuffer *buffer, const Canvas *canvas) {
    for (int y = 0; y < canvas->height; y++) {
        size_t line_start = buffer->length;
        for (int x = 0; x < canvas->width; x++) {
            const Cell *cell = canvas_cell(canvas, x, y);
            text_buffer_text(buffer, cell != NULL && !is_mark(cell) ? cell->glyph : " ");
        }
        end_line(buffer, line_start, ' ');
    }
}

static void append_styles(TextBuffer *buffer, const Canvas *canvas) {
    for (int y = 0; y < canvas->height; y++) {
        size_t line_start = buffer->length;
        for (int x = 0; x < canvas->width; x++) {
            const Cell *cell = canvas_cell(canvas, x, y);
            bool has_style = cell != NULL && !is_mark(cell);
            char letter = theme_style_letter(has_style ? (Style)cell->style : STYLE_TEXT);
            text_buffer_append(buffer, &letter, 1);
        }
        end_line(buffer, line_start, '.');
    }
}

static int cell_heat(const Cell *cell) {
    if (cell == NULL || is_mark(cell)) {
        return HEAT_NONE;
    }
    return cell->heat_paper != HEAT_NONE ? cell->heat_paper : cell->heat_ink;
}

static bool has_heat(const Canvas *canvas) {
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            if (cell_heat(canvas_cell(canvas, x, y)) != HEAT_NONE) {
                return true;
            }
        }
    }
    return false;
}

static void append_heat(TextBuffer *buffer, const Canvas *canvas) {
    for (int y = 0; y < canvas->height; y++) {
        size_t line_start = buffer->length;
        for (int x = 0; x < canvas->width; x++) {
            int heat = cell_heat(canvas_cell(canvas, x, y));
            if (heat == HEAT_NONE) {
                text_buffer_text(buffer, "..");
            } else if (heat < PALETTE_ENTRIES) {
                text_buffer_print(buffer, "%02x", (unsigned)heat);
            } else {
                text_buffer_text(buffer, heat == HEAT_MASKED ? "--"
                                         : heat == HEAT_NAN  ? "??"
                                                             : "++");
            }
        }
        end_line(buffer, line_start, '.');
    }
}

bool canvas_to_text(const Canvas *canvas, char **text, size_t *length, Error *err) {
    TextBuffer buffer = {0};
    append_glyphs(&buffer, canvas);
    return text_buffer_take(&buffer, text, length, err);
}

bool canvas_to_frame(const Canvas *canvas, char **text, size_t *length, Error *err) {
    TextBuffer buffer = {0};
    append_glyphs(&buffer, canvas);
    text_buffer_text(&buffer, "-- styles\n");
    append_styles(&buffer, canvas);
    if (has_heat(canvas)) {
        text_buffer_text(&buffer, "-- heat\n");
        append_heat(&buffer, canvas);
    }
    return text_buffer_take(&buffer, text, length, err);
}
