// view_basic.c - the two views without which there is no screen: the tape and a tensor.
#include "views/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/op.h"

enum { CELL_COLUMNS = 8, LABEL_COLUMNS = 10, TOKEN_BYTES = 48, MAX_LINES = 4096 };

// ---- the tape: what the current step lies in is unfolded, the rest is one line a scope

typedef struct TapeLine {
    const Scope *scope; // a scope's line; NULL: a step's
    const Node *node;   // the step, or the first of a scope
    int depth;
    bool is_open;
} TapeLine;

static bool is_within(const Scope *scope, const Scope *outer) {
    while (scope != NULL && scope != outer) {
        scope = scope->parent;
    }
    return scope != NULL;
}

static int depth_of(const Scope *scope) {
    int depth = 0;
    while (scope->parent != NULL) {
        scope = scope->parent;
        depth++;
    }
    return depth;
}

// The outermost scope of `scope` that does not hold `here`; NULL where all hold it.
static const Scope *folded(const Scope *scope, const Scope *here) {
    const Scope *found = NULL;
    while (scope != NULL && !is_within(here, scope)) {
        found = scope;
        scope = scope->parent;
    }
    return found;
}

typedef struct TapeLines {
    TapeLine *lines;
    int count, capacity;
    int current;
} TapeLines;

static void add_line(TapeLines *all, TapeLine line) {
    if (all->count < all->capacity) {
        all->lines[all->count] = line;
    }
    all->count++;
}

// Headers of the scopes from below `from` down to `to`.
static void add_headers(TapeLines *all, const Scope *from, const Scope *to, const Node *node) {
    const Scope *path[16];
    int n = 0;
    for (const Scope *at = to; at != NULL && !is_within(from, at) && n < 16; at = at->parent) {
        path[n++] = at;
    }
    while (n-- > 0) {
        add_line(all, (TapeLine){path[n], node, depth_of(path[n]) - 1, true});
    }
}

static void list_lines(const Stepper *stepper, TapeLines *all) {
    const Scope *here = stepper_node(stepper)->scope;
    const Scope *last_folded = NULL;
    const Scope *last = stepper->tape->root;
    for (int i = 0; i < stepper->n_steps; i++) {
        const Node *node = stepper->steps[i];
        const Scope *fold = folded(node->scope, here);
        if (fold != NULL) {
            if (fold != last_folded) {
                add_headers(all, last, fold->parent, node);
                add_line(all, (TapeLine){fold, node, depth_of(fold) - 1, false});
            }
            last_folded = fold;
            last = fold->parent;
            continue;
        }
        last_folded = NULL;
        add_headers(all, last, node->scope, node);
        last = node->scope;
        if (i == stepper->at) {
            all->current = all->count;
        }
        add_line(all, (TapeLine){NULL, node, depth_of(node->scope), false});
    }
}

static int first_line(const TapeLines *all, int height) {
    int first = all->current - height / 2;
    first = first > all->count - height ? all->count - height : first;
    return first < 0 ? 0 : first;
}

static void draw_line(const ViewState *state, Canvas *canvas, int y, const TapeLine *line,
                      bool is_current) {
    int indent = 1 + 2 * line->depth;
    Style style = STYLE_TEXT;
    if (line->node->id >= state->stepper->n_valid) {
        style = STYLE_DIM;
    } else if (line->node->phase == PHASE_BACKWARD) {
        style = STYLE_BACKWARD;
    }
    if (line->scope != NULL) {
        const char *mark =
            canvas->ascii ? (line->is_open ? "v" : ">") : (line->is_open ? "▾" : "▸");
        canvas_format(canvas, indent, y, style, "%s %s", mark, line->scope->name);
        return;
    }
    const char *name = line->node->name == NULL ? line->node->stage : line->node->name;
    char sizes[SHAPE_TEXT_BYTES];
    shape_sizes_text(&line->node->shape, sizes);
    canvas_text(canvas, indent + 2, y, style, name);
    int columns = text_columns(sizes);
    if (indent + 2 + text_columns(name) + 1 + columns < canvas->width) {
        canvas_text(canvas, canvas->width - columns - 1, y, STYLE_DIM, sizes);
    }
    if (is_current) {
        canvas_set_style(canvas, (Rect){0, y, canvas->width, 1}, STYLE_ACTIVE);
        canvas_text(canvas, 0, y, STYLE_ACTIVE, canvas->ascii ? ">" : "▸");
    }
}

