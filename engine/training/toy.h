// toy.h - the copy toy: all pairs of its five words, its training, and whether it copies them.
#ifndef ENGINE_TRAINING_TOY_H
#define ENGINE_TRAINING_TOY_H

#include "engine/models/model.h"
#include "engine/models/preset.h"

enum { TOY_PAIRS = 25, TOY_LENGTH = 3 };

// "<s> word word" for all pairs of the words cat, run, dog, sleep, eat: (25,3).
void toy_pairs(int32_t ids[TOY_PAIRS * TOY_LENGTH]);

// One tape over all pairs with its optimizer, to be stepped. Borrows the model.
typedef struct Toy {
    Model *model;
    ModelTape built;
    Optimizer optimizer;
    Schedule schedule;
    Device *device;
} Toy;

bool toy_open(Toy *toy, Model *model, const TrainingConfig *training, Device *device, Error *err);
void toy_close(Toy *toy);

// One update on a batch of all pairs; the loss before it.
float toy_step(Toy *toy);

// How many of the 25 pairs greedy decoding copies, from the start token that it is trained with.
bool toy_count_copied(Model *model, Device *device, int *n_copied, Error *err);

#endif
