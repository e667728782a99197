// byte_words.c - words whose ids are known without merging: an immutable table and a cache of one
// call.
#include "engine/tokenizers/byte_level/byte_words.h"

#include <assert.h>
#include <stdlib.h>

enum { CACHE_BITS = 14, CACHE_BYTES_PER_SLOT = 16, CACHE_LEAST_BYTES = 4096 };

bool word_table_init(WordTable *table, size_t n_words, Error *err) {
    int bits = 4;
    while (((size_t)1 << bits) < 2 * n_words + 1) {
        bits++;
    }
    *table = (WordTable){calloc((size_t)1 << bits, sizeof(WordEntry)), bits, 0};
    return table->slots != NULL || error_set(err, "no memory for a table of %zu words", n_words);
}

void word_table_put(WordTable *table, WordKey key, int32_t id) {
    assert(2 * table->count < (size_t)1 << table->bits);
    size_t mask = ((size_t)1 << table->bits) - 1;
    size_t i = word_slot(key, table->bits);
    while (table->slots[i].key.high != 0) {
        if (word_key_equal(table->slots[i].key, key)) {
            return;
        }
        i = (i + 1) & mask;
    }
    table->slots[i] = (WordEntry){key, id};
    table->count++;
}

void word_table_free(WordTable *table) {
    free(table->slots);
    *table = (WordTable){0};
}

void word_cache_init(WordCache *cache, size_t text_bytes) {
    *cache = (WordCache){0};
    if (text_bytes < CACHE_LEAST_BYTES) {
        return;
    }
    int bits = 6;
    while (bits < CACHE_BITS && ((size_t)CACHE_BYTES_PER_SLOT << bits) < text_bytes) {
        bits++;
    }
    *cache = (WordCache){calloc((size_t)1 << bits, sizeof(WordCacheEntry)), bits};
}

void word_cache_free(WordCache *cache) {
    free(cache->slots);
    *cache = (WordCache){0};
}
