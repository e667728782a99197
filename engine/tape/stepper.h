// stepper.h - a cursor over the steps of a watched tape: forwards, backwards, into, over and out.
//
// Moving is free: a node writes only its own output, so back is moving the cursor. What a move
// needs is computed by stepper_run, in slices where somebody waits for keys.
#ifndef ENGINE_TAPE_STEPPER_H
#define ENGINE_TAPE_STEPPER_H

#include <stdbool.h>

#include "engine/base/progress.h"
#include "engine/tape/optimizer.h"
#include "engine/tape/tape.h"

typedef enum StepMove {
    STEP_NEXT,
    STEP_BACK,
    STEP_INTO,      // to the first step of the next scope inside this one
    STEP_OUT,       // to the first step after this scope
    STEP_OVER,      // next; a scope that would be entered counts as one step: to its last
    STEP_OVER_BACK, // back; a scope counts as one step: to its first
    STEP_FIRST,
    STEP_LAST,
    STEP_LOSS,
} StepMove;

typedef struct Stepper {
    Tape *tape;                 // borrowed; mode TAPE_WATCH
    const Optimizer *optimizer; // borrowed; NULL where the tape has no updates
    float lr;                   // of the updates
    Node **steps;               // owned; the nodes that are steps, in order
    int n_steps;
    int at;             // the cursor, 0 .. n_steps - 1
    int n_valid;        // nodes with an id below this hold the numbers of this run
    Progress *progress; // of who waits for stepper_require; borrowed; NULL: nobody
} Stepper;

// A step is a node that computes something: parameters, cuts of parameters and the further outputs
// of a node are none. The tape has to be allocated, with at least one step, and its ids set.
bool stepper_init(Stepper *stepper, Tape *tape, const Optimizer *optimizer, float lr, Error *err);
void stepper_free(Stepper *stepper);

Node *stepper_node(const Stepper *stepper);
Phase stepper_phase(const Stepper *stepper);

// False, and the cursor stays, where there is nothing in that direction.
bool stepper_move(Stepper *stepper, StepMove move);

// To the step of that node; for a node that is no step, to the first step that reads it. False when
// no step does.
bool stepper_go(Stepper *stepper, const Node *node);

// The node with that stage name, or the only forward step whose name ends in "." and this; NULL
// where there is none.
Node *stepper_find(const Stepper *stepper, const char *stage);

// The next step after (direction 1) or before (-1) step `from` whose stage holds the text, going
// round; -1 where there is none. `from` may be -1.
int stepper_search(const Stepper *stepper, const char *text, int from, int direction);

// What stage names begin with `start`: writes at most max names, the tape's or made in the arena,
// and gives how many there are. Names that go on after a next "." are written up to it, each once.
int stepper_complete(const Stepper *stepper, const char *start, Arena *arena, const char **names,
                     int max);

// Runs what the cursor needs, for about budget_ms (0: a single node); true when all is computed.
bool stepper_run(Stepper *stepper, double budget_ms);

// Computes what `node` needs at once, wherever the cursor is. Fails only where the work was ended;
// what was computed so far stays.
bool stepper_require(Stepper *stepper, const Node *node, Error *err);

// Back to the last step that has been computed (or the first), so that nothing is left to run.
void stepper_stop(Stepper *stepper);

// A number of that node was changed from outside: what comes after it is computed again. NULL: all.
void stepper_invalidate(Stepper *stepper, const Node *node);

// True when the node's numbers are those of this run.
bool stepper_is_valid(const Stepper *stepper, const Node *node);

#endif
