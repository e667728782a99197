// heatmap.c - labelled pictures of matrices: one head, the heads of a layer, all layers and heads.
#include "views/pictures/heatmap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/pictures/heatmap_sink.h"
#include "engine/base/utf8.h"
#include "views/text.h"

static const Rgb INK = {0x1B, 0x1F, 0x24};
static const Rgb SOFT = {0x57, 0x60, 0x6A};
static const Rgb LINE = {0x8C, 0x95, 0x9F};

static void scan_special(Heatmap *heatmap, float value) {
    heatmap->has_nan |= isnan(value);
    heatmap->has_masked |= isinf(value) && value < 0;
    heatmap->has_infinite |= isinf(value) && value > 0;
}

// What is not finite has no place on a scale.
static void widen(HeatRange *range, const float *values, size_t n) {
    for (size_t j = 0; j < n; j++) {
        bool is_finite = isfinite(values[j]);
        range->minimum = is_finite && values[j] < range->minimum ? values[j] : range->minimum;
        range->maximum = is_finite && values[j] > range->maximum ? values[j] : range->maximum;
    }
}

bool heatmap_goes_on(const Heatmap *heatmap, const HeatmapPanel *panel, int row) {
    size_t n_rows = (size_t)heatmap->n_rows;
    return progress_at(heatmap->progress, (size_t)(panel - heatmap->panels) * n_rows + (size_t)row,
                       (size_t)heatmap->n_panels * n_rows, NULL);
}

void heatmap_scan(Heatmap *heatmap, bool is_weight) {
    HeatRange range = {INFINITY, -INFINITY};
    heatmap->has_masked = false;
    heatmap->has_nan = false;
    heatmap->has_infinite = false;
    size_t n_columns = (size_t)heatmap->n_columns;
    for (int i = 0; i < heatmap->n_panels; i++) {
        const HeatmapPanel *panel = &heatmap->panels[i];
        for (int row = 0; row < heatmap->n_rows && heatmap_goes_on(heatmap, panel, row); row++) {
            const float *values = panel->values + (size_t)row * n_columns;
            widen(&range, values, n_columns);
            for (size_t j = 0; j < n_columns; j++) {
                scan_special(heatmap, values[j]);
            }
        }
    }
    bool is_fixed = is_weight && heatmap->scale == HEAT_LINEAR;
    heatmap->range = is_fixed || range.minimum > range.maximum ? (HeatRange){0, 1} : range;
}

HeatRange heatmap_row_range(const Heatmap *heatmap, const float *row) {
    HeatRange range = {INFINITY, -INFINITY};
    if (heatmap->scale == HEAT_PER_ROW) {
        widen(&range, row, (size_t)heatmap->n_columns);
    }
    return range.minimum > range.maximum ? heatmap->range : range;
}

void heatmap_value_text(const Heatmap *heatmap, float value, char text[32]) {
    float largest = fmaxf(fabsf(heatmap->range.minimum), fabsf(heatmap->range.maximum));
    if (isnan(value)) {
        snprintf(text, 32, "nan");
        return;
    }
    if (isfinite(value) && value != 0.0F && (largest >= 1000 || largest < 0.001F)) {
        snprintf(text, 32, "%.1e", (double)value);
        return;
    }
    int decimals = largest >= 0.5F ? 2 : largest >= 0.05F ? 3 : 4;
    snprintf(text, 32, "%.*f", decimals, (double)value);
    if (text[0] == '-' && strspn(text, "-0.") == strlen(text)) {
        memmove(text, text + 1, strlen(text)); // "-0.00" says no more than "0.00"
    }
}

void heatmap_figure_text(const Heatmap *heatmap, int index, char text[32]) {
    static const char *const OF_A_ROW[HEATMAP_FIGURES] = {"row's least", "", "row's greatest"};
    if (heatmap->scale == HEAT_PER_ROW) {
        snprintf(text, 32, "%s", OF_A_ROW[index]);
        return;
    }
    double span = (double)heatmap->range.maximum - heatmap->range.minimum;
    snprintf(text, 32, "%.4g", heatmap->range.minimum + span * index / (HEATMAP_FIGURES - 1));
}

void heatmap_scale_text(const Heatmap *heatmap, char text[HEATMAP_SCALE_BYTES]) {
    const char *scale = heatmap->scale == HEAT_PER_ROW ? "each row" : "linear";
    snprintf(text, HEATMAP_SCALE_BYTES, "%s, %s", heatmap->quantity, scale);
}

