// dataset_pairs.h - batches of pairs, alike in length; what dataset.c and dataset_pairs.c share.
#ifndef ENGINE_TRAINING_DATASET_PAIRS_H
#define ENGINE_TRAINING_DATASET_PAIRS_H

#include "engine/training/dataset.h"

// Lists the pairs that are short enough; sets count, n_too_long and pairs.
bool dataset_pairs_list(Dataset *dataset, Error *err);

// dataset_read_batch for pairs, and a batch of the B pairs at places.
bool dataset_pairs_read(Dataset *dataset, const BatchRows *rows, int pad_id, DataBatch *batch,
                        Error *err);
bool dataset_pairs_read_places(Dataset *dataset, const PairPlace *places, int B, int pad_id,
                               DataBatch *batch, Error *err);

// Fails where the shard is damaged, or an id is beyond the vocabulary.
bool dataset_copy_ids(Dataset *dataset, Shard *shard, uint64_t first, size_t n, int32_t *ids,
                      Error *err);
void dataset_give_back(Dataset *dataset);
bool data_batch_reserve(DataBatch *batch, int B, int T, int S, Error *err);

#endif
