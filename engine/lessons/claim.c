// claim.c - reads a claim: a comparison of two terms, by recursive descent of bounded depth.
#include "engine/lessons/claim.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lessons/claim_private.h"

enum { MAX_DEPTH = 32, MAX_TERMS = 256 };

// Half of the fourth decimal.
static const double COMPUTED_TOLERANCE = 5e-5;

const char *const CLAIM_FUNCTION_NAMES[FUNCTION_COUNT_OF] = {
    [FUNCTION_SUM] = "sum",     [FUNCTION_MEAN] = "mean",     [FUNCTION_MAX] = "max",
    [FUNCTION_MIN] = "min",     [FUNCTION_ARGMAX] = "argmax", [FUNCTION_COUNT] = "count",
    [FUNCTION_FIRST] = "first", [FUNCTION_COS] = "cos",       [FUNCTION_ABS] = "abs",
    [FUNCTION_SQRT] = "sqrt",   [FUNCTION_EXP] = "exp",       [FUNCTION_LN] = "ln",
};

static const char *const SCALARS[] = {"loss", "steps", "parameters", "vocabulary"};
static const char *const SHOWN[] = {"view", "stage", "cell"};

typedef struct Reader {
    Arena *arena;
    const char *path;
    int line;
    const char *text; // the whole claim
    const char *at;
    int depth, n_terms;
    Error *err;
} Reader;

static ClaimTerm *expected(const Reader *reader, const char *what) {
    error_set(reader->err, "%s:%d: expected %s, found \"%s\" in the claim \"%s\"", reader->path,
              reader->line, what, reader->at, reader->text);
    return NULL;
}

static void skip_spaces(Reader *reader) {
    while (*reader->at == ' ' || *reader->at == '\t') {
        reader->at++;
    }
}

static bool take(Reader *reader, const char *sign) {
    skip_spaces(reader);
    if (strncmp(reader->at, sign, strlen(sign)) != 0) {
        return false;
    }
    reader->at += strlen(sign);
    return true;
}

