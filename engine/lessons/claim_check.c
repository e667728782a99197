// claim_check.c - evaluates a claim on the numbers that are there: every index that a * stands for.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "engine/lessons/claim_private.h"

enum { MAX_STARS = SHAPE_MAX_RANK, MAX_COMBINATIONS = 1000000 };

// One number, or those along ":".
typedef struct Row {
    double *values;
    int n;
} Row;

typedef struct Check {
    const Claim *claim;
    const ClaimWorld *world;
    Arena *arena;  // of what is found
    Arena scratch; // of one combination
    int n_stars;   // over how many indices * runs
    int sizes[MAX_STARS];
    int at[MAX_STARS]; // the present combination
    Error *err;
} Check;

static bool evaluate(Check *check, const ClaimTerm *term, Row *row);

static Row new_row(Check *check, int n) {
    return (Row){arena_allocate(&check->scratch, (size_t)(n > 0 ? n : 1) * sizeof(double)), n};
}

static Row one_number(Check *check, double value) {
    Row row = new_row(check, 1);
    row.values[0] = value;
    return row;
}

static bool find_stage(Check *check, const ClaimTerm *term, ClaimStage *stage) {
    const ClaimWorld *world = check->world;
    if (!world->stage(world->context, term->name, term->moment, stage, check->err)) {
        return false;
    }
    int rank = shape_rank(&stage->shape);
    if (rank != term->n_indices) {
        return error_set(check->err, "%s has %d axes, found %d indices", term->name, rank,
                         term->n_indices);
    }
    return true;
}

// Index i of a cell, checked; a star takes the present combination's.
static bool index_of(Check *check, const ClaimTerm *term, const Shape *shape, int i, int *star,
                     int *index) {
    int size = shape->sizes[i];
    int given = term->indices[i];
    if (given == INDEX_AXIS) {
        *index = 0;
        return true;
    }
    *index = given == INDEX_EVERY ? check->at[(*star)++] : (given < 0 ? size + given : given);
    if (*index < 0 || *index >= size) {
        return error_set(check->err, "index %d of %s is %d, expected 0 to %d", i + 1, term->name,
                         given == INDEX_EVERY ? *index : given, size - 1);
    }
    return true;
}

static double number_at(const ClaimStage *stage, size_t element) {
    return stage->ids != NULL ? (double)stage->ids[element] : (double)stage->values[element];
}

static bool read_cells(Check *check, const ClaimTerm *term, Row *row) {
    ClaimStage stage;
    int indices[SHAPE_MAX_RANK] = {0};
    int star = 0;
    int axis = -1;
    if (!find_stage(check, term, &stage)) {
        return false;
    }
    for (int i = 0; i < term->n_indices; i++) {
        axis = term->indices[i] == INDEX_AXIS ? i : axis;
        if (!index_of(check, term, &stage.shape, i, &star, &indices[i])) {
            return false;
        }
    }
    *row = new_row(check, axis < 0 ? 1 : stage.shape.sizes[axis]);
    for (int i = 0; i < row->n; i++) {
        if (axis >= 0) {
            indices[axis] = i;
        }
        row->values[i] = number_at(&stage, shape_flat(&stage.shape, indices));
    }
    return true;
}

static bool compares(ClaimCompare compare, double a, double b, double tolerance) {
    switch (compare) {
    case CLAIM_LESS:
        return a < b;
    case CLAIM_MORE:
        return a > b;
    case CLAIM_AT_MOST:
        return a <= b;
    case CLAIM_AT_LEAST:
        return a >= b;
    case CLAIM_EQUAL:
        // Infinities are equal to themselves, NaN to nothing.
        return a == b || fabs(a - b) <= tolerance;
    case CLAIM_IS:
        return a == b;
    }
    return false;
}

static double combine(const ClaimTerm *term, double a, double b) {
    switch (term->kind) {
    case TERM_ADD:
        return a + b;
    case TERM_SUBTRACT:
        return a - b;
    case TERM_MULTIPLY:
        return a * b;
    case TERM_DIVIDE:
        return a / b;
    case TERM_COMPARE:
        return compares(term->compare, a, b, 0.0) ? 1.0 : 0.0;
    case TERM_NUMBER:
    case TERM_CELLS:
    case TERM_SCALAR:
    case TERM_WORD:
    case TERM_SHOWN:
    case TERM_FUNCTION:
        break;
    }
    return NAN;
}

