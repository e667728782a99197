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

// Shapes that do not fit: no node, and a sentence that holds this one.
typedef struct OpRefusal {
    OpKind op;
    Node *(*build)(Bench *bench); // the op's name is "y"
    const char *sentence;
} OpRefusal;

extern const OpCase OP_CASES_FORWARD[];
extern const int N_OP_CASES_FORWARD;
extern const OpCase OP_CASES_GRADIENT[]; // of gradients and updates
extern const int N_OP_CASES_GRADIENT;
extern const OpCase OP_CASES_STEPS[]; // of gates and positions, with their gradients
extern const int N_OP_CASES_STEPS;
extern const OpRefusal OP_REFUSALS_STEPS[];
extern const int N_OP_REFUSALS_STEPS;

// All of them.
typedef void OpCaseTest(const OpCase *test);
static inline void op_cases_each(OpCaseTest *run) {
    const OpCase *tables[] = {OP_CASES_FORWARD, OP_CASES_GRADIENT, OP_CASES_STEPS};
    const int counts[] = {N_OP_CASES_FORWARD, N_OP_CASES_GRADIENT, N_OP_CASES_STEPS};
    for (int table = 0; table < 3; table++) {
        for (int i = 0; i < counts[table]; i++) {
            run(&tables[table][i]);
        }
    }
}

#endif
