// claim.c - reads a claim: a comparison of two terms, and what it tolerates.
#include "engine/lessons/claim.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lessons/claim_private.h"

// Half of the fourth decimal.
static const double COMPUTED_TOLERANCE = 5e-5;

// Half of the last digit that is written: "2.24" tolerates 0.005. A whole number is meant exactly,
// but for the rounding of a sum: a millionth.
static double written_tolerance(const char *start, const char *end) {
    double unit = 1.0;
    const char *point = memchr(start, '.', (size_t)(end - start));
    if (point == NULL) {
        return 1e-6;
    }
    for (const char *at = point + 1; at < end && isdigit((unsigned char)*at); at++) {
        unit /= 10.0;
    }
    return 0.5 * unit + 1e-9;
}

static bool take_tolerance(ClaimReader *reader, Claim *claim) {
    if (!claim_take(reader, "±")) {
        return true;
    }
    char *end = NULL;
    double tolerance = strtod(reader->at, &end);
    if (end == reader->at || !(tolerance >= 0.0) || claim->compare != CLAIM_EQUAL) {
        return claim_expected(reader, "a tolerance after ==, \"± 0.01\"") != NULL;
    }
    reader->at = end;
    claim->tolerance = tolerance;
    return true;
}

// A side that is one number tolerates half of its last digit.
static double side_tolerance(const ClaimTerm *term, const char *start, const char *end) {
    return term->kind == TERM_NUMBER ? written_tolerance(start, end) : COMPUTED_TOLERANCE;
}

static const ClaimTerm *read_word(ClaimReader *reader) {
    claim_skip_spaces(reader);
    size_t length = strlen(reader->at);
    while (length > 0 && (reader->at[length - 1] == ' ' || reader->at[length - 1] == '\t')) {
        length--;
    }
    if (length == 0) {
        return claim_expected(reader, "a word after is");
    }
    ClaimTerm *term = claim_new_term(reader, TERM_WORD);
    term->name = arena_format(reader->arena, "%.*s", (int)length, reader->at);
    reader->at += strlen(reader->at);
    return term;
}

bool claim_parse(Claim *claim, Arena *arena, const char *path, int line, const char *text,
                 Error *err) {
    *claim = (Claim){.text = arena_text(arena, text), .line = line};
    ClaimReader reader = {.arena = arena, .path = path, .line = line, .err = err};
    reader.text = claim->text;
    reader.at = claim->text;
    claim->left = claim_read_sum(&reader);
    if (claim->left == NULL) {
        return false;
    }
    const char *middle = reader.at;
    if (!claim_take_compare(&reader, &claim->compare)) {
        return claim_expected(&reader, "== < > <= >= or is") != NULL;
    }
    if ((claim->left->kind == TERM_SHOWN) != (claim->compare == CLAIM_IS) &&
        claim->left->kind == TERM_SHOWN) {
        return claim_expected(&reader, "is after view, stage or cell") != NULL;
    }
    const char *right = reader.at;
    claim->right = claim->compare == CLAIM_IS ? read_word(&reader) : claim_read_sum(&reader);
    if (claim->right == NULL) {
        return false;
    }
    double left_tolerance = side_tolerance(claim->left, claim->text, middle);
    double right_tolerance = side_tolerance(claim->right, right, reader.at);
    claim->tolerance = claim->right->kind == TERM_NUMBER ? right_tolerance : left_tolerance;
    if (!take_tolerance(&reader, claim)) {
        return false;
    }
    claim_skip_spaces(&reader);
    return *reader.at == '\0' || claim_expected(&reader, "the end of the claim") != NULL;
}
