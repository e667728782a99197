// heatmap_picture.c - a heatmap as pixels.
#include <string.h>

#include "views/pictures/heatmap_sink.h"

typedef struct PictureSink {
    HeatmapSink sink; // first: a HeatmapSink that belongs to us is one of these
    Picture *picture;
    Font *font;
} PictureSink;

// Not const: what it points to is drawn on.
static PictureSink *picture_sink(HeatmapSink *sink) {
    return (PictureSink *)sink;
}

static void fill(HeatmapSink *sink, Rect rect, Rgb colour) {
    picture_fill(picture_sink(sink)->picture, rect, colour);
}

static void frame(HeatmapSink *sink, Rect rect, Rgb colour) {
    picture_frame(picture_sink(sink)->picture, rect, colour);
}

static void hatch(HeatmapSink *sink, Rect rect, int entry) {
    picture_hatch(picture_sink(sink)->picture, rect, 5, palette_hatch(entry));
}

static void text(HeatmapSink *sink, int x, int y, TextAnchor anchor, const TextStyle *style,
                 const char *line) {
    PictureSink *own = picture_sink(sink);
    int back = 0;
    if (anchor != ANCHOR_START) {
        int width = font_width(own->font, style, line);
        back = anchor == ANCHOR_MIDDLE ? width / 2 : width;
    }
    int start_x = style->reads_up ? x : x - back;
    int start_y = style->reads_up ? y + back : y;
    font_draw(own->font, own->picture, start_x, start_y, style, line);
}

// One row of pixels, then copied to the cell's full height.
static void cells(HeatmapSink *sink, const HeatmapPanel *panel, int x, int y) {
    const Heatmap *heatmap = sink->heatmap;
    const HeatmapLayout *layout = sink->layout;
    Picture *picture = picture_sink(sink)->picture;
    const Rgb *map = palette_data[heatmap->palette];
    bool is_hatched = layout->cell_width >= HEATMAP_HATCH_MINIMUM &&
                      (heatmap->has_masked || heatmap->has_nan || heatmap->has_infinite);
    size_t row_bytes = (size_t)heatmap->n_columns * (size_t)layout->cell_width * 3;
    const float *value = panel->values;
    for (int row = 0; row < heatmap->n_rows && heatmap_goes_on(heatmap, panel, row); row++) {
        int top = y + row * layout->cell_height;
        unsigned char *pixel = picture_pixel(picture, x, top);
        const unsigned char *first = pixel;
        HeatRange range = heatmap_row_range(heatmap, value);
        for (int column = 0; column < heatmap->n_columns; column++) {
            int entry = palette_entry_scaled(*value++, range);
            Rgb colour =
                entry < PALETTE_ENTRIES ? map[entry] : palette_colour(heatmap->palette, entry);
            for (int i = 0; i < layout->cell_width; i++) {
                pixel[0] = colour.r;
                pixel[1] = colour.g;
                pixel[2] = colour.b;
                pixel += 3;
            }
        }
        for (int i = 1; i < layout->cell_height; i++) {
            memcpy(picture_pixel(picture, x, top + i), first, row_bytes);
        }
        for (int column = 0; is_hatched && column < heatmap->n_columns; column++) {
            int entry = palette_entry_scaled(value[column - heatmap->n_columns], range);
            if (entry >= PALETTE_ENTRIES) {
                hatch(sink,
                      (Rect){x + column * layout->cell_width, top, layout->cell_width,
                             layout->cell_height},
                      entry);
            }
        }
    }
}

bool heatmap_draw(const Heatmap *heatmap, Font *font, Picture *picture, Error *err) {
    HeatmapLayout layout;
    const Rgb white = {255, 255, 255};
    if (!heatmap_layout(heatmap, font, &layout, err) ||
        !picture_init(picture, layout.width, layout.height, white, err)) {
        return false;
    }
    PictureSink own = {.sink = {.heatmap = heatmap,
                                .layout = &layout,
                                .fill = fill,
                                .frame = frame,
                                .hatch = hatch,
                                .text = text,
                                .cells = cells},
                       .picture = picture,
                       .font = font};
    heatmap_paint(&own.sink, font);
    return true;
}
