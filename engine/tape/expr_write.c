// expr_write.c - writes an expression the way it is read: signs, parentheses, what is left out.
#include "engine/tape/expr_write.h"

#include <math.h>

// How tightly an expression binds when it is written: 1 sums, 2 products, 3 powers, 4 what needs no
// parentheses.
static int binding(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_SUM:
    case EXPR_DIFFERENCE:
        return 1;
    case EXPR_PRODUCT:
    case EXPR_QUOTIENT:
        return 2;
    case EXPR_POWER:
        return 3;
    case EXPR_CELL:
    case EXPR_NUMBER:
    case EXPR_STEP:
    case EXPR_ROOT:
    case EXPR_EXP:
    case EXPR_LOG:
    case EXPR_TANH:
    case EXPR_SIN:
    case EXPR_COS:
    case EXPR_MAX:
        break;
    }
    return 4;
}

// In parentheses when it binds less than needed, or is a number with a sign under a power.
static void write_bound(const ExprWriter *writer, const Expr *expr, int needed) {
    const bool is_signed = needed == 4 && expr->value < 0.0;
    const bool wraps = binding(expr) < needed || is_signed;
    writer->text(writer->context, wraps ? "(" : "");
    expr_write(writer, expr);
    writer->text(writer->context, wraps ? ")" : "");
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
static void write_shortened(const ExprWriter *writer, const Expr *expr, const char *joint,
                            int needed) {
    const int largest = largest_inside(expr);
    double rest = 0.0;
    for (int i = 1; i < expr->n_terms - 1; i++) {
        rest += i == largest ? 0.0 : expr->terms[i]->value;
    }
    const int shown[] = {0, largest, expr->n_terms - 1};
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            writer->text(writer->context, joint);
            writer->text(writer->context, "…");
            writer->text(writer->context, joint);
        }
        write_bound(writer, expr->terms[shown[i]], needed);
    }
    if (expr->kind == EXPR_SUM) {
        writer->text(writer->context, joint);
        writer->rest(writer->context, expr->n_terms - 3, rest);
    }
}

static void write_list(const ExprWriter *writer, const Expr *expr, const char *joint, int needed) {
    const bool may_shorten = expr->kind == EXPR_SUM || expr->kind == EXPR_MAX;
    if (may_shorten && writer->max_terms != EXPLAIN_ALL_TERMS &&
        expr->n_terms > writer->max_terms) {
        write_shortened(writer, expr, joint, needed);
        return;
    }
    for (int i = 0; i < expr->n_terms; i++) {
        // a · (b/c) keeps its parentheses, so that each factor is seen as one number
        const bool is_later_factor = expr->kind == EXPR_PRODUCT && i > 0;
        writer->text(writer->context, i > 0 ? joint : "");
        write_bound(writer, expr->terms[i], is_later_factor ? 3 : needed);
    }
}

static void write_call(const ExprWriter *writer, const char *name, const Expr *expr) {
    writer->text(writer->context, name);
    writer->text(writer->context, "(");
    write_list(writer, expr, ", ", 0);
    writer->text(writer->context, ")");
}

static void write_two(const ExprWriter *writer, const Expr *expr, const char *joint, int left,
                      int right) {
    write_bound(writer, expr->terms[0], left);
    writer->text(writer->context, joint);
    write_bound(writer, expr->terms[1], right);
}

void expr_write(const ExprWriter *writer, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_CELL:
    case EXPR_NUMBER:
    case EXPR_STEP:
        writer->leaf(writer->context, expr);
        return;
    case EXPR_SUM:
        write_list(writer, expr, " + ", 2);
        return;
    case EXPR_PRODUCT:
        write_list(writer, expr, "·", 2);
        return;
    case EXPR_DIFFERENCE:
        write_two(writer, expr, " - ", 1, 2);
        return;
    case EXPR_QUOTIENT:
        write_two(writer, expr, " / ", 2, 3);
        return;
    case EXPR_POWER:
        write_two(writer, expr, "^", 4, 4);
        return;
    case EXPR_ROOT:
        writer->text(writer->context, "√");
        write_bound(writer, expr->terms[0], 4);
        return;
    case EXPR_EXP:
        write_call(writer, "exp", expr);
        return;
    case EXPR_LOG:
        write_call(writer, "ln", expr);
        return;
    case EXPR_TANH:
        write_call(writer, "tanh", expr);
        return;
    case EXPR_SIN:
        write_call(writer, "sin", expr);
        return;
    case EXPR_COS:
        write_call(writer, "cos", expr);
        return;
    case EXPR_MAX:
        write_call(writer, "max", expr);
        return;
    }
}
