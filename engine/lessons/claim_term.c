// claim_term.c - reads the terms of a claim, by recursive descent of bounded depth.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lessons/claim_private.h"

enum { MAX_DEPTH = 32, MAX_TERMS = 256 };

static const char *const FUNCTION_NAMES[FUNCTION_COUNT_OF] = {
    [FUNCTION_SUM] = "sum",     [FUNCTION_MEAN] = "mean",     [FUNCTION_MAX] = "max",
    [FUNCTION_MIN] = "min",     [FUNCTION_ARGMAX] = "argmax", [FUNCTION_COUNT] = "count",
    [FUNCTION_FIRST] = "first", [FUNCTION_COS] = "cos",       [FUNCTION_ABS] = "abs",
    [FUNCTION_SQRT] = "sqrt",   [FUNCTION_EXP] = "exp",       [FUNCTION_LN] = "ln",
};

static const char *const SCALARS[] = {"loss",  "steps",    "parameters", "vocabulary",
                                      "right", "accuracy", "size",       "distances"};
static const char *const SHOWN[] = {"view", "stage", "cell"};

ClaimTerm *claim_expected(const ClaimReader *reader, const char *what) {
    error_set(reader->err, "%s:%d: expected %s, found \"%s\" in the claim \"%s\"", reader->path,
              reader->line, what, reader->at, reader->text);
    return NULL;
}

void claim_skip_spaces(ClaimReader *reader) {
    while (*reader->at == ' ' || *reader->at == '\t') {
        reader->at++;
    }
}

bool claim_take(ClaimReader *reader, const char *sign) {
    claim_skip_spaces(reader);
    if (strncmp(reader->at, sign, strlen(sign)) != 0) {
        return false;
    }
    reader->at += strlen(sign);
    return true;
}

ClaimTerm *claim_new_term(ClaimReader *reader, ClaimTermKind kind) {
    ClaimTerm *term = arena_allocate(reader->arena, sizeof *term);
    reader->n_terms++;
    term->kind = kind;
    return term;
}

