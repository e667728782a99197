// support_arithmetic.c - redoes the arithmetic of an explanation from its text alone.
#include "tests/support_arithmetic.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const Rounding ROUNDING_FLOAT32 = {0x1p-24, 0x1p-24};
const Rounding ROUNDING_DIGITS = {5e-9, 1e-15};

// Below float32's normal numbers nothing is relative.
static const double TINY = 1.2e-38;

typedef struct Value {
    double value, bound, magnitude;
    bool is_leaf;
} Value;

enum { MAX_STEPS = 16, NAME_BYTES = 24, MAX_DEPTH = 40 };

typedef struct Reader {
    const char *at;
    Rounding rounding;
    char names[MAX_STEPS][NAME_BYTES];
    Value steps[MAX_STEPS];
    int n_steps;
    int depth;
    Redone *redone;
} Reader;

static Value fault(Reader *reader, const char *expected) {
    if (reader->redone->fault[0] == '\0') {
        snprintf(reader->redone->fault, sizeof reader->redone->fault,
                 "expected %s, found \"%.60s\"", expected, reader->at);
    }
    return (Value){0};
}

static bool skip(Reader *reader, const char *text) {
    size_t length = strlen(text);
    if (strncmp(reader->at, text, length) != 0) {
        return false;
    }
    reader->at += length;
    return true;
}

// ---- operations

// One sum or difference.
static Value rounded(const Reader *reader, Value y) {
    if (isinf(y.value)) {
        return (Value){.value = y.value};
    }
    y.bound += reader->rounding.operation * fabs(y.value) + TINY;
    return y;
}

static Value multiply(const Reader *reader, Value a, Value b) {
    Value y = {.value = a.value * b.value, .magnitude = a.magnitude * b.magnitude};
    y.bound = fabs(a.value) * b.bound + fabs(b.value) * a.bound + a.bound * b.bound +
              reader->rounding.operation * fabs(y.value) + TINY;
    return y;
}

// A kernel may multiply by a rounded reciprocal.
static Value divide(const Reader *reader, Value a, Value b) {
    double below = fabs(b.value) - b.bound;
    Value y = {.value = a.value / b.value};
    y.magnitude = a.magnitude / fabs(b.value) * fmax(1.0, b.magnitude / fabs(b.value));
    y.bound = (a.bound + fabs(y.value) * b.bound) / fmax(below, TINY) +
              2.0 * reader->rounding.operation * fabs(y.value) + TINY;
    return y;
}

static Value power(const Reader *reader, Value a, Value b) {
    Value y = {.value = pow(a.value, b.value), .magnitude = pow(a.magnitude, b.value)};
    double slope = b.value == 0.0 ? 0.0 : fabs(b.value) * pow(fabs(a.value) + a.bound, b.value - 1);
    y.bound = slope * a.bound + 2.0 * reader->rounding.operation * fabs(y.value) + TINY;
    if (b.bound > 0.0) {
        y.bound += fabs(y.value * log(fabs(a.value))) * b.bound;
    }
    return y;
}

static Value root(const Reader *reader, Value a) {
    Value y = {.value = sqrt(a.value)};
    y.magnitude = a.value > 0.0 ? y.value * a.magnitude / a.value : sqrt(a.magnitude);
    y.bound = fmin(a.bound / (2.0 * y.value), sqrt(a.bound));
    y.bound = (a.bound == 0.0 ? 0.0 : y.bound) + reader->rounding.operation * y.value + TINY;
    return y;
}

static Value exponential(const Reader *reader, Value a) {
    Value y = {.value = exp(a.value)};
    y.magnitude = y.value * fmax(1.0, a.magnitude);
    y.bound = y.value * (expm1(a.bound) + 4.0 * reader->rounding.operation) + TINY;
    return y;
}

static Value logarithm(const Reader *reader, Value a) {
    Value y = {.value = log(a.value)};
    y.magnitude = fmax(fabs(y.value), a.magnitude / a.value);
    y.bound = a.bound / fmax(a.value - a.bound, TINY) +
              2.0 * reader->rounding.operation * fabs(y.value) + TINY;
    return y;
}

