// view_grid.c - a matrix of numbers over heat, with labels, the cursor's cell in brackets, cells it
// comes from marked.
#include "views/screen/view_grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/screen/view_texts.h"
#include "views/window.h"

enum { MAX_LABEL_COLUMNS = 10, MAX_CROSSING_COLUMNS = 24, SINGLE_COLUMNS = 9, LEAST_ROWS = 3 };

bool view_is_attention(const Node *node) {
    const Node *asked = node->of != NULL ? node->of : node;
    return asked->role == ROLE_SCORES || asked->role == ROLE_MASKED_SCORES ||
           asked->role == ROLE_ATTENTION_WEIGHTS;
}

static bool is_key_side(const Node *node) {
    const Node *asked = node->of != NULL ? node->of : node;
    return asked->role == ROLE_KEY || asked->role == ROLE_VALUE;
}

// ---- labels

// An axis's letters, "" where there is none.
static const char *axis_text(const ViewMatrix *matrix, int axis, char name[4]) {
    name[0] = '\0';
    if (axis >= 0) {
        shape_axis_name(&matrix->node->shape, axis, name);
    }
    return name;
}

static void corner_text(const ViewState *state, const ViewGrid *grid, char *text, size_t size) {
    char row[4];
    char column[4];
    if (grid->is_attention) {
        bool is_whole = !grid->is_crossing || grid->row_words == TENSOR_ROW_WHOLE;
        snprintf(text, size, "%s%s%s\\%s",
                 is_whole ? view_text(state->language, VIEW_TEXT_QUERY) : "",
                 is_whole && grid->is_crossing ? " " : "",
                 grid->is_crossing ? view_text(state->language, VIEW_TEXT_WRITES_NEXT) : "",
                 view_text(state->language, VIEW_TEXT_KEY));
        return;
    }
    axis_text(&grid->matrix, grid->matrix.row_axis, row);
    axis_text(&grid->matrix, grid->matrix.column_axis, column);
    snprintf(text, size, "%s%s%s", row, row[0] != '\0' ? "\\" : "", column);
}

static void label_text(const ViewState *state, const ViewGrid *grid, int axis, int index,
                       char text[VIEW_ROW_BYTES]) {
    const ViewMatrix *matrix = &grid->matrix;
    int item = matrix->item;
    if (matrix->is_flat && axis == shape_rank(&matrix->node->shape) - 2) {
        item = index / matrix->node->shape.sizes[axis];
        index %= matrix->node->shape.sizes[axis];
    }
    if (grid->is_crossing && axis == matrix->row_axis) {
        view_row_token(state, matrix->node, item, index, grid->row_words, text);
    } else {
        view_index_token(state, matrix->node, axis, item, index, text);
    }
    if (grid->names_tokens && axis == grid->matrix.column_axis) {
        text[0] = '\0'; // the cells themselves carry the words
    }
    if (text[0] == '\0') {
        snprintf(text, VIEW_TOKEN_BYTES, "%d", index);
    }
}

static Style label_style(const ViewGrid *grid, int axis, bool is_active) {
    char name[4];
    axis_text(&grid->matrix, axis, name);
    bool is_position = name[0] == 'T' || name[0] == 'S';
    bool is_key = name[0] == 'S' || is_key_side(grid->matrix.node);
    if (is_position && !grid->names_tokens) {
        return is_key ? STYLE_KEY_LABEL : STYLE_QUERY_LABEL;
    }
    return is_active ? STYLE_STRONG : STYLE_DIM;
}

static int label_columns_of(const ViewState *state, const ViewGrid *grid, int most) {
    char text[VIEW_ROW_BYTES];
    corner_text(state, grid, text, sizeof text);
    int columns = text_columns(text);
    for (int i = 0; i < grid->matrix.rows && i < 64; i++) {
        label_text(state, grid, grid->matrix.row_axis, i, text);
        int needed = text_columns(text);
        columns = needed > columns ? needed : columns;
    }
    return 1 + (columns > most ? most : columns);
}

// Rows of cross-attention are called by what they read and write where a third of the width is
// enough for it or all numbers have room beside it, else by what they write.
static void choose_row_words(const ViewState *state, ViewGrid *grid, int width, int numbers) {
    int most = grid->is_crossing ? MAX_CROSSING_COLUMNS : MAX_LABEL_COLUMNS;
    grid->label_columns = label_columns_of(state, grid, most);
    if (grid->is_crossing && 3 * grid->label_columns > width &&
        grid->label_columns + numbers > width) {
        grid->row_words = TENSOR_ROW_NEXT;
        grid->label_columns = label_columns_of(state, grid, MAX_LABEL_COLUMNS + 2);
    }
}