void heatmap_title(const Heatmap *heatmap, char title[HEATMAP_TITLE_BYTES]) {
    if (heatmap->title != NULL) {
        utf8_shown(heatmap->title, title, HEATMAP_TITLE_BYTES);
        return;
    }
    const HeatmapPanel *panel = &heatmap->panels[0];
    char place[128] = "";
    if (heatmap->panel_rows > 1) {
        snprintf(place, sizeof place, " · %d layers", heatmap->panel_rows);
    } else if (panel->layer >= 0) {
        snprintf(place, sizeof place, " · layer %d", panel->layer);
    }
    size_t used = strlen(place);
    if (heatmap->is_mean) {
        snprintf(place + used, sizeof place - used, " · mean of %d heads", heatmap->n_heads);
    } else if (panel->head >= 0 && heatmap->n_panels == heatmap->panel_rows) {
        snprintf(place + used, sizeof place - used, " · head %d", panel->head);
    } else if (panel->head >= 0) {
        snprintf(place + used, sizeof place - used, "%s%d heads",
                 heatmap->panel_rows > 1 ? " × " : " · ", heatmap->n_panels / heatmap->panel_rows);
    }
    snprintf(title, HEATMAP_TITLE_BYTES, "%s%s", heatmap->model, place);
}

void heatmap_subtitle(const Heatmap *heatmap, const HeatmapLayout *layout,
                      char subtitle[HEATMAP_TITLE_BYTES]) {
    char axes[256] = "";
    if (!layout->shows_tokens) {
        snprintf(axes, sizeof axes, " · in each panel %d rows (%s) × %d columns (%s)",
                 heatmap->n_rows, heatmap->row_axis, heatmap->n_columns, heatmap->column_axis);
    }
    int down = layout->row_label_step;
    int across = layout->column_label_step;
    if (layout->shows_tokens && (down > 1 || across > 1)) {
        snprintf(axes, sizeof axes, " · named is one %s of every %d, one %s of every %d",
                 heatmap->row_axis, down, heatmap->column_axis, across);
    }
    bool has_note = heatmap->note != NULL && heatmap->note[0] != '\0';
    char scale[96] = "";
    if (heatmap->scale == HEAT_PER_ROW) {
        snprintf(scale, sizeof scale, " · each row on its own scale, all from %.4g to %.4g",
                 (double)heatmap->range.minimum, (double)heatmap->range.maximum);
    }
    snprintf(subtitle, HEATMAP_TITLE_BYTES, "%s%s%s%s%s", heatmap->stage, has_note ? " · " : "",
             has_note ? heatmap->note : "", scale, axes);
}

void heatmap_caption(const Heatmap *heatmap, const HeatmapPanel *panel, char text[32]) {
    bool is_by_layer = heatmap->n_panels == heatmap->panel_rows && panel->layer >= 0;
    if (is_by_layer || panel->head < 0) {
        snprintf(text, 32, "layer %d", panel->layer);
    } else {
        snprintf(text, 32, "head %d", panel->head);
    }
}

static int paint_lines(HeatmapSink *sink, int y, int pitch, const TextStyle *style,
                       const char *text) {
    while (*text != '\0') {
        char line[HEATMAP_TITLE_BYTES];
        const char *next = NULL;
        size_t length = text_wrap(text, sink->layout->text_columns, &next);
        memcpy(line, text, length);
        line[length] = '\0';
        sink->text(sink, HEATMAP_MARGIN, y, ANCHOR_START, style, line);
        y += pitch;
        text = next;
    }
    return y;
}

static void paint_titles(HeatmapSink *sink) {
    const TextStyle bold = {.column = HEATMAP_TITLE_COLUMN, .is_bold = true, .ink = INK};
    const TextStyle small = {.column = HEATMAP_SMALL_COLUMN, .ink = SOFT};
    char text[HEATMAP_TITLE_BYTES];
    heatmap_title(sink->heatmap, text);
    int y = paint_lines(sink, HEATMAP_MARGIN + 14, HEATMAP_TITLE_LINE, &bold, text);
    heatmap_subtitle(sink->heatmap, sink->layout, text);
    paint_lines(sink, y - 2, HEATMAP_SMALL_LINE, &small, text);
}

static Rect panel_rect(const HeatmapSink *sink, int index) {
    const Heatmap *heatmap = sink->heatmap;
    const HeatmapLayout *layout = sink->layout;
    int row = index / layout->panel_columns;
    int column = index % layout->panel_columns;
    return (Rect){layout->first_x + column * layout->pitch_x,
                  layout->first_y + row * layout->pitch_y, heatmap->n_columns * layout->cell_width,
                  heatmap->n_rows * layout->cell_height};
}

const char *heatmap_row_text(const Heatmap *heatmap, int row, char text[HEATMAP_ROW_BYTES]) {
    if (heatmap->row_next == NULL) {
        snprintf(text, HEATMAP_ROW_BYTES, "%s", heatmap->row_labels[row]);
        return text;
    }
    const char *next = heatmap->row_next[row];
    snprintf(text, HEATMAP_ROW_BYTES, "%s → %s", heatmap->row_labels[row],
             next[0] != '\0' ? next : "?");
    return text;
}

