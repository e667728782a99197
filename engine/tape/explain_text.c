// explain_text.c - explanations as text: nine significant digits, so that redoing them gives the
// value again.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/tape/explain.h"
#include "engine/tape/op.h"

// Text that grows in the explanation's arena.
typedef struct Text {
    Arena *arena;
    char *bytes;
    size_t length;
    size_t capacity;
    int max_terms; // EXPLAIN_ALL_TERMS: no limit
    bool symbols;  // cells by their names instead of their digits
} Text;

static void text_append(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void text_append(Text *text, const char *format, ...) {
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t space = text->capacity - text->length;
    char *end = space == 0 ? NULL : text->bytes + text->length;
    size_t added = (size_t)vsnprintf(end, space, format, arguments);
    va_end(arguments);
    if (added >= space) {
        size_t capacity = 2 * text->capacity + added + 256;
        char *bytes = arena_allocate(text->arena, capacity);
        if (text->length > 0) {
            memcpy(bytes, text->bytes, text->length);
        }
        text->bytes = bytes;
        text->capacity = capacity;
        vsnprintf(text->bytes + text->length, added + 1, format, again);
    }
    va_end(again);
    text->length += added;
}

void explain_cell_name(const Node *node, size_t element, char *text, size_t size) {
    int indices[SHAPE_MAX_RANK];
    shape_indices(&node->shape, element, indices);
    int rank = shape_rank(&node->shape);
    size_t length = node->stage != NULL
                        ? (size_t)snprintf(text, size, "%s", node->stage)
                        : (size_t)snprintf(text, size, "%s#%d", OPS[node->op]->name, node->id);
    for (int i = 0; i < rank && length < size; i++) {
        length +=
            (size_t)snprintf(text + length, size - length, "%s%d", i == 0 ? "[" : ",", indices[i]);
    }
    if (rank > 0 && length < size) {
        snprintf(text + length, size - length, "]");
    }
}

static void write_number(Text *text, double value) {
    if (isinf(value)) {
        text_append(text, value > 0.0 ? "inf" : "-inf");
        return;
    }
    text_append(text, "%.9g", value);
}

int expr_binding(const Expr *expr) {
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

static void write_expr(Text *text, const Expr *expr);

// In parentheses when it binds less than needed, or is a number with a sign under a power.
static void write_bound(Text *text, const Expr *expr, int needed) {
    bool is_signed = needed == 4 && !text->symbols && expr->value < 0.0;
    bool wrap = expr_binding(expr) < needed || is_signed;
    text_append(text, "%s", wrap ? "(" : "");
    write_expr(text, expr);
    text_append(text, "%s", wrap ? ")" : "");
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

// The first, the largest and the last term; what the others sum to.
static void write_shortened(Text *text, const Expr *expr, const char *joint, int needed) {
    int largest = largest_inside(expr);
    double rest = 0.0;
    for (int i = 1; i < expr->n_terms - 1; i++) {
        rest += i == largest ? 0.0 : expr->terms[i]->value;
    }
    write_bound(text, expr->terms[0], needed);
    text_append(text, "%s…%s", joint, joint);
    write_bound(text, expr->terms[largest], needed);
    text_append(text, "%s…%s", joint, joint);
    write_bound(text, expr->terms[expr->n_terms - 1], needed);
    if (expr->kind == EXPR_SUM) {
        text_append(text, "%s(%d more: ", joint, expr->n_terms - 3);
        write_number(text, rest);
        text_append(text, ")");
    }
}

static void write_list(Text *text, const Expr *expr, const char *joint, int needed) {
    bool may_shorten = expr->kind == EXPR_SUM || expr->kind == EXPR_MAX;
    if (may_shorten && text->max_terms != EXPLAIN_ALL_TERMS && expr->n_terms > text->max_terms) {
        write_shortened(text, expr, joint, needed);
        return;
    }
    for (int i = 0; i < expr->n_terms; i++) {
        if (i > 0) {
            text_append(text, "%s", joint);
        }
        // a · (b/c) keeps its parentheses, so that each factor is seen as one number
        bool is_later_factor = expr->kind == EXPR_PRODUCT && i > 0;
        write_bound(text, expr->terms[i], is_later_factor ? 3 : needed);
    }
}

static void write_call(Text *text, const char *name, const Expr *expr) {
    text_append(text, "%s(", name);
    write_list(text, expr, ", ", 0);
    text_append(text, ")");
}

static void write_leaf(Text *text, const Expr *expr) {
    if (expr->kind == EXPR_STEP) {
        text_append(text, "%s", expr->name);
    } else if (expr->kind == EXPR_CELL && text->symbols) {
        char name[256];
        explain_cell_name(expr->node, expr->element, name, sizeof name);
        text_append(text, "%s", name);
    } else {
        write_number(text, expr->value);
    }
}

static void write_expr(Text *text, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_CELL:
    case EXPR_NUMBER:
    case EXPR_STEP:
        write_leaf(text, expr);
        return;
    case EXPR_SUM:
        write_list(text, expr, " + ", 2);
        return;
    case EXPR_PRODUCT:
        write_list(text, expr, "·", 2);
        return;
    case EXPR_DIFFERENCE:
        write_bound(text, expr->terms[0], 1);
        text_append(text, " - ");
        write_bound(text, expr->terms[1], 2);
        return;
    case EXPR_QUOTIENT:
        write_bound(text, expr->terms[0], 2);
        text_append(text, " / ");
        write_bound(text, expr->terms[1], 3);
        return;
    case EXPR_POWER:
        write_bound(text, expr->terms[0], 4);
        text_append(text, "^");
        write_bound(text, expr->terms[1], 4);
        return;
    case EXPR_ROOT:
        text_append(text, "√");
        write_bound(text, expr->terms[0], 4);
        return;
    case EXPR_EXP:
        write_call(text, "exp", expr);
        return;
    case EXPR_LOG:
        write_call(text, "ln", expr);
        return;
    case EXPR_TANH:
        write_call(text, "tanh", expr);
        return;
    case EXPR_SIN:
        write_call(text, "sin", expr);
        return;
    case EXPR_COS:
        write_call(text, "cos", expr);
        return;
    case EXPR_MAX:
        write_call(text, "max", expr);
        return;
    }
}

const char *explain_expression_text(Explanation *explanation, const Expr *expr, int max_terms,
                                    bool symbols) {
    Text text = {.arena = &explanation->arena, .max_terms = max_terms, .symbols = symbols};
    write_expr(&text, expr);
    return text.bytes;
}

const char *explain_text(Explanation *explanation, int max_terms) {
    Text text = {.arena = &explanation->arena, .max_terms = max_terms};
    for (int i = 0; i < explanation->n_steps; i++) {
        const ExplainStep *step = &explanation->steps[i];
        if (step->name[0] == '\0') {
            char name[256];
            explain_cell_name(explanation->node, explanation->element, name, sizeof name);
            text_append(&text, "%s", name);
        } else {
            text_append(&text, "%s", step->name);
        }
        text_append(&text, " = ");
        write_expr(&text, step->value);
        bool is_leaf = step->value->n_terms == 0;
        if (!is_leaf) {
            text_append(&text, " = ");
            write_number(&text, step->value->value);
        }
        text_append(&text, "\n");
    }
    return text.bytes;
}
