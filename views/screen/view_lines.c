// view_lines.c - attention as lines between two columns of tokens: queries left, keys right.
#include <stdio.h>
#include <string.h>

#include "views/screen/view_attention.h"
#include "views/screen/view_dots.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"
#include "views/window.h"

enum { TOKEN_COLUMNS = 12, CROSSING_COLUMNS = 20, WEIGHT_COLUMNS = 7, FEW_QUERIES = 4, ROOMY = 8 };

static const double LEAST_WEIGHT = 0.05; // lighter ones are not drawn

typedef struct Layout {
    AttentionPlace place;
    ViewMatrix matrix;
    int top;  // the row of the first tokens
    int step; // rows from token to token
    int first_query, first_key, shown_queries, shown_keys;
    int query_columns, key_columns; // of their words
    int most_query_columns;
    int left, right; // columns where lines begin and end
} Layout;

static const Node *weights_beside(const ViewState *state, const Node *node) {
    const Node *asked = node->of != NULL ? node->of : node;
    if (asked->role == ROLE_ATTENTION_WEIGHTS) {
        return asked;
    }
    for (int n = 0;; n++) {
        const Node *weights = attention_node(state, n);
        if (weights == NULL || weights->scope == asked->scope) {
            return weights;
        }
    }
}

static const char *or_number(char *text, size_t size, int index) {
    if (text[0] == '\0') {
        snprintf(text, size, "%d", index);
    }
    return text;
}

static const char *query_text(const ViewState *state, const Layout *layout, int query,
                              char text[VIEW_ROW_BYTES]) {
    bool is_whole = layout->most_query_columns > TOKEN_COLUMNS;
    view_row_token(state, layout->place.node, layout->place.item, query,
                   is_whole ? TENSOR_ROW_WHOLE : TENSOR_ROW_NEXT, text);
    return or_number(text, VIEW_ROW_BYTES, query);
}

static const char *key_text(const ViewState *state, const Layout *layout, int key,
                            char text[VIEW_ROW_BYTES]) {
    view_index_token(state, layout->place.node, 3, layout->place.item, key, text);
    return or_number(text, VIEW_ROW_BYTES, key);
}

static const char *queries_head(const ViewState *state, const Layout *layout,
                                char text[VIEW_ROW_BYTES]) {
    bool is_whole = layout->most_query_columns > TOKEN_COLUMNS;
    snprintf(text, VIEW_ROW_BYTES, "%s%s%s", view_text(state->language, VIEW_TEXT_QUERIES_ASK),
             is_whole ? " " : "",
             is_whole ? view_text(state->language, VIEW_TEXT_WRITES_NEXT) : "");
    return text;
}

// What stands above the queries: "rows 5-12/13" where not all of them show.
static const char *queries_part(const ViewState *state, const Layout *layout, char text[128]) {
    text[0] = '\0';
    view_write_part(state, text, 128, VIEW_TEXT_ROWS, layout->first_query, layout->shown_queries,
                    layout->matrix.rows);
    return text;
}

// As wide as the longest of the words: the lines take the rest.
static void choose_columns(const ViewState *state, Layout *layout) {
    char text[VIEW_ROW_BYTES];
    char part[128];
    int head = text_columns(queries_head(state, layout, text));
    int queries = text_columns(queries_part(state, layout, part));
    int keys = 1;
    for (int i = 0; i < layout->shown_queries; i++) {
        int columns = text_columns(query_text(state, layout, layout->first_query + i, text));
        queries = columns > queries ? columns : queries;
    }
    for (int i = 0; i < layout->shown_keys; i++) {
        int columns = text_columns(key_text(state, layout, layout->first_key + i, text));
        keys = columns > keys ? columns : keys;
    }
    queries = queries < layout->most_query_columns ? queries : layout->most_query_columns;
    layout->query_columns = queries > head ? queries : head;
    layout->key_columns = keys < TOKEN_COLUMNS ? keys : TOKEN_COLUMNS;
}

// What is shown, and what the strength of a line means; gives the lines it takes. canvas NULL:
// measures.
static int put_legend(const ViewState *state, Canvas *canvas, Rect rect, const Layout *layout) {
    char number[16];
    char head[64];
    char text[512];
    snprintf(number, sizeof number, "%d", layout->place.head);
    view_text_fill(head, sizeof head, view_text(state->language, VIEW_TEXT_HEAD), number, NULL,
                   NULL);
    bool is_few = layout->matrix.rows > FEW_QUERIES;
    snprintf(text, sizeof text, "%s  %s  %s", layout->place.node->scope->path, head,
             view_text(state->language, is_few ? VIEW_TEXT_THICK_FEW : VIEW_TEXT_THICK));
    return canvas_paragraph(canvas, rect, STYLE_DIM, text);
}