static void paint_row_labels(HeatmapSink *sink, Rect panel, int capital) {
    const Heatmap *heatmap = sink->heatmap;
    const HeatmapLayout *layout = sink->layout;
    const TextStyle label = {.column = HEATMAP_LABEL_COLUMN, .ink = INK};
    const TextStyle axis = {.column = HEATMAP_SMALL_COLUMN, .ink = SOFT, .reads_up = true};
    int x = panel.x - HEATMAP_GAP;
    char text[HEATMAP_ROW_BYTES];
    for (int row = 0; row < heatmap->n_rows; row += layout->row_label_step) {
        int middle = panel.y + row * layout->cell_height + layout->cell_height / 2;
        sink->text(sink, x, middle + capital / 2, ANCHOR_END, &label,
                   heatmap_row_text(heatmap, row, text));
    }
    sink->text(sink, x - layout->row_label_width - HEATMAP_GAP, panel.y + panel.height / 2,
               ANCHOR_MIDDLE, &axis,
               heatmap->row_next == NULL ? heatmap->row_axis : "query: reads → writes");
}

static void paint_column_labels(HeatmapSink *sink, Rect panel, bool with_axis, int capital,
                                int descent) {
    const Heatmap *heatmap = sink->heatmap;
    const HeatmapLayout *layout = sink->layout;
    const TextStyle label = {
        .column = HEATMAP_LABEL_COLUMN, .ink = INK, .reads_up = layout->labels_read_up};
    const TextStyle axis = {.column = HEATMAP_SMALL_COLUMN, .ink = SOFT};
    int y = panel.y - HEATMAP_GAP;
    for (int column = 0; column < heatmap->n_columns; column += layout->column_label_step) {
        int middle = panel.x + column * layout->cell_width + layout->cell_width / 2;
        const char *text = heatmap->column_labels[column];
        if (layout->labels_read_up) {
            sink->text(sink, middle + capital / 2, y, ANCHOR_START, &label, text);
        } else {
            sink->text(sink, middle, y - descent + 2, ANCHOR_MIDDLE, &label, text);
        }
    }
    if (with_axis) {
        sink->text(sink, panel.x + panel.width / 2, y - layout->column_label_height - HEATMAP_GAP,
                   ANCHOR_MIDDLE, &axis, heatmap->column_axis);
    }
}

static void paint_captions(HeatmapSink *sink, int index, Rect panel, int capital) {
    const Heatmap *heatmap = sink->heatmap;
    const HeatmapLayout *layout = sink->layout;
    TextStyle style = {.column = HEATMAP_SMALL_COLUMN, .is_bold = true, .ink = INK};
    char text[32];
    int tokens = layout->shows_tokens ? layout->column_label_height + HEATMAP_GAP : 0;
    int above = panel.y - HEATMAP_GAP - tokens;
    bool is_top = index < layout->panel_columns;
    if (layout->shows_tokens && is_top) {
        above -= HEATMAP_SMALL_LINE + 4; // "key" stands between
    }
    const HeatmapPanel *shown = &heatmap->panels[index];
    if (heatmap->form == HEATMAP_HEADS) {
        heatmap_caption(heatmap, shown, text);
        sink->text(sink, panel.x + panel.width / 2, above, ANCHOR_MIDDLE, &style, text);
        return;
    }
    if (heatmap->form != HEATMAP_GRID) {
        return;
    }
    if (index % layout->panel_columns == 0) {
        snprintf(text, sizeof text, "layer %d", shown->layer);
        int left = panel.x - HEATMAP_GAP;
        if (layout->shows_tokens) {
            left -= layout->row_label_width + 2 * HEATMAP_GAP + HEATMAP_SMALL_LINE;
        }
        sink->text(sink, left, panel.y + panel.height / 2 + capital / 2, ANCHOR_END, &style, text);
    }
    if (is_top && shown->head >= 0) {
        snprintf(text, sizeof text, "head %d", shown->head);
        style.reads_up = layout->captions_read_up;
        int x = panel.x + panel.width / 2 + (style.reads_up ? capital / 2 : 0);
        sink->text(sink, x, above, style.reads_up ? ANCHOR_START : ANCHOR_MIDDLE, &style, text);
    }
}

