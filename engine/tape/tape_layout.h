// tape_layout.h - where each node's numbers lie, worked out before there is any memory.
#ifndef ENGINE_TAPE_TAPE_LAYOUT_H
#define ENGINE_TAPE_TAPE_LAYOUT_H

#include "engine/tape/tape.h"

// Bytes. The node's numbers begin `inside` root's. Root's begin at `data` in the tape's block, past
// the gradients that it owns, but where root is a parameter, a cache, a
// parameter's gradient or the loss's.
struct NodePlace {
    const Node *root;
    size_t inside;
    size_t data;
    size_t saved; // of what its op keeps
    bool is_view; // its numbers are another node's: there is nothing to run
};

// Gives the block back.
void tape_release(Tape *tape);

// A gradient that lies among the gradients of all parameters.
bool tape_layout_is_parameter_gradient(const Tape *tape, const Node *node);

// A training tape's d loss / d loss: the number of the step block.
bool tape_layout_is_loss_gradient(const Tape *tape, const Node *node);

// Whether it is filled when the tape is allocated, not by each run.
bool tape_layout_runs_once(const Tape *tape, const Node *node);

#endif
