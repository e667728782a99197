// glyph.h - one character as a small bitmap, and the three places that have some.
#ifndef VIEWS_PICTURES_GLYPH_H
#define VIEWS_PICTURES_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"

typedef struct Glyph {
    int left, top;           // of the bitmap from the pen on the base line, x to the right, y down
    int width, height;       // of the bitmap; 0 for a space
    int advance;             // how far the pen moves
    unsigned char *coverage; // width * height, 0 paper to 255 ink; in the arena of the font
    bool is_missing;         // a box that stands for what nothing has
} Glyph;

// Each gives false when it does not have the character. `column` is the width in pixels of a Latin
// letter of a monospaced font: the one measure of size, to which all three fit.

// The built-in letters, drawn for this program: printable ASCII and a few signs.
bool glyph_from_ascii(Glyph *glyph, int32_t codepoint, int column, Arena *arena);

// One line of unifont's .hex file, which is sorted by code point: "72D7:" and 16 rows of 8 or 16
// dots.
bool glyph_from_unifont(Glyph *glyph, const char *hex, size_t size_bytes, int32_t codepoint,
                        int column, Arena *arena);

// A bitmap of dots, `rows` of them with the leftmost dot in bit `columns` - 1, brought to `width` x
// `height` pixels by the area that each pixel covers.
void glyph_from_dots(Glyph *glyph, const uint16_t *dots, int columns, int rows, int width,
                     int height, Arena *arena);

// A TrueType or OpenType file in memory; the bytes must stay until the face is closed. NULL for
// what is no font or is cut short; beyond that the reader trusts the file: it is for system fonts
// and files that a person names.
typedef struct TruetypeFace TruetypeFace;
TruetypeFace *truetype_open(const unsigned char *bytes, size_t size_bytes);
void truetype_close(TruetypeFace *face);
bool glyph_from_truetype(Glyph *glyph, TruetypeFace *face, int32_t codepoint, int column,
                         Arena *arena);

// Above and below the base line, for text of that size.
void truetype_heights(const TruetypeFace *face, int column, int *ascent, int *descent);

#endif
