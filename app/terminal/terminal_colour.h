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

// "none", "8", "16", "256", "true"; the sentence of the error lists them.
bool colour_depth_find(ColourDepth *depth, const char *name, Error *err);

// The numbers of ink and paper, -1 for the terminal's own, and LOOK_ attributes.
typedef struct CellColours {
    int ink, paper;
    unsigned attributes;
} CellColours;

CellColours colour_of_cell(const Cell *cell, ThemeName theme, ColourDepth depth);

// The number that stands for an ink on a paper: 0 for the terminal's own two, else from 1 up.
enum { PAIR_SLOTS = 1024, PAIR_MAX = 700 };

typedef struct PairTable {
    struct {
        int ink, paper, pair;
    } slots[PAIR_SLOTS]; // pair 0: free
    int n_pairs;
} PairTable;

// 0 where `limit` pairs are taken already.
int colour_pair_find(PairTable *table, int ink, int paper, int limit, bool *is_new);
bool colour_pair_is_full(const PairTable *table);
void colour_pair_clear(PairTable *table);

#endif
