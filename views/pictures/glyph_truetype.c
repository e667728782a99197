// glyph_truetype.c - characters from TrueType files, drawn by stb_truetype.
#include "views/pictures/glyph.h"

#include <math.h>
#include <stdlib.h>

// The library is one header, compiled here and nowhere else; as a system header it is let be by the
// compilers' warnings.
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>

struct TruetypeFace {
    stbtt_fontinfo info;
    int letter_units; // advance of "n"
    bool is_monospaced;
};

static int advance_units(const stbtt_fontinfo *info, int index) {
    int advance = 0;
    int bearing = 0;
    stbtt_GetGlyphHMetrics(info, index, &advance, &bearing);
    return advance;
}

static uint32_t big_endian(const unsigned char *bytes, int n_bytes) {
    uint32_t value = 0;
    for (int i = 0; i < n_bytes; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

// Whether the file is one font whose tables lie within it: the library looks at no length.
static bool is_whole(const unsigned char *bytes, size_t size_bytes) {
    enum { HEADER = 12, ENTRY = 16 };
    if (size_bytes < HEADER) {
        return false;
    }
    uint32_t kind = big_endian(bytes, 4);
    size_t n_tables = big_endian(bytes + 4, 2);
    bool is_known = kind == 0x00010000 || kind == 0x74727565 || kind == 0x4F54544F;
    if (!is_known || HEADER + n_tables * ENTRY > size_bytes) {
        return false;
    }
    for (size_t i = 0; i < n_tables; i++) {
        const unsigned char *entry = bytes + HEADER + i * ENTRY;
        if ((uint64_t)big_endian(entry + 8, 4) + big_endian(entry + 12, 4) > size_bytes) {
            return false;
        }
    }
    return true;
}

TruetypeFace *truetype_open(const unsigned char *bytes, size_t size_bytes) {
    TruetypeFace *face = is_whole(bytes, size_bytes) ? calloc(1, sizeof *face) : NULL;
    if (face == NULL) {
        return NULL;
    }
    int offset = stbtt_GetFontOffsetForIndex(bytes, 0);
    if (offset < 0 || !stbtt_InitFont(&face->info, bytes, offset)) {
        free(face);
        return NULL;
    }
    face->letter_units = advance_units(&face->info, stbtt_FindGlyphIndex(&face->info, 'n'));
    int narrow = advance_units(&face->info, stbtt_FindGlyphIndex(&face->info, 'i'));
    face->is_monospaced = narrow == face->letter_units;
    if (face->letter_units <= 0) {
        free(face);
        return NULL;
    }
    return face;
}

void truetype_close(TruetypeFace *face) {
    free(face);
}

static float face_scale(const TruetypeFace *face, int column) {
    return (float)column / (float)face->letter_units;
}

bool glyph_from_truetype(Glyph *glyph, TruetypeFace *face, int32_t codepoint, int column,
                         Arena *arena) {
    int index = stbtt_FindGlyphIndex(&face->info, codepoint);
    if (index == 0) {
        return false;
    }
    float scale = face_scale(face, column);
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;
    stbtt_GetGlyphBitmapBox(&face->info, index, scale, scale, &left, &top, &right, &bottom);
    *glyph = (Glyph){.left = left, .top = top, .width = right - left, .height = bottom - top};
    glyph->advance = (int)lroundf(scale * (float)advance_units(&face->info, index));
    if (glyph->width > 0 && glyph->height > 0) {
        glyph->coverage = arena_allocate(arena, (size_t)glyph->width * (size_t)glyph->height);
        stbtt_MakeGlyphBitmap(&face->info, glyph->coverage, glyph->width, glyph->height,
                              glyph->width, scale, scale, index);
    }
    return true;
}

void truetype_heights(const TruetypeFace *face, int column, int *ascent, int *descent) {
    int above = 0;
    int below = 0;
    int gap = 0;
    stbtt_GetFontVMetrics(&face->info, &above, &below, &gap);
    float scale = face_scale(face, column);
    *ascent = (int)ceilf(scale * (float)above);
    *descent = (int)ceilf(-scale * (float)below);
}
