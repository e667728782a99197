// view_attention.h - which attention belongs to what is looked at, and how a weight is shaded.
#ifndef VIEWS_SCREEN_VIEW_ATTENTION_H
#define VIEWS_SCREEN_VIEW_ATTENTION_H

#include "views/screen/view_grid.h"

// Weights, scores or a gradient of them; where in them the cursor is.
typedef struct AttentionPlace {
    const Tape *tape;
    const Node *node;           // (B,H,T,S); NULL: there is none
    int item, head, query, key; // key -1: none
} AttentionPlace;

// The node itself where it holds queries by keys, else the weights of the attention that it lies
// in.
AttentionPlace attention_place(const ViewState *state);
ViewNumbers attention_numbers(const ViewState *state); // of one head; there has to be one
ViewMatrix attention_matrix(const AttentionPlace *place, int head);

// The n-th node of weights on the tape; NULL: there are fewer.
const Node *attention_node(const ViewState *state, int n);

// Where the node's numbers are those of this run.
bool attention_has_run(const ViewState *state, const Node *node);

#endif
