// support_ops.h - one row or more for every op: a small tape and what it gives, worked out by hand.
#ifndef TESTS_SUPPORT_OPS_H
#define TESTS_SUPPORT_OPS_H

#include "tests/support_tape.h"

enum { OP_CASE_MAX = 12 };

typedef struct OpCase {
    const char *what;
    Node *(*build)(Bench *bench); // appends the inputs and the op, and gives the op's node
    OpKind op;
    int n; // numbers of its output
    float expected[OP_CASE_MAX];
} OpCase;

extern const OpCase OP_CASES_FORWARD[];
extern const int N_OP_CASES_FORWARD;
extern const OpCase OP_CASES_GRADIENT[]; // of gradients and updates
extern const int N_OP_CASES_GRADIENT;

#endif
