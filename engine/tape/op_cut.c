// op_cut.c - the same numbers in another place: rows, columns and heads cut out and put together.
#include <stdio.h>
#include <string.h>

#include "engine/tape/op.h"

static size_t row_floats(const Node *node) {
    return shape_count(&node->shape) / (size_t)node->shape.sizes[0];
}

static void copied(Explanation *explanation, const Node *from, size_t element) {
    explain_result(explanation, expr_cell(explanation, from, element), EXPLAIN_NOTE_COPIED);
}

// ---- slice_rows: rows first .. first+count of the first axis

static bool slice_rows_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    int first = node->arguments.rows.first;
    int count = node->arguments.rows.count;
    if (shape_rank(x) == 0 || first < 0 || count < 1 || first + count > x->sizes[0]) {
        return error_set(reason, "rows %d to %d are wanted, there are %d", first, first + count - 1,
                         x->sizes[0]);
    }
    Shape shape = {{0}, {0}};
    shape = shape_append(&shape, node->arguments.rows.axis, count);
    for (int i = 1; i < shape_rank(x); i++) {
        char name[4];
        shape_axis_name(x, i, name);
        shape = shape_append(&shape, name, x->sizes[i]);
    }
    node->shape = shape;
    return true;
}

static void slice_rows_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[0];
    Array from = array_at(x->array, (size_t)node->arguments.rows.first * row_floats(x));
    if (from.data != node->array.data) {
        tape->device->backend->scale(tape->device, node->array, from, 1.0F,
                                     shape_count(&node->shape));
    }
}

static void hand_on_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                          Node **contributions) {
    (void)tape;
    (void)node;
    contributions[0] = needs[0] ? dy : NULL;
}

static Node *slice_rows_join(Tape *tape, Node *whole, Node *const *parts, int n_parts) {
    OpArguments arguments = {.rows = {.first = 0, .count = whole->shape.sizes[0]}};
    shape_axis_name(&whole->shape, 0, arguments.rows.axis);
    return tape_append(tape, OP_JOIN_ROWS, NULL, parts, n_parts, &arguments);
}

static bool slice_rows_overlaps(const Node *a, const Node *b) {
    int first_a = a->arguments.rows.first;
    int first_b = b->arguments.rows.first;
    return first_a < first_b + b->arguments.rows.count &&
           first_b < first_a + a->arguments.rows.count;
}

static void slice_rows_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Node *x = node->inputs[0];
    size_t first = (size_t)node->arguments.rows.first * row_floats(x);
    copied(explanation, x, first + shape_flat(&node->shape, indices));
}

static void slice_rows_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    snprintf(text, OP_FORMULA_BYTES, "y[i] = x[%d + i]", node->arguments.rows.first);
}

const Op op_info_slice_rows = {.name = "rows",
                               .signs = {.before = "", .second = ",", .later = ",", .after = ""},
                               .formula = "y[i] = x[first + i]",
                               .write_formula = slice_rows_formula,
                               .output = OUTPUT_AS_INPUT,
                               .shape = slice_rows_shape,
                               .run = slice_rows_run,
                               .chain = hand_on_chain,
                               .join = slice_rows_join,
                               .overlaps = slice_rows_overlaps,
                               .explain = slice_rows_explain,
                               .shares_input = 0};

Node *op_slice_rows(Tape *tape, const char *name, Node *x, int first, int count, const char *axis) {
    OpArguments arguments = {.rows = {.first = first, .count = count}};
    strncpy(arguments.rows.axis, axis, sizeof arguments.rows.axis - 1);
    return tape_append(tape, OP_SLICE_ROWS, name, &x, 1, &arguments);
}

// ---- join_rows: gradients of slices, each where its slice was; 0 where none was

static int first_row(const Node *part) {
    return part->of->arguments.rows.first;
}

static bool join_rows_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape = node->inputs[0]->shape;
    node->shape.sizes[0] = node->arguments.rows.count;
    return true;
}

static void join_rows_run(const Tape *tape, const Node *node) {
    size_t width = row_floats(node);
    size_t total = (size_t)node->shape.sizes[0];
    for (size_t row = 0; row < total;) { // what no slice covers
        size_t covered = 0;
        size_t next = total;
        for (int i = 0; i < node->n_inputs; i++) {
            size_t first = (size_t)first_row(node->inputs[i]);
            size_t count = (size_t)node->inputs[i]->shape.sizes[0];
            covered = row >= first && row < first + count ? first + count - row : covered;
            next = first > row && first < next ? first : next;
        }
        if (covered == 0) {
            covered = next - row;
            tape->device->backend->fill(tape->device, array_at(node->array, row * width), 0.0F,
                                        covered * width);
        }
        row += covered;
    }
    for (int i = 0; i < node->n_inputs; i++) {
        const Node *part = node->inputs[i];
        Array to = array_at(node->array, (size_t)first_row(part) * width);
        if (to.data != part->array.data) {
            tape->device->backend->scale(tape->device, to, part->array, 1.0F,
                                         shape_count(&part->shape));
        }
    }
}

static void join_rows_explain(Explanation *explanation, const Node *node, const int *indices) {
    size_t width = row_floats(node);
    size_t element = shape_flat(&node->shape, indices);
    for (int i = 0; i < node->n_inputs; i++) {
        const Node *part = node->inputs[i];
        size_t begin = (size_t)first_row(part) * width;
        if (element >= begin && element < begin + shape_count(&part->shape)) {
            copied(explanation, part, element - begin);
            return;
        }
    }
    explain_result(explanation, expr_number(explanation, 0.0), EXPLAIN_NOTE_NOT_LOOKED_UP);
}

