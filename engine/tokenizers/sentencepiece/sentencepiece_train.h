// sentencepiece_train.h - learns the merges of byte-pair encoding over characters from a text.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_SENTENCEPIECE_TRAIN_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_SENTENCEPIECE_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/tokenizers/tokenizer.h"

// The options of SentencePiece's own trainer, by the same meaning. sentencepiece_options_init gives
// its defaults.
typedef struct SentencePieceOptions {
    int vocab_size;                         // 8000, all pieces counted
    double character_coverage;              // 0.9995: share of the text whose characters get pieces
    int max_sentence_bytes;                 // 4192: longer lines are left out
    int max_piece_length;                   // 16 characters
    bool nfkc;                              // true: nmt_nfkc; false: identity
    bool add_dummy_prefix;                  // true
    bool remove_extra_whitespaces;          // true
    bool whitespace_as_suffix;              // false
    bool whitespace_only_pieces;            // false
    bool split_by_whitespace;               // true
    bool split_by_script;                   // true
    bool split_by_number;                   // true
    bool split_digits;                      // false
    bool byte_fallback;                     // false
    int unknown_id, bos_id, eos_id, pad_id; // 0, 1, 2, -1; -1: none
    const char *unknown_piece, *bos_piece, *eos_piece, *pad_piece;
    const char *required_chars; // have pieces whatever the coverage
    const char *const *control_symbols;
    int n_control_symbols;
    const char *const *user_symbols;
    int n_user_symbols;
    int n_threads;            // 1 or more; the result is the same
    bool (*is_stopped)(void); // asked now and then: true ends the training; NULL: never
} SentencePieceOptions;

// What was done, for the caller to say.
typedef struct SentencePieceReport {
    size_t n_sentences; // lines that were used
    size_t n_too_long;
    size_t n_reserved; // lines that hold U+2585, which stands for the unknown
    size_t n_nul;      // NUL characters, which no piece may hold
    size_t n_invalid_bytes;
    size_t n_words;
    int n_characters;
    double coverage; // of the characters that have pieces
    int n_merges;
    int maximum;  // the largest vocabulary that this text gives, where clamped
    bool clamped; // vocab_size was larger than maximum
} SentencePieceReport;

typedef struct MergeCandidate {
    const char *piece, *left, *right; // texts, valid during the call
    uint64_t count;
} MergeCandidate;

typedef enum MergeReason {
    MERGE_BY_COUNT,  // seen most often
    MERGE_BY_LENGTH, // as often as the next, but fewer characters
    MERGE_BY_ORDER,  // as long too, but earlier in the order of bytes
} MergeReason;

enum { LEARNED_MERGE_CANDIDATES = 5 };

// One merge being learned: the best pairs, the first of which won, and why.
typedef struct LearnedMerge {
    int number; // of the merge, from 0
    MergeCandidate candidates[LEARNED_MERGE_CANDIDATES];
    int n_candidates;
    MergeReason reason;
} LearnedMerge;
typedef void (*LearnedMergeWatcher)(void *context, const LearnedMerge *step);

void sentencepiece_options_init(SentencePieceOptions *options);

// Fills *tokenizer from text, lines that end in "\n" (any bytes). watcher may be NULL. Fails where
// the options contradict each other or the characters alone need more than vocab_size.
bool sentencepiece_train(Tokenizer *tokenizer, const char *text, size_t length,
                         const SentencePieceOptions *options, SentencePieceReport *report,
                         LearnedMergeWatcher watcher, void *context, Error *err);

#endif
