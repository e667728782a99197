// view_heads.c - all heads of all layers at once: each a small matrix of shades.
#include <stdio.h>
#include <string.h>

#include "views/screen/view_attention.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"
#include "views/window.h"

enum { LABEL_COLUMNS = 17, MAX_SIDE = 16, LEAST_SIDE = 3 };

typedef struct Layout {
    int n_nodes, n_heads; // attentions down, heads across
    int first_node, first_head;
    int shown_nodes, shown_heads;
    int cell_width, cell_height; // of a picture with its frame
    int key_columns;             // columns that one key takes
    AttentionPlace place;
    int at; // number of the place's node
} Layout;

static const Node *as_weights(const ViewState *state, const Node *node) {
    for (int n = 0;; n++) {
        const Node *weights = attention_node(state, n);
        const Node *asked = node->of != NULL ? node->of : node;
        if (weights == NULL || weights->scope == asked->scope) {
            return weights;
        }
    }
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// The longest sides among all nodes decide the size of a picture.
static Layout lay_out(const ViewState *state, int width, int height) {
    Layout layout = {.place = attention_place(state)};
    int queries = 1;
    int keys = 1;
    const Node *here = layout.place.node == NULL ? NULL : as_weights(state, layout.place.node);
    for (const Node *node = attention_node(state, 0); node != NULL;
         node = attention_node(state, ++layout.n_nodes)) {
        layout.n_heads = larger(layout.n_heads, node->shape.sizes[1]);
        queries = larger(queries, node->shape.sizes[2]);
        keys = larger(keys, node->shape.sizes[3]);
        layout.at = node == here ? layout.n_nodes : layout.at;
    }
    if (layout.n_nodes == 0 || layout.n_heads == 0) {
        return layout;
    }
    int room_across = (width - LABEL_COLUMNS) / layout.n_heads - 3;
    int room_down = (height - 2) / layout.n_nodes - 2;
    int side = room_down < room_across / 2 ? room_down : room_across / 2;
    side = side > MAX_SIDE ? MAX_SIDE : larger(side, LEAST_SIDE);
    int rows = queries < side ? queries : side;
    int columns = keys < side ? keys : side;
    bool has_room = keys * 6 <= room_across && queries <= side;
    layout.key_columns = has_room ? 6 : 2;
    layout.cell_height = rows + 2;
    layout.cell_width = columns * layout.key_columns + 3;
    layout.shown_heads = (width - LABEL_COLUMNS) / layout.cell_width;
    layout.shown_nodes = (height - 2) / layout.cell_height;
    layout.shown_heads = layout.shown_heads < 1 ? 1 : layout.shown_heads;
    layout.shown_nodes = layout.shown_nodes < 1 ? 1 : layout.shown_nodes;
    layout.first_head = window_first(layout.place.head, layout.shown_heads, layout.n_heads);
    layout.first_node = window_first(layout.at, layout.shown_nodes, layout.n_nodes);
    return layout;
}

// The greatest weight among the queries and keys that share one shade.
static double largest_of(const ViewMatrix *matrix, int row, int n_rows, int column, int n_columns) {
    int row_end = (row + 1) * matrix->rows / n_rows;
    int column_end = (column + 1) * matrix->columns / n_columns;
    double largest = 0.0;
    for (int i = row * matrix->rows / n_rows; i < row_end; i++) {
        for (int k = column * matrix->columns / n_columns; k < column_end; k++) {
            double weight = view_matrix_value(matrix, i, k);
            largest = weight > largest ? weight : largest;
        }
    }
    return largest;
}

// part: of the scale, 0 to 1.
static void draw_shade(Canvas *canvas, int x, int y, int columns, double weight, double part) {
    int entry = palette_entry((float)part);
    if (columns > 4) { // room for the digits
        canvas_format(canvas, x, y, STYLE_NUMBER, " %.2f ", weight);
        canvas_set_heat(canvas, (Rect){x, y, columns, 1}, PALETTE_VIRIDIS, HEAT_NONE, entry);
        canvas_shade(canvas, x, y, 1, STYLE_NUMBER, PALETTE_VIRIDIS, entry);
        return;
    }
    canvas_shade(canvas, x, y, columns, STYLE_NUMBER, PALETTE_VIRIDIS, entry);
}

// One row of shades; where each has its own scale it goes from 0 to the row's largest weight.
static void draw_row(Canvas *canvas, const Layout *layout, HeatScale scale,
                     const ViewMatrix *matrix, int row, int n_rows, int n_columns) {
    double weights[MAX_SIDE];
    double largest = 0.0;
    for (int k = 0; k < n_columns; k++) {
        weights[k] = largest_of(matrix, row, n_rows, k, n_columns);
        largest = weights[k] > largest ? weights[k] : largest;
    }
    double end = scale == HEAT_PER_ROW && largest > 0.0 ? largest : 1.0;
    for (int k = 0; k < n_columns; k++) {
        draw_shade(canvas, k * layout->key_columns, row, layout->key_columns, weights[k],
                   weights[k] / end);
    }
}

static void draw_picture(Canvas *canvas, const Layout *layout, HeatScale scale, const Node *node,
                         int head, int x, int y, bool is_here) {
    AttentionPlace place = {.tape = layout->place.tape, .node = node, .item = layout->place.item};
    place.item = place.item < node->shape.sizes[0] ? place.item : 0;
    ViewMatrix matrix = attention_matrix(&place, head);
    int n_rows = layout->cell_height - 2;
    n_rows = n_rows < matrix.rows ? n_rows : matrix.rows;
    int n_columns = (layout->cell_width - 3) / layout->key_columns;
    n_columns = n_columns < matrix.columns ? n_columns : matrix.columns;
    Style border = is_here ? STYLE_FOCUS : STYLE_BORDER;
    Rect frame = {x, y, n_columns * layout->key_columns + 2, n_rows + 2};
    Canvas inside = canvas_box(canvas, frame, border, NULL, NULL);
    canvas_text(canvas, x + 1, y, is_here ? STYLE_FOCUS : STYLE_BORDER, is_here ? "[" : "");
    int after =
        canvas_format(canvas, x + 1 + is_here, y, is_here ? STYLE_CURSOR : STYLE_DIM, "%d", head);
    canvas_text(canvas, after, y, STYLE_FOCUS, is_here ? "]" : "");
    for (int i = 0; i < n_rows; i++) {
        draw_row(&inside, layout, scale, &matrix, i, n_rows, n_columns);
    }
}

// "encoder.0.self_attn" over two lines.
static void draw_label(Canvas *canvas, int y, const Node *node, bool is_here) {
    char text[128];
    snprintf(text, sizeof text, "%s", node->scope->path);
    char *last = strrchr(text, '.');
    Style style = is_here ? STYLE_STRONG : STYLE_TEXT;
    canvas_text(canvas, 0, y + 1, STYLE_STRONG, is_here ? "▸" : " ");
    if (last == NULL) {
        canvas_text_in(canvas, 1, y + 1, LABEL_COLUMNS - 2, ALIGN_LEFT, style, text);
        return;
    }
    *last = '\0';
    canvas_text_in(canvas, 1, y + 1, LABEL_COLUMNS - 2, ALIGN_LEFT, style, text);
    canvas_text_in(canvas, 1, y + 2, LABEL_COLUMNS - 2, ALIGN_LEFT, style, last + 1);
}

static bool fits(const ViewState *state) {
    if (attention_place(state).node == NULL) {
        return false;
    }
    for (int n = 0; attention_node(state, n) != NULL; n++) {
        if (attention_has_run(state, attention_node(state, n))) {
            return true;
        }
    }
    return false;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Layout layout = lay_out(state, canvas->width, canvas->height);
    char text[64];
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_HEAD), "→", NULL, NULL);
    canvas_text(canvas, LABEL_COLUMNS, 0, STYLE_DIM, text);
    for (int i = 0; i < layout.shown_nodes && layout.first_node + i < layout.n_nodes; i++) {
        const Node *node = attention_node(state, layout.first_node + i);
        bool is_here = layout.first_node + i == layout.at;
        int y = 1 + i * layout.cell_height;
        draw_label(canvas, y, node, is_here);
        if (!attention_has_run(state, node)) {
            canvas_text(canvas, LABEL_COLUMNS, y + 1, STYLE_DIM,
                        view_text(state->language, VIEW_TEXT_NOT_RUN));
            continue;
        }
        for (int k = 0; k < layout.shown_heads; k++) {
            int head = layout.first_head + k;
            if (head < node->shape.sizes[1]) {
                draw_picture(canvas, &layout, state->scale, node, head,
                             LABEL_COLUMNS + k * layout.cell_width, y,
                             is_here && head == layout.place.head);
            }
        }
    }
    if (layout.n_nodes > layout.shown_nodes || layout.n_heads > layout.shown_heads) {
        canvas_tell_part(canvas);
    }
    int n = layout.n_nodes < layout.shown_nodes ? layout.n_nodes : layout.shown_nodes;
    int y = 2 + n * layout.cell_height;
    y = y < canvas->height ? y : canvas->height - 1;
    canvas_format(
        canvas, 1, y, STYLE_DIM, "%s ↓  %s →  %s", view_text(state->language, VIEW_TEXT_QUERY),
        view_text(state->language, VIEW_TEXT_KEY),
        view_text(state->language,
                  state->scale == HEAT_PER_ROW ? VIEW_TEXT_SCALE_UNIT_ROWS : VIEW_TEXT_SCALE_UNIT));
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    Layout layout = lay_out(state, width, height);
    if (y < 1 || x < LABEL_COLUMNS || layout.cell_height < 1 || layout.cell_width < 1) {
        return false;
    }
    int number = layout.first_node + (y - 1) / layout.cell_height;
    int head = layout.first_head + (x - LABEL_COLUMNS) / layout.cell_width;
    *node = attention_node(state, number);
    if (*node == NULL || head >= (*node)->shape.sizes[1]) {
        return false;
    }
    const int indices[SHAPE_MAX_RANK] = {layout.place.item, head, 0, 0};
    *element = shape_flat(&(*node)->shape, indices);
    return true;
}

static ViewNumbers numbers(const ViewState *state) {
    ViewNumbers numbers = attention_numbers(state);
    numbers.head = VIEW_ALL;
    return numbers;
}

const View view_heads = {
    .name = "heads",
    .titles = {"heads", "各层各头"},
    .needs = {"an attention that has run, and a stage of it or after it", "一个已经算出的注意力"},
    .min_width = LABEL_COLUMNS + 12,
    .min_height = 7,
    .fits = fits,
    .draw = draw,
    .hit = hit,
    .numbers = numbers,
    .spoken = VIEW_SPOKEN_NUMBERS};
