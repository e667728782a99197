// heatmap_svg.c - a heatmap as SVG: text stays text, every number is in the file.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/pictures/heatmap_sink.h"
#include "views/text.h"
#include "views/text_buffer.h"
#include "engine/base/plain_nan.h"

enum { TITLED_CELLS = 4096 }; // with more cells, numbers are kept by the row

typedef struct SvgSink {
    HeatmapSink sink; // first: a HeatmapSink that belongs to us is one of these
    TextBuffer buffer;
} SvgSink;

static TextBuffer *buffer_of(HeatmapSink *sink) {
    return &((SvgSink *)sink)->buffer;
}

static const char *hex_of(Rgb colour, char hex[8]) {
    snprintf(hex, 8, "#%02x%02x%02x", colour.r, colour.g, colour.b);
    return hex;
}

static void append_number(TextBuffer *buffer, float value) {
    text_buffer_print(buffer, "%.9g", plain_nan((double)value));
}

static void fill(HeatmapSink *sink, Rect rect, Rgb colour) {
    char hex[8];
    text_buffer_print(buffer_of(sink),
                      "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", rect.x,
                      rect.y, rect.width, rect.height, hex_of(colour, hex));
}

static void frame(HeatmapSink *sink, Rect rect, Rgb colour) {
    char hex[8];
    text_buffer_print(buffer_of(sink),
                      "<rect x=\"%d.5\" y=\"%d.5\" width=\"%d\" height=\"%d\" fill=\"none\" "
                      "stroke=\"%s\"/>\n",
                      rect.x, rect.y, rect.width - 1, rect.height - 1, hex_of(colour, hex));
}

