// view_big.c - one number in digits that a whole room can read.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/screen/view_line.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"
#include "engine/base/plain_nan.h"

enum { GLYPH_ROWS = 5, GLYPH_COLUMNS = 3 };

// Rows of three dots each, the leftmost the highest bit.
typedef struct BigGlyph {
    char sign;
    unsigned char rows[GLYPH_ROWS];
} BigGlyph;

static const BigGlyph GLYPHS[] = {
    {'0', {7, 5, 5, 5, 7}}, {'1', {2, 6, 2, 2, 7}}, {'2', {7, 1, 7, 4, 7}}, {'3', {7, 1, 7, 1, 7}},
    {'4', {5, 5, 7, 1, 1}}, {'5', {7, 4, 7, 1, 7}}, {'6', {7, 4, 7, 5, 7}}, {'7', {7, 1, 1, 1, 1}},
    {'8', {7, 5, 7, 5, 7}}, {'9', {7, 5, 7, 1, 7}}, {'-', {0, 0, 7, 0, 0}}, {'.', {0, 0, 0, 0, 2}},
    {'e', {0, 7, 7, 4, 7}}, {'i', {2, 0, 2, 2, 2}}, {'n', {0, 0, 7, 5, 5}}, {'f', {3, 2, 7, 2, 2}},
    {'a', {0, 7, 1, 7, 7}},
};

static const BigGlyph *glyph_of(char sign) {
    for (size_t i = 0; i < sizeof GLYPHS / sizeof GLYPHS[0]; i++) {
        if (GLYPHS[i].sign == sign) {
            return &GLYPHS[i];
        }
    }
    return NULL;
}

// A dot is `across` columns and `down` rows.
static void draw_glyph(Canvas *canvas, int x, int y, const BigGlyph *glyph, int across, int down,
                       Style style) {
    for (int row = 0; row < GLYPH_ROWS * down; row++) {
        for (int column = 0; column < GLYPH_COLUMNS * across; column++) {
            unsigned bit = 1U << (unsigned)(GLYPH_COLUMNS - 1 - column / across);
            if ((glyph->rows[row / down] & bit) != 0U) {
                canvas_text(canvas, x + column, y + row, style, "█");
            }
        }
    }
}

static int columns_of(const char *text, int across) {
    return (int)strlen(text) * (GLYPH_COLUMNS + 1) * across - across;
}

void view_draw_big(const ViewState *state, Canvas *canvas) {
    if (state->node == NULL) {
        return;
    }
    double value = tape_number(state->tape, state->node, state->element);
    char text[VIEW_NUMBER_BYTES];
    int across = 1;
    view_number_text(value, 7, text);
    while (columns_of(text, across + 1) + 2 <= canvas->width &&
           ((across + 2) / 2) * GLYPH_ROWS + 4 <= canvas->height) {
        across++;
    }
    int down = across / 2 < 1 ? 1 : across / 2;
    int height = GLYPH_ROWS * down;
    int x = (canvas->width - columns_of(text, across)) / 2;
    int y = (canvas->height - height - 2) / 2;
    y = y < 2 ? 2 : y;
    ViewLine line = {.length = 0};
    view_line_cell(&line, state->node, state->element);
    view_line_tokens(&line, state, state->node, state->element);
    canvas_text_in(canvas, 0, y - 2, canvas->width, ALIGN_CENTRE, STYLE_HEADING, line.text);
    for (const char *sign = text; *sign != '\0'; sign++) {
        const BigGlyph *glyph = glyph_of(*sign);
        if (glyph != NULL) {
            draw_glyph(canvas, x, y, glyph, across, down, STYLE_STRONG);
        }
        x += (GLYPH_COLUMNS + 1) * across;
    }
    char digits[32];
    snprintf(digits, sizeof digits, "= %.9g", plain_nan(value));
    canvas_text_in(canvas, 0, y + height + 1, canvas->width, ALIGN_CENTRE, STYLE_NUMBER, digits);
}

static bool fits(const ViewState *state) {
    return state->node != NULL;
}

const View view_big = {.name = "big",
                       .titles = {"big digits", "大字"},
                       .needs = {"a number: a stage that has run", "一个数：一个已经算出的步骤"},
                       .min_width = 30,
                       .min_height = 8,
                       .fits = fits,
                       .draw = view_draw_big,
                       .spoken = VIEW_SPOKEN_CELL};