static ClaimTerm *new_term(Reader *reader, ClaimTermKind kind) {
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
static const char *take_name(Reader *reader) {
    skip_spaces(reader);
    const char *start = reader->at;
    const char *at = start;
    while (isalnum((unsigned char)*at) || *at == '_' ||
           (*at == '.' && (isalnum((unsigned char)at[1]) || at[1] == '_'))) {
        at++;
    }
    reader->at = at;
    return arena_format(reader->arena, "%.*s", (int)(at - start), start);
}

static bool take_moment(Reader *reader, ClaimMoment *moment) {
    if (*reader->at != '@') {
        return true;
    }
    reader->at++;
    if (take(reader, "start")) {
        moment->time = CLAIM_START;
        return true;
    }
    char *end = NULL;
    long step = take(reader, "train:") ? strtol(reader->at, &end, 10) : -1;
    if (end == NULL || end == reader->at || step < 0 || step > 1000000000) {
        return expected(reader, "@start or @train:STEP") != NULL;
    }
    reader->at = end;
    *moment = (ClaimMoment){CLAIM_TRAIN, (int)step};
    return true;
}

static bool take_index(Reader *reader, int *index) {
    if (take(reader, "*")) {
        *index = INDEX_EVERY;
        return true;
    }
    if (take(reader, ":")) {
        *index = INDEX_AXIS;
        return true;
    }
    char *end = NULL;
    long value = strtol(reader->at, &end, 10);
    if (end == reader->at || value < -1000000 || value > 1000000000) {
        return expected(reader, "an index, * or :") != NULL;
    }
    reader->at = end;
    *index = (int)value;
    return true;
}

static ClaimTerm *read_cells(Reader *reader, const char *stage) {
    ClaimTerm *term = new_term(reader, TERM_CELLS);
    term->name = stage;
    int n_axes = 0;
    do {
        if (term->n_indices == SHAPE_MAX_RANK) {
            return expected(reader, "at most five indices");
        }
        if (!take_index(reader, &term->indices[term->n_indices])) {
            return NULL;
        }
        n_axes += term->indices[term->n_indices++] == INDEX_AXIS;
    } while (take(reader, ","));
    if (!take(reader, "]")) {
        return expected(reader, "\"]\"");
    }
    if (n_axes > 1) {
        return expected(reader, "one \":\" in a cell");
    }
    return take_moment(reader, &term->moment) ? term : NULL;
}

static ClaimTerm *read_sum(Reader *reader);

static bool take_compare(Reader *reader, ClaimCompare *compare) {
    static const struct {
        const char *sign;
        ClaimCompare compare;
    } SIGNS[] = {{"==", CLAIM_EQUAL}, {"<=", CLAIM_AT_MOST}, {">=", CLAIM_AT_LEAST},
                 {"<", CLAIM_LESS},   {">", CLAIM_MORE},     {"is ", CLAIM_IS}};
    for (size_t i = 0; i < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        if (take(reader, SIGNS[i].sign)) {
            *compare = SIGNS[i].compare;
            return true;
        }
    }
    return false;
}

// Inside a function a comparison is a number too.
static ClaimTerm *read_argument(Reader *reader) {
    ClaimTerm *a = read_sum(reader);
    ClaimCompare compare = CLAIM_EQUAL;
    if (a == NULL || !take_compare(reader, &compare)) {
        return a;
    }
    if (compare == CLAIM_IS) {
        return expected(reader, "== < > <= or >= inside a function");
    }
    ClaimTerm *term = new_term(reader, TERM_COMPARE);
    term->compare = compare;
    term->a = a;
    term->b = read_sum(reader);
    return term->b == NULL ? NULL : term;
}

static ClaimTerm *read_function(Reader *reader, ClaimFunction function) {
    ClaimTerm *term = new_term(reader, TERM_FUNCTION);
    term->function = function;
    term->a = read_argument(reader);
    if (term->a == NULL) {
        return NULL;
    }
    if (function == FUNCTION_COS) {
        term->b =
            take(reader, ",") ? read_argument(reader) : expected(reader, "two rows, cos(a, b)");
        if (term->b == NULL) {
            return NULL;
        }
    }
    return take(reader, ")") ? term : expected(reader, "\")\"");
}

static ClaimTerm *read_scalar(Reader *reader, const char *name) {
    ClaimTerm *term = new_term(reader, TERM_SCALAR);
    term->name = name;
    term->argument = "";
    if (*reader->at == '(') {
        reader->at++;
        term->argument = take_name(reader);
        if (!take(reader, ")")) {
            return expected(reader, "\")\"");
        }
    }
    return take_moment(reader, &term->moment) ? term : NULL;
}

static ClaimTerm *read_named(Reader *reader) {
    const char *start = reader->at;
    const char *name = take_name(reader);
    if (*reader->at == '[') {
        reader->at++;
        return read_cells(reader, name);
    }
    for (int i = 0; *reader->at == '(' && i < FUNCTION_COUNT_OF; i++) {
        if (strcmp(CLAIM_FUNCTION_NAMES[i], name) == 0) {
            reader->at++;
            return read_function(reader, (ClaimFunction)i);
        }
    }
    if (is_one_of(name, SCALARS, sizeof SCALARS / sizeof SCALARS[0])) {
        return read_scalar(reader, name);
    }
    if (is_one_of(name, SHOWN, sizeof SHOWN / sizeof SHOWN[0])) {
        ClaimTerm *term = new_term(reader, TERM_SHOWN);
        term->name = name;
        return term;
    }
    reader->at = start;
    return expected(reader, "a number, a cell stage[i,j], a function or one of loss, steps, "
                            "parameters, vocabulary, view, stage, cell");
}

static ClaimTerm *read_atom(Reader *reader) {
    skip_spaces(reader);
    if (take(reader, "(")) {
        ClaimTerm *term = read_sum(reader);
        return term == NULL || take(reader, ")") ? term : expected(reader, "\")\"");
    }
    char first = reader->at[0];
    if (isdigit((unsigned char)first) || (first == '.' && isdigit((unsigned char)reader->at[1]))) {
        ClaimTerm *term = new_term(reader, TERM_NUMBER);
        char *end = NULL;
        term->number = strtod(reader->at, &end);
        reader->at = end;
        return term;
    }
    return read_named(reader);
}

static ClaimTerm *read_signed(Reader *reader) {
    bool is_negative = take(reader, "-") || take(reader, "−");
    ClaimTerm *atom = read_atom(reader);
    if (!is_negative || atom == NULL) {
        return atom;
    }
    if (atom->kind == TERM_NUMBER) {
        atom->number = -atom->number;
        return atom;
    }
    ClaimTerm *term = new_term(reader, TERM_SUBTRACT);
    term->a = new_term(reader, TERM_NUMBER);
    term->b = atom;
    return term;
}

typedef struct Sign {
    const char *text;
    ClaimTermKind kind;
} Sign;

static bool take_sign(Reader *reader, const Sign *signs, int n, ClaimTermKind *kind) {
    for (int i = 0; i < n; i++) {
        if (take(reader, signs[i].text)) {
            *kind = signs[i].kind;
            return true;
        }
    }
    return false;
}

// Terms between signs of one rank, from the left.
static ClaimTerm *read_chain(Reader *reader, const Sign *signs, int n,
                             ClaimTerm *(*read_next)(Reader *reader)) {
    ClaimTerm *term = read_next(reader);
    ClaimTermKind kind = TERM_ADD;
    while (term != NULL && reader->n_terms <= MAX_TERMS && take_sign(reader, signs, n, &kind)) {
        ClaimTerm *both = new_term(reader, kind);
        both->a = term;
        both->b = read_next(reader);
        term = both->b == NULL ? NULL : both;
    }
    return term;
}

static ClaimTerm *read_product(Reader *reader) {
    static const Sign SIGNS[] = {
        {"*", TERM_MULTIPLY}, {"×", TERM_MULTIPLY}, {"·", TERM_MULTIPLY}, {"/", TERM_DIVIDE}};
    return read_chain(reader, SIGNS, 4, read_signed);
}

static ClaimTerm *read_sum(Reader *reader) {
    static const Sign SIGNS[] = {{"+", TERM_ADD}, {"-", TERM_SUBTRACT}, {"−", TERM_SUBTRACT}};
    if (++reader->depth > MAX_DEPTH) {
        return expected(reader, "fewer brackets within brackets");
    }
    if (reader->n_terms > MAX_TERMS) {
        return expected(reader, "at most 256 terms");
    }
    ClaimTerm *term = read_chain(reader, SIGNS, 3, read_product);
    reader->depth--;
    return term;
}

// Half of the last digit that is written: "2.24" tolerates 0.005, "66" nothing but 66.
static double written_tolerance(const char *start, const char *end) {
    double unit = 1.0;
    const char *point = memchr(start, '.', (size_t)(end - start));
    if (point == NULL) {
        return 1e-9;
    }
    for (const char *at = point + 1; at < end && isdigit((unsigned char)*at); at++) {
        unit /= 10.0;
    }
    return 0.5 * unit + 1e-9;
}

static bool take_tolerance(Reader *reader, Claim *claim) {
    if (!take(reader, "±")) {
        return true;
    }
    char *end = NULL;
    double tolerance = strtod(reader->at, &end);
    if (end == reader->at || !(tolerance >= 0.0) || claim->compare != CLAIM_EQUAL) {
        return expected(reader, "a tolerance after ==, \"± 0.01\"") != NULL;
    }
    reader->at = end;
    claim->tolerance = tolerance;
    return true;
}

// A side that is one number tolerates half of its last digit.
static double side_tolerance(const ClaimTerm *term, const char *start, const char *end) {
    return term->kind == TERM_NUMBER ? written_tolerance(start, end) : COMPUTED_TOLERANCE;
}

static const ClaimTerm *read_word(Reader *reader) {
    skip_spaces(reader);
    size_t length = strlen(reader->at);
    while (length > 0 && (reader->at[length - 1] == ' ' || reader->at[length - 1] == '\t')) {
        length--;
    }
    if (length == 0) {
        return expected(reader, "a word after is");
    }
    ClaimTerm *term = new_term(reader, TERM_WORD);
    term->name = arena_format(reader->arena, "%.*s", (int)length, reader->at);
    reader->at += strlen(reader->at);
    return term;
}

bool claim_parse(Claim *claim, Arena *arena, const char *path, int line, const char *text,
                 Error *err) {
    *claim = (Claim){.text = arena_text(arena, text), .line = line};
    Reader reader = {.arena = arena, .path = path, .line = line, .err = err};
    reader.text = claim->text;
    reader.at = claim->text;
    claim->left = read_sum(&reader);
    if (claim->left == NULL) {
        return false;
    }
    const char *middle = reader.at;
    if (!take_compare(&reader, &claim->compare)) {
        return expected(&reader, "== < > <= >= or is") != NULL;
    }
    if ((claim->left->kind == TERM_SHOWN) != (claim->compare == CLAIM_IS) &&
        claim->left->kind == TERM_SHOWN) {
        return expected(&reader, "is after view, stage or cell") != NULL;
    }
    const char *right = reader.at;
    claim->right = claim->compare == CLAIM_IS ? read_word(&reader) : read_sum(&reader);
    if (claim->right == NULL) {
        return false;
    }
    double left_tolerance = side_tolerance(claim->left, claim->text, middle);
    double right_tolerance = side_tolerance(claim->right, right, reader.at);
    claim->tolerance = claim->right->kind == TERM_NUMBER ? right_tolerance : left_tolerance;
    if (!take_tolerance(&reader, claim)) {
        return false;
    }
    skip_spaces(&reader);
    return *reader.at == '\0' || expected(&reader, "the end of the claim") != NULL;
}
