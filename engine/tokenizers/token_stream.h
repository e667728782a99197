// token_stream.h - the text of ids as they come, one at a time, and never half a character.
#ifndef ENGINE_TOKENIZERS_TOKEN_STREAM_H
#define ENGINE_TOKENIZERS_TOKEN_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/buffer.h"
#include "engine/tokenizers/tokenizer.h"

// A zeroed one is at the start of a text.
typedef struct TokenStream {
    char held[4]; // the first bytes of a character whose last has not come
    int n_held;
    int32_t previous; // the last id that wrote something: whether a space comes next depends on it
    bool has_previous;
} TokenStream;

// Appends what id makes certain to text: the characters that are whole now. Bytes that can be no
// character pass at once. False where the id is none of the tokenizer's.
bool token_stream_append(TokenStream *stream, const Tokenizer *tokenizer, int32_t id, Buffer *text,
                         Error *err);

// Ends the text: appends the bytes that are still held, as they are.
void token_stream_finish(TokenStream *stream, Buffer *text);

#endif
