// explain_text.c - explanations as text: nine significant digits, so that redoing them gives the
// value again.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/tape/explain.h"
#include "engine/tape/expr_write.h"
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

// ---- an expression's pieces

static void append_piece(void *context, const char *piece) {
    text_append(context, "%s", piece);
}

static void append_leaf(void *context, const Expr *expr) {
    Text *text = context;
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

static void append_rest(void *context, int n_terms, double sum) {
    text_append(context, "(%d more: ", n_terms);
    write_number(context, sum);
    text_append(context, ")");
}

static void write_expr(Text *text, const Expr *expr) {
    const ExprWriter writer = {.context = text,
                               .text = append_piece,
                               .leaf = append_leaf,
                               .rest = append_rest,
                               .max_terms = text->max_terms,
                               .symbols = text->symbols};
    expr_write(&writer, expr);
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
