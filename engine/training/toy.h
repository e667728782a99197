// toy.h - the copy toy: all pairs of its five words, and how many of them a model copies.
#ifndef ENGINE_TRAINING_TOY_H
#define ENGINE_TRAINING_TOY_H

#include "engine/models/model.h"

enum { TOY_PAIRS = 25, TOY_LENGTH = 3 };

// "<s> word word" for all pairs of the words cat, run, dog, sleep, eat: (25,3).
void toy_pairs(int32_t ids[TOY_PAIRS * TOY_LENGTH]);

// How many of the 25 pairs greedy decoding copies, from the start token that it is trained with.
bool toy_count_copied(Model *model, Device *device, int *n_copied, Error *err);

#endif
