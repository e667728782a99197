// view_tensor.c - a tensor: numbers over heat, the cursor's cell in brackets, why it has its value.
#include "views/screen/view_grid.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { NUMBER_COLUMNS = 7, LEAST_PANEL = 3 };

typedef struct Layout {
    ViewGrid grid;
    int panel_y; // of the explanation
} Layout;

static Layout lay_out(const ViewState *state, int width, int height, bool ascii) {
    ViewMatrix matrix = view_matrix_of(state->tape, state->node, state->element);
    int row = 0;
    int column = 0;
    view_matrix_find(&matrix, state->element, &row, &column);
    int panel = state->explanation == NULL ? 0 : view_draw_explanation(state, NULL, width - 2);
    int room = view_grid_room(matrix.rows + 1, height - 2, panel, LEAST_PANEL);
    ViewGridOptions options = {
        .number_columns = NUMBER_COLUMNS, .has_labels = true, .has_heat = true, .has_cursor = true};
    Layout layout = {
        .grid = view_grid_fit(state, &matrix, row, column, width - 1, room, ascii, &options)};
    layout.panel_y = view_grid_height(&layout.grid) + 2;
    return layout;
}

static bool fits(const ViewState *state) {
    return state->node != NULL;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Layout layout = lay_out(state, canvas->width, canvas->height, canvas->ascii);
    view_grid_draw(state, canvas, 0, 0, &layout.grid);
    view_grid_draw_scale(state, canvas, 1, layout.panel_y - 2, canvas->width - 2, &layout.grid);
    Canvas panel = canvas_part(
        canvas, (Rect){1, layout.panel_y, canvas->width - 2, canvas->height - layout.panel_y});
    int used = view_draw_explanation(state, &panel, panel.width);
    if (used + 2 < panel.height) {
        canvas_paragraph(&panel, (Rect){0, used + 1, panel.width, panel.height - used - 1},
                         STYLE_TEXT, sentence_for_node(state->node, state->language));
    }
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    Layout layout = lay_out(state, width, height, false);
    int row = 0;
    int column = 0;
    if (!view_grid_hit(&layout.grid, x, y, &row, &column)) {
        return false;
    }
    *node = state->node;
    *element = view_matrix_element(&layout.grid.matrix, row, column);
    return true;
}

static void measure(const ViewState *state, int *width, int *height) {
    ViewMatrix matrix = view_matrix_of(state->tape, state->node, state->element);
    int columns = matrix.columns > 64 ? 64 : matrix.columns;
    int rows = matrix.rows > 64 ? 64 : matrix.rows;
    *width = 12 + columns * (NUMBER_COLUMNS + 1) + 2;
    *width = *width < 72 ? 72 : *width;
    int panel = view_draw_explanation(state, NULL, *width - 2);
    *height = rows + 3 + panel;
    *height = *height < 2 * panel ? 2 * panel : *height;
}

const View view_tensor = {.name = "tensor",
                          .titles = {"tensor", "张量"},
                          .needs = {"a stage whose numbers are there", "一个已经算出的步骤"},
                          .min_width = 24,
                          .min_height = 4,
                          .fits = fits,
                          .leaves_room = true,
                          .draw = draw,
                          .hit = hit,
                          .measure = measure,
                          .spoken = VIEW_SPOKEN_NUMBERS};
