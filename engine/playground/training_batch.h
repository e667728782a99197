// training_batch.h - what the playground's model learns from, batch by batch.
#ifndef ENGINE_PLAYGROUND_TRAINING_BATCH_H
#define ENGINE_PLAYGROUND_TRAINING_BATCH_H

#include "engine/playground/model_input.h"
#include "engine/training/made_data.h"

typedef struct TrainingSource {
    const MadeData *made; // NULL: the batch that is shown
    int length;           // tokens of a side of made data, at most
    float lr;
    bool moves; // every step learns from other pairs
} TrainingSource;

// Data that is made where the model's preset names such, else what is shown.
TrainingSource training_source_find(const OpenModel *opened);

// The pairs of made data with those numbers. Shorter sources are padded to the longest, and all to
// source->length where that is more.
bool training_batch_pairs(Batch *batch, const TrainingSource *source, const OpenModel *opened,
                          const uint64_t *numbers, int n, Error *err);

// The batch of a step (from 0). Of data that is made all of them have the same shape.
bool training_batch_make(Batch *batch, const TrainingSource *source, const OpenModel *opened,
                         int step, Error *err);

#endif