// ---- what shows

static int within(int wanted, int least, int most) {
    wanted = wanted > most ? most : wanted;
    return wanted < least ? least : wanted;
}

ViewGrid view_grid_fit(const ViewState *state, const ViewMatrix *matrix, int row, int column,
                       int width, int height, bool ascii, const ViewGridOptions *options) {
    const Node *node = matrix->node;
    ViewGrid grid = {.matrix = *matrix, .scale = state->scale, .row = row, .column = column};
    grid.is_attention = view_is_attention(node);
    grid.is_crossing = node_crosses(node) && matrix->row_axis < matrix->column_axis;
    grid.has_heat = options->has_heat && !node_holds_ids(node);
    grid.has_cursor = options->has_cursor;
    grid.names_tokens =
        (node->role == ROLE_TOKENS || node->role == ROLE_LABELS || node->role == ROLE_CLASSES) &&
        node_holds_ids(node) && state->labels.token != NULL;
    int number_columns = grid.names_tokens ? 9 : options->number_columns;
    if (matrix->rows == 1 && matrix->columns == 1) {
        number_columns = SINGLE_COLUMNS; // one number has room for its digits
    }
    grid.format = view_format_of(matrix, number_columns, ascii);
    view_matrix_range(matrix, &grid.min, &grid.max);
    grid.has_column_labels = options->has_labels && height > 1 && matrix->column_axis >= 0;
    if (options->has_labels && matrix->row_axis >= 0) {
        choose_row_words(state, &grid, width, matrix->columns * (number_columns + 1) + 1);
    }
    int columns_fit = (width - grid.label_columns - 1) / (number_columns + 1);
    int rows_fit = height - grid.has_column_labels;
    if (options->most_columns > 0 && columns_fit > options->most_columns) {
        columns_fit = options->most_columns;
    }
    if (options->most_rows > 0 && rows_fit > options->most_rows) {
        rows_fit = options->most_rows;
    }
    grid.shown_columns = within(columns_fit, 1, matrix->columns);
    grid.shown_rows = within(rows_fit, 1, matrix->rows);
    grid.first_row = window_first(row, grid.shown_rows, matrix->rows);
    grid.first_column = window_first(column, grid.shown_columns, matrix->columns);
    return grid;
}

int view_grid_room(int needed, int height, int panel, int least) {
    least = panel < least ? panel : least;
    int most_panel = height - needed > height / 3 ? height - needed : height / 3;
    most_panel = most_panel > least ? most_panel : least;
    int room = height - (panel < most_panel ? panel : most_panel);
    int first = needed < LEAST_ROWS + 1 ? needed : LEAST_ROWS + 1; // before the panel
    room = room < first ? first : room;
    room = room > height ? height : room;
    return room < 2 ? 2 : room;
}

int view_grid_width(const ViewGrid *grid) {
    return grid->label_columns + grid->shown_columns * (grid->format.width + 1) + 1;
}

int view_grid_height(const ViewGrid *grid) {
    return grid->shown_rows + grid->has_column_labels;
}

bool view_grid_hit(const ViewGrid *grid, int x, int y, int *row, int *column) {
    int line = y - grid->has_column_labels;
    int place = x - grid->label_columns - 1;
    if (line < 0 || line >= grid->shown_rows || place < 0 ||
        place >= grid->shown_columns * (grid->format.width + 1)) {
        return false;
    }
    *row = grid->first_row + line;
    *column = grid->first_column + place / (grid->format.width + 1);
    return true;
}

// ---- drawing

static bool is_edited(const ViewState *state, const Node *node, size_t element) {
    if (!node->edited || state->tape == NULL) {
        return false;
    }
    for (int i = 0; i < state->tape->n_edits; i++) {
        const Edit *edit = &state->tape->edits[i];
        if (edit->node == node && edit->element == element) {
            return true;
        }
    }
    return false;
}

