// view_line.c - a line of text of bounded length, put together without allocation.
#include "views/screen/view_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void write_bound(ViewLine *line, const Expr *expr, int needed) {
    bool is_signed = needed == 4 && expr->value < 0.0;
    bool wraps = expr_binding(expr) < needed || is_signed;
    view_line_text(line, wraps ? "(" : "");
    view_line_expr(line, expr);
    view_line_text(line, wraps ? ")" : "");
}

static int largest_inside(const Expr *expr) {
    int largest = 1;
    for (int i = 1; i < expr->n_terms - 1; i++) {
        bool is_larger = expr->kind == EXPR_MAX
                             ? expr->terms[i]->value > expr->terms[largest]->value
                             : fabs(expr->terms[i]->value) > fabs(expr->terms[largest]->value);
        largest = is_larger ? i : largest;
    }
    return largest;
}

// The first, the largest and the last term, and what the others sum to.
static void write_shortened(ViewLine *line, const Expr *expr, const char *joint, int needed) {
    int largest = largest_inside(expr);
    double rest = 0.0;
    for (int i = 1; i < expr->n_terms - 1; i++) {
        rest += i == largest ? 0.0 : expr->terms[i]->value;
    }
    const int shown[] = {0, largest, expr->n_terms - 1};
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            view_line_text(line, joint);
            view_line_text(line, "…");
            view_line_text(line, joint);
        }
        write_bound(line, expr->terms[shown[i]], needed);
    }
    if (expr->kind == EXPR_SUM) {
        view_line_text(line, joint);
        view_line_text(line, "(… ");
        view_line_int(line, expr->n_terms - 3);
        view_line_text(line, ": ");
        view_line_number(line, rest, NUMBER_COLUMNS);
        view_line_text(line, ")");
    }
}

static void write_list(ViewLine *line, const Expr *expr, const char *joint, int needed) {
    bool may_shorten = expr->kind == EXPR_SUM || expr->kind == EXPR_MAX;
    if (may_shorten && expr->n_terms > SHOWN_TERMS) {
        write_shortened(line, expr, joint, needed);
        return;
    }
    for (int i = 0; i < expr->n_terms; i++) {
        bool is_later_factor = expr->kind == EXPR_PRODUCT && i > 0;
        view_line_text(line, i > 0 ? joint : "");
        write_bound(line, expr->terms[i], is_later_factor ? 3 : needed);
    }
}

static void write_call(ViewLine *line, const char *name, const Expr *expr) {
    view_line_text(line, name);
    view_line_text(line, "(");
    write_list(line, expr, ", ", 0);
    view_line_text(line, ")");
}

static void write_two(ViewLine *line, const Expr *expr, const char *joint, int left, int right) {
    write_bound(line, expr->terms[0], left);
    view_line_text(line, joint);
    write_bound(line, expr->terms[1], right);
}

// A constant of the formula: the 8 of a mean over 8 is written without decimals.
static void write_constant(ViewLine *line, double value) {
    bool is_whole = fabs(value) < 1e6 && value == floor(value);
    if (is_whole) {
        view_line_int(line, (int)value);
    } else {
        view_line_number(line, value, NUMBER_COLUMNS);
    }
}

// Expressions are as deep as a formula, not as a tensor.
void view_line_expr(ViewLine *line, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_STEP:
        view_line_text(line, expr->name);
        return;
    case EXPR_NUMBER:
        write_constant(line, expr->value);
        return;
    case EXPR_CELL:
        if (expr->node->type == DATA_INT) {
            view_line_int(line, (int)expr->value);
        } else {
            view_line_number(line, expr->value, NUMBER_COLUMNS);
        }
        return;
    case EXPR_SUM:
        write_list(line, expr, " + ", 2);
        return;
    case EXPR_PRODUCT:
        write_list(line, expr, "·", 2);
        return;
    case EXPR_DIFFERENCE:
        write_two(line, expr, " - ", 1, 2);
        return;
    case EXPR_QUOTIENT:
        write_two(line, expr, " / ", 2, 3);
        return;
    case EXPR_POWER:
        write_two(line, expr, "^", 4, 4);
        return;
    case EXPR_ROOT:
        view_line_text(line, "√");
        write_bound(line, expr->terms[0], 4);
        return;
    case EXPR_EXP:
        write_call(line, "exp", expr);
        return;
    case EXPR_LOG:
        write_call(line, "ln", expr);
        return;
    case EXPR_TANH:
        write_call(line, "tanh", expr);
        return;
    case EXPR_SIN:
        write_call(line, "sin", expr);
        return;
    case EXPR_COS:
        write_call(line, "cos", expr);
        return;
    case EXPR_MAX:
        write_call(line, "max", expr);
        return;
    }
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
        char text[VIEW_TOKEN_BYTES];
        view_index_token(state, node, axis, indices[0], indices[axis], text);
        if (text[0] != '\0') {
            view_line_text(line, joint);
            view_line_text(line, text);
            joint = ", ";
        }
    }
}
