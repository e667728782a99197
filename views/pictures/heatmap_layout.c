// heatmap_layout.c - measures a heatmap: everything gets its room before anything is drawn.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/pictures/heatmap_sink.h"
#include "views/text.h"

enum {
    ONE_SIDE = 480,   // what a single matrix should come near to, in pixels
    ALL_SIDE = 1100,  // all panels together
    PANEL_SIDE = 300, // one of several
    LONG_SIDE = 2048, // beyond this a cell gets smaller than its label, down to one pixel
    CELL_MOST = 56,
    CELL_LABELLED = 16, // the least that has room for a label
    LABEL_LINE = 15,
    LABELLED_SIDE = 8 * LABEL_LINE, // the least panel of several that has labels
    HEADS_IN_A_ROW = 4,
    BAR_WIDTH = 16,
    BAR_HEIGHT = 220,
    BAR_LEAST = 110,
    TITLE_LEAST = 460, // a title may be this wide before it is broken
};

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int widest_row(const Heatmap *heatmap, Font *font, const TextStyle *style) {
    int width = 0;
    for (int row = 0; row < heatmap->n_rows; row++) {
        char text[HEATMAP_ROW_BYTES];
        width = larger(width, font_width(font, style, heatmap_row_text(heatmap, row, text)));
    }
    return width;
}

static int widest(Font *font, const TextStyle *style, const char *const *labels, int n_labels) {
    int width = 0;
    for (int i = 0; i < n_labels; i++) {
        width = larger(width, font_width(font, style, labels[i]));
    }
    return width;
}

static void choose_panels(const Heatmap *heatmap, HeatmapLayout *layout) {
    layout->panel_rows = 1;
    layout->panel_columns = 1;
    switch (heatmap->form) {
    case HEATMAP_ONE:
        break;
    case HEATMAP_HEADS:
        layout->panel_columns = smaller(heatmap->n_panels, HEADS_IN_A_ROW);
        layout->panel_rows =
            (heatmap->n_panels + layout->panel_columns - 1) / layout->panel_columns;
        break;
    case HEATMAP_GRID:
        layout->panel_columns = heatmap->panel_columns;
        layout->panel_rows = heatmap->panel_rows;
        break;
    }
}

static int values_width(const Heatmap *heatmap, Font *font, int column) {
    const TextStyle style = {.column = column};
    int width = 0;
    for (int i = 0; i < heatmap->n_panels; i++) {
        size_t n_values = (size_t)heatmap->n_rows * (size_t)heatmap->n_columns;
        for (size_t j = 0; j < n_values; j++) {
            char text[32];
            heatmap_value_text(heatmap, heatmap->panels[i].values[j], text);
            width = larger(width, font_width(font, &style, text));
        }
    }
    return width;
}

// The side of a cell of which n stand in a line that should be `side` pixels long.
static int fitting_cell(int n, int side, int least) {
    int cell = smaller(larger(side / n, least), CELL_MOST);
    return smaller(cell, larger(LONG_SIDE / n, 1));
}

// Squares, but where the one side is long and the other short the short one keeps room for labels.
static void choose_cells(const Heatmap *heatmap, Font *font, HeatmapLayout *layout) {
    bool is_one = heatmap->form == HEATMAP_ONE;
    int widest_side = smaller(ALL_SIDE / layout->panel_columns, ONE_SIDE);
    int longer = larger(heatmap->n_columns, heatmap->n_rows);
    int side = is_one ? ONE_SIDE : smaller(widest_side, PANEL_SIDE);
    if (!is_one && longer * CELL_LABELLED > side) {
        side = widest_side; // tokens need the room
    }
    int least =
        is_one || longer * CELL_LABELLED <= ALL_SIDE / layout->panel_columns ? CELL_LABELLED : 1;
    int across = fitting_cell(heatmap->n_columns, side, least);
    int down = fitting_cell(heatmap->n_rows, side, least);
    int square = smaller(across, down);
    layout->cell_width = larger(square, smaller(across, CELL_LABELLED));
    layout->cell_height = larger(square, smaller(down, CELL_LABELLED));
    // Where a panel has room for few labels only, rows and columns are counted in words.
    layout->shows_tokens =
        is_one || square >= CELL_LABELLED || square * heatmap->n_columns >= LABELLED_SIDE;
    layout->value_column = HEATMAP_SMALL_COLUMN;
    if (heatmap->shows_values) {
        layout->cell_width =
            larger(layout->cell_width, values_width(heatmap, font, HEATMAP_SMALL_COLUMN) + 12);
        layout->cell_height = larger(layout->cell_height, 24);
        layout->shows_tokens = true;
    }
    layout->row_label_step = (LABEL_LINE + layout->cell_height - 1) / layout->cell_height;
}

