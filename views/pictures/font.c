// font.c - writes text on pictures: DejaVu Sans Mono, unifont for what it lacks, built-in ASCII.
#include "views/pictures/font.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "views/text.h"

typedef struct FontEntry {
    uint64_t key; // 0 where the place is free
    Glyph glyph;
} FontEntry;

enum { REGULAR, BOLD, FIRST_CAPACITY = 256, MAX_COLUMN = 128 };

static const char *const REGULAR_PATHS[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
    "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
    "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
    "/usr/share/fonts/dejavu/DejaVuSansMono.ttf",
};
static const char *const BOLD_PATHS[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf",
    "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono-Bold.ttf",
    "/usr/share/fonts/TTF/DejaVuSansMono-Bold.ttf",
    "/usr/share/fonts/dejavu/DejaVuSansMono-Bold.ttf",
};
static const char UNIFONT_PATH[] = "/usr/share/unifont/unifont.hex";

static bool face_open(Font *font, int weight, const char *path, Error *err) {
    if (!file_map(&font->files[weight], path, err)) {
        return false;
    }
    font->faces[weight] = truetype_open(font->files[weight].bytes, font->files[weight].size_bytes);
    if (font->faces[weight] == NULL) {
        file_close(&font->files[weight]);
        return error_set(err, "%s: expected a TrueType font", path);
    }
    return true;
}

bool font_init(Font *font, const char *path, Error *err) {
    *font = (Font){0};
    if (path == NULL) {
        path = getenv("ATTEND_FONT");
    }
    if (path != NULL && strcmp(path, "builtin") == 0) {
        font->unifont_was_sought = true;
        return true;
    }
    if (path != NULL && path[0] != '\0') {
        return face_open(font, REGULAR, path, err);
    }
    for (size_t i = 0; i < sizeof REGULAR_PATHS / sizeof REGULAR_PATHS[0]; i++) {
        if (file_exists(REGULAR_PATHS[i]) && face_open(font, REGULAR, REGULAR_PATHS[i], NULL)) {
            if (file_exists(BOLD_PATHS[i])) {
                face_open(font, BOLD, BOLD_PATHS[i], NULL);
            }
            return true;
        }
    }
    return true;
}

void font_free(Font *font) {
    truetype_close(font->faces[REGULAR]);
    truetype_close(font->faces[BOLD]);
    file_close(&font->files[REGULAR]);
    file_close(&font->files[BOLD]);
    file_close(&font->unifont);
    arena_free(&font->arena);
    *font = (Font){0};
}

// ---- glyphs, drawn once

static bool glyph_of_unifont(Font *font, Glyph *glyph, int32_t codepoint, int column) {
    if (!font->unifont_was_sought) {
        font->unifont_was_sought = true;
        if (file_exists(UNIFONT_PATH)) {
            file_map(&font->unifont, UNIFONT_PATH, NULL);
        }
    }
    return font->unifont.bytes != NULL &&
           glyph_from_unifont(glyph, (const char *)font->unifont.bytes, font->unifont.size_bytes,
                              codepoint, column, &font->arena);
}

// An empty box, as wide as the character would be.
static void glyph_of_nothing(Font *font, Glyph *glyph, int32_t codepoint, int column) {
    int columns = utf8proc_charwidth(codepoint) == 2 ? 2 : 1;
    int width = columns * column - 2;
    int height = column * 3 / 2;
    *glyph =
        (Glyph){.left = 1, .top = -height, .width = width, .height = height, .is_missing = true};
    glyph->advance = columns * column;
    glyph->coverage = arena_allocate(&font->arena, (size_t)width * (size_t)height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            bool is_edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
            glyph->coverage[y * width + x] = is_edge ? 255 : 0;
        }
    }
}

static void glyph_make(Font *font, Glyph *glyph, int32_t codepoint, int column, bool is_bold) {
    *glyph = (Glyph){0};
    TruetypeFace *face = font->faces[is_bold && font->faces[BOLD] != NULL ? BOLD : REGULAR];
    Arena *arena = &font->arena;
    if (face != NULL && glyph_from_truetype(glyph, face, codepoint, column, arena)) {
        return;
    }
    if (face == NULL && glyph_from_ascii(glyph, codepoint, column, arena)) {
        return;
    }
    if (glyph_of_unifont(font, glyph, codepoint, column) ||
        glyph_from_ascii(glyph, codepoint, column, arena)) {
        return;
    }
    font->n_missing++;
    glyph_of_nothing(font, glyph, codepoint, column);
}

