// bpe_symbols.h - characters and pairs of symbols while merges are learned, and where they stand.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_BPE_SYMBOLS_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_BPE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buffer.h"

#define BPE_UNKNOWN_CHAR 0x2585 // stands in the words for a character that gets no piece

// What a piece may be.
typedef struct BpeRules {
    int max_piece_length; // characters
    bool whitespace_as_suffix;
    bool whitespace_only_pieces;
    bool split_by_whitespace;
    bool split_by_script;
    bool split_by_number;
    bool split_digits;
    bool (*is_stopped)(void); // asked before each merge: true ends the learning; NULL: never
} BpeRules;

// bytes are valid UTF-8.
bool bpe_piece_is_valid(const BpeRules *rules, const char *bytes, size_t length);

typedef struct BpeSymbol {
    int32_t left, right; // the two it is made of; -1: a character
    size_t start;        // its text in BpeSymbols.texts
    uint32_t length;     // bytes
    uint32_t n_chars;
    bool is_known; // still to be chosen, or a character
    bool is_stale; // left == right: its count is to be taken again
    int32_t *positions;
    uint32_t n_positions, capacity;
} BpeSymbol;

// The order in which the reference trainer meets its symbols: that of a hash table with chains in
// one list (libstdc++'s unordered_map). It decides which of many equally rare pairs stay in the
// race.
typedef struct BpeOrder {
    int32_t *next; // by node; node 0 is before the first, symbol i is node i + 1; -1 ends the list
    int32_t *buckets; // the node before the bucket's first; -1: empty
    uint64_t n_buckets;
    size_t n_nodes;
    size_t capacity;
} BpeOrder;

// Whether a pair takes part in the choice; undecided where only the reference's order of ties
// tells.
typedef enum BpeRace { RACE_OUT, RACE_ACTIVE, RACE_UNDECIDED } BpeRace;

typedef struct BpeSymbols {
    const BpeRules *rules;
    BpeSymbol *symbols; // n_symbols
    int64_t *counts;    // of each: how often it stands in the text; -1: not to be chosen (any more)
    uint8_t *race;      // of each: a BpeRace
    uint64_t *prints;   // of each: its fingerprint
    int32_t n_symbols;
    int32_t capacity;
    int32_t n_known;
    Buffer texts;
    int32_t *of_char;    // by code point: symbol or -1
    uint64_t *pair_keys; // open addressing: 0 empty
    int32_t *pair_values;
    size_t pairs_size;
    size_t n_pairs;
    bool keeps_order;
    BpeOrder order;
} BpeSymbols;

void bpe_symbols_init(BpeSymbols *symbols, const BpeRules *rules, bool keeps_order);
void bpe_symbols_free(BpeSymbols *symbols);

int32_t bpe_symbols_of_char(BpeSymbols *symbols, int32_t code, const char *bytes, size_t length);

// The symbol of a pair, made where it is new; -1 where no piece may be made of it.
int32_t bpe_symbols_of_pair(BpeSymbols *symbols, int32_t left, int32_t right);

void bpe_symbols_append_position(BpeSymbols *symbols, int32_t symbol, int32_t position);

// Takes it out of the race, and its positions with it.
void bpe_symbols_forget(BpeSymbols *symbols, int32_t symbol);

// Fewer characters first, then by bytes: what decides between equal counts. Negative: left first.
int bpe_symbols_compare(const BpeSymbols *symbols, int32_t left, int32_t right);

// The order of the hash table; fingerprints by symbol.
void bpe_order_insert(BpeOrder *order, const uint64_t *prints, int32_t symbol);
void bpe_order_erase(BpeOrder *order, const uint64_t *prints, int32_t symbol);
void bpe_order_free(BpeOrder *order);

#endif
