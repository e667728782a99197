// claim_private.h - a claim's terms as a tree; what its reader and its evaluator share.
#ifndef ENGINE_LESSONS_CLAIM_PRIVATE_H
#define ENGINE_LESSONS_CLAIM_PRIVATE_H

#include "engine/lessons/claim.h"

typedef enum ClaimTermKind {
    TERM_NUMBER,
    TERM_CELLS,  // stage[i,*,:]
    TERM_SCALAR, // loss, steps(backward)
    TERM_WORD,   // right of `is`
    TERM_SHOWN,  // view, stage, cell left of `is`
    TERM_ADD,
    TERM_SUBTRACT,
    TERM_MULTIPLY,
    TERM_DIVIDE,
    TERM_COMPARE, // 1 where it holds, else 0
    TERM_FUNCTION,
} ClaimTermKind;

typedef enum ClaimFunction {
    FUNCTION_SUM,
    FUNCTION_MEAN,
    FUNCTION_MAX,
    FUNCTION_MIN,
    FUNCTION_ARGMAX,
    FUNCTION_COUNT,
    FUNCTION_FIRST,
    FUNCTION_COS,
    FUNCTION_ABS,
    FUNCTION_SQRT,
    FUNCTION_EXP,
    FUNCTION_LN,
    FUNCTION_COUNT_OF, // how many there are
} ClaimFunction;

// An index of a cell: a number (negative: from the end), every, or the axis.
enum { INDEX_EVERY = -1000001, INDEX_AXIS = -1000002 };

struct ClaimTerm {
    ClaimTermKind kind;
    double number;
    const char *name; // of a stage, a scalar, a word, what is shown
    const char *argument;
    ClaimMoment moment;
    int indices[SHAPE_MAX_RANK];
    int n_indices;
    ClaimCompare compare;
    ClaimFunction function;
    const ClaimTerm *a, *b;
};

extern const char *const CLAIM_FUNCTION_NAMES[FUNCTION_COUNT_OF];

#endif
