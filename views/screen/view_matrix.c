// view_matrix.c - a slice of a node as rows and columns: its place in the tensor, its labels, its
// numbers as digits.
#include "views/screen/view_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/op.h"

enum { RANGE_CELLS = 1 << 20, MAX_DECIMALS = 4 };

static int item_of(const Node *node, size_t element) {
    int indices[SHAPE_MAX_RANK] = {0};
    char name[4] = "";
    if (shape_rank(&node->shape) > 0) {
        shape_axis_name(&node->shape, 0, name);
        shape_indices(&node->shape, element, indices);
    }
    return strcmp(name, "B") == 0 ? indices[0] : 0;
}

ViewMatrix view_matrix_of(const Tape *tape, const Node *node, size_t element) {
    int rank = shape_rank(&node->shape);
    ViewMatrix matrix = {.tape = tape,
                         .node = node,
                         .rows = 1,
                         .columns = shape_width(&node->shape),
                         .column_stride = 1,
                         .row_axis = -1,
                         .column_axis = rank - 1,
                         .item = item_of(node, element)};
    if (rank > 1) {
        matrix.row_axis = rank - 2;
        matrix.rows = node->shape.sizes[rank - 2];
    }
    matrix.row_stride = (size_t)matrix.columns;
    size_t size = (size_t)matrix.rows * (size_t)matrix.columns;
    matrix.base = size == 0 ? 0 : element / size * size;
    return matrix;
}

ViewMatrix view_matrix_transposed(const ViewMatrix *matrix) {
    ViewMatrix turned = *matrix;
    turned.rows = matrix->columns;
    turned.columns = matrix->rows;
    turned.row_stride = matrix->column_stride;
    turned.column_stride = matrix->row_stride;
    turned.row_axis = matrix->column_axis;
    turned.column_axis = matrix->row_axis;
    return turned;
}

size_t view_matrix_element(const ViewMatrix *matrix, int row, int column) {
    return matrix->base + (size_t)row * matrix->row_stride + (size_t)column * matrix->column_stride;
}

bool view_matrix_find(const ViewMatrix *matrix, size_t element, int *row, int *column) {
    size_t size = (size_t)matrix->rows * (size_t)matrix->columns;
    if (element < matrix->base || element >= matrix->base + size) {
        return false;
    }
    size_t rest = element - matrix->base;
    if (matrix->row_stride >= matrix->column_stride) {
        *row = (int)(rest / matrix->row_stride);
        *column = (int)(rest % matrix->row_stride / matrix->column_stride);
    } else {
        *column = (int)(rest / matrix->column_stride);
        *row = (int)(rest % matrix->column_stride / matrix->row_stride);
    }
    return true;
}

double view_matrix_value(const ViewMatrix *matrix, int row, int column) {
    size_t element = view_matrix_element(matrix, row, column);
    double value = matrix->values != NULL ? (double)matrix->values[element]
                                          : tape_number(matrix->tape, matrix->node, element);
    return matrix->minus != NULL ? value - (double)matrix->minus[element] : value;
}

static void range_of_rows(const ViewMatrix *matrix, int first, int end, double *min, double *max) {
    *min = INFINITY;
    *max = -INFINITY;
    int left = RANGE_CELLS;
    for (int row = first; row < end && left > 0; row++) {
        for (int column = 0; column < matrix->columns && left > 0; column++, left--) {
            double value = view_matrix_value(matrix, row, column);
            if (isfinite(value)) {
                *min = fmin(*min, value);
                *max = fmax(*max, value);
            }
        }
    }
    if (*min > *max) {
        *min = 0.0;
        *max = 0.0;
    }
}

void view_matrix_range(const ViewMatrix *matrix, double *min, double *max) {
    if (matrix->has_range) {
        *min = matrix->min;
        *max = matrix->max;
        return;
    }
    range_of_rows(matrix, 0, matrix->rows, min, max);
}

HeatRange view_matrix_row_range(const ViewMatrix *matrix, int row) {
    double min = 0.0;
    double max = 0.0;
    range_of_rows(matrix, row, row + 1, &min, &max);
    return (HeatRange){(float)min, (float)max};
}

// ---- digits

static int whole_digits(double value) {
    int digits = 1;
    double rest = fabs(value);
    while (rest >= 10.0 && digits < 12) {
        rest /= 10.0;
        digits++;
    }
    return digits;
}

ViewFormat view_format_of(const ViewMatrix *matrix, int width, bool ascii) {
    ViewFormat format = {.width = width, .is_int = node_holds_ids(matrix->node), .ascii = ascii};
    double min = 0.0;
    double max = 0.0;
    view_matrix_range(matrix, &min, &max);
    double largest = fmax(fabs(min), fabs(max));
    int room = width - (min < 0.0) - whole_digits(largest) - 1;
    format.decimals = room < 0 ? 0 : (room > MAX_DECIMALS ? MAX_DECIMALS : room);
    if (largest < 0.05) {
        format.decimals = 0; // so that all but 0 are written with an exponent
    }
    return format;
}