// Room left of and above the cells for tokens.
static void measure_labels(const Heatmap *heatmap, Font *font, HeatmapLayout *layout) {
    const TextStyle style = {.column = HEATMAP_LABEL_COLUMN};
    layout->column_label_step = 1;
    if (!layout->shows_tokens) {
        return;
    }
    layout->row_label_width = widest_row(heatmap, font, &style);
    int column_width = widest(font, &style, heatmap->column_labels, heatmap->n_columns);
    FontHeights heights = font_heights(font, HEATMAP_LABEL_COLUMN);
    layout->labels_read_up = column_width > layout->cell_width - 6;
    layout->column_label_height =
        layout->labels_read_up ? column_width : heights.ascent + heights.descent;
    if (layout->labels_read_up) {
        layout->column_label_step = (LABEL_LINE + layout->cell_width - 1) / layout->cell_width;
    }
}

static void caption_text(const char *what, int number, char text[32]) {
    snprintf(text, 32, "%s %d", what, number);
}

// Places the cells: what stands left of them and above them is added up.
static void place_panels(const Heatmap *heatmap, Font *font, HeatmapLayout *layout) {
    const TextStyle small = {.column = HEATMAP_SMALL_COLUMN};
    char caption[32];
    int panel_width = heatmap->n_columns * layout->cell_width;
    int panel_height = heatmap->n_rows * layout->cell_height;
    int left = HEATMAP_MARGIN;
    int above = HEATMAP_MARGIN;
    int gap = 6; // between the panels of a grid
    if (layout->shows_tokens) {
        left += HEATMAP_SMALL_LINE + layout->row_label_width + HEATMAP_GAP;
        above += HEATMAP_SMALL_LINE + 4 + layout->column_label_height + HEATMAP_GAP;
        gap = 24;
    }
    layout->pitch_x = panel_width + gap;
    layout->pitch_y = panel_height + gap;
    if (heatmap->form == HEATMAP_HEADS) {
        int caption_line = HEATMAP_SMALL_LINE + 4;
        above += caption_line;
        layout->pitch_x = panel_width + 24;
        layout->pitch_y = panel_height + 20 + caption_line +
                          (layout->shows_tokens ? layout->column_label_height + HEATMAP_GAP : 0);
        heatmap_caption(heatmap, &heatmap->panels[heatmap->n_panels - 1], caption);
        layout->pitch_x = larger(layout->pitch_x, font_width(font, &small, caption) + HEATMAP_GAP);
    } else if (heatmap->form == HEATMAP_GRID) {
        caption_text("layer", heatmap->panel_rows, caption);
        left += font_width(font, &small, caption) + HEATMAP_GAP;
        left += layout->shows_tokens ? HEATMAP_GAP : 0;
        layout->pitch_y = larger(layout->pitch_y, LABEL_LINE);
        layout->pitch_x = larger(layout->pitch_x, LABEL_LINE);
        caption_text("head", heatmap->panel_columns, caption);
        int width = font_width(font, &small, caption);
        layout->captions_read_up = width > layout->pitch_x - 4;
        above += layout->captions_read_up ? width + HEATMAP_GAP : HEATMAP_SMALL_LINE + 4;
    }
    layout->first_x = left;
    layout->first_y = above;
}

