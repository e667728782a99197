// byte_merge.h - byte-pair encoding: which pairs merge, and merging one word (Sennrich et al.
// 2016).
#ifndef ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_MERGE_H
#define ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tokenizers/merge_pairs.h"
#include "engine/tokenizers/tokenizer.h"

// What merging needs to know; borrowed. Words are rows of symbols: bytes, or characters.
typedef struct Merger {
    const MergePairs *pairs;
    const uint16_t *widths; // of each piece, in symbols; NULL: a piece may have several
    bool all_long;          // for tests: byte_merge_long spares memory in short words too
} Merger;

enum { BYTE_MERGE_SHORT = 32 };

// Merges the n <= BYTE_MERGE_SHORT ids of a word in place; their new count. Squares are cheap here.
int byte_merge_short(const MergePairs *pairs, int32_t *ids, int n);

// The same for any n below 2^31, in n log n time and 8 more bytes per symbol, 5 in long words; 4
// more where there are no widths.
bool byte_merge_long(const Merger *merger, int32_t *ids, size_t n, size_t *count, Error *err);

// The same with a look at each step; n squared. starts are n + 1 offsets into the word's text:
// where each symbol begins, and where the last ends; they follow the merges.
void byte_merge_watched(const Merger *merger, const char *text, int *starts, int32_t *ids, size_t n,
                        size_t *count, MergeWatcher watcher, void *context);

#endif