static Layout lay_out(const ViewState *state, int width, int height) {
    Layout layout = {.place = attention_place(state)};
    layout.place.node = weights_beside(state, layout.place.node);
    layout.matrix = attention_matrix(&layout.place, layout.place.head);
    int n = layout.matrix.rows > layout.matrix.columns ? layout.matrix.rows : layout.matrix.columns;
    int legend = put_legend(state, NULL, (Rect){1, 0, width - 2, 0}, &layout);
    layout.top = n > height - 1 - legend ? 2 : 1; // where not all show, a row says which do
    int room = height - layout.top - legend;
    room = room < 1 ? 1 : room;
    layout.step = n > 1 && room > n ? (room - 1) / (n - 1) : 1;
    layout.step = layout.step > 4 ? 4 : layout.step;
    int shown = 1 + (room - 1) / layout.step;
    layout.shown_queries = layout.matrix.rows < shown ? layout.matrix.rows : shown;
    layout.shown_keys = layout.matrix.columns < shown ? layout.matrix.columns : shown;
    layout.first_query = window_first(layout.place.query, layout.shown_queries, layout.matrix.rows);
    layout.first_key = window_first(layout.place.key >= 0 ? layout.place.key : layout.place.query,
                                    layout.shown_keys, layout.matrix.columns);
    bool has_words = node_crosses(layout.place.node) && width >= 3 * CROSSING_COLUMNS;
    layout.most_query_columns = has_words ? CROSSING_COLUMNS : TOKEN_COLUMNS;
    choose_columns(state, &layout);
    layout.left = layout.query_columns + 2;
    int most = layout.left + 60;
    int keys_head = text_columns(view_text(state->language, VIEW_TEXT_KEYS_ANSWER));
    int beside = WEIGHT_COLUMNS + layout.key_columns;
    layout.right = width - (beside > keys_head ? beside : keys_head) - 2;
    layout.right = layout.right > most ? most : layout.right;
    return layout;
}

static int row_of(const Layout *layout, int place) {
    return layout->top + place * layout->step;
}

static void draw_line(Canvas *canvas, const Layout *layout, int query, int key, Style style) {
    double weight = view_matrix_value(&layout->matrix, query, key);
    int y0 = row_of(layout, query - layout->first_query) * DOTS_DOWN + 1;
    int y1 = row_of(layout, key - layout->first_key) * DOTS_DOWN + 1;
    int x0 = layout->left * DOTS_ACROSS;
    int x1 = layout->right * DOTS_ACROSS - 1;
    int thick = weight > 0.66 ? 3 : (weight > 0.33 ? 2 : 1);
    bool is_other = query != layout->place.query && layout->shown_queries > FEW_QUERIES;
    for (int i = 0; i < (is_other ? 1 : thick); i++) {
        view_dots_line(canvas, x0, y0 + i, x1, y1 + i, style);
    }
}

static bool shows_key(const Layout *layout, int key) {
    return key >= layout->first_key && key < layout->first_key + layout->shown_keys;
}

// Whether the line of a query that is not the cursor's shows: among many only its heaviest, or
// nothing could be told apart.
static bool shows_other(const Layout *layout, int query, int key) {
    double weight = view_matrix_value(&layout->matrix, query, key);
    for (int i = 0; i < layout->matrix.columns && layout->shown_queries > FEW_QUERIES; i++) {
        double other = view_matrix_value(&layout->matrix, query, i);
        if (other > weight || (other == weight && i < key)) {
            return false;
        }
    }
    return weight >= LEAST_WEIGHT;
}

// The other queries' lines first and dim, so that those of the cursor's query lie over them.
static void draw_all_lines(Canvas *canvas, const Layout *layout) {
    for (int i = 0; i < layout->shown_queries; i++) {
        int query = layout->first_query + i;
        for (int key = 0; query != layout->place.query && key < layout->matrix.columns; key++) {
            if (shows_key(layout, key) && shows_other(layout, query, key)) {
                draw_line(canvas, layout, query, key, STYLE_DIM);
            }
        }
    }
    for (int key = 0; key < layout->matrix.columns; key++) {
        double weight = view_matrix_value(&layout->matrix, layout->place.query, key);
        if (shows_key(layout, key) && weight >= LEAST_WEIGHT) {
            draw_line(canvas, layout, layout->place.query, key, STYLE_STRONG);
        }
    }
}

