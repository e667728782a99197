// heatmap_sink.h - what a heatmap is drawn with: pixels and SVG are two of these.
#ifndef VIEWS_PICTURES_HEATMAP_SINK_H
#define VIEWS_PICTURES_HEATMAP_SINK_H

#include "views/pictures/heatmap.h"

typedef enum TextAnchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } TextAnchor;

// The functions get the sink back that they are called on; a sink of a certain kind begins with
// one.
typedef struct HeatmapSink HeatmapSink;
struct HeatmapSink {
    const Heatmap *heatmap;
    const HeatmapLayout *layout;
    void (*fill)(HeatmapSink *sink, Rect rect, Rgb colour);
    void (*frame)(HeatmapSink *sink, Rect rect, Rgb colour);
    void (*hatch)(HeatmapSink *sink, Rect rect, int entry);
    // (x, y) is on the base line, at the start, the middle or the end of the text.
    void (*text)(HeatmapSink *sink, int x, int y, TextAnchor anchor, const TextStyle *style,
                 const char *text);
    void (*cells)(HeatmapSink *sink, const HeatmapPanel *panel, int x, int y);
};

// Draws everything, in the order in which it lies over one another.
void heatmap_paint(HeatmapSink *sink, Font *font);

// A figure at the colour scale, from the minimum (0) to the maximum (HEATMAP_FIGURES - 1).
enum { HEATMAP_FIGURES = 3 };
void heatmap_figure_text(const Heatmap *heatmap, int index, char text[32]);

// Beside it: what a number is, and which numbers share the scale.
enum { HEATMAP_SCALE_BYTES = 96 };
void heatmap_scale_text(const Heatmap *heatmap, char text[HEATMAP_SCALE_BYTES]);

// Over a panel of HEATMAP_HEADS: what tells it from the others.
void heatmap_caption(const Heatmap *heatmap, const HeatmapPanel *panel, char text[32]);

// Sizes of text, distances and colours that measuring and drawing share.
enum {
    HEATMAP_MARGIN = 18,
    HEATMAP_TITLE_COLUMN = 9,
    HEATMAP_LABEL_COLUMN = 8,
    HEATMAP_SMALL_COLUMN = 7,
    HEATMAP_TITLE_LINE = 22,
    HEATMAP_SMALL_LINE = 18,
    HEATMAP_GAP = 8,
    HEATMAP_HATCH_MINIMUM = 6, // smaller cells are flat
};

#endif
