// expr_write.h - writes an expression the way it is read: signs, parentheses, what is left out.
#ifndef ENGINE_TAPE_EXPR_WRITE_H
#define ENGINE_TAPE_EXPR_WRITE_H

#include "engine/tape/explain.h"

// Where an expression goes, piece by piece. Nothing is allocated.
typedef struct ExprWriter {
    void *context;
    void (*text)(void *context, const char *text);
    void (*leaf)(void *context, const Expr *expr); // a number, a cell or a named step
    // What a shortened sum leaves out: so many terms, and what they sum to.
    void (*rest)(void *context, int n_terms, double sum);
    int max_terms; // of a sum or maximum; EXPLAIN_ALL_TERMS: no limit
} ExprWriter;

// Expressions are as deep as a formula, not as a tensor.
void expr_write(const ExprWriter *writer, const Expr *expr);

#endif