static bool is_one_of(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// A name of a stage or function: letters, digits, "_", and "." before one of these.
static const char *take_name(ClaimReader *reader) {
    claim_skip_spaces(reader);
    const char *start = reader->at;
    const char *at = start;
    while (isalnum((unsigned char)*at) || *at == '_' ||
           (*at == '.' && (isalnum((unsigned char)at[1]) || at[1] == '_'))) {
        at++;
    }
    reader->at = at;
    return arena_format(reader->arena, "%.*s", (int)(at - start), start);
}

static bool take_moment(ClaimReader *reader, ClaimMoment *moment) {
    if (*reader->at != '@') {
        return true;
    }
    reader->at++;
    if (claim_take(reader, "start")) {
        moment->time = CLAIM_START;
        return true;
    }
    char *end = NULL;
    long step = claim_take(reader, "train:") ? strtol(reader->at, &end, 10) : -1;
    if (end == NULL || end == reader->at || step < 0 || step > 1000000000) {
        return claim_expected(reader, "@start or @train:STEP") != NULL;
    }
    reader->at = end;
    *moment = (ClaimMoment){CLAIM_TRAIN, (int)step};
    return true;
}

static bool take_index(ClaimReader *reader, int *index) {
    if (claim_take(reader, "*")) {
        *index = INDEX_EVERY;
        return true;
    }
    if (claim_take(reader, ":")) {
        *index = INDEX_AXIS;
        return true;
    }
    char *end = NULL;
    long value = strtol(reader->at, &end, 10);
    if (end == reader->at || value < -1000000 || value > 1000000000) {
        return claim_expected(reader, "an index, * or :") != NULL;
    }
    reader->at = end;
    *index = (int)value;
    return true;
}

static ClaimTerm *read_cells(ClaimReader *reader, const char *stage, ClaimMoment moment) {
    ClaimTerm *term = claim_new_term(reader, TERM_CELLS);
    term->name = stage;
    term->moment = moment;
    int n_axes = 0;
    do {
        if (term->n_indices == SHAPE_MAX_RANK) {
            return claim_expected(reader, "at most five indices");
        }
        if (!take_index(reader, &term->indices[term->n_indices])) {
            return NULL;
        }
        n_axes += term->indices[term->n_indices++] == INDEX_AXIS;
    } while (claim_take(reader, ","));
    if (!claim_take(reader, "]")) {
        return claim_expected(reader, "\"]\"");
    }
    if (n_axes > 1) {
        return claim_expected(reader, "one \":\" in a cell");
    }
    return take_moment(reader, &term->moment) ? term : NULL;
}

bool claim_take_compare(ClaimReader *reader, ClaimCompare *compare) {
    static const struct {
        const char *sign;
        ClaimCompare compare;
    } SIGNS[] = {{"==", CLAIM_EQUAL}, {"<=", CLAIM_AT_MOST}, {">=", CLAIM_AT_LEAST},
                 {"<", CLAIM_LESS},   {">", CLAIM_MORE},     {"is ", CLAIM_IS}};
    for (size_t i = 0; i < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        if (claim_take(reader, SIGNS[i].sign)) {
            *compare = SIGNS[i].compare;
            return true;
        }
    }
    return false;
}

// Inside a function a comparison is a number too.
static ClaimTerm *read_argument(ClaimReader *reader) {
    ClaimTerm *a = claim_read_sum(reader);
    ClaimCompare compare = CLAIM_EQUAL;
    if (a == NULL || !claim_take_compare(reader, &compare)) {
        return a;
    }
    if (compare == CLAIM_IS) {
        return claim_expected(reader, "== < > <= or >= inside a function");
    }
    ClaimTerm *term = claim_new_term(reader, TERM_COMPARE);
    term->compare = compare;
    term->a = a;
    term->b = claim_read_sum(reader);
    return term->b == NULL ? NULL : term;
}

static ClaimTerm *read_function(ClaimReader *reader, ClaimFunction function) {
    ClaimTerm *term = claim_new_term(reader, TERM_FUNCTION);
    term->function = function;
    term->a = read_argument(reader);
    if (term->a == NULL) {
        return NULL;
    }
    if (function == FUNCTION_COS) {
        term->b = claim_take(reader, ",") ? read_argument(reader)
                                          : claim_expected(reader, "two rows, cos(a, b)");
        if (term->b == NULL) {
            return NULL;
        }
    }
    return claim_take(reader, ")") ? term : claim_expected(reader, "\")\"");
}

static ClaimTerm *read_scalar(ClaimReader *reader, const char *name, ClaimMoment moment) {
    ClaimTerm *term = claim_new_term(reader, TERM_SCALAR);
    term->name = name;
    term->moment = moment;
    term->argument = "";
    if (*reader->at == '(') {
        reader->at++;
        term->argument = take_name(reader);
        if (!claim_take(reader, ")")) {
            return claim_expected(reader, "\")\"");
        }
    }
    return take_moment(reader, &term->moment) ? term : NULL;
}

static ClaimTerm *read_named(ClaimReader *reader) {
    const char *start = reader->at;
    const char *name = take_name(reader);
    ClaimMoment moment = {CLAIM_NOW, 0};
    if (!take_moment(reader, &moment)) {
        return NULL;
    }
    if (*reader->at == '[') {
        reader->at++;
        return read_cells(reader, name, moment);
    }
    for (int i = 0; *reader->at == '(' && i < FUNCTION_COUNT_OF; i++) {
        if (strcmp(FUNCTION_NAMES[i], name) == 0) {
            reader->at++;
            return read_function(reader, (ClaimFunction)i);
        }
    }
    if (is_one_of(name, SCALARS, sizeof SCALARS / sizeof SCALARS[0])) {
        return read_scalar(reader, name, moment);
    }
    if (is_one_of(name, SHOWN, sizeof SHOWN / sizeof SHOWN[0])) {
        ClaimTerm *term = claim_new_term(reader, TERM_SHOWN);
        term->name = name;
        return term;
    }
    reader->at = start;
    return claim_expected(reader,
                          "a number, a cell stage[i,j], a function or one of loss, steps, "
                          "parameters, vocabulary, right, size, distances, view, stage, cell");
}

static ClaimTerm *read_atom(ClaimReader *reader) {
    claim_skip_spaces(reader);
    if (claim_take(reader, "(")) {
        ClaimTerm *term = claim_read_sum(reader);
        return term == NULL || claim_take(reader, ")") ? term : claim_expected(reader, "\")\"");
    }
    char first = reader->at[0];
    if (isdigit((unsigned char)first) || (first == '.' && isdigit((unsigned char)reader->at[1]))) {
        ClaimTerm *term = claim_new_term(reader, TERM_NUMBER);
        char *end = NULL;
        term->number = strtod(reader->at, &end);
        reader->at = end;
        return term;
    }
    return read_named(reader);
}

static ClaimTerm *read_signed(ClaimReader *reader) {
    bool is_negative = claim_take(reader, "-") || claim_take(reader, "−");
    ClaimTerm *atom = read_atom(reader);
    if (!is_negative || atom == NULL) {
        return atom;
    }
    if (atom->kind == TERM_NUMBER) {
        atom->number = -atom->number;
        return atom;
    }
    ClaimTerm *term = claim_new_term(reader, TERM_SUBTRACT);
    term->a = claim_new_term(reader, TERM_NUMBER);
    term->b = atom;
    return term;
}

typedef struct Sign {
    const char *text;
    ClaimTermKind kind;
} Sign;

static bool take_sign(ClaimReader *reader, const Sign *signs, int n, ClaimTermKind *kind) {
    for (int i = 0; i < n; i++) {
        if (claim_take(reader, signs[i].text)) {
            *kind = signs[i].kind;
            return true;
        }
    }
    return false;
}

// Terms between signs of one rank, from the left.
static ClaimTerm *read_chain(ClaimReader *reader, const Sign *signs, int n,
                             ClaimTerm *(*read_next)(ClaimReader *reader)) {
    ClaimTerm *term = read_next(reader);
    ClaimTermKind kind = TERM_ADD;
    while (term != NULL && reader->n_terms <= MAX_TERMS && take_sign(reader, signs, n, &kind)) {
        ClaimTerm *both = claim_new_term(reader, kind);
        both->a = term;
        both->b = read_next(reader);
        term = both->b == NULL ? NULL : both;
    }
    return term;
}

static ClaimTerm *read_product(ClaimReader *reader) {
    static const Sign SIGNS[] = {
        {"*", TERM_MULTIPLY}, {"×", TERM_MULTIPLY}, {"·", TERM_MULTIPLY}, {"/", TERM_DIVIDE}};
    return read_chain(reader, SIGNS, 4, read_signed);
}

ClaimTerm *claim_read_sum(ClaimReader *reader) {
    static const Sign SIGNS[] = {{"+", TERM_ADD}, {"-", TERM_SUBTRACT}, {"−", TERM_SUBTRACT}};
    if (++reader->depth > MAX_DEPTH) {
        return claim_expected(reader, "fewer brackets within brackets");
    }
    if (reader->n_terms > MAX_TERMS) {
        return claim_expected(reader, "at most 256 terms");
    }
    ClaimTerm *term = read_chain(reader, SIGNS, 3, read_product);
    reader->depth--;
    return term;
}
