// tensor_text.c - a node as lines of plain text: its numbers with the tokens they belong to, or a
// summary.
#include "views/tensor_text.h"
#include "views/formulas.h"
#include "views/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/tape/op.h"

enum { NUMBER_COLUMNS = 12, LABEL_COLUMNS = 10, TOKEN_BYTES = 48, ROW_BYTES = 104 };

void tensor_text_head(FileWriter *out, const Node *node, Language language) {
    char sizes[SHAPE_TEXT_BYTES];
    char axes[SHAPE_TEXT_BYTES];
    bool is_scalar = shape_rank(&node->shape) == 0;
    file_writer_print(out, "%s  %s  %s\n", node->stage,
                      is_scalar ? (language == LANGUAGE_ZH ? "一个数" : "one number")
                                : shape_sizes_text(&node->shape, sizes),
                      is_scalar ? "" : shape_axes_text(&node->shape, axes));
    char formula[OP_FORMULA_BYTES];
    char line[FORMULA_BYTES];
    file_writer_print(out, "  %s\n",
                      formula_line(node->op, op_formula(node, formula), language, line));
}

static void write_number(FileWriter *out, const Tape *tape, const Node *node, size_t element) {
    if (node_holds_ids(node)) {
        file_writer_print(out, "%*d", NUMBER_COLUMNS, tape_ids(tape, node)[element]);
        return;
    }
    char text[32];
    snprintf(text, sizeof text, "%.5g", (double)tape_values(tape, node)[element]);
    file_writer_print(out, "%*s", NUMBER_COLUMNS, text);
}

const char *tensor_index_text(const TensorLabels *labels, const Node *node, int axis, int item,
                              int index, char *text, size_t size) {
    int32_t id = index;
    char name[4];
    text[0] = '\0';
    if (axis < 0 || labels->nodes == NULL || labels->token == NULL) {
        return text;
    }
    shape_axis_name(&node->shape, axis, name);
    if (strcmp(name, "V") == 0 || tape_id_at(labels->tape, node, axis, item, index, &id)) {
        labels->token(labels->context, id, text, size);
    }
    return text;
}

const char *tensor_row_text(const TensorLabels *labels, const Node *node, int item, int row,
                            TensorRow how, char *text, size_t size) {
    tensor_index_text(labels, node, shape_rank(&node->shape) - 2, item, row, text, size);
    if (text[0] == '\0' || !node_crosses(node)) {
        return text;
    }
    char next[TOKEN_BYTES] = "?";
    int32_t id = 0;
    if (tape_next_id_at(labels->tape, node, item, row, &id)) {
        labels->token(labels->context, id, next, sizeof next);
    }
    size_t length = how == TENSOR_ROW_WHOLE ? strlen(text) : 0;
    snprintf(text + length, size - length, "%s→ %s", length > 0 ? " " : "", next);
    return text;
}

static int padding(const char *text, int columns) {
    int seen = text_columns(text);
    return columns > seen ? columns - seen : 1;
}

// Columns of the widest name of a row and a space, at least LABEL_COLUMNS.
static int columns_of_rows(const Node *node, const TensorLabels *labels, int b, int n_rows) {
    int columns = LABEL_COLUMNS;
    for (int row = 0; row < n_rows && shape_rank(&node->shape) >= 2; row++) {
        char text[ROW_BYTES];
        int seen =
            text_columns(tensor_row_text(labels, node, b, row, TENSOR_ROW_WHOLE, text, ROW_BYTES));
        columns = seen >= columns ? seen + 1 : columns;
    }
    return columns;
}

static void write_columns(FileWriter *out, const Node *node, const TensorLabels *labels, int b,
                          int n_columns, int row_columns) {
    char text[TOKEN_BYTES];
    int axis = shape_rank(&node->shape) - 1;
    bool is_labelled = axis >= 0 && !node_holds_ids(node);
    if (!is_labelled || tensor_index_text(labels, node, axis, b, 0, text, sizeof text)[0] == '\0') {
        return;
    }
    const char *corner = node_crosses(node) ? "reads → writes" : "";
    file_writer_print(out, "    %s%*s", corner, padding(corner, row_columns), "");
    for (int column = 0; column < n_columns; column++) {
        tensor_index_text(labels, node, axis, b, column, text, sizeof text);
        file_writer_print(out, "%*s%s", padding(text, NUMBER_COLUMNS), "", text);
    }
    file_writer_text(out, "\n");
}

