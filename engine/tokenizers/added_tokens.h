// added_tokens.h - pieces that a text may name in full, found before anything is merged, by the
// rules of Hugging Face's added tokens.
#ifndef ENGINE_TOKENIZERS_ADDED_TOKENS_H
#define ENGINE_TOKENIZERS_ADDED_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buffer.h"

typedef struct AddedToken {
    int32_t id;
    bool is_special;    // <|endoftext|> and the like
    bool single_word;   // found only where no letter, mark, digit or _ stands beside it
    bool takes_left;    // white space before it goes with it
    bool takes_right;   // and behind it
    bool in_normalized; // its normal form is looked for, in the normalized text
} AddedToken;

// What one of them is looked for by: a run of AddedTokens.texts.
typedef struct AddedText {
    AddedToken token;
    size_t start, length;
} AddedText;

// Those that are looked for in one text, the longest first; a zeroed set is empty.
typedef struct AddedTokens {
    AddedText *items; // n_items
    int n_items;
    Buffer texts;
    bool starts[256]; // a byte that one of them begins with
    int only_start;   // where all begin with the same; -1: they do not
    int n_starts;     // such bytes
} AddedTokens;

// Copies text; an empty one is left out.
void added_tokens_append(AddedTokens *set, const AddedToken *token, const char *text,
                         size_t length);
void added_tokens_free(AddedTokens *set);

// How far a text has been looked through; zeroed at its start.
typedef struct AddedScan {
    size_t at;   // looks on from here
    size_t done; // all before was found or passed
} AddedScan;

typedef struct AddedMatch {
    int32_t id;
    size_t start, end; // with the white space that it takes
} AddedMatch;

// The next one, the leftmost and of these the longest. The white space that one takes may hold the
// next, which then begins before scan->done. One that must be a single word and is none,
// or is special where special ones are text, is passed over as a whole. False: none is left, and
// what stands from scan->done on is text.
bool added_tokens_next(const AddedTokens *set, bool finds_special, const char *text, size_t length,
                       AddedScan *scan, AddedMatch *match);

#endif
