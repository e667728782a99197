// dataset_manifest.h - dataset.json: what a folder of shards was made from.
#ifndef ENGINE_TRAINING_DATASET_MANIFEST_H
#define ENGINE_TRAINING_DATASET_MANIFEST_H

#include "engine/training/dataset.h"

// The plan's own hash of its tokenizer, or one that is worked out.
void dataset_plan_hash(const DatasetPlan *plan, char hash[DATASET_HASH_BYTES]);

// Written last, so that a folder without it is unfinished. hash: of the shards.
bool dataset_manifest_write(const char *folder, const DatasetPlan *plan,
                            const DatasetCounts *counts, const char *hash, int n_train, int n_held,
                            Error *err);

#endif
