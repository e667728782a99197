// terminal_colour.c - what a cell looks like on a terminal of few or many colours.
#include "app/terminal/terminal_colour.h"

#include <string.h>

enum { RAMP_STEPS = 16, BRIGHT = 8 };

// The colours of the cube of 216 and of its grey line that lie nearest to each palette and whose
// lightness still rises from step to step; rounding alone loses that order.
static const unsigned char RAMPS[PALETTE_COUNT][RAMP_STEPS] = {
    [PALETTE_VIRIDIS] = {17, 53, 54, 24, 25, 60, 242, 30, 66, 36, 72, 42, 113, 148, 184, 220},
    [PALETTE_CIVIDIS] = {17, 236, 237, 238, 239, 240, 59, 242, 243, 101, 137, 144, 179, 185, 221,
                         227},
    [PALETTE_MAGMA] = {232, 233, 17, 53, 54, 89, 90, 125, 161, 167, 203, 173, 209, 216, 222, 229},
    [PALETTE_GRAY] = {232, 234, 235, 237, 238, 240, 241, 243, 244, 246, 247, 249, 250, 252, 253,
                      255},
};

static const unsigned char FIRST_LIGHT_STEP = 7; // of RAMPS: from here on black ink reads better

// Dark to light among the terminal's own colours.
static const signed char FEW[] = {4, 4, 6, 6, 2, 2, 3, 7};

bool colour_depth_find(ColourDepth *depth, const char *name, Error *err) {
    static const char *const NAMES[] = {"none", "8", "16", "256", "true"};
    for (int i = COLOUR_NONE; i <= COLOUR_TRUE; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *depth = (ColourDepth)i;
            return true;
        }
    }
    return error_set(err, "unknown colour mode \"%s\": expected none, 8, 16, 256 or true", name);
}

static int square(int x) {
    return x * x;
}

static int distance(Rgb colour, int r, int g, int b) {
    return 3 * square(colour.r - r) + 4 * square(colour.g - g) + 2 * square(colour.b - b);
}

// The nearest of the cube (16 to 231) and of the grey line (232 to 255).
static int nearest_256(Rgb colour) {
    static const int LEVELS[] = {0, 95, 135, 175, 215, 255};
    const int parts[3] = {colour.r, colour.g, colour.b};
    int index[3] = {0};
    for (int i = 0; i < 3; i++) {
        index[i] = parts[i] < 48 ? 0 : (parts[i] < 115 ? 1 : (parts[i] - 35) / 40);
    }
    int grey = (colour.r + colour.g + colour.b) / 3;
    int step = grey < 8 ? 0 : (grey > 238 ? 23 : (grey - 3) / 10);
    int level = 8 + 10 * step;
    int cube = distance(colour, LEVELS[index[0]], LEVELS[index[1]], LEVELS[index[2]]);
    return distance(colour, level, level, level) < cube
               ? 232 + step
               : 16 + 36 * index[0] + 6 * index[1] + index[2];
}

static int rgb_number(Rgb colour) {
    return colour.r << 16 | colour.g << 8 | colour.b;
}

static int heat_number(const Cell *cell, int entry, ColourDepth depth) {
    if (entry >= HEAT_MASKED) {
        return depth == COLOUR_256 ? nearest_256(palette_colour((Palette)cell->palette, entry))
                                   : BRIGHT * (depth == COLOUR_16);
    }
    if (depth == COLOUR_256) {
        return RAMPS[cell->palette][entry * RAMP_STEPS / PALETTE_ENTRIES];
    }
    return FEW[(size_t)entry * sizeof FEW / PALETTE_ENTRIES];
}

static int few(int number, ColourDepth depth) {
    return depth == COLOUR_8 && number >= BRIGHT ? number - BRIGHT : number;
}

static bool shows_heat(const Cell *cell) {
    return cell->style != STYLE_CURSOR && cell->style != STYLE_SOURCE && cell->style != STYLE_HIT;
}

