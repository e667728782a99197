// claim.h - what a lesson's prose asserts, as a comparison that a check of the lesson evaluates.
//
// One claim a line: `term op term [± tolerance]`, op one of == < > <= >= is.
//
//   loss == 2.2396                                  half of the last digit is tolerated, of a
//                                                   whole number a millionth
//   logits[0,0,5] > logits[0,0,4]
//   sum(encoder.0.self_attn.weights[0,*,*,:]) == 1  * every index, : the axis that is summed
//   count(grad.logits[0,0,:] < 0) == 1
//   argmax(logits[0,-1,:]) is dog                   a word of the vocabulary, or one that begins
//                                                   with a space; -1 the last index
//   loss < loss@start                               @start: before the commands of the stop;
//                                                   of a cell: logits@start[0,0,5]
//   loss@train:300 < 0.05                           @train:N: after step N of the training
//   view is attention                               what is shown: view, stage or cell
//
// A term is a sum or product of numbers, cells, scalars and functions. Scalars: loss, parameters,
// vocabulary, steps (of the tape), steps(forward), steps(backward), steps(update), accuracy (of
// the labels, the part whose logit is the largest), right(12) (the percentage of sentences of 12
// words that the model gets right), size(weights) (a number of the table that `size` has shown;
// size_plan_find says which there are), distances(difference) (of what `distances` has timed).
// Functions of numbers along ":": sum, mean, max, min, argmax, count, first (the first index that
// fulfils a comparison, -1: none), cos (of two rows); of one number: abs, sqrt, exp, ln. `==`
// between two computed terms tolerates half of the fourth decimal, which is the last one the screen
// shows.
#ifndef ENGINE_LESSONS_CLAIM_H
#define ENGINE_LESSONS_CLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/shape.h"

typedef enum ClaimCompare {
    CLAIM_EQUAL,
    CLAIM_LESS,
    CLAIM_MORE,
    CLAIM_AT_MOST,
    CLAIM_AT_LEAST,
    CLAIM_IS,
} ClaimCompare;

typedef struct ClaimTerm ClaimTerm; // claim_private.h

typedef struct Claim {
    const char *text;      // as it is written
    int line;              // in the lesson's file
    const ClaimTerm *left; // in the arena it was parsed into
    const ClaimTerm *right;
    ClaimCompare compare;
    double tolerance; // of CLAIM_EQUAL
} Claim;

// When a number is taken: now, before the commands of the stop, or after a step of the training.
typedef enum ClaimTime { CLAIM_NOW, CLAIM_START, CLAIM_TRAIN } ClaimTime;

typedef struct ClaimMoment {
    ClaimTime time;
    int step; // of CLAIM_TRAIN
} ClaimMoment;

// The numbers of a stage, borrowed until the next question is asked; one of the two is NULL.
typedef struct ClaimStage {
    Shape shape;
    const float *values;
    const int32_t *ids;
} ClaimStage;

// Whom a claim asks. Each returns false with a sentence where it has no answer.
typedef struct ClaimWorld {
    void *context;
    bool (*stage)(void *context, const char *name, ClaimMoment moment, ClaimStage *stage,
                  Error *err);
    // "loss", "steps" with the argument "" or "backward", "parameters", "vocabulary", "accuracy",
    // "right" with a number of words, "size" with the name of a number
    bool (*scalar)(void *context, const char *name, const char *argument, ClaimMoment moment,
                   double *value, Error *err);
    // What is shown: name is "view", "stage" or "cell"; the text is borrowed.
    bool (*shown)(void *context, const char *name, const char **text, Error *err);
    bool (*token)(void *context, const char *word, int32_t *id, Error *err);
} ClaimWorld;

// path and line are for sentences; text is one line. What it makes lives in arena.
bool claim_parse(Claim *claim, Arena *arena, const char *path, int line, const char *text,
                 Error *err);

// *holds says whether the claim is true; where it is not, found (borrowed from arena) says both
// sides and, where there are several, at which indices. Fails where a term cannot be computed: an
// unknown stage, an index that is too large, a number that was not kept.
bool claim_check(const Claim *claim, const ClaimWorld *world, Arena *arena, bool *holds,
                 const char **found, Error *err);

#endif
