// normalizer.h - text as SentencePiece wants it: characters mapped, spaces made into ▁.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_NORMALIZER_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_NORMALIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buffer.h"
#include "engine/base/error.h"

#define NORMALIZER_SPACE "\xe2\x96\x81" // U+2581, ▁
enum { NORMALIZER_SPACE_BYTES = 3 };

// Texts that are found whole in other text, longest first. A zeroed one finds nothing.
typedef struct SymbolSet {
    Buffer *symbols; // sorted by first byte, then longest first
    int n_symbols;
    int first[257]; // symbols that begin with byte b: first[b] up to first[b + 1]
} SymbolSet;

void symbol_set_append(SymbolSet *set, const char *bytes, size_t length); // then once:
void symbol_set_prepare(SymbolSet *set);
// Length of the longest symbol that text begins with, 0 where there is none.
size_t symbol_set_match(const SymbolSet *set, const char *text, size_t length);
void symbol_set_free(SymbolSet *set);

// A zeroed one changes nothing. The map is a trie of byte strings in the form of a double array
// (Aoe 1989, as darts-clone lays it out), whose leaves are offsets of NUL-terminated replacements;
// the longest match counts.
typedef struct Normalizer {
    bool add_dummy_prefix;         // one ▁ before the text, or after it
    bool remove_extra_whitespaces; // none at the ends, one between words
    bool escape_whitespaces;       // spaces become ▁
    bool whitespace_as_suffix;
    SymbolSet verbatim; // user-defined symbols are not mapped
    Buffer map;      // as the .model file keeps it: size, double array, replacements; may be empty
    uint32_t *units; // n_units, the double array in host order
    size_t n_units;
    const char *replacements; // in map
    size_t replacements_size;
    bool plain[256];       // this byte, before an ASCII byte, is itself
    bool space_is_plain;   // so is a space
    uint64_t starts[1024]; // bits: may a symbol or a text in the map begin with these two bytes?
} Normalizer;

// Takes the map's bytes (copied; none: identity) and checks them. Call it once the other fields are
// set.
bool normalizer_prepare(Normalizer *normalizer, const char *map, size_t length, Error *err);
void normalizer_free(Normalizer *normalizer);

// Appends the normalized text. Bytes that are not UTF-8 become U+FFFD each and are counted in
// *n_invalid, which may be NULL.
void normalizer_run(const Normalizer *normalizer, const char *text, size_t length, Buffer *out,
                    size_t *n_invalid);

// Appends the map "nmt_nfkc": NFKC by utf8proc, controls removed, separators made spaces.
void charsmap_append_nfkc(Buffer *map);

#endif
