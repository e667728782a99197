// bpe_learn.h - finds merge after merge: the pair seen most often, in counted words.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_BPE_LEARN_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_BPE_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tokenizers/sentencepiece/bpe_symbols.h"
#include "engine/tokenizers/sentencepiece/sentencepiece_train.h"
#include "engine/tokenizers/sentencepiece/word_counts.h"

// A pair in the race: its count when it was put there, which may have fallen since.
typedef struct BpeCandidate {
    int64_t count;
    int32_t symbol;
} BpeCandidate;

// The pairs in the race: the most frequent 5 %, at least 1,000, chosen anew every 100 merges, and
// all that were made since. A zeroed one is empty.
typedef struct BpeActive {
    BpeCandidate *heap;
    size_t n;
    size_t capacity;
    int64_t undecided; // some pairs of this count belong to it, but not which; -1: all is known
} BpeActive;

void bpe_active_append(BpeActive *active, BpeSymbols *symbols, int32_t symbol);

// Chooses anew among all pairs; counts are right. With symbols->keeps_order ties are decided as the
// reference does.
void bpe_active_refresh(BpeActive *active, BpeSymbols *symbols);

// The winner, -1 where there is none, -2 where pairs that are undecided could win.
int32_t bpe_active_pick(BpeActive *active, const BpeSymbols *symbols);
void bpe_active_remove_first(BpeActive *active, const BpeSymbols *symbols);
void bpe_active_free(BpeActive *active);

// Learned pieces in their order; texts are cut at ends.
typedef struct LearnedPieces {
    Buffer texts;
    size_t *ends;
    int n_pieces;
    int capacity;
} LearnedPieces;

void learned_pieces_append(LearnedPieces *pieces, const char *text, size_t length);
void learned_pieces_free(LearnedPieces *pieces);

// At most n_wanted pieces from words, which word_counts_fit, are sorted and valid UTF-8. watcher
// may be NULL.
void bpe_learn(const WordCounts *words, const BpeRules *rules, int n_wanted, LearnedPieces *pieces,
               LearnedMergeWatcher watcher, void *context);

#endif
