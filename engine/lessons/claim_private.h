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

// A claim while it is read: what is left of it, and where it stands.
typedef struct ClaimReader {
    Arena *arena;
    const char *path;
    int line;
    const char *text; // the whole claim
    const char *at;
    int depth, n_terms;
    Error *err;
} ClaimReader;

// "path:line: expected WHAT, found ...": always NULL.
ClaimTerm *claim_expected(const ClaimReader *reader, const char *what);
void claim_skip_spaces(ClaimReader *reader);
bool claim_take(ClaimReader *reader, const char *sign); // skips spaces before it
bool claim_take_compare(ClaimReader *reader, ClaimCompare *compare);
ClaimTerm *claim_new_term(ClaimReader *reader, ClaimTermKind kind);

// A sum of products; NULL with the fault.
ClaimTerm *claim_read_sum(ClaimReader *reader);

#endif
