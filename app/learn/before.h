// before.h - all numbers as they were before the last change, to be shown beside the new ones.
#ifndef APP_LEARN_BEFORE_H
#define APP_LEARN_BEFORE_H

#include "engine/playground/playground.h"

typedef struct BeforeNode {
    const char *stage;
    const float *values;
    size_t count;
} BeforeNode;

// The numbers of all stages at one moment; n 0: none are kept. A zeroed one is empty.
typedef struct Before {
    Arena arena;
    BeforeNode *nodes;
    int n;
    int n_trained; // steps of training then
    bool is_undo;  // what changed the numbers took a change back: it has no effect of its own
} Before;

// Keeps all numbers of the tape, which is computed to its end for that; nothing where it is large.
// Fails only where that was ended.
bool before_keep(Before *before, Playground *playground, Error *err);
void before_forget(Before *before);

// The kept numbers of the stage of that name and size, NULL where there are none.
const float *before_find(const Before *before, const Node *node);

// What the change did to a number: its values before and after it. False where one of them is not
// there, or the weights were trained since.
bool before_effect(const Before *before, const Playground *playground, const Node *node,
                   size_t element, float values[2]);

#endif
