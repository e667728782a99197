// tensor_table.c - a node's numbers as lines to be read aloud: every row and every column has its
// number and its token, and no line is wider than the reader's.
#include "views/tensor_table.h"

#include <stdio.h>
#include <string.h>

#include "views/text.h"

enum { INDENT = 4, MIN_COLUMNS = 11, MAX_LABEL = 24, MAX_ROW_LABEL = 30, LABEL_BYTES = 136 };

typedef struct Table {
    FileWriter *out;
    const Node *node;
    const TensorLabels *labels;
    bool zh;
    int item; // of the batch, whose tokens stand at positions
    int n_rows, n_columns;
    int label_columns, number_columns;
    int width;
} Table;

static bool is_row(const Node *node, int axis) {
    return axis == shape_rank(&node->shape) - 2;
}

static void axis_name(const Node *node, int axis, char name[4]) {
    shape_axis_name(&node->shape, axis, name);
}

// "2 run", or "item 1" where the axis counts the texts.
static const char *label_of(const Table *table, int axis, int index, char text[LABEL_BYTES]) {
    char name[4];
    char token[LABEL_BYTES - 16];
    axis_name(table->node, axis, name);
    if (strcmp(name, "B") == 0) {
        snprintf(text, LABEL_BYTES, table->zh ? "第 %d 句" : "item %d", index);
        return text;
    }
    token[0] = '\0';
    if (!node_holds_ids(table->node) && is_row(table->node, axis)) {
        tensor_row_text(table->labels, table->node, table->item, index, TENSOR_ROW_WHOLE, token,
                        sizeof token);
    } else if (!node_holds_ids(table->node)) {
        tensor_index_text(table->labels, table->node, axis, table->item, index, token,
                          sizeof token);
    }
    snprintf(text, LABEL_BYTES, "%d%s%s", index, token[0] == '\0' ? "" : " ", token);
    return text;
}

// An id stands with its word.
static const char *number_text(const Table *table, size_t element, char text[LABEL_BYTES]) {
    const Node *node = table->node;
    if (!node_holds_ids(node)) {
        float value = tape_values(table->labels->tape, node)[element];
        snprintf(text, LABEL_BYTES, "%.5g", (double)value);
        return text;
    }
    int32_t id = tape_ids(table->labels->tape, node)[element];
    char token[LABEL_BYTES - 16] = "";
    bool is_token =
        node->role == ROLE_TOKENS || node->role == ROLE_LABELS || node->role == ROLE_CLASSES;
    if (is_token && table->labels->nodes != NULL && id >= 0) {
        table->labels->token(table->labels->context, id, token, sizeof token);
    }
    snprintf(text, LABEL_BYTES, "%d%s%s", id, token[0] == '\0' ? "" : " ", token);
    return text;
}

// Right-aligned in so many columns, or cut to them.
static void write_cell(FileWriter *out, const char *text, int columns) {
    int used = 0;
    size_t length = text_fit(text, columns, &used);
    file_writer_print(out, "%*s%.*s", columns - used, "", (int)length, text);
}

static int widest(int a, const char *text) {
    int columns = text_columns(text);
    return columns > a ? columns : a;
}

// Over the names of the rows: what they say.
static const char *corner_of(const Table *table) {
    if (!node_crosses(table->node)) {
        return "";
    }
    return table->zh ? "读到 → 写出" : "reads → writes";
}

static void measure(Table *table, size_t begin) {
    char text[LABEL_BYTES];
    int rank = shape_rank(&table->node->shape);
    int number = MIN_COLUMNS - 1;
    int label = text_columns(corner_of(table));
    for (int column = 0; column < table->n_columns; column++) {
        number = rank > 0 ? widest(number, label_of(table, rank - 1, column, text)) : number;
        for (int row = 0; row < table->n_rows && node_holds_ids(table->node); row++) {
            size_t at = begin + (size_t)row * (size_t)table->n_columns + (size_t)column;
            number = widest(number, number_text(table, at, text));
        }
    }
    for (int row = 0; row < table->n_rows && rank > 1; row++) {
        label = widest(label, label_of(table, rank - 2, row, text));
    }
    table->number_columns = (number > MAX_LABEL ? MAX_LABEL : number) + 1;
    table->label_columns = label > MAX_ROW_LABEL ? MAX_ROW_LABEL : label;
}

// Columns first .. end of all rows.
static void write_part(const Table *table, size_t begin, int first, int end) {
    FileWriter *out = table->out;
    int rank = shape_rank(&table->node->shape);
    char text[LABEL_BYTES];
    if (rank > 0) {
        const char *corner = corner_of(table);
        file_writer_print(out, "%*s%s%*s", INDENT, "", corner,
                          table->label_columns - text_columns(corner), "");
        for (int column = first; column < end; column++) {
            file_writer_text(out, " ");
            write_cell(out, label_of(table, rank - 1, column, text), table->number_columns - 1);
        }
        file_writer_text(out, "\n");
    }
    for (int row = 0; row < table->n_rows; row++) {
        const char *label = rank > 1 ? label_of(table, rank - 2, row, text) : "";
        int used = 0;
        size_t length = text_fit(label, table->label_columns, &used);
        file_writer_print(out, "%*s%.*s%*s", INDENT, "", (int)length, label,
                          table->label_columns - used, "");
        for (int column = first; column < end; column++) {
            size_t at = begin + (size_t)row * (size_t)table->n_columns + (size_t)column;
            file_writer_text(out, " ");
            write_cell(out, number_text(table, at, text), table->number_columns - 1);
        }
        file_writer_text(out, "\n");
    }
}

