// explain.c - the arithmetic behind one number, as an expression over the cells it came from.
#include "engine/tape/explain.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/op.h"

static Expr *expr_new(Explanation *explanation, ExprKind kind, double value) {
    Expr *expr = arena_allocate(&explanation->arena, sizeof *expr);
    expr->kind = kind;
    expr->value = value;
    return expr;
}

const Expr *expr_cell(Explanation *explanation, const Node *node, size_t element) {
    assert(element < shape_count(&node->shape));
    Expr *expr = expr_new(explanation, EXPR_CELL, tape_number(explanation->tape, node, element));
    expr->node = node;
    expr->element = element;
    return expr;
}

const Expr *expr_cell_at(Explanation *explanation, const Node *node, const int *indices) {
    return expr_cell(explanation, node, shape_flat(&node->shape, indices));
}

const Expr *expr_number(Explanation *explanation, double value) {
    return expr_new(explanation, EXPR_NUMBER, value);
}

const Expr *expr_statistic(Explanation *explanation, double value, const Node *node,
                           size_t element) {
    Expr *expr = expr_new(explanation, EXPR_NUMBER, value);
    expr->node = node;
    expr->element = element;
    return expr;
}

static double fold(ExprKind kind, double a, double b) {
    switch (kind) {
    case EXPR_SUM:
        return a + b;
    case EXPR_PRODUCT:
        return a * b;
    case EXPR_MAX:
        return fmax(a, b);
    case EXPR_DIFFERENCE:
        return a - b;
    case EXPR_QUOTIENT:
        return a / b;
    case EXPR_POWER:
        return pow(a, b);
    case EXPR_ROOT:
    case EXPR_EXP:
    case EXPR_LOG:
    case EXPR_TANH:
    case EXPR_SIN:
    case EXPR_COS:
    case EXPR_CELL:
    case EXPR_NUMBER:
    case EXPR_STEP:
        break;
    }
    return a; // not an expression of two terms
}

static double apply(ExprKind kind, double a) {
    switch (kind) {
    case EXPR_ROOT:
        return sqrt(a);
    case EXPR_EXP:
        return exp(a);
    case EXPR_LOG:
        return log(a);
    case EXPR_TANH:
        return tanh(a);
    case EXPR_SIN:
        return sin(a);
    case EXPR_COS:
        return cos(a);
    case EXPR_SUM:
    case EXPR_PRODUCT:
    case EXPR_MAX:
    case EXPR_DIFFERENCE:
    case EXPR_QUOTIENT:
    case EXPR_POWER:
    case EXPR_CELL:
    case EXPR_NUMBER:
    case EXPR_STEP:
        break;
    }
    return a; // a sum, product or maximum of one
}

const Expr *expr_of(Explanation *explanation, ExprKind kind, const Expr *const *terms,
                    int n_terms) {
    assert(n_terms >= 1);
    Expr *expr = expr_new(explanation, kind, terms[0]->value);
    size_t size_bytes = (size_t)n_terms * sizeof(Expr *);
    expr->terms = arena_allocate(&explanation->arena, size_bytes);
    expr->n_terms = n_terms;
    memcpy(expr->terms, terms, size_bytes);
    if (n_terms == 1) {
        expr->value = apply(kind, terms[0]->value);
    }
    for (int i = 1; i < n_terms; i++) {
        expr->value = fold(kind, expr->value, terms[i]->value);
    }
    return expr;
}

const Expr *expr_two(Explanation *explanation, ExprKind kind, const Expr *a, const Expr *b) {
    const Expr *terms[] = {a, b};
    return expr_of(explanation, kind, terms, 2);
}

const Expr *expr_one(Explanation *explanation, ExprKind kind, const Expr *a) {
    return expr_of(explanation, kind, &a, 1);
}

void expr_list_append(Explanation *explanation, ExprList *list, const Expr *term) {
    if (list->count == list->capacity) {
        int capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
        const Expr **terms = arena_allocate(&explanation->arena, (size_t)capacity * sizeof(Expr *));
        if (list->count > 0) {
            memcpy(terms, list->terms, (size_t)list->count * sizeof(Expr *));
        }
        list->terms = terms;
        list->capacity = capacity;
    }
    list->terms[list->count++] = term;
}

const Expr *expr_list_close(Explanation *explanation, const ExprList *list, ExprKind kind) {
    return list->count == 1 ? list->terms[0] : expr_of(explanation, kind, list->terms, list->count);
}

const Expr *explain_step(Explanation *explanation, const char *name, const Expr *value) {
    assert(explanation->n_steps < EXPLAIN_MAX_STEPS - 1);
    explanation->steps[explanation->n_steps++] = (ExplainStep){name, value};
    Expr *expr = expr_new(explanation, EXPR_STEP, value->value);
    expr->name = name;
    return expr;
}