static Value hyperbolic(const Reader *reader, Value a) {
    Value y = {.value = tanh(a.value)};
    double slope = 1.0 - y.value * y.value;
    y.magnitude = fabs(y.value) + slope * a.magnitude;
    y.bound = slope * a.bound + 4.0 * reader->rounding.operation * fabs(y.value) + TINY;
    return y;
}

static Value wave(const Reader *reader, Value a, double value) {
    Value y = {.value = value, .magnitude = fmax(1.0, a.magnitude)};
    y.bound = a.bound + 2.0 * reader->rounding.operation + TINY;
    return y;
}

static Value larger(Value a, Value b) {
    Value y = a.value >= b.value ? a : b;
    y.bound = fmax(a.bound, b.bound);
    y.magnitude = fmax(a.magnitude, b.magnitude);
    y.is_leaf = false;
    return y;
}

// ---- the grammar: sum > product > power > atom

static Value read_sum(Reader *reader);

static Value read_number(Reader *reader) {
    if (skip(reader, "-inf") || skip(reader, "inf")) {
        bool is_negative = strncmp(reader->at - 4, "-inf", 4) == 0;
        return (Value){.value = is_negative ? -(double)INFINITY : (double)INFINITY,
                       .is_leaf = true};
    }
    char *end = NULL;
    Value y = {.value = strtod(reader->at, &end), .is_leaf = true};
    if (end == reader->at || isnan(y.value)) {
        return fault(reader, "a number");
    }
    reader->at = end;
    bool is_whole = y.value == floor(y.value) && fabs(y.value) < 0x1p24;
    y.bound = is_whole ? 0.0 : reader->rounding.operand * fabs(y.value);
    y.magnitude = fabs(y.value);
    return y;
}

static Value read_maximum(Reader *reader) {
    Value y = read_sum(reader);
    while (skip(reader, ", ")) {
        if (!skip(reader, "…")) {
            y = larger(y, read_sum(reader));
        }
    }
    return y;
}

static Value apply(const Reader *reader, const char *name, Value a) {
    if (strcmp(name, "exp") == 0) {
        return exponential(reader, a);
    }
    if (strcmp(name, "ln") == 0) {
        return logarithm(reader, a);
    }
    if (strcmp(name, "tanh") == 0) {
        return hyperbolic(reader, a);
    }
    return strcmp(name, "sin") == 0 ? wave(reader, a, sin(a.value)) : wave(reader, a, cos(a.value));
}

static Value read_call(Reader *reader, const char *name) {
    static const char *const NAMES[] = {"exp", "ln", "tanh", "sin", "cos", "max"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(name, NAMES[i]) != 0) {
            continue;
        }
        bool is_max = strcmp(name, "max") == 0;
        Value y = is_max ? read_maximum(reader) : apply(reader, name, read_sum(reader));
        return skip(reader, ")") ? y : fault(reader, ")");
    }
    return fault(reader, "exp, ln, tanh, sin, cos or max before (");
}

static Value read_name(Reader *reader) {
    char name[NAME_BYTES] = "";
    size_t length = 0;
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_') {
        if (length + 1 == sizeof name) {
            return fault(reader, "a short name");
        }
        name[length++] = *reader->at++;
    }
    name[length] = '\0';
    if (skip(reader, "(")) {
        return read_call(reader, name);
    }
    for (int i = 0; i < reader->n_steps; i++) {
        if (strcmp(reader->names[i], name) == 0) {
            return reader->steps[i];
        }
    }
    return fault(reader, "the name of an earlier line");
}

static Value read_atom(Reader *reader) {
    if (reader->depth > MAX_DEPTH) {
        return fault(reader, "fewer parentheses");
    }
    if (skip(reader, "(")) {
        reader->depth++;
        Value y = read_sum(reader);
        reader->depth--;
        y.is_leaf = false;
        return skip(reader, ")") ? y : fault(reader, ")");
    }
    if (skip(reader, "√")) {
        return root(reader, read_atom(reader));
    }
    bool is_inf = strncmp(reader->at, "inf", 3) == 0;
    return isalpha((unsigned char)*reader->at) && !is_inf ? read_name(reader) : read_number(reader);
}

