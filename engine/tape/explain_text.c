// explain_text.c - explanations as text: nine significant digits, so that redoing them gives the
// value again.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/tape/explain.h"
#include "engine/tape/expr_write.h"
#include "engine/tape/op.h"
#include "engine/base/plain_nan.h"

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

static void write_number(Buffer *text, double value) {
    if (isinf(value)) {
        buffer_format(text, value > 0.0 ? "inf" : "-inf");
        return;
    }
    buffer_format(text, "%.9g", plain_nan(value));
}

// ---- an expression's pieces

static void append_piece(void *context, const char *piece) {
    buffer_append_text(context, piece);
}

static void append_leaf(void *context, const Expr *expr) {
    if (expr->kind == EXPR_STEP) {
        buffer_append_text(context, expr->name);
    } else {
        write_number(context, expr->value);
    }
}

static void append_rest(void *context, int n_terms, double sum) {
    buffer_format(context, "(%d more: ", n_terms);
    write_number(context, sum);
    buffer_format(context, ")");
}

const char *explain_text(Explanation *explanation, int max_terms) {
    Buffer text = {NULL, 0, 0};
    const ExprWriter writer = {.context = &text,
                               .text = append_piece,
                               .leaf = append_leaf,
                               .rest = append_rest,
                               .max_terms = max_terms};
    for (int i = 0; i < explanation->n_steps; i++) {
        const ExplainStep *step = &explanation->steps[i];
        if (step->name[0] == '\0') {
            char name[256];
            explain_cell_name(explanation->node, explanation->element, name, sizeof name);
            buffer_append_text(&text, name);
        } else {
            buffer_append_text(&text, step->name);
        }
        buffer_append_text(&text, " = ");
        expr_write(&writer, step->value);
        bool is_leaf = step->value->n_terms == 0;
        if (!is_leaf) {
            buffer_append_text(&text, " = ");
            write_number(&text, step->value->value);
        }
        buffer_append_text(&text, "\n");
    }
    const char *kept = arena_text(&explanation->arena, text.length > 0 ? text.bytes : "");
    buffer_free(&text);
    return kept;
}