void explain_result(Explanation *explanation, const Expr *value, ExplainNote note) {
    explanation->steps[explanation->n_steps++] = (ExplainStep){"", value};
    explanation->note = note;
}

bool explain_is_given(const Explanation *explanation) {
    return explanation->note == EXPLAIN_NOTE_GIVEN || explanation->note == EXPLAIN_NOTE_CARRIED;
}

void explain_cell(Explanation *explanation, const Tape *tape, const Node *node, size_t element) {
    assert(element < shape_count(&node->shape));
    Arena arena = explanation->arena;
    arena_clear(&arena);
    *explanation = (Explanation){.arena = arena, .tape = tape, .node = node, .element = element};
    char formula[OP_FORMULA_BYTES];
    explanation->formula = arena_text(&explanation->arena, op_formula(node, formula));
    explanation->stored = (float)tape_number(tape, node, element);
    int indices[SHAPE_MAX_RANK];
    shape_indices(&node->shape, element, indices);
    OPS[node->op]->explain(explanation, node, indices);
    double computed = explanation->steps[explanation->n_steps - 1].value->value;
    double allowed = 1e-3 * fmax(1.0, fabs(computed));
    if (node->edited && fabs(computed - (double)explanation->stored) > allowed) {
        explanation->note = EXPLAIN_NOTE_EDITED;
    }
}

void explain_free(Explanation *explanation) {
    arena_free(&explanation->arena);
    *explanation = (Explanation){0};
}

// ---- the cells

typedef struct Found {
    ExplainCell cell;
    int order;
} Found;

typedef struct FoundList {
    Found *items;
    int count;
    int capacity;
} FoundList;

static void found_append(FoundList *list, const Expr *expr, double weight) {
    if (list->count == list->capacity) {
        int capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
        Found *items = realloc(list->items, (size_t)capacity * sizeof *items);
        if (items == NULL) {
            return;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count] =
        (Found){{expr->node, expr->element, weight, expr->kind == EXPR_NUMBER}, list->count};
    list->count++;
}

// Expressions are as deep as a formula, not as a tensor.
static void collect(FoundList *list, const Expr *expr, double weight) {
    if (expr->node != NULL) {
        found_append(list, expr, weight);
    }
    for (int i = 0; i < expr->n_terms; i++) {
        bool is_term = expr->kind == EXPR_SUM;
        collect(list, expr->terms[i], is_term ? fabs(expr->terms[i]->value) : weight);
    }
}

static int by_cell(const void *a, const void *b) {
    const Found *left = a;
    const Found *right = b;
    if (left->cell.node->id != right->cell.node->id) {
        return left->cell.node->id - right->cell.node->id;
    }
    if (left->cell.element != right->cell.element) {
        return left->cell.element < right->cell.element ? -1 : 1;
    }
    return left->order - right->order;
}

static int by_order(const void *a, const void *b) {
    return ((const Found *)a)->order - ((const Found *)b)->order;
}

static int by_weight(const void *a, const void *b) {
    double left = ((const Found *)a)->cell.weight;
    double right = ((const Found *)b)->cell.weight;
    return left > right ? -1 : left < right ? 1 : by_order(a, b);
}

// The cells in the place of a normalized one go before all others, by the same order.
static void raise_own(const Explanation *explanation, Found *items, int count) {
    if (!OPS[explanation->node->op]->normalizes) {
        return;
    }
    const Shape *shape = &explanation->node->shape;
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, items[i].cell.weight);
    }
    for (int i = 0; i < count; i++) {
        const ExplainCell *cell = &items[i].cell;
        if (cell->element == explanation->element && shape_equal(&cell->node->shape, shape)) {
            double part = largest > 0.0 ? cell->weight / largest : 0.0;
            items[i].cell.weight = largest * (1.0 + 1e-9 * (1.0 + part)) + DBL_MIN;
        }
    }
}

int explain_cells(const Explanation *explanation, ExplainCell *cells, int max, bool by_size) {
    FoundList list = {0};
    for (int i = explanation->n_steps - 1; i >= 0; i--) { // the cell itself first
        const Expr *value = explanation->steps[i].value;
        collect(&list, value, fabs(value->value));
    }
    if (list.count == 0) {
        return 0;
    }
    qsort(list.items, (size_t)list.count, sizeof *list.items, by_cell);
    int count = 0;
    for (int i = 0; i < list.count; i++) {
        const ExplainCell *cell = &list.items[i].cell;
        bool is_new = count == 0 || list.items[count - 1].cell.node != cell->node ||
                      list.items[count - 1].cell.element != cell->element;
        if (is_new) {
            list.items[count++] = list.items[i];
        }
    }
    raise_own(explanation, list.items, count);
    qsort(list.items, (size_t)count, sizeof *list.items, by_size ? by_weight : by_order);
    for (int i = 0; i < count && i < max; i++) {
        cells[i] = list.items[i].cell;
    }
    free(list.items);
    return count;
}