// "1.23e-05" as "1.23e-5": exponents of one digit are written with one.
static void shorten_exponent(char *text) {
    char *e = strchr(text, 'e');
    if (e == NULL) {
        return;
    }
    char *digits = e + 2;
    char *to = e[1] == '-' ? e + 2 : e + 1;
    while (digits[0] == '0' && digits[1] != '\0') {
        digits++;
    }
    memmove(to, digits, strlen(digits) + 1);
}

static void write_exponent(double value, int width, char text[VIEW_NUMBER_BYTES]) {
    for (int decimals = 4; decimals >= 0; decimals--) {
        snprintf(text, VIEW_NUMBER_BYTES, "%.*e", decimals, value);
        shorten_exponent(text);
        if ((int)strlen(text) <= width) {
            return;
        }
    }
    if (fabs(value) < 1.0) {
        snprintf(text, VIEW_NUMBER_BYTES, "≈0"); // an exponent of two digits, and no room for it
    }
}

static bool write_other(double value, bool ascii, char text[VIEW_NUMBER_BYTES]) {
    const char *word = NULL;
    if (isnan(value)) {
        word = "nan";
    } else if (isinf(value)) {
        word = value < 0.0 ? (ascii ? "-inf" : "-∞") : (ascii ? "inf" : "∞");
    } else if (value == 0.0) {
        word = "0";
    }
    if (word != NULL) {
        snprintf(text, VIEW_NUMBER_BYTES, "%s", word);
    }
    return word != NULL;
}

const char *view_format_number(const ViewFormat *format, double value,
                               char text[VIEW_NUMBER_BYTES]) {
    if (write_other(value, format->ascii, text)) {
        return text;
    }
    if (format->is_int) {
        snprintf(text, VIEW_NUMBER_BYTES, "%.0f", value);
        return text;
    }
    snprintf(text, VIEW_NUMBER_BYTES, "%.*f", format->decimals, value);
    bool is_lost = fabs(value) < 5.0 * pow(10.0, -format->decimals - 1) * 2.0;
    if (is_lost || (int)strlen(text) > format->width) {
        write_exponent(value, format->width, text);
    }
    return text;
}

const char *view_number_text(double value, int width, char text[VIEW_NUMBER_BYTES]) {
    if (write_other(value, true, text)) {
        return text;
    }
    int room = width - (value < 0.0) - whole_digits(value) - 1;
    int decimals = room < 0 ? 0 : (room > MAX_DECIMALS ? MAX_DECIMALS : room);
    ViewFormat format = {.width = width, .decimals = fabs(value) < 0.001 ? 0 : decimals};
    return view_format_number(&format, value, text);
}

// ---- names

const char *view_token(const ViewState *state, int32_t id, char text[VIEW_TOKEN_BYTES]) {
    if (state->labels.token == NULL) {
        snprintf(text, VIEW_TOKEN_BYTES, "%d", id);
        return text;
    }
    return state->labels.token(state->labels.context, id, text, VIEW_TOKEN_BYTES);
}

static TensorLabels labels_of(const ViewState *state) {
    return (TensorLabels){state->tape, state->nodes, state->labels.token, state->labels.context};
}

const char *view_index_token(const ViewState *state, const Node *node, int axis, int item,
                             int index, char text[VIEW_TOKEN_BYTES]) {
    const TensorLabels labels = labels_of(state);
    return tensor_index_text(&labels, node, axis, item, index, text, VIEW_TOKEN_BYTES);
}

const char *view_row_token(const ViewState *state, const Node *node, int item, int row,
                           TensorRow how, char text[VIEW_ROW_BYTES]) {
    const TensorLabels labels = labels_of(state);
    return tensor_row_text(&labels, node, item, row, how, text, VIEW_ROW_BYTES);
}

// "norm1.weight" of "decoder.layers.0.norm1.weight".
static const char *last_two_parts(const char *name) {
    const char *start = name + strlen(name);
    for (int n_dots = 0; start > name; start--) {
        n_dots += start[-1] == '.';
        if (n_dots == 2) {
            break;
        }
    }
    return start;
}

const char *view_node_name(const Node *node) {
    if (node->name != NULL && node->name[0] != '\0') {
        return last_two_parts(node->name);
    }
    return node->stage != NULL ? node->stage : OPS[node->op]->name;
}

const char *view_node_title(const Node *node, char text[VIEW_TITLE_BYTES]) {
    const char *prefix = node->phase == PHASE_BACKWARD ? "d " : "";
    if (node->phase == PHASE_UPDATE && node->op != OP_PARAMETER) {
        prefix = "next ";
    }
    snprintf(text, VIEW_TITLE_BYTES, "%s%s", prefix, view_node_name(node));
    return text;
}

int view_compare_cells(const void *a, const void *b) {
    const ExplainCell *left = a;
    const ExplainCell *right = b;
    if (left->node->id != right->node->id) {
        return left->node->id < right->node->id ? -1 : 1;
    }
    return (left->element > right->element) - (left->element < right->element);
}

bool view_is_source(const ViewState *state, const Node *node, size_t element) {
    const ViewWorkspace *workspace = state->workspace;
    if (workspace == NULL || workspace->n_sources == 0) {
        return false;
    }
    ExplainCell wanted = {.node = node, .element = element};
    return bsearch(&wanted, workspace->sources, (size_t)workspace->n_sources, sizeof wanted,
                   view_compare_cells) != NULL;
}
