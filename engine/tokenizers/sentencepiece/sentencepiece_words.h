// sentencepiece_words.h - from lines of text to counted words, and the characters that get pieces.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_SENTENCEPIECE_WORDS_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_SENTENCEPIECE_WORDS_H

#include "engine/tokenizers/sentencepiece/normalizer.h"
#include "engine/tokenizers/sentencepiece/sentencepiece_train.h"
#include "engine/tokenizers/sentencepiece/word_counts.h"

// Counts the words of all lines, normalized and cut at spaces; symbols (pieces that are given)
// become a TAB, over which nothing merges.
void sentencepiece_count_words(WordCounts *words, const char *text, size_t length,
                               const Normalizer *normalizer, const SymbolSet *symbols,
                               const SentencePieceOptions *options, SentencePieceReport *report);

typedef struct RequiredChar {
    uint64_t count;
    int32_t code;
} RequiredChar;

// The characters that get pieces, most frequent first (*chars: malloc, the caller's), sorts words
// and puts U+2585 in place of the others.
void sentencepiece_choose_chars(WordCounts *words, const SentencePieceOptions *options,
                                RequiredChar **chars, int *n_chars, SentencePieceReport *report);

#endif
