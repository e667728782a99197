// dots.h - braille signs as dots, two across and four down.
#ifndef VIEWS_DOTS_H
#define VIEWS_DOTS_H

#include <stdbool.h>

enum { DOTS_ACROSS = 2, DOTS_DOWN = 4 };

// Unicode numbers the dots of a braille cell down its left column, then down its right one, the
// lowest two last.
static inline unsigned dots_bit(int x, int y) {
    static const unsigned char BITS[DOTS_DOWN][DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    return BITS[y][x];
}

// The bits of a braille sign, 0 for any other.
static inline unsigned dots_of_glyph(const char *glyph) {
    const unsigned char *bytes = (const unsigned char *)glyph;
    if (bytes[0] != 0xE2 || (bytes[1] & 0xFCU) != 0xA0U) {
        return 0;
    }
    return ((bytes[1] & 0x03U) << 6U) | (bytes[2] & 0x3FU);
}

#endif