static void draw_tokens(const ViewState *state, Canvas *canvas, const Layout *layout) {
    char text[VIEW_ROW_BYTES];
    for (int i = 0; i < layout->shown_queries; i++) {
        int query = layout->first_query + i;
        bool is_here = query == layout->place.query;
        int y = row_of(layout, i);
        canvas_text_in(canvas, 1, y, layout->query_columns, ALIGN_RIGHT,
                       is_here ? STYLE_CURSOR : STYLE_QUERY_LABEL,
                       query_text(state, layout, query, text));
        canvas_text(canvas, 0, y, STYLE_STRONG, is_here ? "▸" : " ");
    }
    for (int i = 0; i < layout->shown_keys; i++) {
        int key = layout->first_key + i;
        int y = row_of(layout, i);
        double weight = view_matrix_value(&layout->matrix, layout->place.query, key);
        bool is_used = weight >= LEAST_WEIGHT;
        canvas_format(canvas, layout->right + 1, y, is_used ? STYLE_NUMBER : STYLE_DIM, "%.4f",
                      weight);
        canvas_text_in(canvas, layout->right + 1 + WEIGHT_COLUMNS, y, layout->key_columns,
                       ALIGN_LEFT, is_used ? STYLE_KEY_LABEL : STYLE_DIM,
                       key_text(state, layout, key, text));
    }
}

static void draw_legend(const ViewState *state, Canvas *canvas, const Layout *layout) {
    Rect rect = {1, 0, canvas->width - 2, 0};
    rect.height = put_legend(state, NULL, rect, layout);
    rect.y = canvas->height - rect.height;
    put_legend(state, canvas, rect, layout);
}

// Where not all queries or keys show, which of them do.
static void draw_parts(const ViewState *state, Canvas *canvas, const Layout *layout) {
    char text[128];
    canvas_text_in(canvas, 1, 1, layout->query_columns, ALIGN_RIGHT, STYLE_DIM,
                   queries_part(state, layout, text));
    text[0] = '\0';
    view_write_part(state, text, sizeof text, VIEW_TEXT_COLUMNS, layout->first_key,
                    layout->shown_keys, layout->matrix.columns);
    canvas_text(canvas, layout->right + 1, 1, STYLE_DIM, text);
    if (layout->shown_queries < layout->matrix.rows ||
        layout->shown_keys < layout->matrix.columns) {
        canvas_tell_part(canvas);
    }
}

static bool fits(const ViewState *state) {
    AttentionPlace place = attention_place(state);
    const Node *weights = place.node == NULL ? NULL : weights_beside(state, place.node);
    return weights != NULL && attention_has_run(state, weights);
}

static void draw(const ViewState *state, Canvas *canvas) {
    Layout layout = lay_out(state, canvas->width, canvas->height);
    char queries[VIEW_ROW_BYTES];
    canvas_text_in(canvas, 1, 0, layout.query_columns, ALIGN_RIGHT, STYLE_QUERY_LABEL,
                   queries_head(state, &layout, queries));
    canvas_text(canvas, layout.right + 1, 0, STYLE_KEY_LABEL,
                view_text(state->language, VIEW_TEXT_KEYS_ANSWER));
    draw_parts(state, canvas, &layout);
    draw_all_lines(canvas, &layout);
    draw_tokens(state, canvas, &layout);
    draw_legend(state, canvas, &layout);
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    Layout layout = lay_out(state, width, height);
    int i = (y - layout.top) / layout.step;
    if (y < layout.top) {
        return false;
    }
    int query = x < layout.left ? layout.first_query + i : layout.place.query;
    int key = x >= layout.right ? layout.first_key + i : 0;
    if (query >= layout.matrix.rows || key >= layout.matrix.columns) {
        return false;
    }
    *node = layout.place.node;
    *element = view_matrix_element(&layout.matrix, query, key);
    return x < layout.left || x >= layout.right;
}

const View view_lines = {
    .name = "lines",
    .titles = {"lines", "连线"},
    .needs = {"a stage of an attention that has run", "一个已经算出的注意力步骤"},
    .min_width = 44,
    .min_height = 6,
    .fits = fits,
    .leaves_room = true,
    .draw = draw,
    .hit = hit,
    .numbers = attention_numbers,
};
