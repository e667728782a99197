// terminal_colour.h - what a cell looks like on a terminal of few or many colours.
#ifndef APP_TERMINAL_TERMINAL_COLOUR_H
#define APP_TERMINAL_TERMINAL_COLOUR_H

#include "engine/base/error.h"
#include "views/canvas.h"

typedef enum ColourDepth {
    COLOUR_NONE,
    COLOUR_8,
    COLOUR_16,
    COLOUR_256,
    COLOUR_TRUE, // 24 bits
} ColourDepth;

const char *colour_depth_name(ColourDepth depth);

// "none", "8", "16", "256", "true"; the sentence of the error lists them.
bool colour_depth_find(ColourDepth *depth, const char *name, Error *err);

// The numbers of ink and paper, -1 for the terminal's own, and LOOK_ attributes.
typedef struct CellColours {
    int ink, paper;
    unsigned attributes;
} CellColours;

// With 24 bits a number is 0xRRGGBB, else the terminal's.
CellColours colour_of_cell(const Cell *cell, ThemeName theme, ColourDepth depth);

// True where the colours alone tell a sixteenth of a scale; else shades have their glyphs.
bool colour_shows_heat(ThemeName theme, ColourDepth depth);

// False for the Linux console, whose faint ink is a dark grey on black (contrast 2.8).
bool colour_is_faint_readable(const char *kind);

// What xterm shows for a number from 16 to 255, which terminals have in common.
Rgb colour_of_256(int number);

// The number that stands for an ink on a paper: 0 for the terminal's own two, else from 1 up.
enum { PAIR_SLOTS = 2048, PAIR_MAX = 1400 };

typedef struct ColourPairs {
    struct {
        int ink, paper, pair;
    } slots[PAIR_SLOTS]; // pair 0: free
    int n_pairs;
} ColourPairs;

// -1 where `limit` pairs, or PAIR_MAX, are taken already.
int colour_pairs_find(ColourPairs *table, int ink, int paper, int limit, bool *is_new);
void colour_pairs_clear(ColourPairs *table);

#endif
