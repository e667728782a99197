// byte_level.h - byte-pair encoding over bytes, as GPT-2 does it (Radford et al. 2019): what such a
// tokenizer is, for the files that read, run and save it.
//
// A tokenizer.json that was made from a SentencePiece model merges by the same list of pairs, but
// starts from characters and writes spaces as ▁; that is the flag `characters`.
#ifndef ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_LEVEL_H
#define ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tokenizers/added_tokens.h"
#include "engine/tokenizers/byte_level/byte_merge.h"
#include "engine/tokenizers/byte_level/byte_split.h"
#include "engine/tokenizers/byte_level/byte_words.h"
#include "engine/tokenizers/tokenizer_private.h"

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

#define SPACE_MARK "\xE2\x96\x81" // ▁
enum { SPACE_MARK_BYTES = 3 };

// Whether spaces are written as ▁, and when one more is put before the text.
typedef enum SpaceMark {
    MARK_NONE,
    MARK_SPACES,  // nothing is put before
    MARK_ALWAYS,  // always
    MARK_MISSING, // unless one is there
    MARK_FIRST,   // unless one is there, and only at the start of the whole text
    MARK_NEVER,   // as MARK_SPACES; but added tokens are looked for before, as with the two above
} SpaceMark;

enum { MOST_SPLITS = 4, AFFIX_BYTES = 16 };

// A word of the text takes four steps to its ids: normalize the text, split it, look the word up,
// merge.
struct ByteLevel {
    // what a file says
    SplitRule before[MOST_SPLITS - 1]; // one after the other, each in the pieces of the last
    int n_before;
    SplitRule split; // and then this
    ByteNormalizer normalizer;
    bool prefix_space;  // a text that does not start with a space gets one
    bool whole_words;   // a word that is a token is that token, whatever the merges say
    bool characters;    // the symbols that merge are characters
    bool byte_fallback; // a character that has no piece becomes <0xE4> and the like
    bool fuse_unknown;  // unknown characters side by side become one <unk>
    bool strip_space;   // decoding leaves out a space at the start
    bool join_pieces;   // decoding puts a space before each piece that has no prefix
    bool lowercase;     // after the normal form
    SpaceMark mark;
    char prefix[AFFIX_BYTES]; // written before each symbol of a word but the first; "" is none
    char suffix[AFFIX_BYTES]; // written behind the last symbol of a word
    bool by_rank;      // tiktoken: any two tokens whose bytes together are a token merge, rank = id
    MergeRule *merges; // in order, the rank is the index; none where by_rank
    int n_merges;
    // Tokens that the text may name. User and special pieces that are not among them are such too.
    AddedToken *tokens;
    int n_tokens;

    // what follows from it, made by byte_level_finish and only read after
    int32_t byte_ids[256]; // -1 where there is none; where by_rank, n_pieces + the byte
    uint16_t *widths;      // of each piece, in symbols
    bool varying_widths;   // the same piece is made of more symbols here and of fewer there
    MergePairs pairs;
    WordTable words;         // every word of at most 15 bytes that becomes one token
    uint64_t joined[256][4]; // a bit for each two bytes that stand side by side in some token
    AddedTokens added;       // found in the text as it is
    AddedTokens added_normalized;
};

// An empty one in an empty tokenizer of its kind. The caller appends the pieces.
bool byte_level_start(Tokenizer *tokenizer, Error *err);

// Room for n merges; then one after the other, found by the bytes of the halves. where
// ("merges.txt", line) is for the sentence. The pieces must be indexed.
bool byte_level_reserve_merges(ByteLevel *level, size_t n_merges, Error *err);
bool byte_level_add_merge(Tokenizer *tokenizer, const char *left, size_t left_length,
                          const char *right, size_t right_length, const char *where, int line,
                          Error *err);

// A word as symbols, to be merged.
typedef struct Spelling {
    int32_t *ids; // the caller's, room for one per byte
    int *starts;  // NULL, or the caller's, one more: where each symbol begins, and where the word
                  // ends
    size_t n_symbols;
    size_t n_unknown;                    // these have the unknown id, be it -1
    size_t unknown_start, unknown_width; // of the first of them, in bytes
} Spelling;
void byte_level_spell(const Tokenizer *tokenizer, const char *word, size_t n, Spelling *spelling);

// Whether symbols are written by their place in the word.
bool byte_level_has_affix(const ByteLevel *level);

uint16_t byte_level_width(const Tokenizer *tokenizer, int id); // in symbols

// A piece that text can become, -1: a user piece of the vocabulary may be merged too.
int byte_level_find_mergeable(const Tokenizer *tokenizer, const char *bytes, size_t length);

// Tells of a piece that the text may name; before byte_level_finish.
void byte_level_add_token(ByteLevel *level, const AddedToken *token);

// The sets of what is looked for, from these and the pieces. Part of byte_level_finish.
bool byte_level_make_added(const Tokenizer *tokenizer, Error *err);

// Appends the text in normal form and, where the normalizer makes them, with its marks.
bool byte_level_normalize(const ByteLevel *level, const char *text, size_t length, Buffer *out,
                          Error *err);

// Appends text with its spaces as ▁, and back. is_first: the text starts here.
void byte_level_mark_spaces(SpaceMark mark, bool is_first, const char *text, size_t length,
                            Buffer *out);
void byte_level_unmark_spaces(const char *text, size_t length, Buffer *out);

// Makes everything that follows from pieces, merges and options. Pieces that no merge makes, of
// more than one byte, become control pieces and get their roles where the file does not say what
// they are.
bool byte_level_finish(Tokenizer *tokenizer, bool kinds_by_file, Error *err);

// The method: encodes with what finish made.
bool byte_level_encode(const Tokenizer *tokenizer, const char *text, size_t length, TokenIds *ids,
                       EncodeReport *report, MergeWatcher watcher, void *context, Error *err);

// The methods for our text file.
void byte_level_save(const Tokenizer *tokenizer, Buffer *lines);
bool byte_level_load(Tokenizer *tokenizer, const TokenizerSettings *settings, Error *err);

// Gives <|endoftext|>, <s>, <unk> and the like their roles by name.
void byte_level_find_roles(Tokenizer *tokenizer);

#endif
