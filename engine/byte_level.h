// byte_level.h - byte-pair encoding over bytes, as GPT-2 does it (Radford et al. 2019): what such a
// tokenizer is, for the files that read, run and save it.
#ifndef ENGINE_BYTE_LEVEL_H
#define ENGINE_BYTE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/byte_merge.h"
#include "engine/byte_split.h"
#include "engine/byte_words.h"
#include "engine/tokenizer_private.h"

typedef struct MergeRule {
    int32_t left;
    int32_t right;
    int32_t id;
} MergeRule;

typedef enum ByteNormalizer {
    BYTE_NORMALIZER_NONE,
    BYTE_NORMALIZER_NFC,
    BYTE_NORMALIZER_NFD,
    BYTE_NORMALIZER_NFKC,
    BYTE_NORMALIZER_NFKD,
} ByteNormalizer;

// A word of the text takes four steps to its ids: normalize the text, split it, look the word up,
// merge.
struct ByteLevel {
    // what a file says
    SplitRule split;
    ByteNormalizer normalizer;
    bool isolate_digits; // each number is a text of its own before the split
    bool prefix_space;   // a text that does not start with a space gets one
    bool whole_words;    // a word that is a token is that token, whatever the merges say
    bool by_rank;      // tiktoken: any two tokens whose bytes together are a token merge, rank = id
    MergeRule *merges; // in order, the rank is the index; none where by_rank
    int n_merges;

    // what follows from it, made by byte_level_finish and only read after
    int32_t byte_ids[256]; // the unknown piece's where there is none, or -1
    PairTable pairs;
    WordTable words;         // every word of at most 15 bytes that becomes one token
    uint64_t joined[256][4]; // a bit for each two bytes that stand side by side in some token
    int32_t *user_ids;       // pieces that are matched before anything else, the longest first
    int n_user_ids;
    bool user_starts[256]; // a byte that one of them begins with
};

// An empty one in an empty tokenizer of its kind. The caller appends the pieces.
bool byte_level_start(Tokenizer *tokenizer, Error *err);

// Room for n merges; then one after the other, found by the bytes of the halves. where
// ("merges.txt", line) is for the sentence. The pieces must be indexed.
bool byte_level_reserve_merges(ByteLevel *level, size_t n_merges, Error *err);
bool byte_level_add_merge(Tokenizer *tokenizer, const char *left, size_t left_length,
                          const char *right, size_t right_length, const char *where, int line,
                          Error *err);

// Makes everything that follows from pieces, merges and options. Pieces that no merge makes, of
// more than one byte, become control pieces and get their roles where the file does not say what
// they are.
bool byte_level_finish(Tokenizer *tokenizer, bool kinds_by_file, Error *err);

// The method: encodes with what finish made.
bool byte_level_encode(const Tokenizer *tokenizer, const char *text, size_t length, TokenIds *ids,
                       EncodeReport *report, MergeWatcher watcher, void *context, Error *err);

// Gives <|endoftext|>, <s>, <unk> and the like their roles by name.
void byte_level_find_roles(Tokenizer *tokenizer);

#endif
