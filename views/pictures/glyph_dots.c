// glyph_dots.c - characters that are stored as dots: unifont's, and dots brought to another size.
#include "views/pictures/glyph.h"

#include <string.h>

#include "engine/base/hex.h"

enum { UNIFONT_ROWS = 16, UNIFONT_ASCENT = 14, UNIFONT_COLUMN = 8 };

// How much of pixel i of `to` pixels dot j of `from` dots covers, in units of 1 / (from * to).
static int overlap(int i, int j, int to, int from) {
    int begin = i * from > j * to ? i * from : j * to;
    int end = (i + 1) * from < (j + 1) * to ? (i + 1) * from : (j + 1) * to;
    return end > begin ? end - begin : 0;
}

void glyph_from_dots(Glyph *glyph, const uint16_t *dots, int columns, int rows, int width,
                     int height, Arena *arena) {
    glyph->width = width;
    glyph->height = height;
    glyph->coverage = arena_allocate(arena, (size_t)width * (size_t)height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int covered = 0;
            for (int row = y * rows / height; row < rows && row * height < (y + 1) * rows; row++) {
                int tall = overlap(y, row, height, rows);
                for (int dot = x * columns / width;
                     dot < columns && dot * width < (x + 1) * columns; dot++) {
                    if ((dots[row] >> (columns - 1 - dot) & 1) != 0) {
                        covered += tall * overlap(x, dot, width, columns);
                    }
                }
            }
            glyph->coverage[y * width + x] = (unsigned char)(255 * covered / (rows * columns));
        }
    }
}

// Reads hexadecimal digits at *at, at most `most` of them; gives how many there were.
static int read_hex(const char **at, const char *end, int most, uint32_t *value) {
    int n_digits = 0;
    *value = 0;
    while (n_digits < most && *at < end && hex_digit_upper(**at) >= 0) {
        *value = *value << 4 | (uint32_t)hex_digit_upper(**at);
        (*at)++;
        n_digits++;
    }
    return n_digits;
}

static const char *line_after(const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline != NULL ? newline + 1 : end;
}

// The line of a code point, by halving: NULL where there is none. *at then stands after the colon.
static const char *find_line(const char *hex, const char *end, int32_t codepoint) {
    const char *low = hex; // always the beginning of a line
    const char *high = end;
    while (low < high) {
        const char *middle = low + (high - low) / 2;
        while (middle > low && middle[-1] != '\n') {
            middle--;
        }
        const char *digits = middle;
        uint32_t found = 0;
        int n_digits = read_hex(&digits, end, 6, &found);
        if (n_digits == 0 || digits == end || *digits != ':') {
            return NULL; // not a .hex file after all
        }
        if (found == (uint32_t)codepoint) {
            return digits + 1;
        }
        if (found < (uint32_t)codepoint) {
            low = line_after(middle, high);
        } else {
            high = middle;
        }
    }
    return NULL;
}

bool glyph_from_unifont(Glyph *glyph, const char *hex, size_t size_bytes, int32_t codepoint,
                        int column, Arena *arena) {
    const char *end = hex + size_bytes;
    const char *digits = find_line(hex, end, codepoint);
    if (digits == NULL) {
        return false;
    }
    size_t n_digits = (size_t)(line_after(digits, end) - digits);
    int columns = n_digits >= 64 ? 16 : 8;
    uint16_t dots[UNIFONT_ROWS];
    for (int row = 0; row < UNIFONT_ROWS; row++) {
        uint32_t value = 0;
        if (read_hex(&digits, end, columns / 4, &value) != columns / 4) {
            return false;
        }
        dots[row] = (uint16_t)value;
    }
    glyph_from_dots(glyph, dots, columns, UNIFONT_ROWS, columns * column / UNIFONT_COLUMN,
                    UNIFONT_ROWS * column / UNIFONT_COLUMN, arena);
    glyph->left = 0;
    glyph->top = -UNIFONT_ASCENT * column / UNIFONT_COLUMN;
    glyph->advance = glyph->width;
    return true;
}
