// view_line.c - a line of text of bounded length, put together without allocation.
#include "views/screen/view_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/tape/expr_write.h"

enum { NUMBER_COLUMNS = 7, SHOWN_TERMS = 12 };

void view_line_text(ViewLine *line, const char *text) {
    size_t room = sizeof line->text - 1 - line->length;
    size_t length = strlen(text);
    if (length > room) {
        length = room;
        while (length > 0 && ((unsigned char)text[length] & 0xC0U) == 0x80U) {
            length--;
        }
    }
    memcpy(line->text + line->length, text, length);
    line->length += length;
    line->text[line->length] = '\0';
}

void view_line_number(ViewLine *line, double value, int width) {
    char text[VIEW_NUMBER_BYTES];
    view_line_text(line, view_number_text(value, width, text));
}

void view_line_int(ViewLine *line, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    view_line_text(line, text);
}

// ---- expressions

// A constant of the formula: the 8 of a mean over 8 is written without decimals.
static void write_constant(ViewLine *line, double value) {
    bool is_whole = fabs(value) < 1e6 && value == floor(value);
    if (is_whole) {
        view_line_int(line, (int)value);
    } else {
        view_line_number(line, value, NUMBER_COLUMNS);
    }
}

static void append_piece(void *context, const char *piece) {
    view_line_text(context, piece);
}

static void append_leaf(void *context, const Expr *expr) {
    ViewLine *line = context;
    if (expr->kind == EXPR_STEP) {
        view_line_text(line, expr->name);
    } else if (expr->kind == EXPR_NUMBER) {
        write_constant(line, expr->value);
    } else if (node_holds_ids(expr->node)) {
        view_line_int(line, (int)expr->value);
    } else {
        view_line_number(line, expr->value, NUMBER_COLUMNS);
    }
}

static void append_rest(void *context, int n_terms, double sum) {
    view_line_text(context, "(… ");
    view_line_int(context, n_terms);
    view_line_text(context, ": ");
    view_line_number(context, sum, NUMBER_COLUMNS);
    view_line_text(context, ")");
}

void view_line_expr(ViewLine *line, const Expr *expr) {
    const ExprWriter writer = {.context = line,
                               .text = append_piece,
                               .leaf = append_leaf,
                               .rest = append_rest,
                               .max_terms = SHOWN_TERMS};
    expr_write(&writer, expr);
}

// ---- cells

void view_line_cell(ViewLine *line, const Node *node, size_t element) {
    int indices[SHAPE_MAX_RANK];
    shape_indices(&node->shape, element, indices);
    int rank = shape_rank(&node->shape);
    char title[VIEW_TITLE_BYTES];
    view_line_text(line, view_node_title(node, title));
    for (int i = 0; i < rank; i++) {
        view_line_text(line, i == 0 ? "[" : ",");
        view_line_int(line, indices[i]);
    }
    view_line_text(line, rank > 0 ? "]" : "");
}

void view_line_tokens(ViewLine *line, const ViewState *state, const Node *node, size_t element) {
    int indices[SHAPE_MAX_RANK];
    shape_indices(&node->shape, element, indices);
    int rank = shape_rank(&node->shape);
    const char *joint = " ";
    for (int axis = rank > 2 ? rank - 2 : 0; axis < rank; axis++) {
        char text[VIEW_ROW_BYTES];
        if (axis == rank - 2) {
            view_row_token(state, node, indices[0], indices[axis], TENSOR_ROW_WHOLE, text);
        } else {
            view_index_token(state, node, axis, indices[0], indices[axis], text);
        }
        if (text[0] != '\0') {
            view_line_text(line, joint);
            view_line_text(line, text);
            joint = ", ";
        }
    }
}