static void write_matrix(FileWriter *out, const Node *node, const TensorLabels *labels,
                         size_t begin, int b, int n_rows, int n_columns) {
    int rank = shape_rank(&node->shape);
    int row_columns = columns_of_rows(node, labels, b, n_rows);
    write_columns(out, node, labels, b, n_columns, row_columns);
    for (int row = 0; row < n_rows; row++) {
        char text[ROW_BYTES] = "";
        if (rank >= 2) {
            tensor_row_text(labels, node, rank > 2 ? b : row, row, TENSOR_ROW_WHOLE, text,
                            sizeof text);
        }
        file_writer_print(out, "    %s%*s", text, padding(text, row_columns), "");
        for (int column = 0; column < n_columns; column++) {
            write_number(out, labels->tape, node,
                         begin + (size_t)row * (size_t)n_columns + (size_t)column);
        }
        file_writer_text(out, "\n");
    }
}

// "[item 1, head 0]" over each matrix of a tensor of more than two axes.
static void write_place(FileWriter *out, const Node *node, const int *indices, int n_outer) {
    file_writer_text(out, "  [");
    for (int i = 0; i < n_outer; i++) {
        char name[4];
        shape_axis_name(&node->shape, i, name);
        const char *word = strcmp(name, "B") == 0 ? "item" : strcmp(name, "H") == 0 ? "head" : name;
        file_writer_print(out, "%s%s %d", i == 0 ? "" : ", ", word, indices[i]);
    }
    file_writer_text(out, "]\n");
}

void tensor_text_numbers(FileWriter *out, const Node *node, const TensorLabels *labels) {
    int rank = shape_rank(&node->shape);
    int n_columns = shape_width(&node->shape);
    int n_rows = rank >= 2 ? node->shape.sizes[rank - 2] : 1;
    size_t size = (size_t)n_rows * (size_t)n_columns;
    size_t n_matrices = shape_count(&node->shape) / size;
    for (size_t i = 0; i < n_matrices; i++) {
        int indices[SHAPE_MAX_RANK];
        shape_indices(&node->shape, i * size, indices);
        if (rank > 2) {
            write_place(out, node, indices, rank - 2);
        }
        write_matrix(out, node, labels, i * size, rank > 2 ? indices[0] : 0, n_rows, n_columns);
    }
}

TensorRange tensor_text_range(const Tape *tape, const Node *node) {
    TensorRange range = {.min = INFINITY, .max = -INFINITY};
    size_t count = shape_count(&node->shape);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        double value = tape_number(tape, node, i);
        if (!isfinite(value)) {
            range.n_other++;
            continue;
        }
        range.min = fmin(range.min, value);
        range.max = fmax(range.max, value);
        sum += value;
        range.n_finite++;
    }
    range.mean = range.n_finite > 0 ? sum / (double)range.n_finite : 0.0;
    return range;
}

// First and last two numbers of a row.
static void write_ends(FileWriter *out, const Tape *tape, const Node *node, size_t begin,
                       size_t width) {
    file_writer_text(out, "    ");
    for (size_t i = 0; i < width; i++) {
        if (width > 6 && i == 3) {
            file_writer_text(out, "          …");
            i = width - 3;
        }
        write_number(out, tape, node, begin + i);
    }
    file_writer_text(out, "\n");
}

void tensor_text_summary(FileWriter *out, const Tape *tape, const Node *node) {
    TensorRange range = tensor_text_range(tape, node);
    size_t width = (size_t)shape_width(&node->shape);
    size_t rows = shape_count(&node->shape) / width;
    file_writer_print(out, "  %zu numbers: minimum %.6g, maximum %.6g, mean %.6g",
                      shape_count(&node->shape), range.min, range.max, range.mean);
    if (range.n_other > 0) {
        file_writer_print(out, ", %zu not finite", range.n_other);
    }
    file_writer_text(out, "; first and last row:\n");
    write_ends(out, tape, node, 0, width);
    if (rows > 1) {
        write_ends(out, tape, node, (rows - 1) * width, width);
    }
}