void view_draw_tape(const ViewState *state, Canvas *canvas) {
    if (state->stepper == NULL) {
        return;
    }
    TapeLine lines[512];
    TapeLines all = {lines, 0, 512, 0};
    list_lines(state->stepper, &all);
    int count = all.count < all.capacity ? all.count : all.capacity;
    int first = first_line(&all, canvas->height);
    for (int y = 0; y < canvas->height && first + y < count; y++) {
        draw_line(state, canvas, y, &lines[first + y], first + y == all.current);
    }
}

const Node *view_tape_node_at(const ViewState *state, int height, int y) {
    TapeLine lines[512];
    TapeLines all = {lines, 0, 512, 0};
    list_lines(state->stepper, &all);
    int at = first_line(&all, height) + y;
    return at >= 0 && at < all.count && at < all.capacity ? lines[at].node : NULL;
}

// ---- a tensor: numbers over heat

static double value_at(const Node *node, size_t element) {
    return node->type == DATA_INT ? (double)node->ids[element] : (double)node->data[element];
}

typedef struct Window {
    int rows, columns;             // of the matrix
    int row, column;               // of the cursor
    size_t base;                   // the first element of the matrix
    int first_row, first_column;   // that show
    int shown_rows, shown_columns; // how many
} Window;

static Window window_of(const ViewState *state, int width, int height) {
    const Shape *shape = &state->node->shape;
    int rank = shape_rank(shape);
    Window window = {.columns = shape_width(shape), .rows = 1};
    if (rank > 1) {
        window.rows = shape->sizes[rank - 2];
    }
    size_t size = (size_t)window.rows * (size_t)window.columns;
    window.base = state->element / size * size;
    int rest = (int)(state->element - window.base);
    window.row = rest / window.columns;
    window.column = rest % window.columns;
    int fit_columns = (width - LABEL_COLUMNS - 3) / CELL_COLUMNS;
    int fit_rows = height / 2 > 3 ? height - 5 : height - 2;
    window.shown_columns = fit_columns < 1 ? 1 : fit_columns;
    window.shown_rows = fit_rows < 1 ? 1 : fit_rows;
    window.first_row = window.row / window.shown_rows * window.shown_rows;
    window.first_column = window.column / window.shown_columns * window.shown_columns;
    return window;
}

static const char *token_at(const ViewState *state, int axis, int position, char *text) {
    text[0] = '\0';
    const Node *node = state->node;
    const Node *ids = state->nodes == NULL ? NULL : model_axis_tokens(state->nodes, node, axis);
    int indices[SHAPE_MAX_RANK];
    shape_indices(&node->shape, state->element, indices);
    char name[4];
    shape_axis_name(&node->shape, axis, name);
    if (strcmp(name, "V") == 0) {
        return state->labels.token(state->labels.context, position, text, TOKEN_BYTES);
    }
    if (ids != NULL && position < ids->shape.sizes[1] && indices[0] < ids->shape.sizes[0]) {
        int32_t id = ids->ids[indices[0] * ids->shape.sizes[1] + position];
        state->labels.token(state->labels.context, id, text, TOKEN_BYTES);
    }
    return text;
}