static Value read_power(Reader *reader) {
    Value y = read_atom(reader);
    return skip(reader, "^") ? power(reader, y, read_atom(reader)) : y;
}

static Value read_product(Reader *reader) {
    Value y = read_power(reader);
    for (;;) {
        if (skip(reader, "·")) {
            y = multiply(reader, y, read_power(reader));
        } else if (skip(reader, " / ")) {
            y = divide(reader, y, read_power(reader));
        } else {
            return y;
        }
    }
}

// Terms are added in any order: each addition rounds a part of what is there.
typedef struct Sum {
    Value total;
    Value largest; // between the two "…"
    int n_terms;
    int n_ellipses;
} Sum;

static void sum_append(Sum *sum, Value term, double sign) {
    sum->total.value += sign * term.value;
    sum->total.bound += term.bound;
    sum->total.magnitude += term.magnitude;
    sum->n_terms++;
    if (sum->n_ellipses == 1) {
        sum->largest = term;
    }
}

// "(12 more: 0.5)": none of them is larger than the one between the ellipses.
static bool read_rest(Reader *reader, Sum *sum) {
    if (reader->at[0] != '(' || !isdigit((unsigned char)reader->at[1])) {
        return false;
    }
    char *end = NULL;
    double count = (double)strtol(reader->at + 1, &end, 10);
    const char *start = reader->at;
    reader->at = end;
    if (!skip(reader, " more: ")) {
        reader->at = start;
        return false;
    }
    Value rest = read_number(reader);
    rest.bound += 2.0 * count * sum->largest.bound;
    rest.magnitude = fmax(rest.magnitude, count * sum->largest.magnitude);
    sum_append(sum, rest, 1.0);
    sum->n_terms += (int)count - 1;
    if (!skip(reader, ")") || sum->n_ellipses != 2) {
        fault(reader, "two … before the rest, and ) after it");
    }
    return true;
}

static Value read_sum(Reader *reader) {
    Value first = read_product(reader);
    Sum sum = {0};
    sum_append(&sum, first, 1.0);
    for (;;) {
        bool is_plus = skip(reader, " + ");
        if (!is_plus && !skip(reader, " - ")) {
            break;
        }
        if (skip(reader, "…")) {
            sum.n_ellipses++;
        } else if (!read_rest(reader, &sum)) {
            sum_append(&sum, read_product(reader), is_plus ? 1.0 : -1.0);
        }
    }
    if (sum.n_terms == 1) {
        return first;
    }
    if (sum.n_terms == 2) {
        return rounded(reader, sum.total);
    }
    sum.total.bound += (sum.n_terms - 1) * reader->rounding.operation * sum.total.magnitude + TINY;
    return sum.total;
}

// ---- lines

static void read_line(Reader *reader, const char *name, size_t name_length) {
    Value y = read_sum(reader);
    Redone *redone = reader->redone;
    redone->value = y.value;
    redone->bound = y.bound;
    redone->magnitude = y.magnitude;
    redone->printed = y.value;
    redone->is_leaf = y.is_leaf;
    if (skip(reader, " = ")) {
        redone->printed = read_number(reader).value;
    }
    if (*reader->at != '\n') {
        fault(reader, "the end of the line");
        return;
    }
    reader->at++;
    if (name_length < NAME_BYTES && reader->n_steps < MAX_STEPS) {
        memcpy(reader->names[reader->n_steps], name, name_length);
        reader->names[reader->n_steps][name_length] = '\0';
        reader->steps[reader->n_steps++] = y;
    }
}

bool arithmetic_redo(const char *text, Rounding rounding, Redone *redone) {
    *redone = (Redone){0};
    Reader reader = {.at = text, .rounding = rounding, .redone = redone};
    if (*text == '\0') {
        fault(&reader, "a line");
    }
    while (*reader.at != '\0' && redone->fault[0] == '\0') {
        const char *name = reader.at;
        const char *equals = strstr(name, " = ");
        if (equals == NULL) {
            fault(&reader, "name = expression");
            break;
        }
        reader.at = equals + 3;
        read_line(&reader, name, (size_t)(equals - name));
    }
    return redone->fault[0] == '\0';
}
