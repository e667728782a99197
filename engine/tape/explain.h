// explain.h - the arithmetic behind one number, as an expression over the cells it came from.
#ifndef ENGINE_TAPE_EXPLAIN_H
#define ENGINE_TAPE_EXPLAIN_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/shape.h"
#include "engine/tape/tape.h"

typedef enum ExprKind {
    EXPR_CELL,       // a number of a node
    EXPR_NUMBER,     // a constant of the formula, or a kept statistic
    EXPR_STEP,       // the value of an earlier step, by its name
    EXPR_SUM,        // n terms
    EXPR_PRODUCT,    // n factors
    EXPR_DIFFERENCE, // a - b
    EXPR_QUOTIENT,   // a / b
    EXPR_ROOT,
    EXPR_EXP,
    EXPR_LOG, // natural
    EXPR_TANH,
    EXPR_SIN,
    EXPR_COS,
    EXPR_MAX,   // of n
    EXPR_POWER, // a ^ b
} ExprKind;

typedef struct Expr Expr;
struct Expr {
    ExprKind kind;
    const Expr **terms; // n_terms of them; borrowed from the explanation's arena
    int n_terms;
    double value;
    // EXPR_CELL: the cell; the node may be a parameter. EXPR_NUMBER: of a statistic that a node
    // keeps of a row, the cell in whose explanation it is computed; else NULL.
    const Node *node;
    size_t element;
    const char *name; // EXPR_STEP: of the step
};

// Why a cell has the value it has beyond its arithmetic; the texts are the views'.
typedef enum ExplainNote {
    EXPLAIN_NOTE_NONE,
    EXPLAIN_NOTE_MASKED_FUTURE,  // the key comes after the query
    EXPLAIN_NOTE_MASKED_PADDING, // the key is padding
    EXPLAIN_NOTE_VISIBLE,
    EXPLAIN_NOTE_ALL_MASKED,    // no key may be seen: the row is 0
    EXPLAIN_NOTE_PADDING_LABEL, // this position does not count
    EXPLAIN_NOTE_RELU_OPEN,     // x > 0, the gradient passes
    EXPLAIN_NOTE_RELU_CLOSED,   // x <= 0, it stops
    EXPLAIN_NOTE_LOOKED_UP,     // a row chosen by a token's id
    EXPLAIN_NOTE_NOT_LOOKED_UP, // no position has this id: gradient 0
    EXPLAIN_NOTE_GIVEN,         // an input, a parameter, a constant: nothing to compute
    EXPLAIN_NOTE_CARRIED,       // a mean that the optimizer keeps: as the step before left it
    EXPLAIN_NOTE_COPIED,        // the same number, moved
    EXPLAIN_NOTE_DROPPED,       // dropout: drawn out
    EXPLAIN_NOTE_KEPT,
    EXPLAIN_NOTE_EDITED, // set by a person
} ExplainNote;

typedef struct ExplainStep {
    const char *name; // "mean"; "" for the cell itself, which is the last step
    const Expr *value;
} ExplainStep;

enum { EXPLAIN_MAX_STEPS = 12 };

// A zeroed Explanation is ready; explain_free gives it back, explain_cell may fill it again.
typedef struct Explanation {
    Arena arena;
    const Tape *tape;
    const Node *node;
    size_t element;
    const char *formula; // of the op, in letters
    ExplainStep steps[EXPLAIN_MAX_STEPS];
    int n_steps;
    ExplainNote note;
    float stored; // what stands in the cell
} Explanation;

// Explains element `element` of a node of the tape that has run, on any device whose memory the
// host can read. Dropout's draws are those of the tape's seed and step as they are now.
void explain_cell(Explanation *explanation, const Tape *tape, const Node *node, size_t element);
void explain_free(Explanation *explanation);

// ---- for the ops: expressions, each owned by the explanation
const Expr *expr_cell(Explanation *explanation, const Node *node, size_t element);
const Expr *expr_cell_at(Explanation *explanation, const Node *node, const int *indices);
const Expr *expr_number(Explanation *explanation, double value);
// A number that the node keeps of the row that the element is in.
const Expr *expr_statistic(Explanation *explanation, double value, const Node *node,
                           size_t element);
const Expr *expr_of(Explanation *explanation, ExprKind kind, const Expr *const *terms, int n_terms);
const Expr *expr_two(Explanation *explanation, ExprKind kind, const Expr *a, const Expr *b);
const Expr *expr_one(Explanation *explanation, ExprKind kind, const Expr *a);

// Collects the terms of a sum or product one by one.
typedef struct ExprList {
    const Expr **terms;
    int count;
    int capacity;
} ExprList;
void expr_list_append(Explanation *explanation, ExprList *list, const Expr *term);
const Expr *expr_list_close(Explanation *explanation, const ExprList *list, ExprKind kind);

// Names a value that later steps may use, and gives the expression that refers to it. The last
// step, named "", is the cell itself.
const Expr *explain_step(Explanation *explanation, const char *name, const Expr *value);
void explain_result(Explanation *explanation, const Expr *value, ExplainNote note);

// ---- for the readers

// True where the number comes from outside of the tape, so that its arithmetic says nothing.
bool explain_is_given(const Explanation *explanation);

// The cells an explanation uses, also those whose row's statistics it uses, in order of their first
// use, each once; when `by_size` largest influence first, |value of the term it stands in|, but of
// a normalized row (softmax, layer norm) the cell in the same place before all others. At most max
// are written; how many there are is returned.
typedef struct ExplainCell {
    const Node *node;
    size_t element;
    double weight;     // |the outermost term of the last step that it stands in|
    bool is_statistic; // not its number is used, but what its row was normalized with
} ExplainCell;
int explain_cells(const Explanation *explanation, ExplainCell *cells, int max, bool by_size);

// How many terms a sum or product may have before only the first, the last, the largest and the sum
// of the rest are written; EXPLAIN_ALL_TERMS writes all.
enum { EXPLAIN_TERMS = 16, EXPLAIN_ALL_TERMS = 0 };

// "encoder.0.self_attn.scores[0,1,2,1]"; size bytes with the NUL.
void explain_cell_name(const Node *node, size_t element, char *text, size_t size);

// The lines of an explanation, in the arena of the explanation. A line is "name = expression =
// value" or "expression = value"; numbers have nine significant digits, so that redoing them gives
// the value again.
const char *explain_text(Explanation *explanation, int max_terms);

#endif
