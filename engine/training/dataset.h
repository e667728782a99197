// dataset.h - tokens to train on: tokenized once into mapped shards, read as batches.
//
// A folder holds dataset.json and shards, train-00000.tokens and held-00000.tokens. A shard is a
// header (ShardHeader), the token ids (2 bytes each where the vocabulary allows it, else 4) and, of
// pairs, padded to 8 bytes, one ShardItem each.
#ifndef ENGINE_TRAINING_DATASET_H
#define ENGINE_TRAINING_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/file.h"
#include "engine/models/text_marks.h"
#include "engine/training/text_reader.h"
#include "engine/tokenizers/tokenizer.h"
#include "kernels/cpu_pool.h"

enum { DATASET_HASH_BYTES = 17 };

typedef struct ShardHeader {
    char magic[8]; // "attendTK"
    uint32_t version;
    uint32_t id_bytes;
    char tokenizer_hash[16];
    uint64_t n_tokens;
    uint64_t n_items;    // pairs; 0 of plain text
    uint32_t crc;        // CRC-32 (as zlib's) of all that follows the header
    uint32_t header_crc; // of the header, worked out while this is 0
    uint64_t reserved;
} ShardHeader;

typedef struct ShardItem {
    uint32_t first; // the source's ids, then the target's
    uint32_t n_source, n_target;
} ShardItem;

// ---- making one

typedef struct DatasetPlan {
    TextSource source;
    const Tokenizer *tokenizer;
    const char *tokenizer_hash; // of the tokenizer; NULL: worked out here
    TextMarks marks;            // around every text, and both sides of a pair
    int held_out_every;         // one text in so many is held out; 0: none
    Pool *pool;                 // whose threads tokenize; NULL: this one alone
    // Told now and then; size_bytes is 0 where the size is not known. false ends the work. May be
    // NULL.
    bool (*progress)(void *context, size_t read_bytes, size_t size_bytes);
    void *context;
} DatasetPlan;

typedef struct DatasetCounts {
    // Texts or pairs of which the split holds something: a long text goes in parts, of which some
    // may be held out.
    uint64_t n_texts, n_held_texts;
    uint64_t n_whole;  // in the file
    uint64_t n_blanks; // blank lines inside of plain texts
    uint64_t n_tokens, n_held_tokens;
    uint64_t n_bytes;
    EncodeReport report;
} DatasetCounts;

// Tokenizes into the folder, which is made; dataset.json is written last, so that a folder without
// it is not one; a build that fails leaves no shards. counts may be NULL.
bool dataset_build(const char *folder, const DatasetPlan *plan, DatasetCounts *counts, Error *err);

// Removes dataset.json first and then every shard, whatever they were made of.
void dataset_remove(const char *folder);

// True where the folder holds what this plan would make (same source, size, tokenizer and
// marks). A pipe never gives the same.
bool dataset_is_built(const char *folder, const DatasetPlan *plan);

// What tells the tokens of a folder from any others, as its dataset.json has it.
bool dataset_hash(const char *folder, char hash[DATASET_HASH_BYTES], Error *err);

// ---- reading one

typedef enum DatasetSplit { SPLIT_TRAIN, SPLIT_HELD_OUT } DatasetSplit;

typedef struct Shard {
    FileBytes file;
    uint32_t crc;           // as its header has it
    bool is_checked;        // held against it
    const uint16_t *narrow; // or
    const int32_t *wide;
    const ShardItem *items;
    uint64_t n_tokens;
    uint64_t n_items;
    uint64_t first_window; // of plain text: windows in the shards before
    uint64_t n_windows;
} Shard;

typedef struct PairPlace {
    uint32_t shard, item;
} PairPlace;

typedef struct Dataset {
    char *folder;
    DatasetSplit split;
    int vocab_size;
    Shard *shards;
    int n_shards;
    bool is_pairs;
    int length; // tokens a sequence
    uint64_t seed;
    uint64_t n_tokens;
    uint64_t count; // sequences (plain text) or pairs that are short enough
    uint64_t n_too_long;
    PairPlace *pairs; // count, of pairs
    struct PairPool {
        PairPlace *places;
        uint64_t number;
        uint64_t round;
        int n, B;
    } pool;               // the pairs that are sorted by length now
    size_t touched_bytes; // since the pages were given back
} Dataset;

typedef struct DatasetOptions {
    int length;    // tokens a sequence; a longer side leaves a pair out
    uint64_t seed; // of the shuffle
    const char *tokenizer_hash;
    int vocab_size; // ids are less
} DatasetOptions;

// A split of the folder. A split without texts is an empty dataset, not an error. Fails where a
// file is not whole or belongs to another tokenizer. Of many shards the first are held against
// their checksums at once, the others when they are first read.
bool dataset_open(Dataset *dataset, const char *folder, DatasetSplit split,
                  const DatasetOptions *options, Error *err);
void dataset_close(Dataset *dataset);

// About how many bytes of English text one of so many pieces stands for (measured: 2.2 for 256,
// 4.2 for 4,096 and 4.3 for GPT-2's).
double dataset_bytes_a_token(int vocab_size);

// Whether there is one batch of B; else a sentence with the size that is needed. name: the file's.
bool dataset_is_enough(const Dataset *dataset, int B, const char *name, Error *err);

// Rows first .. first + count - 1 of batch number `number` (from 0) of B sequences.
typedef struct BatchRows {
    uint64_t number;
    int B, first, count;
} BatchRows;

// A batch of ids, padded with pad_id. Zeroed is empty; data_batch_free takes it.
typedef struct DataBatch {
    int B, T, S;     // S: of the source, 0 of plain text
    int32_t *source; // (B,S)
    int32_t *tokens; // (B,T)
    int32_t *labels; // (B,T); -1 or pad_id where there is none
    size_t capacity;
} DataBatch;

void data_batch_free(DataBatch *batch);

// How many of the rows' labels count.
size_t data_batch_labels(const DataBatch *batch, int first_row, int n_rows, int pad_id);

// A batch, or some of its rows: a pure function of the seed and the numbers, so that a run goes on
// where it stopped; nothing comes twice before all have come once. Pairs of alike lengths stand
// together; T and S are those of the longest that is read, rounded up to whole eights (at most
// length). Fails where a shard is damaged.
bool dataset_read_batch(Dataset *dataset, const BatchRows *rows, int pad_id, DataBatch *batch,
                        Error *err);

// Sequences first .. first + B - 1 in their own order, for evaluation; the last ones where fewer
// are left.
bool dataset_read_in_order(Dataset *dataset, uint64_t first, int B, int pad_id, DataBatch *batch,
                           Error *err);

// How many lengths batches of pairs come in where no side is longer than `length`.
int dataset_lengths(int length);

// How many batches of B make one round through the data.
uint64_t dataset_round(const Dataset *dataset, int B);

#endif
