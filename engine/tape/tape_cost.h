// tape_cost.h - how much arithmetic a tape is.
#ifndef ENGINE_TAPE_TAPE_COST_H
#define ENGINE_TAPE_TAPE_COST_H

#include "engine/tape/tape.h"

// Multiplications and additions of all products on the tape, attention's included (of causal
// attention the half that counts). What is done element by element is left out.
double tape_product_flops(const Tape *tape);

#endif
