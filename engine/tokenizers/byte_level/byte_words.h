// byte_words.h - words whose ids are known without merging: an immutable table and a cache of one
// call.
#ifndef ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_WORDS_H
#define ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/error.h"

enum { WORD_KEY_BYTES = 15, WORD_CACHE_IDS = 3 };

// A word of at most 15 bytes as two numbers, its length in the last byte: equal where the words
// are.
typedef struct WordKey {
    uint64_t low;
    uint64_t high;
} WordKey;

typedef struct WordEntry {
    WordKey key; // high 0: empty
    int32_t id;
} WordEntry;

// Words that are one token; made with the tokenizer and only read after.
typedef struct WordTable {
    WordEntry *slots;
    int bits;
    size_t count;
} WordTable;

typedef struct WordCacheEntry {
    WordKey key;
    int32_t ids[WORD_CACHE_IDS];
    int32_t count;
} WordCacheEntry;

// Words of a few tokens that one call of encode has met; the newer takes the place of the older. It
// lives as long as the call, so that a tokenizer can serve several threads.
typedef struct WordCache {
    WordCacheEntry *slots; // NULL: no cache, the text is short
    int bits;
} WordCache;

// The key of the length <= 15 bytes at text; n_readable of them and more may be read.
static inline WordKey word_key(const char *text, size_t length, size_t n_readable) {
    uint64_t halves[2] = {0, 0};
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (n_readable >= sizeof halves) { // two loads and two masks, much the fastest
        memcpy(halves, text, sizeof halves);
        uint64_t low = length >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * length)) - 1;
        uint64_t high = length <= 8 ? 0 : (UINT64_C(1) << (8 * (length - 8))) - 1;
        return (WordKey){halves[0] & low, (halves[1] & high) | (uint64_t)length << 56};
    }
#else
    (void)n_readable;
#endif
    uint8_t bytes[16] = {0};
    memcpy(bytes, text, length);
    for (int i = 0; i < 16; i++) {
        halves[i / 8] |= (uint64_t)bytes[i] << (8 * (i % 8));
    }
    return (WordKey){halves[0], halves[1] | (uint64_t)length << 56};
}

static inline size_t word_slot(WordKey key, int bits) {
    uint64_t mixed =
        (key.low ^ key.high * UINT64_C(0xD6E8FEB86659FD93)) * UINT64_C(0x9E3779B97F4A7C15);
    mixed ^= mixed >> 32;
    return (size_t)(mixed * UINT64_C(0xD6E8FEB86659FD93) >> (64 - bits));
}

static inline bool word_key_equal(WordKey a, WordKey b) {
    return ((a.low ^ b.low) | (a.high ^ b.high)) == 0;
}

// The token that a word is, -1 where it is none or not known to be one.
static inline int32_t word_table_find(const WordTable *table, WordKey key) {
    size_t mask = ((size_t)1 << table->bits) - 1;
    for (size_t i = word_slot(key, table->bits);; i = (i + 1) & mask) {
        const WordEntry *entry = &table->slots[i];
        if (word_key_equal(entry->key, key)) {
            return entry->id;
        }
        if (entry->key.high == 0) {
            return -1;
        }
    }
}

bool word_table_init(WordTable *table, size_t n_words, Error *err);
void word_table_put(WordTable *table, WordKey key, int32_t id); // the first of equal ones stays
void word_table_free(WordTable *table);

// A cache for a text of so many bytes; none is made for a short one, or where memory is short.
void word_cache_init(WordCache *cache, size_t text_bytes);
void word_cache_free(WordCache *cache);

#endif
