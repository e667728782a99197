// sentencepiece.h - inside the SentencePiece kind: normalization, merges as tables, and the run
// over a text.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_SENTENCEPIECE_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_SENTENCEPIECE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tokenizers/added_tokens.h"
#include "engine/tokenizers/merge_pairs.h"
#include "engine/tokenizers/sentencepiece/normalizer.h"
#include "engine/tokenizers/tokenizer_private.h"

enum { MERGE_CHAR_PAGES = 0x1100 };

// Which symbols merge into which. A symbol is a piece's id; a character that only stands inside of
// pieces gets a number after them.
typedef struct MergeTables {
    int n_symbols;
    int n_pieces;
    int32_t *chars[MERGE_CHAR_PAGES]; // by code point / 256, NULL or 256 symbols; -1: not known
    int32_t *ranks; // of each symbol as the result of a merge; equal scores, equal ranks
    MergePairs pairs;
    uint64_t *neighbours; // bits: may these two characters stand next to each other in a piece?
    int neighbours_shift; // 64 - log2 of the bits
    int32_t ascii[128];   // = merge_tables_char
    bool ascii_neighbours[128][128]; // = merge_tables_neighbours of two ASCII characters
} MergeTables;

enum { REMEMBERED_BYTES = 24, REMEMBERED_IDS = 8 };

// A short stretch of text that was encoded before; no unknown is in it.
typedef struct RememberedStretch {
    uint64_t bytes[REMEMBERED_BYTES / 8]; // zeros after the end
    uint8_t length;                       // 0: empty
    uint8_t n_ids;
    int32_t ids[REMEMBERED_IDS];
} RememberedStretch;

// Filled as texts are encoded. Only one run at a time has it; another that comes meanwhile does
// without.
typedef struct EncodeMemory {
    atomic_flag is_taken;
    RememberedStretch *slots; // NULL until the first use
} EncodeMemory;

struct SentencePiece {
    Normalizer normalizer;
    Buffer normalization_name; // nmt_nfkc, identity or another, kept for the .model file
    Buffer unknown_surface;    // what <unk> is decoded to
    bool byte_fallback;
    int byte_ids[256];   // -1: none
    AddedTokens special; // <s>, <unk> and the like, found in a text before it is normalized
    MergeTables tables;
    EncodeMemory *memory; // changes behind a const tokenizer; what it gives does not
};

// Makes the tables once pieces, index and normalizer's fields are there. map: see
// normalizer_prepare.
bool sentencepiece_prepare(Tokenizer *tokenizer, const char *map, size_t map_length, Error *err);

// A fresh tokenizer of the kind, its detail zeroed but for SentencePiece's own defaults.
void sentencepiece_start(Tokenizer *tokenizer);

bool merge_tables_init(MergeTables *tables, const Tokenizer *tokenizer, Error *err);
void merge_tables_free(MergeTables *tables);

static inline int32_t merge_tables_char(const MergeTables *tables, int32_t code) {
    const int32_t *page = tables->chars[code >> 8];
    return page == NULL ? -1 : page[code & 255];
}

static inline bool merge_tables_neighbours(const MergeTables *tables, int32_t left, int32_t right) {
    const uint64_t bit = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * 0x9e3779b97f4a7c15U >>
                         tables->neighbours_shift;
    return (tables->neighbours[bit >> 6] >> (bit & 63) & 1) != 0;
}

// The symbol that the two make, -1 where they do not merge.
static inline int32_t merge_tables_pair(const MergeTables *tables, int32_t left, int32_t right) {
    const MergePair *pair = merge_pairs_find(&tables->pairs, left, right);
    return pair == NULL ? -1 : pair->id;
}

// Merges n symbols in place, always the lowest rank first, leftmost among equals; returns how many
// are left. lengths, the bytes of each, is kept right where not NULL. called before each merge with
// the places of the two symbols among those that are left.
typedef struct MergeRow {
    int32_t *symbols;
    int32_t *lengths;
    int n;
} MergeRow;
typedef void (*MergeCalled)(void *context, const MergeRow *row, int left, int32_t made);
void merge_row(const MergeTables *tables, MergeRow *row, MergeCalled called, void *context);

bool sentencepiece_encode(const Tokenizer *tokenizer, const char *text, size_t length,
                          TokenIds *ids, EncodeReport *report, MergeWatcher watcher, void *context,
                          Error *err);

#endif
