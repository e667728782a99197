// view_attention.c - one head's attention as a matrix of queries by keys.
#include "views/screen/view_attention.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"
#include "views/window.h"

enum { NUMBER_COLUMNS = 6, SHADE_COLUMNS = 2, NOTE_COLUMNS = 22 };

// ---- which

static const Scope *attention_scope(const Scope *scope) {
    while (scope != NULL && scope->kind != SCOPE_SELF_ATTENTION &&
           scope->kind != SCOPE_CROSS_ATTENTION) {
        scope = scope->parent;
    }
    return scope;
}

static bool is_matrix(const Node *node) {
    return view_is_attention(node) && shape_rank(&node->shape) == 4;
}

static const Node *weights_of(const ViewState *state, const Node *node) {
    const Node *asked =
        node->of != NULL ? node->of : (node->forward != NULL ? node->forward : node);
    const Scope *scope = attention_scope(asked->scope);
    for (int i = 0; scope != NULL && i < state->tape->n_forward; i++) {
        const Node *other = state->tape->nodes[i];
        if (other->role == ROLE_ATTENTION_WEIGHTS && is_matrix(other) &&
            attention_scope(other->scope) == scope) {
            return other;
        }
    }
    return NULL;
}

static int axis_index(const Node *node, const int *indices, char letter) {
    int axis = shape_find_axis(&node->shape, letter);
    return axis < 0 ? -1 : indices[axis];
}

static int cut(int index, int size) {
    return index < 0 ? 0 : (index < size ? index : size - 1);
}

AttentionPlace attention_place(const ViewState *state) {
    AttentionPlace place = {.tape = state->tape, .key = -1};
    if (state->node == NULL || state->tape == NULL) {
        return place;
    }
    int indices[SHAPE_MAX_RANK] = {0};
    shape_indices(&state->node->shape, state->element, indices);
    bool is_itself = is_matrix(state->node);
    place.node = is_itself ? state->node : weights_of(state, state->node);
    if (place.node == NULL) {
        return place;
    }
    const int *sizes = place.node->shape.sizes;
    if (is_itself) {
        return (AttentionPlace){state->tape, place.node, indices[0],
                                indices[1],  indices[2], indices[3]};
    }
    bool is_key = state->node->role == ROLE_KEY || state->node->role == ROLE_VALUE;
    int position = axis_index(state->node, indices, 'T');
    place.item = cut(axis_index(state->node, indices, 'B'), sizes[0]);
    place.head = cut(axis_index(state->node, indices, 'H'), sizes[1]);
    place.query = cut(is_key ? 0 : position, sizes[2]);
    place.key = is_key ? cut(position, sizes[3]) : -1;
    return place;
}

ViewNumbers attention_numbers(const ViewState *state) {
    const AttentionPlace place = attention_place(state);
    assert(place.node != NULL); // or no view of it fits
    const Shape *shape = &place.node->shape;
    return (ViewNumbers){place.node, shape_find_axis(shape, 'B') < 0 ? VIEW_ALL : place.item,
                         shape_find_axis(shape, 'H') < 0 ? VIEW_ALL : place.head};
}

ViewMatrix attention_matrix(const AttentionPlace *place, int head) {
    const int indices[SHAPE_MAX_RANK] = {place->item, head, 0, 0};
    return view_matrix_of(place->tape, place->node, shape_flat(&place->node->shape, indices));
}

const Node *attention_node(const ViewState *state, int n) {
    for (int i = 0; state->tape != NULL && i < state->tape->n_forward; i++) {
        const Node *node = state->tape->nodes[i];
        if (node->role == ROLE_ATTENTION_WEIGHTS && is_matrix(node) && n-- == 0) {
            return node;
        }
    }
    return NULL;
}

bool attention_has_run(const ViewState *state, const Node *node) {
    return state->stepper == NULL || stepper_is_valid(state->stepper, node);
}

// ---- the matrix

typedef struct Layout {
    AttentionPlace place;
    ViewGrid grid;
    bool has_notes; // what each row sums to, and its largest key
    bool is_shaded; // too many for digits: two columns of shade a cell
} Layout;