// Numbers before and after a change are compared: a row of the one has the scale of the other.
HeatRange view_grid_heat(const ViewGrid *grid, int row) {
    if (grid->scale == HEAT_LINEAR) {
        return (HeatRange){(float)grid->min, (float)grid->max};
    }
    ViewMatrix matrix = grid->matrix;
    HeatRange range = view_matrix_row_range(&matrix, row);
    if (grid->compared != NULL) {
        matrix.values = matrix.values == NULL ? grid->compared : NULL;
        HeatRange other = view_matrix_row_range(&matrix, row);
        range.minimum = fminf(range.minimum, other.minimum);
        range.maximum = fmaxf(range.maximum, other.maximum);
    }
    return range;
}

static void draw_cell(const ViewState *state, Canvas *canvas, int x, int y, const ViewGrid *grid,
                      HeatRange heat, int row, int column) {
    const ViewMatrix *matrix = &grid->matrix;
    size_t element = view_matrix_element(matrix, row, column);
    double value = view_matrix_value(matrix, row, column);
    int width = grid->format.width;
    char text[VIEW_NUMBER_BYTES + VIEW_TOKEN_BYTES];
    view_format_number(&grid->format, value, text);
    if (grid->names_tokens) {
        char token[VIEW_TOKEN_BYTES];
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, " %s",
                 view_token(state, (int32_t)value, token));
    }
    bool is_cursor = grid->has_cursor && row == grid->row && column == grid->column;
    bool is_source = view_is_source(state, matrix->node, element);
    bool was_edited = grid->compared != NULL ? (double)grid->compared[element] !=
                                                   tape_number(matrix->tape, matrix->node, element)
                                             : is_edited(state, matrix->node, element);
    Style style = value < 0.0 ? STYLE_NEGATIVE : STYLE_NUMBER;
    style = isinf(value) ? STYLE_MASKED : style;
    style = was_edited ? STYLE_CHANGED : style;
    style = is_source ? STYLE_SOURCE : style;
    style = is_cursor ? STYLE_CURSOR : style;
    canvas_text_in(canvas, x + 1, y, width, ALIGN_RIGHT, style, text);
    if (grid->has_heat && heat.maximum > heat.minimum && !was_edited) {
        int entry = palette_entry_scaled((float)value, heat);
        canvas_set_heat(canvas, (Rect){x + 1, y, width, 1}, PALETTE_VIRIDIS, HEAT_NONE, entry);
        canvas_mark(canvas, x, y, PALETTE_VIRIDIS, entry);
    }
    if (is_cursor) {
        canvas_text(canvas, x, y, STYLE_CURSOR, "[");
        canvas_text(canvas, x + width + 1, y, STYLE_CURSOR, "]");
        return;
    }
    if (is_source || was_edited) {
        canvas_text(canvas, x, y, is_source ? STYLE_SOURCE : STYLE_CHANGED, is_source ? "*" : "!");
    }
}

static void draw_column_labels(const ViewState *state, Canvas *canvas, int x, int y,
                               const ViewGrid *grid) {
    char text[VIEW_ROW_BYTES];
    if (grid->label_columns > 0) {
        corner_text(state, grid, text, sizeof text);
        canvas_text_in(canvas, x, y, grid->label_columns, ALIGN_RIGHT, STYLE_DIM, text);
    }
    for (int k = 0; k < grid->shown_columns; k++) {
        int column = grid->first_column + k;
        label_text(state, grid, grid->matrix.column_axis, column, text);
        canvas_text_in(canvas, x + grid->label_columns + 1 + k * (grid->format.width + 1), y,
                       grid->format.width, ALIGN_RIGHT,
                       label_style(grid, grid->matrix.column_axis, column == grid->column), text);
    }
}

void view_grid_draw(const ViewState *state, Canvas *canvas, int x, int y, const ViewGrid *grid) {
    char text[VIEW_ROW_BYTES];
    if (grid->shown_rows < grid->matrix.rows || grid->shown_columns < grid->matrix.columns) {
        canvas_tell_part(canvas);
    }
    if (grid->has_column_labels) {
        draw_column_labels(state, canvas, x, y, grid);
        y++;
    }
    for (int i = 0; i < grid->shown_rows; i++) {
        int row = grid->first_row + i;
        bool is_active = row == grid->row;
        HeatRange heat = view_grid_heat(grid, row);
        if (grid->label_columns > 0) {
            label_text(state, grid, grid->matrix.row_axis, row, text);
            Style style = label_style(grid, grid->matrix.row_axis, is_active);
            canvas_text_in(canvas, x + 1, y + i, grid->label_columns - 1, ALIGN_RIGHT, style, text);
            canvas_text(canvas, x, y + i, style, is_active ? "▸" : " ");
        }
        // the cursor's cell last, so that its brackets lie over its neighbours' marks
        for (int k = 0; k < grid->shown_columns; k++) {
            draw_cell(state, canvas, x + grid->label_columns + k * (grid->format.width + 1), y + i,
                      grid, heat, row, grid->first_column + k);
        }
        int at = grid->column - grid->first_column;
        if (is_active && grid->has_cursor && at >= 0 && at < grid->shown_columns) {
            draw_cell(state, canvas, x + grid->label_columns + at * (grid->format.width + 1), y + i,
                      grid, heat, row, grid->column);
        }
    }
}