static void hatch(HeatmapSink *sink, Rect rect, int entry) {
    text_buffer_print(buffer_of(sink),
                      "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"url(#h%d)\"/>\n",
                      rect.x, rect.y, rect.width, rect.height, entry);
}

static void text(HeatmapSink *sink, int x, int y, TextAnchor anchor, const TextStyle *style,
                 const char *line) {
    static const char *const ANCHORS[] = {
        [ANCHOR_START] = "start", [ANCHOR_MIDDLE] = "middle", [ANCHOR_END] = "end"};
    char hex[8];
    TextBuffer *buffer = buffer_of(sink);
    text_buffer_print(buffer, "<text x=\"%d\" y=\"%d\" font-size=\"%.2f\" fill=\"%s\"", x, y,
                      style->column / 0.602, hex_of(style->ink, hex));
    if (anchor != ANCHOR_START) {
        text_buffer_print(buffer, " text-anchor=\"%s\"", ANCHORS[anchor]);
    }
    if (style->is_bold) {
        text_buffer_text(buffer, " font-weight=\"bold\"");
    }
    if (style->reads_up) {
        text_buffer_print(buffer, " transform=\"rotate(-90 %d %d)\"", x, y);
    }
    text_buffer_text(buffer, ">");
    text_buffer_xml(buffer, line);
    text_buffer_text(buffer, "</text>\n");
}

static void append_cell(HeatmapSink *sink, Rect rect, int entry) {
    char hex[8];
    text_buffer_print(buffer_of(sink),
                      "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"", rect.x,
                      rect.y, rect.width, rect.height,
                      hex_of(palette_colour(sink->heatmap->palette, entry), hex));
}

// Each cell has its tokens and its number, which a browser shows under the mouse.
static void titled_row(HeatmapSink *sink, const float *values, int row, int x, int y) {
    const Heatmap *heatmap = sink->heatmap;
    const HeatmapLayout *layout = sink->layout;
    TextBuffer *buffer = buffer_of(sink);
    HeatRange range = heatmap_row_range(heatmap, values);
    char name[HEATMAP_ROW_BYTES];
    for (int column = 0; column < heatmap->n_columns; column++) {
        int entry = palette_entry_scaled(values[column], range);
        Rect rect = {x + column * layout->cell_width, y, layout->cell_width, layout->cell_height};
        append_cell(sink, rect, entry);
        text_buffer_text(buffer, " data-value=\"");
        append_number(buffer, values[column]);
        text_buffer_print(buffer, "\"><title>%s ", heatmap->row_axis);
        text_buffer_xml(buffer, heatmap_row_text(heatmap, row, name));
        text_buffer_print(buffer, ", %s ", heatmap->column_axis);
        text_buffer_xml(buffer, heatmap->column_labels[column]);
        text_buffer_text(buffer, ": ");
        append_number(buffer, values[column]);
        text_buffer_text(buffer, "</title></rect>\n");
        if (entry >= PALETTE_ENTRIES && layout->cell_width >= HEATMAP_HATCH_MINIMUM) {
            hatch(sink, rect, entry);
        }
    }
}

// Many cells: the numbers of a row stand together, neighbours of one colour are one rectangle.
static void packed_row(HeatmapSink *sink, const float *values, int row, int x, int y) {
    const Heatmap *heatmap = sink->heatmap;
    const HeatmapLayout *layout = sink->layout;
    TextBuffer *buffer = buffer_of(sink);
    text_buffer_print(buffer, "<g data-row=\"%d\" data-values=\"", row);
    for (int column = 0; column < heatmap->n_columns; column++) {
        text_buffer_text(buffer, column > 0 ? " " : "");
        append_number(buffer, values[column]);
    }
    text_buffer_text(buffer, "\">\n");
    int begin = 0;
    HeatRange range = heatmap_row_range(heatmap, values);
    for (int column = 1; column <= heatmap->n_columns; column++) {
        int entry = palette_entry_scaled(values[begin], range);
        if (column < heatmap->n_columns && palette_entry_scaled(values[column], range) == entry) {
            continue;
        }
        append_cell(sink,
                    (Rect){x + begin * layout->cell_width, y, (column - begin) * layout->cell_width,
                           layout->cell_height},
                    entry);
        text_buffer_text(buffer, "/>\n");
        begin = column;
    }
    text_buffer_text(buffer, "</g>\n");
}

static void cells(HeatmapSink *sink, const HeatmapPanel *panel, int x, int y) {
    const Heatmap *heatmap = sink->heatmap;
    TextBuffer *buffer = buffer_of(sink);
    size_t n_cells =
        (size_t)heatmap->n_rows * (size_t)heatmap->n_columns * (size_t)heatmap->n_panels;
    text_buffer_text(buffer, "<g shape-rendering=\"crispEdges\"");
    if (panel->layer >= 0) {
        text_buffer_print(buffer, " data-layer=\"%d\"", panel->layer);
    }
    if (panel->head >= 0) {
        text_buffer_print(buffer, " data-head=\"%d\"", panel->head);
    }
    text_buffer_text(buffer, ">\n");
    for (int row = 0; row < heatmap->n_rows && heatmap_goes_on(heatmap, panel, row); row++) {
        const float *values = panel->values + (size_t)row * (size_t)heatmap->n_columns;
        int top = y + row * sink->layout->cell_height;
        if (n_cells <= TITLED_CELLS) {
            titled_row(sink, values, row, x, top);
        } else {
            packed_row(sink, values, row, x, top);
        }
    }
    text_buffer_text(buffer, "</g>\n");
}

static void append_head(TextBuffer *buffer, const Heatmap *heatmap, const HeatmapLayout *layout) {
    char title[HEATMAP_TITLE_BYTES];
    text_buffer_print(buffer,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                      "viewBox=\"0 0 %d %d\" font-family=\"'DejaVu Sans Mono', 'Noto Sans Mono "
                      "CJK SC', monospace\" style=\"white-space: pre\">\n<title>",
                      layout->width, layout->height, layout->width, layout->height);
    heatmap_title(heatmap, title);
    text_buffer_xml(buffer, title);
    text_buffer_text(buffer, "</title>\n<defs>\n");
    for (int entry = HEAT_MASKED; entry <= HEAT_INFINITE; entry++) {
        char hex[8];
        text_buffer_print(buffer,
                          "<pattern id=\"h%d\" width=\"5\" height=\"5\" "
                          "patternUnits=\"userSpaceOnUse\"><path d=\"M-1 1L1 -1M0 5L5 0M4 6L6 4\" "
                          "stroke=\"%s\"/></pattern>\n",
                          entry, hex_of(palette_hatch(entry), hex));
    }
    text_buffer_print(buffer, "</defs>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                      layout->width, layout->height);
}

bool heatmap_svg(const Heatmap *heatmap, Font *font, char **svg, size_t *size_bytes, Error *err) {
    HeatmapLayout layout;
    if (!heatmap_layout(heatmap, font, &layout, err)) {
        return false;
    }
    SvgSink own = {.sink = {.heatmap = heatmap,
                            .layout = &layout,
                            .fill = fill,
                            .frame = frame,
                            .hatch = hatch,
                            .text = text,
                            .cells = cells}};
    append_head(&own.buffer, heatmap, &layout);
    heatmap_paint(&own.sink, font);
    text_buffer_text(&own.buffer, "</svg>\n");
    return text_buffer_take(&own.buffer, svg, size_bytes, err);
}
