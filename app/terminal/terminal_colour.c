// terminal_colour.c - what a cell looks like on a terminal of few or many colours.
#include "app/terminal/terminal_colour.h"

#include <assert.h>
#include <string.h>

#include "app/terminal/terminal_few.h"

enum { RAMP_STEPS = 20, CUBE = 16, CUBE_SIDE = 6, GREYS = 232 };

// The colours of the cube of 216 and of its grey line that lie near to each palette and whose
// lightness still rises from step to step; rounding alone loses that order. A sixteenth of the
// scale is more than one step.
static const unsigned char RAMPS[PALETTE_COUNT][RAMP_STEPS] = {
    [PALETTE_VIRIDIS] = {17, 53, 54, 25, 60, 61, 242, 30,  31,  66,
                         36, 37, 72, 42, 77, 78, 113, 148, 184, 220},
    [PALETTE_CIVIDIS] = {233, 17,  24,  25,  60,  95,  242, 243, 244, 245,
                         138, 246, 247, 108, 143, 144, 179, 185, 221, 227},
    [PALETTE_MAGMA] = {16,  233, 17,  18,  53,  54,  89,  90,  126, 162,
                       132, 168, 203, 204, 209, 215, 216, 222, 223, 229},
    [PALETTE_GRAY] = {232, 233, 234, 236, 237, 238, 239, 59,  242, 243,
                      102, 246, 247, 145, 250, 251, 252, 254, 255, 231},
};

const char *colour_depth_name(ColourDepth depth) {
    static const char *const NAMES[] = {"none", "8", "16", "256", "true"};
    return NAMES[depth];
}

bool colour_depth_find(ColourDepth *depth, const char *name, Error *err) {
    for (int i = COLOUR_NONE; i <= COLOUR_TRUE; i++) {
        if (strcmp(name, colour_depth_name((ColourDepth)i)) == 0) {
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

static const int LEVELS[CUBE_SIDE] = {0, 95, 135, 175, 215, 255};

// The nearest of the cube (16 to 231) and of the grey line (232 to 255).
static int nearest_256(Rgb colour) {
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
               ? GREYS + step
               : CUBE + CUBE_SIDE * CUBE_SIDE * index[0] + CUBE_SIDE * index[1] + index[2];
}

Rgb colour_of_256(int number) {
    assert(number >= CUBE && number < 256);
    if (number >= GREYS) {
        unsigned char level = (unsigned char)(8 + 10 * (number - GREYS));
        return (Rgb){level, level, level};
    }
    int i = number - CUBE;
    return (Rgb){(unsigned char)LEVELS[i / (CUBE_SIDE * CUBE_SIDE)],
                 (unsigned char)LEVELS[i / CUBE_SIDE % CUBE_SIDE],
                 (unsigned char)LEVELS[i % CUBE_SIDE]};
}

static int rgb_number(Rgb colour) {
    return colour.r << 16 | colour.g << 8 | colour.b;
}

static int heat_256(const Cell *cell, int entry) {
    return entry >= HEAT_MASKED ? nearest_256(palette_colour((Palette)cell->palette, entry))
                                : RAMPS[cell->palette][entry * RAMP_STEPS / PALETTE_ENTRIES];
}

static CellColours colours_256(const Cell *cell, ThemeName theme) {
    Rgb ink = {0, 0, 0};
    Rgb paper = {0, 0, 0};
    CellColours colours = {0};
    cell_colours(cell, theme, &ink, &paper, &colours.attributes);
    colours.ink = nearest_256(ink);
    colours.paper = nearest_256(paper);
    if (cell_shows_heat(cell) && cell->heat_paper != HEAT_NONE) {
        colours.paper = heat_256(cell, cell->heat_paper);
        colours.ink = nearest_256(palette_ink(colour_of_256(colours.paper)));
    }
    if (cell_shows_heat(cell) && cell->heat_ink != HEAT_NONE) {
        colours.ink = heat_256(cell, cell->heat_ink);
    }
    return colours;
}

static CellColours colours_few(const Cell *cell, ThemeName theme, ColourDepth depth) {
    bool has_sixteen = depth == COLOUR_16;
    unsigned added = cell->attributes & ~(unsigned)CELL_SIGNS;
    FewLook look = few_look(theme, has_sixteen, (Style)cell->style, added);
    bool is_shade = (cell->attributes & CELL_SHADE) != 0; // its glyph tells the number
    if (cell_shows_heat(cell) && cell->heat_paper != HEAT_NONE && !is_shade) {
        look = few_heat(theme, has_sixteen, cell->heat_paper);
    }
    return (CellColours){look.ink, look.paper, look.attributes};
}

CellColours colour_of_cell(const Cell *cell, ThemeName theme, ColourDepth depth) {
    if (depth == COLOUR_NONE || theme == THEME_MONO) {
        Look look = theme_look(THEME_MONO, (Style)cell->style);
        unsigned all = (unsigned)look.attributes | cell->attributes;
        return (CellColours){-1, -1, all & ~(unsigned)CELL_SIGNS};
    }
    if (depth < COLOUR_256) {
        return colours_few(cell, theme, depth);
    }
    if (depth == COLOUR_256) {
        return colours_256(cell, theme);
    }
    Rgb ink = {0, 0, 0};
    Rgb paper = {0, 0, 0};
    CellColours colours = {0};
    cell_colours(cell, theme, &ink, &paper, &colours.attributes);
    colours.ink = rgb_number(ink);
    colours.paper = rgb_number(paper);
    return colours;
}

bool colour_shows_heat(ThemeName theme, ColourDepth depth) {
    return theme != THEME_MONO && depth >= COLOUR_256;
}

bool colour_is_faint_readable(const char *kind) {
    static const char CONSOLE[] = "linux";
    return strncmp(kind, CONSOLE, sizeof CONSOLE - 1) != 0;
}

int colour_pairs_find(ColourPairs *table, int ink, int paper, int limit, bool *is_new) {
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
    if (table->n_pairs >= limit || table->n_pairs >= PAIR_MAX) {
        return -1;
    }
    *is_new = true;
    table->slots[slot].ink = ink;
    table->slots[slot].paper = paper;
    table->slots[slot].pair = ++table->n_pairs;
    return table->n_pairs;
}

void colour_pairs_clear(ColourPairs *table) {
    *table = (ColourPairs){0};
}