static void paint_values(HeatmapSink *sink, const HeatmapPanel *panel, Rect rect, int capital) {
    const Heatmap *heatmap = sink->heatmap;
    const HeatmapLayout *layout = sink->layout;
    TextStyle style = {.column = layout->value_column};
    for (int row = 0; row < heatmap->n_rows; row++) {
        int y = rect.y + row * layout->cell_height + (layout->cell_height + capital) / 2;
        const float *values = panel->values + (size_t)row * (size_t)heatmap->n_columns;
        HeatRange range = heatmap_row_range(heatmap, values);
        for (int column = 0; column < heatmap->n_columns; column++) {
            char text[32];
            heatmap_value_text(heatmap, values[column], text);
            style.ink = palette_ink(
                palette_colour(heatmap->palette, palette_entry_scaled(values[column], range)));
            int x = rect.x + column * layout->cell_width + layout->cell_width / 2;
            sink->text(sink, x, y, ANCHOR_MIDDLE, &style, text);
        }
    }
}

static void paint_sign(HeatmapSink *sink, int y, int entry, const char *text) {
    const TextStyle style = {.column = HEATMAP_SMALL_COLUMN, .ink = INK};
    Rect swatch = {sink->layout->bar.x, y, sink->layout->bar.width, 14};
    sink->fill(sink, swatch, palette_colour(sink->heatmap->palette, entry));
    sink->hatch(sink, swatch, entry);
    sink->frame(sink, swatch, LINE);
    sink->text(sink, swatch.x + swatch.width + 6, y + 11, ANCHOR_START, &style, text);
}

static void paint_bar(HeatmapSink *sink, int capital) {
    const Heatmap *heatmap = sink->heatmap;
    const Rect bar = sink->layout->bar;
    const TextStyle small = {.column = HEATMAP_SMALL_COLUMN, .ink = INK};
    const TextStyle axis = {.column = HEATMAP_SMALL_COLUMN, .ink = SOFT, .reads_up = true};
    for (int y = 0; y < bar.height; y++) {
        int entry =
            (int)lround((PALETTE_ENTRIES - 1) * (double)(bar.height - 1 - y) / (bar.height - 1));
        sink->fill(sink, (Rect){bar.x, bar.y + y, bar.width, 1},
                   palette_colour(heatmap->palette, entry));
    }
    sink->frame(sink, (Rect){bar.x - 1, bar.y - 1, bar.width + 2, bar.height + 2}, LINE);
    for (int i = 0; i < HEATMAP_FIGURES; i++) {
        char text[32];
        heatmap_figure_text(heatmap, i, text);
        int tick = bar.y + (HEATMAP_FIGURES - 1 - i) * (bar.height - 1) / (HEATMAP_FIGURES - 1);
        sink->fill(sink, (Rect){bar.x + bar.width + 1, tick, 3, 1}, LINE);
        sink->text(sink, bar.x + bar.width + 7, tick + (capital + 1) / 2, ANCHOR_START, &small,
                   text);
    }
    int x = bar.x + bar.width + 7 + sink->layout->bar_text_width + HEATMAP_GAP + capital + 2;
    char scale[HEATMAP_SCALE_BYTES];
    heatmap_scale_text(heatmap, scale);
    sink->text(sink, x, bar.y + bar.height / 2, ANCHOR_MIDDLE, &axis, scale);
    int y = bar.y + bar.height + 14;
    if (heatmap->has_masked) {
        paint_sign(sink, y, HEAT_MASKED, "-inf masked");
        y += 20;
    }
    if (heatmap->has_nan) {
        paint_sign(sink, y, HEAT_NAN, "nan");
        y += 20;
    }
    if (heatmap->has_infinite) {
        paint_sign(sink, y, HEAT_INFINITE, "+inf");
    }
}

void heatmap_paint(HeatmapSink *sink, Font *font) {
    const HeatmapLayout *layout = sink->layout;
    FontHeights label = font_heights(font, HEATMAP_LABEL_COLUMN);
    int small_capital = font_heights(font, HEATMAP_SMALL_COLUMN).capital;
    paint_titles(sink);
    for (int i = 0; i < sink->heatmap->n_panels; i++) {
        Rect rect = panel_rect(sink, i);
        sink->frame(sink, (Rect){rect.x - 1, rect.y - 1, rect.width + 2, rect.height + 2}, LINE);
        sink->cells(sink, &sink->heatmap->panels[i], rect.x, rect.y);
        if (sink->heatmap->shows_values) {
            paint_values(sink, &sink->heatmap->panels[i], rect, small_capital);
        }
        if (layout->shows_tokens && i % layout->panel_columns == 0) {
            paint_row_labels(sink, rect, label.capital);
        }
        bool is_top = i < layout->panel_columns;
        if (layout->shows_tokens && (is_top || sink->heatmap->form == HEATMAP_HEADS)) {
            paint_column_labels(sink, rect, is_top, label.capital, label.descent);
        }
        paint_captions(sink, i, rect, small_capital);
    }
    paint_bar(sink, small_capital);
}
