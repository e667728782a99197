// support_heatmap.c - made-up matrices with labels, to be drawn as heatmaps.
#include "tests/support.h"

#include <string.h>

#include "tests/support_heatmap.h"

const char *const HEATMAP_ENGLISH[6] = {"<s>", "dog", "run", "a,\"b\"", " the", "<&>"};
const char *const HEATMAP_LONG[6] = {
    "狗跑得很快但是猫在睡觉",
    "supercalifragilisticexpialidocious-supercalifragilisticexpialidocious",
    "▁internationalization",
    "Ġ",
    "é̈",
    "\x1b[31m\n"};

void heatmap_fixture_fill(HeatmapFixture *fixture, HeatmapForm form, int n_panels, int n,
                          const char *const *labels) {
    memset(fixture, 0, sizeof *fixture);
    for (int i = 0; i < n; i++) {
        fixture->labels[i] = labels[i % 6];
    }
    for (int i = 0; i < n_panels; i++) {
        for (int j = 0; j < n * n; j++) {
            fixture->values[i][j] = (float)((j * 37 + i * 11) % 101) / 100.0F;
        }
        fixture->panels[i] = (HeatmapPanel){fixture->values[i], form == HEATMAP_GRID ? i / 2 : 0,
                                            form == HEATMAP_GRID ? i % 2 : i};
    }
    fixture->heatmap = (Heatmap){.model = "toy-copy",
                                 .stage = "encoder.*.self_attn.weights",
                                 .form = form,
                                 .panels = fixture->panels,
                                 .panel_rows = 2,
                                 .panel_columns = 2,
                                 .n_panels = n_panels,
                                 .n_heads = 2,
                                 .n_rows = n,
                                 .n_columns = n,
                                 .row_labels = fixture->labels,
                                 .column_labels = fixture->labels,
                                 .row_axis = "query",
                                 .column_axis = "key",
                                 .quantity = "attention weight"};
    heatmap_scan(&fixture->heatmap, true);
    Error err = {0};
    support_require(font_init(&fixture->font, NULL, &err), &err);
}