static void join_rows_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    enum { MOST_SHOWN = 4 };
    int length = 0;
    text[0] = '\0';
    for (int i = 0; i < node->n_inputs && i < MOST_SHOWN; i++) {
        length += snprintf(text + length, OP_FORMULA_BYTES - (size_t)length, "y[%d + i] = x%d[i], ",
                           first_row(node->inputs[i]), i);
    }
    snprintf(text + length, OP_FORMULA_BYTES - (size_t)length, "%s0 where there is no part",
             node->n_inputs > MOST_SHOWN ? "…, " : "");
}

const Op op_info_join_rows = {.name = "join rows",
                              .no_chain = "a gradient: of rows",
                              .formula = "y[first + i] = part[i], 0 where there is no part",
                              .write_formula = join_rows_formula,
                              .output = OUTPUT_AS_INPUT,
                              .shape = join_rows_shape,
                              .run = join_rows_run,
                              .explain = join_rows_explain,
                              .shares_input = -1};

// ---- columns, concat: along the last axis

static bool columns_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    if (shape_rank(x) == 0 ||
        node->arguments.columns.first + node->arguments.columns.count > shape_width(x)) {
        return op_shape_mismatch(node, reason, "rows wide enough for the columns wanted");
    }
    Shape rest = shape_without_last(x);
    node->shape = shape_append(&rest, node->arguments.columns.axis, node->arguments.columns.count);
    return true;
}

static void columns_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[0];
    tape->device->backend->columns_read(tape->device, node->array, x->array,
                                        (int)shape_rows(&node->shape), shape_width(&node->shape),
                                        node->arguments.columns.first, shape_width(&x->shape));
}

static void columns_explain(Explanation *explanation, const Node *node, const int *indices) {
    size_t element = shape_flat(&node->shape, indices);
    size_t width = (size_t)shape_width(&node->shape);
    size_t row = element / width;
    size_t column = (size_t)node->arguments.columns.first + element % width;
    copied(explanation, node->inputs[0],
           row * (size_t)shape_width(&node->inputs[0]->shape) + column);
}

static void columns_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    snprintf(text, OP_FORMULA_BYTES, "y[…,i] = x[…,%d + i]", node->arguments.columns.first);
}

const Op op_info_columns = {.name = "columns",
                            .no_chain = "a gradient: of concat",
                            .formula = "y[…,i] = x[…,first + i]",
                            .write_formula = columns_formula,
                            .shape = columns_shape,
                            .run = columns_run,
                            .explain = columns_explain,
                            .shares_input = -1};

static bool concat_shape(Node *node, Error *reason) {
    int width = 0;
    Shape rest = shape_without_last(&node->inputs[0]->shape);
    for (int i = 0; i < node->n_inputs; i++) {
        Shape other = shape_without_last(&node->inputs[i]->shape);
        if (!shape_equal(&rest, &other)) {
            return op_shape_mismatch(node, reason, "inputs that differ in their last axis only");
        }
        width += shape_width(&node->inputs[i]->shape);
    }
    node->shape = shape_append(&rest, node->arguments.columns.axis, width);
    return true;
}

static void concat_run(const Tape *tape, const Node *node) {
    int first = 0;
    for (int i = 0; i < node->n_inputs; i++) {
        int width = shape_width(&node->inputs[i]->shape);
        tape->device->backend->columns_write(tape->device, node->array, node->inputs[i]->array,
                                             (int)shape_rows(&node->shape), width, first,
                                             shape_width(&node->shape));
        first += width;
    }
}

static void concat_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                         Node **contributions) {
    int first = 0;
    for (int i = 0; i < node->n_inputs; i++) {
        const Shape *shape = &node->inputs[i]->shape;
        OpArguments arguments = {.columns = {.first = first, .count = shape_width(shape)}};
        shape_axis_name(shape, shape_rank(shape) - 1, arguments.columns.axis);
        if (needs[i]) {
            contributions[i] = tape_append(tape, OP_COLUMNS, NULL, &dy, 1, &arguments);
        }
        first += shape_width(shape);
    }
}

static void concat_explain(Explanation *explanation, const Node *node, const int *indices) {
    size_t element = shape_flat(&node->shape, indices);
    size_t total = (size_t)shape_width(&node->shape);
    size_t row = element / total;
    size_t column = element % total;
    int i = 0;
    while (column >= (size_t)shape_width(&node->inputs[i]->shape)) {
        column -= (size_t)shape_width(&node->inputs[i]->shape);
        i++;
    }
    copied(explanation, node->inputs[i],
           row * (size_t)shape_width(&node->inputs[i]->shape) + column);
}

const Op op_info_concat = {.name = "concat",
                           .signs = {.before = "", .second = "|", .later = "|", .after = ""},
                           .formula = "y = [x0 | x1 | …]",
                           .shape = concat_shape,
                           .run = concat_run,
                           .chain = concat_chain,
                           .explain = concat_explain,
                           .shares_input = -1};

Node *op_concat(Tape *tape, const char *name, Node *const *inputs, int n_inputs, const char *axis) {
    OpArguments arguments = {0};
    strncpy(arguments.columns.axis, axis, sizeof arguments.columns.axis - 1);
    return tape_append(tape, OP_CONCAT, name, inputs, n_inputs, &arguments);
}
