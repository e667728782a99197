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

// For chain rules: the node whose numbers a gradient is to read where the rule needs those of
// `node`. On a training tape the large outputs of cheap ops are not kept until then but computed
// again from their inputs, which are kept for the op's own gradient (Chen et al. 2016, "Training
// deep nets with sublinear memory cost", for these ops alone): the same kernel, so the same bits.
Node *gradient_reads(Tape *tape, Node *node);

#endif
