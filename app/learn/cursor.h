// cursor.h - what is looked at: a cell of a stage of the playground's tape, the way that led to it,
// what it is explained by.
#ifndef APP_LEARN_CURSOR_H
#define APP_LEARN_CURSOR_H

#include "app/learn/command.h"
#include "app/learn/reply.h"
#include "engine/playground/playground.h"

enum { CURSOR_TRAIL = 64, CURSOR_SOUGHT_BYTES = 4096 };

// A node, and where the cursor is on each kind of axis. An axis that the node lacks keeps its place
// for the next that has it.
typedef struct Place {
    const Node *node; // NULL: nothing is open
    int item, head, row, column;
    int next_source; // which source Enter follows next
} Place;

typedef struct Cursor {
    Playground *playground;
    Reply *reply;
    Place place;
    Place trail[CURSOR_TRAIL]; // n_trail places that were followed from
    int n_trail;
    Explanation explanation; // of the place, if is_explained
    bool is_explained;
    char sought[CURSOR_SOUGHT_BYTES]; // what f and F go on looking for
    // Who shows what is looked at compares these with those of the time before.
    int n_looks;   // how often another node was looked at
    int n_tapes;   // how often the tape was another: what pointed into the one before is gone
    int n_changes; // how often numbers changed
} Cursor;

// Both outlive the cursor.
void cursor_init(Cursor *cursor, Playground *playground, Reply *reply);
// Nothing is open any more; what was found last stays to be looked for.
void cursor_close(Cursor *cursor);

void cursor_look_at(Cursor *cursor, const Node *node);
void cursor_look_at_step(Cursor *cursor); // what the playground's stepper stands at
void cursor_forget(Cursor *cursor);       // the tape was built anew

// Goes to a node, which is run, and to one of its cells.
void cursor_visit(Cursor *cursor, const Node *node, size_t element);

size_t cursor_element(const Cursor *cursor);
void cursor_set_element(Cursor *cursor, size_t element);

// So many cells along an axis of the node, heads or items on; false where there is no other.
bool cursor_move_axis(Cursor *cursor, int axis, int step);
bool cursor_move_head(Cursor *cursor, int step);
bool cursor_move_item(Cursor *cursor, int step);

void cursor_explain(Cursor *cursor); // the cell, if it is not explained yet and its number is there
void cursor_changed(Cursor *cursor); // numbers changed

// "stage[i,j]" as a node and an element; a stage alone gives element 0.
bool cursor_find_cell(const Cursor *cursor, const char *text, const Node **node, size_t *element,
                      Error *err);
double cursor_value(const Cursor *cursor, const Node *node, size_t element);

// The next stage, forwards (1) or backwards (-1), whose name holds what is sought. False where
// there is none.
bool cursor_search(Cursor *cursor, int direction);

// ---- commands, in cursor_move.c and cursor_follow.c
bool cursor_do_step(Cursor *cursor, const Command *command, Error *err);
bool cursor_do_go(Cursor *cursor, const Command *command, Error *err); // `show` looks there alone
bool cursor_do_move(Cursor *cursor, const Command *command, Error *err);
bool cursor_do_follow(Cursor *cursor, const Command *command, Error *err);
bool cursor_do_return(Cursor *cursor, const Command *command, Error *err);

#endif
