// byte_encoding.h - one call of byte-level encoding: what its two halves share.
#ifndef ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_ENCODING_H
#define ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/tokenizers/byte_level/byte_level.h"

typedef struct ByteEncoding {
    const Tokenizer *tokenizer;
    const ByteLevel *level;
    TokenIds *ids;
    WordCache cache;
    EncodeReport *report; // or NULL
    MergeWatcher watcher; // or NULL
    void *context;
    Error *err;
} ByteEncoding;

// Makes room for so many more.
void byte_encoding_reserve(TokenIds *ids, size_t more);

// Appends the ids of text that is normalized and marked: splits it into words and merges them.
bool byte_encoding_words(ByteEncoding *encoding, const char *text, size_t length);

#endif