// ---- the scale

void view_write_part(const ViewState *state, char *text, size_t size, ViewTextId id, int first,
                     int shown, int count) {
    if (shown >= count) {
        return;
    }
    char a[16];
    char b[16];
    char c[16];
    char part[128];
    snprintf(a, sizeof a, "%d", first);
    snprintf(b, sizeof b, "%d", first + shown - 1);
    snprintf(c, sizeof c, "%d", count);
    view_text_fill(part, sizeof part, view_text(state->language, id), a, b, c);
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length > 0 ? "  " : "", part);
}

const char *view_grid_scale_text(const ViewState *state, const ViewGrid *grid, char text[128]) {
    char min[VIEW_NUMBER_BYTES];
    char max[VIEW_NUMBER_BYTES];
    HeatRange all = {(float)grid->min, (float)grid->max};
    bool is_per_row = grid->scale == HEAT_PER_ROW;
    bool has_row = is_per_row && grid->row >= 0;
    HeatRange range = has_row ? view_grid_heat(grid, grid->row) : all;
    ViewTextId id = is_per_row ? VIEW_TEXT_SCALE_ROWS : VIEW_TEXT_SCALE;
    id = has_row ? VIEW_TEXT_SCALE_ROW : id;
    id = grid->max > grid->min ? id : VIEW_TEXT_SCALE_FLAT;
    view_number_text((double)range.minimum, 8, min);
    view_number_text((double)range.maximum, 8, max);
    return view_text_fill(text, 128, view_text(state->language, id), min, max, NULL);
}

static int draw_scale(const ViewState *state, Canvas *line, int x, const ViewGrid *grid,
                      bool has_bar) {
    enum { BAR = 8 };
    char text[128];
    for (int i = 0; i < BAR && has_bar; i++) {
        int entry = i * (PALETTE_ENTRIES - 1) / (BAR - 1);
        if (i % 2 == 0) { // the mark and the paper of a number, in turn
            canvas_shade(line, x + i, 0, 1, STYLE_NUMBER, PALETTE_VIRIDIS, entry);
        } else {
            canvas_set_heat(line, (Rect){x + i, 0, 1, 1}, PALETTE_VIRIDIS, HEAT_NONE, entry);
        }
    }
    x += has_bar ? BAR + 1 : 0;
    return canvas_text(line, x, 0, STYLE_DIM, view_grid_scale_text(state, grid, text)) + 2;
}

void view_grid_draw_scale(const ViewState *state, Canvas *canvas, int x, int y, int width,
                          const ViewGrid *grid) {
    enum { WIDE = 60 };
    Canvas line = canvas_part(canvas, (Rect){x, y, width, 1});
    const ViewMatrix *matrix = &grid->matrix;
    char parts[256] = "";
    char text[128];
    view_write_part(state, parts, sizeof parts, VIEW_TEXT_ROWS, grid->first_row, grid->shown_rows,
                    matrix->rows);
    view_write_part(state, parts, sizeof parts, VIEW_TEXT_COLUMNS, grid->first_column,
                    grid->shown_columns, matrix->columns);
    bool has_scale = grid->has_heat && matrix->rows * matrix->columns > 1;
    bool has_bar = has_scale && grid->max > grid->min && width >= WIDE;
    int gap = parts[0] != '\0' ? 2 : 0;
    int needed = text_columns(parts) +
                 (has_scale ? text_columns(view_grid_scale_text(state, grid, text)) + gap : 0);
    if (needed > width) { // what is missing is said first
        int at = canvas_text(&line, 0, 0, STYLE_DIM, parts);
        if (has_scale) {
            draw_scale(state, &line, at + gap, grid, false);
        }
        return;
    }
    int at = has_scale ? draw_scale(state, &line, 0, grid, has_bar) : 0;
    canvas_text(&line, at, 0, STYLE_DIM, parts);
}
