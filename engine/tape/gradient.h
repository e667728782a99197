// gradient.h - the backward pass: gradients appended to the tape as ordinary nodes.
#ifndef ENGINE_TAPE_GRADIENT_H
#define ENGINE_TAPE_GRADIENT_H

#include "engine/tape/tape.h"

// Appends d loss / d x for every node that the loss depends on and that a parameter reaches, and
// for every parameter, by each op's chain rule, last node first. Stage names are "grad." + the
// node's own; where a value is used several times its parts are "grad.<stage>@<user>" and an
// ACCUMULATE node is their sum. Sets node->gradient. loss is one number; its own gradient is a
// constant 1.
void gradient_append(Tape *tape, Node *loss);

#endif
