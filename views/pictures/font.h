// font.h - writes text on pictures: DejaVu Sans Mono, unifont for what it lacks, built-in ASCII.
#ifndef VIEWS_PICTURES_FONT_H
#define VIEWS_PICTURES_FONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "views/pictures/glyph.h"
#include "views/pictures/picture.h"

// Size, weight, colour and direction. `column` is the width of a letter in pixels; 8 gives text of
// 13.3 pixels, the size at which unifont's dots are pixels.
typedef struct TextStyle {
    int column;
    bool is_bold;
    bool reads_up; // turned by a quarter: from below upwards
    Rgb ink;
} TextStyle;

// A character is looked for in the face, then in unifont, then among the built-in letters; a box
// stands for what nothing has. Glyphs are drawn once and kept. A zeroed Font has the built-in
// letters.
typedef struct Font {
    FileBytes files[2]; // regular and bold
    TruetypeFace *faces[2];
    FileBytes unifont; // opened when a character is first wanted from it
    bool unifont_was_sought;
    int n_missing; // characters drawn as a box so far
    struct FontEntry *entries;
    size_t n_entries, capacity;
    Arena arena;
} Font;

// path names a TrueType file, or is "builtin" for the built-in letters alone (and no unifont). NULL
// takes what ATTEND_FONT says, else DejaVu Sans Mono where it is installed, else the built-in
// letters. Fails only when a file that was named cannot be read or is no font.
bool font_init(Font *font, const char *path, Error *err);
void font_free(Font *font);

// Pixels that the text takes along its direction; the same bytes take the same room always.
int font_width(Font *font, const TextStyle *style, const char *text);

// Pixels of text of that size above and below its base line, and of a capital letter.
typedef struct FontHeights {
    int ascent, descent, capital;
} FontHeights;
FontHeights font_heights(const Font *font, int column);

// Writes one line, cleaned as in text.h. (x, y) is where its base line begins.
void font_draw(Font *font, Picture *picture, int x, int y, const TextStyle *style,
               const char *text);

#endif