static Layout lay_out(const ViewState *state, int width, int height, bool ascii) {
    Layout layout = {.place = attention_place(state)};
    assert(layout.place.node != NULL); // or the view does not fit
    ViewMatrix matrix = attention_matrix(&layout.place, layout.place.head);
    ViewGridOptions options = {.number_columns = NUMBER_COLUMNS,
                               .has_labels = true,
                               .has_heat = true,
                               .has_cursor = layout.place.key >= 0};
    int room = height - 5 < 2 ? 2 : height - 5;
    layout.grid = view_grid_fit(state, &matrix, layout.place.query, layout.place.key, width - 1,
                                room, ascii, &options);
    ViewGrid *grid = &layout.grid;
    if (grid->shown_columns < matrix.columns || grid->shown_rows < matrix.rows) {
        int fit = (width - grid->label_columns - 2) / SHADE_COLUMNS;
        int columns = fit < matrix.columns ? fit : matrix.columns;
        bool shows_little = 5 * grid->shown_columns < 3 * matrix.columns; // digits first
        if (shows_little && columns > grid->shown_columns) {
            layout.is_shaded = true;
            grid->shown_columns = columns;
            grid->first_column = window_first(layout.place.key, columns, matrix.columns);
        }
    }
    bool is_weights = !layout.is_shaded && layout.place.node->role == ROLE_ATTENTION_WEIGHTS;
    layout.has_notes = is_weights && view_grid_width(&layout.grid) + NOTE_COLUMNS < width;
    return layout;
}

static int largest_of_row(const ViewMatrix *matrix, int row, double *sum) {
    int largest = 0;
    *sum = 0.0;
    for (int key = 0; key < matrix->columns; key++) {
        double weight = view_matrix_value(matrix, row, key);
        *sum += weight;
        largest = weight > view_matrix_value(matrix, row, largest) ? key : largest;
    }
    return largest;
}

static void draw_notes(const ViewState *state, Canvas *canvas, const Layout *layout, int y) {
    const ViewGrid *grid = &layout->grid;
    int x = view_grid_width(grid) + 2;
    canvas_text(canvas, x, y, STYLE_DIM, view_text(state->language, VIEW_TEXT_SUM_OF_ROW));
    canvas_text(canvas, x + 10, y, STYLE_DIM, view_text(state->language, VIEW_TEXT_LARGEST));
    for (int i = 0; i < grid->shown_rows; i++) {
        double sum = 0.0;
        char token[VIEW_TOKEN_BYTES];
        int row = grid->first_row + i;
        int largest = largest_of_row(&grid->matrix, row, &sum);
        view_index_token(state, grid->matrix.node, 3, grid->matrix.item, largest, token);
        canvas_format(canvas, x, y + 1 + i, STYLE_DIM, "%.4f", sum);
        canvas_text(canvas, x + 10, y + 1 + i, STYLE_KEY_LABEL, token);
    }
}

// The key of the cursor and its number stand in the line of labels.
static void draw_shades(const ViewState *state, Canvas *canvas, const Layout *layout, int y) {
    const ViewGrid *grid = &layout->grid;
    const ViewMatrix *matrix = &grid->matrix;
    char token[VIEW_ROW_BYTES];
    int x = grid->label_columns + 1;
    if (layout->place.key >= 0) {
        char number[VIEW_NUMBER_BYTES];
        view_index_token(state, matrix->node, 3, matrix->item, layout->place.key, token);
        double value = view_matrix_value(matrix, layout->place.query, layout->place.key);
        int at = canvas_format(canvas, x, y, STYLE_KEY_LABEL, "%d %s", layout->place.key, token);
        canvas_format(canvas, at + 1, y, STYLE_CURSOR, "[%s]", view_number_text(value, 8, number));
    }
    for (int i = 0; i < grid->shown_rows; i++) {
        int row = grid->first_row + i;
        bool is_here = row == layout->place.query;
        HeatRange heat = view_grid_heat(grid, row);
        double span = (double)heat.maximum - heat.minimum;
        view_row_token(state, matrix->node, matrix->item, row, grid->row_words, token);
        canvas_text_in(canvas, 1, y + 1 + i, grid->label_columns - 1, ALIGN_RIGHT,
                       STYLE_QUERY_LABEL, token);
        canvas_text(canvas, 0, y + 1 + i, STYLE_QUERY_LABEL, is_here ? "▸" : " ");
        for (int k = 0; k < grid->shown_columns; k++) {
            int column = grid->first_column + k;
            bool is_cursor = is_here && column == layout->place.key;
            double value = view_matrix_value(matrix, row, column);
            double part = span > 0.0 ? (value - heat.minimum) / span : 0.0;
            int at = x + k * SHADE_COLUMNS;
            if (is_cursor) {
                canvas_text(canvas, at, y + 1 + i, STYLE_CURSOR, "[]");
                continue;
            }
            canvas_shade(canvas, at, y + 1 + i, SHADE_COLUMNS, STYLE_NUMBER, PALETTE_VIRIDIS,
                         palette_entry((float)part));
        }
    }
}

