// dataset_shard.h - one file of tokens: written with its checksum, opened and held against it.
#ifndef ENGINE_TRAINING_DATASET_SHARD_H
#define ENGINE_TRAINING_DATASET_SHARD_H

#include "engine/training/dataset.h"

// "folder/train-00000.tokens" (malloc, the caller's).
char *shard_path(const char *folder, DatasetSplit split, int i);

typedef struct ShardContent {
    int32_t *ids; // overwritten
    size_t n_ids;
    const ShardItem *items;
    size_t n_items;
    bool is_narrow; // two bytes an id
    const char *tokenizer_hash;
} ShardContent;

// *crc gets the checksum of what follows the header.
bool shard_save(const char *path, const ShardContent *content, uint32_t *crc, Error *err);

// Maps the file and checks its header, and that its pairs lie within.
bool shard_open(Shard *shard, const char *path, const char *hash, Error *err);

// Reads all of it once.
bool shard_check(Shard *shard, const char *path, Error *err);

// The checksum of a row of shards, from that of those before (0: none).
uint32_t shard_chain(uint32_t before, uint32_t crc);

#endif