// A single number goes with each number of a row.
static bool evaluate_pair(Check *check, const ClaimTerm *term, Row *row) {
    Row a = {NULL, 0};
    Row b = {NULL, 0};
    if (!evaluate(check, term->a, &a) || !evaluate(check, term->b, &b)) {
        return false;
    }
    if (a.n != b.n && a.n != 1 && b.n != 1) {
        return error_set(check->err, "expected rows of the same length, found %d and %d numbers",
                         a.n, b.n);
    }
    *row = new_row(check, a.n > b.n ? a.n : b.n);
    for (int i = 0; i < row->n; i++) {
        row->values[i] = combine(term, a.values[a.n == 1 ? 0 : i], b.values[b.n == 1 ? 0 : i]);
    }
    return true;
}

static double sum_of(const Row *row) {
    double sum = 0.0;
    for (int i = 0; i < row->n; i++) {
        sum += row->values[i];
    }
    return sum;
}

static int extreme_of(const Row *row, double sign) {
    int best = 0;
    for (int i = 1; i < row->n; i++) {
        best = sign * row->values[i] > sign * row->values[best] ? i : best;
    }
    return best;
}

static double first_of(const Row *row) {
    for (int i = 0; i < row->n; i++) {
        if (row->values[i] != 0.0) {
            return i;
        }
    }
    return -1.0;
}

static double cosine(const Row *a, const Row *b) {
    double products[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < a->n; i++) {
        products[0] += a->values[i] * b->values[i];
        products[1] += a->values[i] * a->values[i];
        products[2] += b->values[i] * b->values[i];
    }
    return products[0] / sqrt(products[1] * products[2]);
}

static void apply_each(Row *row, double (*function)(double)) {
    for (int i = 0; i < row->n; i++) {
        row->values[i] = function(row->values[i]);
    }
}

static bool evaluate_function(Check *check, const ClaimTerm *term, Row *row) {
    Row a = {NULL, 0};
    Row b = {NULL, 0};
    if (!evaluate(check, term->a, &a) || (term->b != NULL && !evaluate(check, term->b, &b))) {
        return false;
    }
    switch (term->function) {
    case FUNCTION_SUM:
    case FUNCTION_COUNT:
        *row = one_number(check, sum_of(&a));
        return true;
    case FUNCTION_MEAN:
        *row = one_number(check, sum_of(&a) / a.n);
        return true;
    case FUNCTION_MAX:
        *row = one_number(check, a.values[extreme_of(&a, 1.0)]);
        return true;
    case FUNCTION_MIN:
        *row = one_number(check, a.values[extreme_of(&a, -1.0)]);
        return true;
    case FUNCTION_ARGMAX:
        *row = one_number(check, extreme_of(&a, 1.0));
        return true;
    case FUNCTION_FIRST:
        *row = one_number(check, first_of(&a));
        return true;
    case FUNCTION_COS:
        *row = one_number(check, cosine(&a, &b));
        return a.n == b.n || error_set(check->err,
                                       "cos: expected rows of the same length, found %d and %d "
                                       "numbers",
                                       a.n, b.n);
    case FUNCTION_ABS:
        apply_each(&a, fabs);
        break;
    case FUNCTION_SQRT:
        apply_each(&a, sqrt);
        break;
    case FUNCTION_EXP:
        apply_each(&a, exp);
        break;
    case FUNCTION_LN:
        apply_each(&a, log);
        break;
    case FUNCTION_COUNT_OF:
        break;
    }
    *row = a;
    return true;
}

static bool evaluate(Check *check, const ClaimTerm *term, Row *row) {
    const ClaimWorld *world = check->world;
    switch (term->kind) {
    case TERM_NUMBER:
        *row = one_number(check, term->number);
        return true;
    case TERM_CELLS:
        return read_cells(check, term, row);
    case TERM_SCALAR:
        *row = new_row(check, 1);
        return world->scalar(world->context, term->name, term->argument, term->moment, row->values,
                             check->err);
    case TERM_WORD: {
        int32_t id = -1;
        bool ok = world->token(world->context, term->name, &id, check->err);
        *row = one_number(check, id);
        return ok;
    }
    case TERM_ADD:
    case TERM_SUBTRACT:
    case TERM_MULTIPLY:
    case TERM_DIVIDE:
    case TERM_COMPARE:
        return evaluate_pair(check, term, row);
    case TERM_FUNCTION:
        return evaluate_function(check, term, row);
    case TERM_SHOWN:
        break;
    }
    return error_set(check->err, "%s has no number: expected `%s is WORD`", term->name, term->name);
}

