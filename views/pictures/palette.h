// palette.h - colours for numbers: four maps of 256 colours, and what stands for -inf and NaN.
#ifndef VIEWS_PICTURES_PALETTE_H
#define VIEWS_PICTURES_PALETTE_H

#include <stdbool.h>

#include "engine/base/error.h"

typedef struct Rgb {
    unsigned char r, g, b;
} Rgb;

typedef enum Palette {
    PALETTE_VIRIDIS, // Smith and van der Walt 2015
    PALETTE_CIVIDIS, // Nunez, Anderton and Renslow 2018: the same to a colour-blind reader
    PALETTE_MAGMA,   // Smith and van der Walt 2015
    PALETTE_GRAY,    // 0 black, 1 white
    PALETTE_COUNT,
} Palette;

enum { PALETTE_ENTRIES = 256 };

// An entry 0..255 of a map, or one of these. What is not finite has no place on a scale: -inf (a
// masked score) and NaN are drawn as flat colours that are in no map, each with its own hatch.
enum { HEAT_NONE = -1, HEAT_MASKED = 256, HEAT_NAN = 257, HEAT_INFINITE = 258 };

extern const Rgb palette_data[PALETTE_COUNT][PALETTE_ENTRIES];

const char *palette_name(Palette palette);

// By its name; the sentence of the error lists the names there are.
bool palette_find(Palette *palette, const char *name, Error *err);

// Entry floor(255 w + 1/2), w cut to 0..1; -inf, NaN and +inf give HEAT_MASKED, HEAT_NAN and
// HEAT_INFINITE.
int palette_entry(float w);

// Which numbers share a scale: all that a picture shows, or those of each row by themselves, so
// that what a row sees best stands out in every row.
typedef enum HeatScale { HEAT_LINEAR, HEAT_PER_ROW, HEAT_SCALE_COUNT } HeatScale;

const char *heat_scale_name(HeatScale scale); // "linear", "row"
bool heat_scale_find(HeatScale *scale, const char *name, Error *err);

// The ends of a scale.
typedef struct HeatRange {
    float minimum, maximum;
} HeatRange;

// The same on the scale minimum..maximum. Where the two are equal every finite value is entry 0.
int palette_entry_scaled(float value, HeatRange range);

// The colour of an entry or of one of the HEAT_ values; HEAT_NONE is white.
Rgb palette_colour(Palette palette, int entry);

// The colour of the lines over a HEAT_ value, so that it is told apart without colour too.
Rgb palette_hatch(int entry);

// Black or white, whichever is read more easily on that colour (WCAG 2 contrast).
Rgb palette_ink(Rgb paper);

// Contrast ratio of two colours by WCAG 2, 1 to 21.
double palette_contrast(Rgb a, Rgb b);

#endif
