// view_change.c - the numbers before and after the last change, and the difference, side by side.
#include <math.h>
#include <stdio.h>

#include "views/screen/view_grid.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { PANELS = 3, NUMBER_COLUMNS = 7, GAP = 2 };

typedef struct Layout {
    ViewGrid grids[PANELS]; // before, after, difference
    int x[PANELS], y[PANELS];
    int bottom;
} Layout;

static const ViewTextId TITLES[PANELS] = {VIEW_TEXT_BEFORE, VIEW_TEXT_AFTER, VIEW_TEXT_DIFFERENCE};

// Numbers and colours of the two are comparable.
static void share_range(ViewMatrix *before, ViewMatrix *after) {
    view_matrix_range(before, &before->min, &before->max);
    view_matrix_range(after, &after->min, &after->max);
    before->min = after->min = fmin(before->min, after->min);
    before->max = after->max = fmax(before->max, after->max);
    before->has_range = after->has_range = true;
}

static Layout lay_out(const ViewState *state, int width, int height, bool ascii) {
    ViewMatrix after = view_matrix_of(state->tape, state->node, state->element);
    int row = 0;
    int column = 0;
    view_matrix_find(&after, state->element, &row, &column);
    ViewMatrix matrices[PANELS] = {after, after, after};
    matrices[0].values = state->before;
    matrices[2].minus = state->before;
    share_range(&matrices[0], &matrices[1]);
    Layout layout = {.bottom = 0};
    for (int across = PANELS; across >= 1; across--) {
        int down = (PANELS + across - 1) / across;
        int room_across = (width - (across - 1) * GAP) / across;
        int room_down = (height - 2) / down - 2;
        bool is_whole = true;
        int y = 1;
        for (int i = 0; i < PANELS; i++) {
            ViewGridOptions options = {.number_columns = NUMBER_COLUMNS,
                                       .has_labels = true,
                                       .has_heat = i < 2,
                                       .has_cursor = true};
            layout.grids[i] = view_grid_fit(state, &matrices[i], row, column, room_across,
                                            room_down < 2 ? 2 : room_down, ascii, &options);
            layout.grids[i].compared = state->before;
            layout.x[i] = (i % across) * (room_across + GAP);
            layout.y[i] = y;
            y += i % across == across - 1 ? view_grid_height(&layout.grids[i]) + 2 : 0;
            is_whole = is_whole && layout.grids[i].shown_columns == after.columns &&
                       layout.grids[i].shown_rows == after.rows;
        }
        if (is_whole) {
            break;
        }
    }
    for (int i = 0; i < PANELS; i++) {
        int end = layout.y[i] + view_grid_height(&layout.grids[i]);
        layout.bottom = end > layout.bottom ? end : layout.bottom;
    }
    return layout;
}

static bool fits(const ViewState *state) {
    return state->node != NULL && state->before != NULL && !node_holds_ids(state->node);
}

static void draw_count(const ViewState *state, Canvas *canvas, int y) {
    size_t count = shape_count(&state->node->shape);
    size_t n = 0;
    const float *values = tape_values(state->tape, state->node);
    for (size_t i = 0; i < count; i++) {
        n += values[i] != state->before[i];
    }
    char a[24];
    char b[24];
    char text[96];
    snprintf(a, sizeof a, "%zu", n);
    snprintf(b, sizeof b, "%zu", count);
    ViewTextId id = n > 0 ? VIEW_TEXT_CHANGED_CELLS : VIEW_TEXT_NOTHING_CHANGED;
    canvas_text(canvas, 1, y, STYLE_DIM,
                view_text_fill(text, sizeof text, view_text(state->language, id), a, b, NULL));
}

static void draw(const ViewState *state, Canvas *canvas) {
    Layout layout = lay_out(state, canvas->width, canvas->height, canvas->ascii);
    for (int i = 0; i < PANELS; i++) {
        int after = canvas_text(canvas, layout.x[i] + 1, layout.y[i] - 1, STYLE_HEADING,
                                view_text(state->language, TITLES[i]));
        if (i == 1) { // the one of both
            bool has_beside = layout.y[i + 1] == layout.y[i];
            int end = has_beside ? layout.x[i + 1] : canvas->width - 1;
            view_grid_draw_scale(state, canvas, after + 2, layout.y[i] - 1, end - after - 2,
                                 &layout.grids[i]);
        }
        view_grid_draw(state, canvas, layout.x[i], layout.y[i], &layout.grids[i]);
    }
    draw_count(state, canvas, layout.bottom);
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    Layout layout = lay_out(state, width, height, false);
    for (int i = 0; i < PANELS; i++) {
        int row = 0;
        int column = 0;
        if (view_grid_hit(&layout.grids[i], x - layout.x[i], y - layout.y[i], &row, &column)) {
            *node = state->node;
            *element = view_matrix_element(&layout.grids[i].matrix, row, column);
            return true;
        }
    }
    return false;
}

const View view_change = {.name = "change",
                          .titles = {"before and after", "改动前后"},
                          .needs = {"a number that was changed: :edit", "一个改过的数：:edit"},
                          .min_width = 30,
                          .min_height = 8,
                          .fits = fits,
                          .leaves_room = true,
                          .draw = draw,
                          .hit = hit,
                          .spoken = VIEW_SPOKEN_LINES};