static FontEntry *entry_place(FontEntry *entries, size_t capacity, uint64_t key) {
    size_t i = (size_t)(key * 0x9E3779B97F4A7C15U >> 32) & (capacity - 1);
    while (entries[i].key != 0 && entries[i].key != key) {
        i = (i + 1) & (capacity - 1);
    }
    return &entries[i];
}

static void entries_grow(Font *font) {
    size_t capacity = font->capacity == 0 ? FIRST_CAPACITY : 2 * font->capacity;
    FontEntry *entries = arena_allocate(&font->arena, capacity * sizeof *entries);
    for (size_t i = 0; i < font->capacity; i++) {
        if (font->entries[i].key != 0) {
            *entry_place(entries, capacity, font->entries[i].key) = font->entries[i];
        }
    }
    font->entries = entries;
    font->capacity = capacity;
}

static const Glyph *find_glyph(Font *font, int32_t codepoint, const TextStyle *style) {
    assert(style->column > 2 && style->column <= MAX_COLUMN);
    uint64_t key = 1 | (uint64_t)style->is_bold << 1 | (uint64_t)style->column << 2 |
                   (uint64_t)codepoint << 16;
    if (2 * font->n_entries >= font->capacity) {
        entries_grow(font);
    }
    FontEntry *entry = entry_place(font->entries, font->capacity, key);
    if (entry->key == 0) {
        glyph_make(font, &entry->glyph, codepoint, style->column, style->is_bold);
        entry->key = key;
        font->n_entries++;
    }
    return &entry->glyph;
}

// ---- lines of text

// A letter with its marks in one code point where Unicode has one, so that the font's own drawing
// is used.
static void compose(TextCluster *cluster) {
    if (cluster->n_codepoints < 2) {
        return;
    }
    utf8proc_ssize_t n = utf8proc_normalize_utf32(cluster->codepoints, cluster->n_codepoints,
                                                  UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    cluster->n_codepoints = n > 0 ? (int)n : 1;
}

int font_width(Font *font, const TextStyle *style, const char *text) {
    const char *end = text + strlen(text);
    TextCluster cluster;
    int width = 0;
    while (text_next_cluster(&text, end, &cluster)) {
        compose(&cluster);
        width += find_glyph(font, cluster.codepoints[0], style)->advance;
    }
    return width;
}

FontHeights font_heights(const Font *font, int column) {
    FontHeights heights = {.ascent = (int)ceil(column * 1.75),
                           .descent = (int)ceil(column * 0.4),
                           .capital = (int)lround(column * 1.21)};
    if (font->faces[REGULAR] != NULL) {
        truetype_heights(font->faces[REGULAR], column, &heights.ascent, &heights.descent);
    }
    return heights;
}

static void draw_glyph(Picture *picture, int x, int y, const TextStyle *style, const Glyph *glyph) {
    if (glyph->coverage == NULL) {
        return;
    }
    for (int row = 0; row < glyph->height; row++) {
        for (int dot = 0; dot < glyph->width; dot++) {
            unsigned coverage = glyph->coverage[row * glyph->width + dot];
            if (coverage == 0) {
                continue;
            }
            int along = glyph->left + dot;
            int down = glyph->top + row;
            if (style->reads_up) {
                picture_blend(picture, x + down, y - along, style->ink, coverage);
            } else {
                picture_blend(picture, x + along, y + down, style->ink, coverage);
            }
        }
    }
}

void font_draw(Font *font, Picture *picture, int x, int y, const TextStyle *style,
               const char *text) {
    const char *end = text + strlen(text);
    TextCluster cluster;
    while (text_next_cluster(&text, end, &cluster)) {
        compose(&cluster);
        Glyph base = *find_glyph(font, cluster.codepoints[0], style);
        draw_glyph(picture, x, y, style, &base);
        for (int i = 1; i < cluster.n_codepoints; i++) {
            Glyph mark = *find_glyph(font, cluster.codepoints[i], style);
            if (mark.is_missing) {
                continue; // the letter alone says more than a box over it
            }
            mark.left = (base.advance - mark.width) / 2; // over the middle of its letter
            draw_glyph(picture, x, y, style, &mark);
        }
        x += style->reads_up ? 0 : base.advance;
        y -= style->reads_up ? base.advance : 0;
    }
}