static void draw_number(const ViewState *state, Canvas *canvas, int x, int y, size_t element,
                        TensorRange range) {
    double value = value_at(state->node, element);
    char text[32];
    if (state->node->type == DATA_INT) {
        token_at(state, 0, 0, text);
        snprintf(text, sizeof text, "%d", (int)value);
    } else {
        snprintf(text, sizeof text, "%.4g", value);
        if (strlen(text) > CELL_COLUMNS - 1) {
            snprintf(text, sizeof text, "%.1e", value);
        }
    }
    bool is_cursor = element == state->element;
    Style style = value < 0.0 ? STYLE_NEGATIVE : STYLE_NUMBER;
    canvas_text_in(canvas, x, y, CELL_COLUMNS - 1, ALIGN_RIGHT, is_cursor ? STYLE_CURSOR : style,
                   text);
    if (!is_cursor && state->node->type == DATA_FLOAT && shape_rank(&state->node->shape) > 0) {
        int entry = palette_entry_scaled((float)value, (float)range.min, (float)range.max);
        canvas_set_heat(canvas, (Rect){x, y, CELL_COLUMNS - 1, 1}, PALETTE_VIRIDIS, HEAT_NONE,
                        entry);
    }
}

static void draw_matrix(const ViewState *state, Canvas *canvas, const Window *window) {
    TensorRange range = tensor_text_range(state->node);
    int rank = shape_rank(&state->node->shape);
    char text[TOKEN_BYTES];
    for (int k = 0; k < window->shown_columns && window->first_column + k < window->columns; k++) {
        int column = window->first_column + k;
        int x = LABEL_COLUMNS + 2 + k * CELL_COLUMNS;
        const char *token = rank > 0 ? token_at(state, rank - 1, column, text) : "";
        if (token[0] == '\0') {
            snprintf(text, sizeof text, "%d", column);
        }
        canvas_text_in(canvas, x, 0, CELL_COLUMNS - 1, ALIGN_RIGHT, STYLE_KEY_LABEL, text);
    }
    for (int i = 0; i < window->shown_rows && window->first_row + i < window->rows; i++) {
        int row = window->first_row + i;
        const char *token = rank > 1 ? token_at(state, rank - 2, row, text) : "";
        if (token[0] == '\0') {
            snprintf(text, sizeof text, "%d", row);
        }
        canvas_text_in(canvas, 1, 1 + i, LABEL_COLUMNS, ALIGN_RIGHT, STYLE_QUERY_LABEL, text);
        for (int k = 0; k < window->shown_columns && window->first_column + k < window->columns;
             k++) {
            size_t element = window->base + (size_t)row * (size_t)window->columns +
                             (size_t)(window->first_column + k);
            draw_number(state, canvas, LABEL_COLUMNS + 2 + k * CELL_COLUMNS, 1 + i, element, range);
        }
    }
}

static void draw_explanation(const ViewState *state, Canvas *canvas, int y) {
    canvas_format(canvas, 1, y, STYLE_DIM, "%s: %s", OPS[state->node->op]->name,
                  OPS[state->node->op]->formula);
    if (state->arithmetic != NULL) {
        canvas_paragraph(canvas, (Rect){1, y + 1, canvas->width - 2, canvas->height - y - 1},
                         STYLE_CODE, state->arithmetic);
    }
}

static bool tensor_fits(const ViewState *state) {
    return state->node != NULL;
}

static void draw_tensor(const ViewState *state, Canvas *canvas) {
    if (state->node == NULL) {
        return;
    }
    Window window = window_of(state, canvas->width, canvas->height);
    draw_matrix(state, canvas, &window);
    int left = window.rows - window.first_row;
    int used = 1 + (left < window.shown_rows ? left : window.shown_rows);
    draw_explanation(state, canvas, used + 1);
}

bool view_tensor_element_at(const ViewState *state, int width, int height, int x, int y,
                            size_t *element) {
    Window window = window_of(state, width, height);
    int row = window.first_row + y - 1;
    int column = window.first_column + (x - LABEL_COLUMNS - 2) / CELL_COLUMNS;
    bool hits = y >= 1 && x >= LABEL_COLUMNS + 2 && row < window.rows && column < window.columns &&
                row < window.first_row + window.shown_rows;
    if (hits) {
        *element = window.base + (size_t)row * (size_t)window.columns + (size_t)column;
    }
    return hits;
}

static const View TENSOR = {"tensor", tensor_fits, draw_tensor};

const View *const VIEWS[] = {&TENSOR, NULL};