// Right of the panels: the colour scale with its figures and what it measures.
static void place_bar(const Heatmap *heatmap, Font *font, HeatmapLayout *layout) {
    const TextStyle small = {.column = HEATMAP_SMALL_COLUMN};
    char text[32];
    char scale[HEATMAP_SCALE_BYTES];
    int panel_width = heatmap->n_columns * layout->cell_width;
    int panel_height = heatmap->n_rows * layout->cell_height;
    int right = layout->first_x + (layout->panel_columns - 1) * layout->pitch_x + panel_width;
    int below = layout->first_y + (layout->panel_rows - 1) * layout->pitch_y + panel_height;
    int height = smaller(larger(below - layout->first_y, BAR_LEAST), BAR_HEIGHT);
    layout->bar = (Rect){right + 30, layout->first_y, BAR_WIDTH, height};
    for (int i = 0; i < HEATMAP_FIGURES; i++) {
        heatmap_figure_text(heatmap, i, text);
        layout->bar_text_width = larger(layout->bar_text_width, font_width(font, &small, text));
    }
    int text_right = layout->bar.x + BAR_WIDTH + 6 + layout->bar_text_width;
    text_right += HEATMAP_GAP + HEATMAP_SMALL_LINE; // the quantity, reading up
    int bar_below = layout->first_y + height;
    heatmap_scale_text(heatmap, scale);
    bar_below =
        larger(bar_below, layout->first_y + height / 2 + font_width(font, &small, scale) / 2);
    int n_signs = heatmap->has_masked + heatmap->has_nan + heatmap->has_infinite;
    if (n_signs > 0) {
        bar_below += 12 + n_signs * 20;
        text_right = larger(text_right, layout->bar.x + BAR_WIDTH + 6 +
                                            font_width(font, &small, "-inf masked"));
    }
    layout->width = text_right + HEATMAP_MARGIN;
    layout->height = larger(below, bar_below) + HEATMAP_MARGIN;
}

static int count_lines(const char *text, int columns, Font *font, const TextStyle *style,
                       int *width) {
    int n_lines = 0;
    while (*text != '\0') {
        char line[HEATMAP_TITLE_BYTES];
        const char *next = NULL;
        size_t length = text_wrap(text, columns, &next);
        memcpy(line, text, length);
        line[length] = '\0';
        *width = larger(*width, font_width(font, style, line));
        n_lines++;
        text = next;
    }
    return n_lines;
}

// Titles stand over everything, broken where they would be wider than it; the rest moves down.
static void place_titles(const Heatmap *heatmap, Font *font, HeatmapLayout *layout) {
    const TextStyle bold = {.column = HEATMAP_TITLE_COLUMN, .is_bold = true};
    const TextStyle small = {.column = HEATMAP_SMALL_COLUMN};
    char text[HEATMAP_TITLE_BYTES];
    int room = larger(layout->width - 2 * HEATMAP_MARGIN, TITLE_LEAST);
    layout->text_columns = room / HEATMAP_TITLE_COLUMN;
    int width = 0;
    heatmap_title(heatmap, text);
    layout->n_title_lines = count_lines(text, layout->text_columns, font, &bold, &width);
    heatmap_subtitle(heatmap, layout, text);
    layout->n_subtitle_lines = count_lines(text, layout->text_columns, font, &small, &width);
    int down = layout->n_title_lines * HEATMAP_TITLE_LINE +
               layout->n_subtitle_lines * HEATMAP_SMALL_LINE + 10;
    layout->first_y += down;
    layout->bar.y += down;
    layout->height += down;
    layout->width = larger(layout->width, width + 2 * HEATMAP_MARGIN);
}

bool heatmap_layout(const Heatmap *heatmap, Font *font, HeatmapLayout *layout, Error *err) {
    *layout = (HeatmapLayout){0};
    if (heatmap->n_panels < 1 || heatmap->n_rows < 1 || heatmap->n_columns < 1) {
        return error_set(err,
                         "%s: there is nothing to draw, at least one row, column and panel "
                         "are needed",
                         heatmap->stage);
    }
    choose_panels(heatmap, layout);
    // Checked before sizes are multiplied, so that nothing below overflows.
    if (heatmap->n_rows > PICTURE_MAX_SIDE || heatmap->n_columns > PICTURE_MAX_SIDE ||
        (long)layout->panel_columns * heatmap->n_columns > PICTURE_MAX_SIDE ||
        (long)layout->panel_rows * heatmap->n_rows > PICTURE_MAX_SIDE) {
        return error_set(err,
                         "%s: %d x %d matrices of %d x %d do not fit into a picture, which has at "
                         "most %d pixels on a side",
                         heatmap->stage, layout->panel_rows, layout->panel_columns, heatmap->n_rows,
                         heatmap->n_columns, PICTURE_MAX_SIDE);
    }
    choose_cells(heatmap, font, layout);
    measure_labels(heatmap, font, layout);
    place_panels(heatmap, font, layout);
    place_bar(heatmap, font, layout);
    place_titles(heatmap, font, layout);
    if (layout->width > PICTURE_MAX_SIDE || layout->height > PICTURE_MAX_SIDE) {
        return error_set(err,
                         "%s: the picture would have %d x %d pixels, at most %d on a side can be "
                         "drawn; choose one head or fewer tokens, or leave out --values",
                         heatmap->stage, layout->width, layout->height, PICTURE_MAX_SIDE);
    }
    return true;
}
