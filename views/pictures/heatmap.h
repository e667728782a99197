// heatmap.h - labelled pictures of matrices: one head, the heads of a layer, all layers and heads.
#ifndef VIEWS_PICTURES_HEATMAP_H
#define VIEWS_PICTURES_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/progress.h"
#include "views/pictures/font.h"
#include "views/pictures/palette.h"
#include "views/pictures/picture.h"

typedef enum HeatmapForm {
    HEATMAP_ONE,   // one panel; what it is stands in the title
    HEATMAP_HEADS, // the heads of a layer, or one of each layer: four to a row, each with a caption
    HEATMAP_GRID,  // a row for each layer, a column for each head, captions at the edges
} HeatmapForm;

// One matrix. layer and head are -1 where the stage has none or where they are averaged.
typedef struct HeatmapPanel {
    const float *values; // n_rows * n_columns, row by row
    int layer, head;
} HeatmapPanel;

// What to draw. All pointers are borrowed.
typedef struct Heatmap {
    const char *title; // the bold line; NULL: the model, the layer and the head
    const char *model;
    const char *stage;
    const char *note; // added to the stage, such as "batch item 1"; may be NULL
    HeatmapForm form;
    const HeatmapPanel *panels;
    int n_panels;
    int panel_rows; // layers; in HEATMAP_GRID n_panels is the product of the two
    int panel_columns;
    int n_heads;  // of the model, for "mean of 12 heads"
    bool is_mean; // over the heads
    int n_rows, n_columns;
    const char *const *row_labels; // tokens
    const char *const *row_next;   // cross-attention: the token that each row writes next, "" where
                                   // none follows yet; NULL elsewhere
    const char *const *column_labels;
    const char *row_axis; // "query"
    const char *column_axis;
    const char *quantity; // what a number is, beside the colour scale: "attention weight"
    Palette palette;
    bool shows_values;
    HeatScale scale;
    HeatRange range; // of the colour scale; where each row has its own, of all of them
    bool has_masked, has_nan, has_infinite;
    Progress *progress; // of who waits until it is drawn and written; NULL: nobody
} Heatmap;

// Sets the range: 0 to 1 for weights on one scale, else from the least to the greatest finite value
// of all panels; and which values without a place on the scale occur. The scale has to be set.
void heatmap_scan(Heatmap *heatmap, bool is_weight);

// The rows before this one of a panel are done. False where the work is to end: the rest is left
// out, and heatmap_save fails.
bool heatmap_goes_on(const Heatmap *heatmap, const HeatmapPanel *panel, int row);

// The colour scale of one row of a panel, n_columns values.
HeatRange heatmap_row_range(const Heatmap *heatmap, const float *row);

// What a row is called in a picture: "Mädchen → hat" where it has a next token.
enum { HEATMAP_ROW_BYTES = 520 };
const char *heatmap_row_text(const Heatmap *heatmap, int row, char text[HEATMAP_ROW_BYTES]);

// Where everything stands, in pixels.
typedef struct HeatmapLayout {
    int width, height;
    int panel_rows, panel_columns;
    int cell_width, cell_height;
    int first_x, first_y; // of the first panel's cells
    int pitch_x, pitch_y; // from panel to panel
    bool shows_tokens;    // at the cells of the panels
    bool labels_read_up;  // of the columns
    bool captions_read_up;
    int row_label_step, column_label_step; // every how many cells there is room for a label
    int row_label_width;                   // of the widest
    int column_label_height;
    int value_column; // size of the digits, see TextStyle
    Rect bar;         // the colour scale
    int bar_text_width;
    int n_title_lines, n_subtitle_lines;
    int text_columns; // at which the titles are broken
} HeatmapLayout;

enum { HEATMAP_TITLE_BYTES = 1024 };

// Measures. Fails when the picture would be too big.
bool heatmap_layout(const Heatmap *heatmap, Font *font, HeatmapLayout *layout, Error *err);

// Draws a picture of its natural size, on a zeroed Picture that the caller frees.
bool heatmap_draw(const Heatmap *heatmap, Font *font, Picture *picture, Error *err);

typedef enum HeatmapFile {
    HEATMAP_FILE_UNKNOWN,
    HEATMAP_FILE_PNG,
    HEATMAP_FILE_SVG,
    HEATMAP_FILE_CSV,
} HeatmapFile;

// By the ending of the name: .png, .svg or .csv.
HeatmapFile heatmap_kind_of_name(const char *path);

// Writes path as its name says, whole or not at all.
bool heatmap_save(const Heatmap *heatmap, Font *font, const char *path, Error *err);

// The same picture as SVG and the numbers as CSV (layer,head,query,key,value, in cross-attention
// "next" behind the query), as text that the caller frees. Every number is written so that reading
// it gives the same float32.
bool heatmap_svg(const Heatmap *heatmap, Font *font, char **text, size_t *size_bytes, Error *err);
bool heatmap_csv(const Heatmap *heatmap, char **text, size_t *size_bytes, Error *err);

// A number as it stands in a cell: "0.25", "-inf"; with as many digits as the scale has use for.
void heatmap_value_text(const Heatmap *heatmap, float value, char text[32]);

// The two lines over the picture, unbroken.
void heatmap_title(const Heatmap *heatmap, char title[HEATMAP_TITLE_BYTES]);
void heatmap_subtitle(const Heatmap *heatmap, const HeatmapLayout *layout,
                      char subtitle[HEATMAP_TITLE_BYTES]);

#endif