static void swap_if_reversed(CellColours *colours) {
    if ((colours->attributes & LOOK_REVERSE) != 0) {
        int ink = colours->ink;
        colours->ink = colours->paper;
        colours->paper = ink;
        colours->attributes &= ~(unsigned)LOOK_REVERSE;
    }
}

static CellColours true_colours(const Cell *cell, ThemeName theme, ColourDepth depth) {
    Rgb ink = {0, 0, 0};
    Rgb paper = {0, 0, 0};
    CellColours colours = {0};
    cell_colours(cell, theme, &ink, &paper, &colours.attributes);
    bool is_true = depth == COLOUR_TRUE;
    colours.ink = is_true ? rgb_number(ink) : nearest_256(ink);
    colours.paper = is_true ? rgb_number(paper) : nearest_256(paper);
    return colours;
}

CellColours colour_of_cell(const Cell *cell, ThemeName theme, ColourDepth depth) {
    Look look = theme_look(theme, (Style)cell->style);
    CellColours colours = {-1, -1, (unsigned)look.attributes | cell->attributes};
    if (depth == COLOUR_NONE || theme == THEME_MONO) {
        return colours;
    }
    if (depth >= COLOUR_256) {
        colours = true_colours(cell, theme, depth);
        if (depth == COLOUR_TRUE) {
            return colours;
        }
    } else {
        colours.ink = look.ink16 < 0 ? -1 : few(look.ink16, depth);
        colours.paper = look.paper16 < 0 ? -1 : few(look.paper16, depth);
        // On eight colours a bright black is bold black, and black on black is nothing.
        if (depth == COLOUR_8 && look.ink16 == BRIGHT) {
            colours.ink = -1;
            colours.attributes |= LOOK_DIM;
        }
        if (depth == COLOUR_8 && look.paper16 == BRIGHT) {
            colours.paper = 4;
        }
    }
    bool heats = shows_heat(cell);
    if (heats && cell->heat_paper != HEAT_NONE) {
        colours.paper = heat_number(cell, cell->heat_paper, depth);
        int light = FIRST_LIGHT_STEP * PALETTE_ENTRIES / RAMP_STEPS;
        bool is_light = cell->heat_paper >= light && cell->heat_paper < HEAT_MASKED;
        colours.ink = is_light ? 0 : 7 + BRIGHT * (depth >= COLOUR_16);
        colours.ink = depth == COLOUR_256 ? (is_light ? 16 : 231) : colours.ink;
    }
    if (heats && cell->heat_ink != HEAT_NONE) {
        colours.ink = heat_number(cell, cell->heat_ink, depth);
    }
    swap_if_reversed(&colours);
    return colours;
}

int colour_pair_find(PairTable *table, int ink, int paper, int limit, bool *is_new) {
    *is_new = false;
    if (ink < 0 && paper < 0) {
        return 0;
    }
    unsigned hash = ((unsigned)(ink + 1) * 2654435761U) ^ ((unsigned)(paper + 1) * 40503U);
    unsigned slot = (hash >> 8) % PAIR_SLOTS;
    while (table->slots[slot].pair != 0) {
        if (table->slots[slot].ink == ink && table->slots[slot].paper == paper) {
            return table->slots[slot].pair;
        }
        slot = (slot + 1) % PAIR_SLOTS;
    }
    if (table->n_pairs >= limit || table->n_pairs >= PAIR_SLOTS - 1) {
        return 0;
    }
    *is_new = true;
    table->slots[slot].ink = ink;
    table->slots[slot].paper = paper;
    table->slots[slot].pair = ++table->n_pairs;
    return table->n_pairs;
}

bool colour_pair_is_full(const PairTable *table) {
    return table->n_pairs >= PAIR_MAX;
}

void colour_pair_clear(PairTable *table) {
    *table = (PairTable){0};
}
