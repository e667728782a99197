// palette.c - colours for numbers: four maps of 256 colours, and what stands for -inf and NaN.
#include "views/pictures/palette.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *palette_name(Palette palette) {
    static const char *const NAMES[PALETTE_COUNT] = {
        [PALETTE_VIRIDIS] = "viridis",
        [PALETTE_CIVIDIS] = "cividis",
        [PALETTE_MAGMA] = "magma",
        [PALETTE_GRAY] = "gray",
    };
    return NAMES[palette];
}

bool palette_find(Palette *palette, const char *name, Error *err) {
    for (int i = 0; i < PALETTE_COUNT; i++) {
        if (strcmp(name, palette_name((Palette)i)) == 0) {
            *palette = (Palette)i;
            return true;
        }
    }
    return error_set(err, "there is no palette \"%s\"; there are viridis, cividis, magma and gray",
                     name);
}

static int entry_of(double w) {
    if (isnan(w)) {
        return HEAT_NAN;
    }
    if (isinf(w)) {
        return w < 0 ? HEAT_MASKED : HEAT_INFINITE;
    }
    if (w <= 0) {
        return 0;
    }
    return w >= 1 ? PALETTE_ENTRIES - 1 : (int)((PALETTE_ENTRIES - 1) * w + 0.5); // cuts down
}

int palette_entry(float w) {
    return entry_of(w);
}

const char *heat_scale_name(HeatScale scale) {
    static const char *const NAMES[HEAT_SCALE_COUNT] = {
        [HEAT_LINEAR] = "linear",
        [HEAT_PER_ROW] = "row",
    };
    return NAMES[scale];
}

bool heat_scale_find(HeatScale *scale, const char *name, Error *err) {
    for (int i = 0; i < HEAT_SCALE_COUNT; i++) {
        if (strcmp(name, heat_scale_name((HeatScale)i)) == 0) {
            *scale = (HeatScale)i;
            return true;
        }
    }
    return error_set(err, "there is no scale \"%s\"; there are linear and row", name);
}

int palette_entry_scaled(float value, HeatRange range) {
    double w = ((double)value - range.minimum) / ((double)range.maximum - range.minimum);
    if (w >= 0 && w <= 1) {
        return (int)((PALETTE_ENTRIES - 1) * w + 0.5); // nearly all: kept short
    }
    if (!isfinite(value)) {
        return entry_of(value);
    }
    return range.maximum > range.minimum ? entry_of(w) : 0;
}

Rgb palette_colour(Palette palette, int entry) {
    if (entry >= 0 && entry < PALETTE_ENTRIES) {
        return palette_data[palette][entry];
    }
    switch (entry) {
    case HEAT_MASKED:
        return (Rgb){222, 224, 228};
    case HEAT_NAN:
        return (Rgb){255, 96, 96};
    case HEAT_INFINITE:
        return (Rgb){120, 190, 255};
    default:
        return (Rgb){255, 255, 255};
    }
}

Rgb palette_hatch(int entry) {
    switch (entry) {
    case HEAT_NAN:
        return (Rgb){214, 60, 60};
    case HEAT_INFINITE:
        return (Rgb){70, 145, 215};
    default:
        return (Rgb){190, 194, 200};
    }
}

static double linear(unsigned char channel) {
    double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(Rgb colour) {
    return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b);
}

double palette_contrast(Rgb a, Rgb b) {
    double brighter = luminance(a);
    double darker = luminance(b);
    if (brighter < darker) {
        double swapped = brighter;
        brighter = darker;
        darker = swapped;
    }
    return (brighter + 0.05) / (darker + 0.05);
}

Rgb palette_ink(Rgb paper) {
    const Rgb black = {0, 0, 0};
    const Rgb white = {255, 255, 255};
    return palette_contrast(white, paper) > palette_contrast(black, paper) ? white : black;
}