// The n-th * of every cell stands for the same index, so their axes have to be of the same size.
static bool count_stars(Check *check, const ClaimTerm *term) {
    if (term == NULL) {
        return true;
    }
    ClaimStage stage;
    if (term->kind != TERM_CELLS) {
        return count_stars(check, term->a) && count_stars(check, term->b);
    }
    if (!find_stage(check, term, &stage)) {
        return false;
    }
    int star = 0;
    for (int i = 0; i < term->n_indices; i++) {
        if (term->indices[i] != INDEX_EVERY) {
            continue;
        }
        int size = stage.shape.sizes[i];
        if (star < check->n_stars && check->sizes[star] != size) {
            return error_set(check->err, "* number %d runs over %d indices in %s, over %d before",
                             star + 1, size, term->name, check->sizes[star]);
        }
        check->sizes[star++] = size;
        check->n_stars = star > check->n_stars ? star : check->n_stars;
    }
    return true;
}

static bool next_combination(Check *check) {
    for (int i = check->n_stars - 1; i >= 0; i--) {
        if (++check->at[i] < check->sizes[i]) {
            return true;
        }
        check->at[i] = 0;
    }
    return false;
}

static const char *number_text(Arena *arena, double value) {
    return isnan(value) ? "NaN" : arena_format(arena, "%.6g", value);
}

static const char *indices_text(Check *check) {
    const char *text = "";
    for (int i = 0; i < check->n_stars; i++) {
        text =
            arena_format(check->arena, "%s%s%d", text, i == 0 ? " where * is " : ",", check->at[i]);
    }
    return text;
}

static bool check_combination(Check *check, bool *holds, const char **found) {
    const Claim *claim = check->claim;
    Row left = {NULL, 0};
    Row right = {NULL, 0};
    if (!evaluate(check, claim->left, &left) || !evaluate(check, claim->right, &right)) {
        return false;
    }
    if (left.n != right.n && left.n != 1 && right.n != 1) {
        return error_set(check->err, "expected rows of the same length, found %d and %d numbers",
                         left.n, right.n);
    }
    int n = left.n > right.n ? left.n : right.n;
    assert(left.n > 0 && right.n > 0);
    for (int i = 0; i < n; i++) {
        double a = left.values[left.n == 1 ? 0 : i];
        double b = right.values[right.n == 1 ? 0 : i];
        if (!compares(claim->compare, a, b, claim->tolerance)) {
            const char *at = n > 1 ? arena_format(check->arena, " at %d", i) : "";
            *found = arena_format(check->arena, "found %s and %s%s%s", number_text(check->arena, a),
                                  number_text(check->arena, b), indices_text(check), at);
            *holds = false;
            return true;
        }
    }
    return true;
}

static bool check_shown(Check *check, bool *holds, const char **found) {
    const ClaimWorld *world = check->world;
    const char *text = NULL;
    if (!world->shown(world->context, check->claim->left->name, &text, check->err)) {
        return false;
    }
    *holds = strcmp(text, check->claim->right->name) == 0;
    *found = *holds ? NULL : arena_format(check->arena, "found %s", text);
    return true;
}

static bool check_all(Check *check, bool *holds, const char **found) {
    if (!count_stars(check, check->claim->left) || !count_stars(check, check->claim->right)) {
        return false;
    }
    double combinations = 1.0;
    for (int i = 0; i < check->n_stars; i++) {
        combinations *= check->sizes[i];
    }
    if (combinations > MAX_COMBINATIONS) {
        return error_set(check->err, "* stands for %.0f combinations, at most %d are checked",
                         combinations, (int)MAX_COMBINATIONS);
    }
    do {
        arena_clear(&check->scratch);
        if (!check_combination(check, holds, found)) {
            return false;
        }
    } while (*holds && next_combination(check));
    return true;
}

bool claim_check(const Claim *claim, const ClaimWorld *world, Arena *arena, bool *holds,
                 const char **found, Error *err) {
    Check check = {.claim = claim, .world = world, .arena = arena, .err = err};
    *holds = true;
    *found = NULL;
    bool ok = claim->left->kind == TERM_SHOWN ? check_shown(&check, holds, found)
                                              : check_all(&check, holds, found);
    arena_free(&check.scratch);
    return ok;
}
