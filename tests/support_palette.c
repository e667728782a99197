// support_palette.c - what the colours that a terminal calls by numbers look like.
#include "tests/support_palette.h"

enum { N_BRIGHT = 8 };

#define XTERM_COLOURS                                                                              \
    {                                                                                              \
        {0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0}, {0, 0, 238}, {205, 0, 205},            \
            {0, 205, 205}, {229, 229, 229}, {127, 127, 127}, {255, 0, 0}, {0, 255, 0},             \
            {255, 255, 0}, {92, 92, 255}, {255, 0, 255}, {0, 255, 255}, {                          \
            255, 255, 255                                                                          \
        }                                                                                          \
    }

const PtyPalette PTY_XTERM = {
    .colours = XTERM_COLOURS, .ink = {0, 0, 0}, .paper = {255, 255, 255}, .bold_is_bright = true};
const PtyPalette PTY_XTERM_PLAIN = {
    .colours = XTERM_COLOURS, .ink = {0, 0, 0}, .paper = {255, 255, 255}};
const PtyPalette PTY_VGA = {
    .colours = {{0, 0, 0},
                {170, 0, 0},
                {0, 170, 0},
                {170, 85, 0},
                {0, 0, 170},
                {170, 0, 170},
                {0, 170, 170},
                {170, 170, 170},
                {85, 85, 85},
                {255, 85, 85},
                {85, 255, 85},
                {255, 255, 85},
                {85, 85, 255},
                {255, 85, 255},
                {85, 255, 255},
                {255, 255, 255}},
    .ink = {170, 170, 170},
    .paper = {0, 0, 0},
    .bold_is_bright = true,
};

static unsigned char faint(int ink, int paper) {
    return (unsigned char)(paper + ((ink - paper) * 2 / 3));
}

Rgb palette_faint(Rgb ink, Rgb paper) {
    return (Rgb){faint(ink.r, paper.r), faint(ink.g, paper.g), faint(ink.b, paper.b)};
}

static Rgb seen(const PtyPalette *palette, int number, ColourDepth depth, Rgb own) {
    if (number < 0) {
        return own;
    }
    if (depth == COLOUR_TRUE) {
        return (Rgb){(unsigned char)(number >> 16 & 255), (unsigned char)(number >> 8 & 255),
                     (unsigned char)(number & 255)};
    }
    return number < PTY_COLOURS ? palette->colours[number] : colour_of_256(number);
}

void palette_seen(const PtyPalette *palette, const CellColours *colours, ColourDepth depth,
                  Rgb *ink, Rgb *paper) {
    bool brightens = palette->bold_is_bright && (colours->attributes & LOOK_BOLD) != 0 &&
                     depth != COLOUR_TRUE && colours->ink >= 0 && colours->ink < N_BRIGHT;
    *ink = seen(palette, colours->ink + (brightens ? N_BRIGHT : 0), depth, palette->ink);
    *paper = seen(palette, colours->paper, depth, palette->paper);
    if ((colours->attributes & LOOK_REVERSE) != 0) {
        Rgb swapped = *ink;
        *ink = *paper;
        *paper = swapped;
    }
    if ((colours->attributes & LOOK_DIM) != 0) {
        *ink = palette_faint(*ink, *paper);
    }
}