static void draw_title(const ViewState *state, Canvas *canvas, const AttentionPlace *place) {
    char number[16];
    char text[64];
    snprintf(number, sizeof number, "%d", place->item);
    int x = canvas_text(canvas, 1, 0, STYLE_HEADING, place->node->stage);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_ITEM), number, NULL,
                   NULL);
    x = canvas_text(canvas, x + 2, 0, STYLE_TEXT, text);
    snprintf(number, sizeof number, "%d", place->head);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_HEAD), number, NULL,
                   NULL);
    canvas_text(canvas, x + 2, 0, STYLE_TEXT, text);
}

static bool fits(const ViewState *state) {
    AttentionPlace place = attention_place(state);
    return place.node != NULL && attention_has_run(state, place.node);
}

static void draw(const ViewState *state, Canvas *canvas) {
    Layout layout = lay_out(state, canvas->width, canvas->height, canvas->ascii);
    draw_title(state, canvas, &layout.place);
    int x = canvas_text(canvas, 1, 1, STYLE_QUERY_LABEL,
                        view_text(state->language, VIEW_TEXT_QUERIES_ASK));
    x = canvas_text(canvas, x, 1, STYLE_QUERY_LABEL, " ↓");
    x = canvas_text(canvas, x + 2, 1, STYLE_KEY_LABEL,
                    view_text(state->language, VIEW_TEXT_KEYS_ANSWER));
    canvas_text(canvas, x, 1, STYLE_KEY_LABEL, " →");
    if (layout.is_shaded) {
        draw_shades(state, canvas, &layout, 2);
    } else {
        view_grid_draw(state, canvas, 0, 2, &layout.grid);
    }
    if (layout.has_notes) {
        draw_notes(state, canvas, &layout, 2);
    } else {
        canvas_tell_part(canvas);
    }
    int y = 2 + view_grid_height(&layout.grid);
    view_grid_draw_scale(state, canvas, 1, y, canvas->width - 2, &layout.grid);
    if (y + 3 < canvas->height) {
        Rect room = {1, y + 2, canvas->width - 2, canvas->height - y - 2};
        int lines = canvas_paragraph(canvas, room, STYLE_TEXT,
                                     sentence_for_node(layout.place.node, state->language));
        room.y += lines + 1;
        room.height -= lines + 1;
        if (layout.grid.is_crossing && room.height > 0) {
            canvas_paragraph(canvas, room, STYLE_DIM,
                             view_text(state->language, VIEW_TEXT_READS_WRITES));
        }
    }
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    Layout layout = lay_out(state, width, height, false);
    const ViewGrid *grid = &layout.grid;
    int row = 0;
    int column = 0;
    if (layout.is_shaded) {
        row = grid->first_row + y - 3;
        column = grid->first_column + (x - grid->label_columns - 1) / SHADE_COLUMNS;
        bool is_inside = y >= 3 && row < grid->first_row + grid->shown_rows &&
                         x > grid->label_columns &&
                         column < grid->first_column + grid->shown_columns;
        *node = layout.place.node;
        *element = is_inside ? view_matrix_element(&grid->matrix, row, column) : 0;
        return is_inside;
    }
    if (!view_grid_hit(grid, x, y - 2, &row, &column)) {
        return false;
    }
    *node = layout.place.node;
    *element = view_matrix_element(&grid->matrix, row, column);
    return true;
}

static void measure(const ViewState *state, int *width, int *height) {
    AttentionPlace place = attention_place(state);
    assert(place.node != NULL);
    *width = 14 + place.node->shape.sizes[3] * (NUMBER_COLUMNS + 1) + NOTE_COLUMNS;
    *height = place.node->shape.sizes[2] + 9;
}

const View view_attention = {
    .name = "attention",
    .titles = {"attention", "注意力"},
    .needs = {"a stage of an attention that has run", "一个已经算出的注意力步骤"},
    .min_width = 28,
    .min_height = 7,
    .fits = fits,
    .leaves_room = true,
    .draw = draw,
    .hit = hit,
    .measure = measure,
    .numbers = attention_numbers,
    .spoken = VIEW_SPOKEN_NUMBERS};
