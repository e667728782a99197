// support_heatmap.h - made-up matrices with labels, to be drawn as heatmaps.
#ifndef TESTS_SUPPORT_HEATMAP_H
#define TESTS_SUPPORT_HEATMAP_H

#include "views/pictures/heatmap.h"

enum { HEATMAP_MOST_CELLS = 64 * 64, HEATMAP_MOST_LABELS = 64 };

// Six labels each: what is short, and what is not.
extern const char *const HEATMAP_ENGLISH[6];
extern const char *const HEATMAP_LONG[6];

typedef struct HeatmapFixture {
    Heatmap heatmap;
    HeatmapPanel panels[4];
    float values[4][HEATMAP_MOST_CELLS];
    const char *labels[HEATMAP_MOST_LABELS];
    Font font;
} HeatmapFixture;

// n_panels panels of n x n weights, labelled from six labels in turn; the font has to be freed.
void heatmap_fixture_fill(HeatmapFixture *fixture, HeatmapForm form, int n_panels, int n,
                          const char *const *labels);

#endif