// "[item 1, head 0]" over each matrix of a tensor of more than two axes.
static void write_place(const Table *table, const int *indices, int n_outer, const char *columns) {
    file_writer_text(table->out, "  [");
    for (int i = 0; i < n_outer; i++) {
        char name[4];
        char text[LABEL_BYTES];
        axis_name(table->node, i, name);
        bool is_item = strcmp(name, "B") == 0;
        bool is_head = strcmp(name, "H") == 0;
        if (is_item) {
            snprintf(text, sizeof text, table->zh ? "第 %d 句" : "item %d", indices[i]);
        } else if (is_head) {
            snprintf(text, sizeof text, table->zh ? "头 %d" : "head %d", indices[i]);
        } else {
            snprintf(text, sizeof text, "%s %d", name, indices[i]);
        }
        file_writer_print(table->out, "%s%s", i == 0 ? "" : ", ", text);
    }
    file_writer_print(table->out, "%s%s]\n", n_outer > 0 && columns[0] != '\0' ? ", " : "",
                      columns);
}

static void write_matrix(Table *table, size_t begin, const int *indices, int n_outer) {
    measure(table, begin);
    int room = table->width - INDENT - table->label_columns;
    int n = room / table->number_columns < 1 ? 1 : room / table->number_columns;
    for (int first = 0; first < table->n_columns; first += n) {
        int end = first + n < table->n_columns ? first + n : table->n_columns;
        char columns[LABEL_BYTES] = "";
        if (end - first < table->n_columns) {
            snprintf(columns, sizeof columns, table->zh ? "第 %d 到 %d 列" : "columns %d to %d",
                     first, end - 1);
        }
        if (n_outer > 0 || columns[0] != '\0') {
            write_place(table, indices, n_outer, columns);
        }
        write_part(table, begin, first, end);
    }
}

// Whether a matrix is of that item and head; -1 is any.
static bool is_part(const Node *node, const int *indices, int n_outer, int item, int head) {
    for (int i = 0; i < n_outer; i++) {
        char name[4];
        axis_name(node, i, name);
        bool is_other = (strcmp(name, "B") == 0 && item >= 0 && indices[i] != item) ||
                        (strcmp(name, "H") == 0 && head >= 0 && indices[i] != head);
        if (is_other) {
            return false;
        }
    }
    return true;
}

void tensor_table_numbers(FileWriter *out, const Node *node, const TensorLabels *labels,
                          Language language, int width) {
    tensor_table_part(out, node, labels, language, width, -1, -1);
}

size_t tensor_table_part(FileWriter *out, const Node *node, const TensorLabels *labels,
                         Language language, int width, int item, int head) {
    int rank = shape_rank(&node->shape);
    Table table = {.out = out,
                   .node = node,
                   .labels = labels,
                   .zh = language == LANGUAGE_ZH,
                   .n_rows = rank >= 2 ? node->shape.sizes[rank - 2] : 1,
                   .n_columns = shape_width(&node->shape),
                   .width = width};
    size_t size = (size_t)table.n_rows * (size_t)table.n_columns;
    size_t n_matrices = shape_count(&node->shape) / size;
    size_t n_told = 0;
    for (size_t i = 0; i < n_matrices; i++) {
        int indices[SHAPE_MAX_RANK];
        int n_outer = rank > 2 ? rank - 2 : 0;
        shape_indices(&node->shape, i * size, indices);
        if (!is_part(node, indices, n_outer, item, head)) {
            continue;
        }
        n_told += size;
        if (out != NULL) {
            table.item = rank > 2 ? indices[0] : 0;
            write_matrix(&table, i * size, indices, n_outer);
        }
    }
    return n_told;
}

// The first and the last three numbers of a row.
static void write_ends(const Table *table, size_t begin, size_t width) {
    enum { ENDS = 3 };
    char text[LABEL_BYTES];
    file_writer_text(table->out, "   ");
    for (size_t i = 0; i < width; i++) {
        if (width > 2 * ENDS && i == ENDS) {
            file_writer_print(table->out, table->zh ? " ……中间还有 %zu 个……" : " ... %zu more ...",
                              width - (size_t)(2 * ENDS));
            i = width - ENDS;
        }
        file_writer_print(table->out, " %s", number_text(table, begin + i, text));
    }
    file_writer_text(table->out, "\n");
}

void tensor_table_summary(FileWriter *out, const Tape *tape, const Node *node, Language language) {
    const TensorLabels labels = {.tape = tape};
    bool zh = language == LANGUAGE_ZH;
    const Table table = {.out = out, .node = node, .labels = &labels, .zh = zh};
    TensorRange range = tensor_text_range(tape, node);
    size_t width = (size_t)shape_width(&node->shape);
    size_t rows = shape_count(&node->shape) / width;
    file_writer_print(out,
                      zh ? "  共 %zu 个数：最小 %.6g，最大 %.6g，平均 %.6g"
                         : "  %zu numbers: minimum %.6g, maximum %.6g, mean %.6g",
                      shape_count(&node->shape), range.min, range.max, range.mean);
    if (range.n_other > 0) {
        file_writer_print(out, zh ? "；%zu 个不是有限的数" : "; %zu are not finite", range.n_other);
    }
    file_writer_text(out, zh ? "\n  第一行：\n" : "\n  first row:\n");
    write_ends(&table, 0, width);
    if (rows > 1) {
        file_writer_text(out, zh ? "  最后一行：\n" : "  last row:\n");
        write_ends(&table, (rows - 1) * width, width);
    }
}
