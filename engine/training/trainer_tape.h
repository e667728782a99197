// trainer_tape.h - the trainer's tapes by length, and their gradients on the way to the sum.
#ifndef ENGINE_TRAINING_TRAINER_TAPE_H
#define ENGINE_TRAINING_TRAINER_TAPE_H

#include "engine/training/trainer.h"

// The tape of that shape, made now if there is none; tapes unused for long make room. NULL with a
// sentence. It belongs to the trainer and lives until the next call.
TrainerTape *trainer_tape_get(Trainer *trainer, BatchShape shape, Error *err);
void trainer_tape_free(TrainerTape *tape);

// Copies rows first_row .. of the batch into the tape's ids.
void trainer_tape_fill(const TrainerTape *tape, const DataBatch *batch, int first_row);

// Cuts the gradients into buckets, from the last parameters to the first: the order in which a
// backward pass ends them.
bool trainer_buckets_make(Trainer *trainer, Error *err);

// Forward and backward. `first`: of this step's micro-batches; `last`: their sum goes to the group,
// bucket by bucket, while the backward pass goes on.
bool trainer_tape_run(Trainer *trainer, const TrainerTape *tape, bool first, bool last, Error *err);

#endif
