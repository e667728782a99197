// token_stream.c - the text of ids as they come, one at a time, and never half a character.
#include "engine/tokenizers/token_stream.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/base/hex.h"

// How many bytes at the end begin a character that is not whole: 0 to 3.
static size_t unfinished(const char *bytes, size_t length) {
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        uint8_t byte = (uint8_t)bytes[length - back];
        if (utf8_is_inside(bytes[length - back])) {
            continue;
        }
        size_t needed = byte >= 0xF5   ? 1
                        : byte >= 0xF0 ? 4
                        : byte >= 0xE0 ? 3
                        : byte >= 0xC2 ? 2
                                       : 1;
        return needed > back ? back : 0;
    }
    return 0;
}

static void pass(TokenStream *stream, const char *bytes, size_t length, Buffer *text) {
    Buffer pending = {0};
    buffer_append(&pending, stream->held, (size_t)stream->n_held);
    buffer_append(&pending, bytes, length);
    size_t n_held = unfinished(pending.bytes, pending.length);
    buffer_append(text, pending.bytes, pending.length - n_held);
    memcpy(stream->held, pending.bytes + pending.length - n_held, n_held);
    stream->n_held = (int)n_held;
    buffer_free(&pending);
}

// What id adds to the text of the one before it.
static bool append_text(TokenStream *stream, const Tokenizer *tokenizer, int32_t id, Buffer *text,
                        Error *err) {
    const int32_t ids[2] = {stream->previous, id};
    char *before = NULL;
    char *after = NULL;
    size_t before_length = 0;
    size_t after_length = 0;
    bool ok = true;
    if (stream->has_previous) {
        ok = tokenizer_decode(tokenizer, ids, 1, &before, &before_length, err) &&
             tokenizer_decode(tokenizer, ids, 2, &after, &after_length, err);
    } else {
        ok = tokenizer_decode(tokenizer, ids + 1, 1, &after, &after_length, err);
    }
    if (ok && after_length > before_length) {
        pass(stream, after + before_length, after_length - before_length, text);
    }
    free(before);
    free(after);
    return ok;
}

bool token_stream_append(TokenStream *stream, const Tokenizer *tokenizer, int32_t id, Buffer *text,
                         Error *err) {
    if (id < 0 || id >= tokenizer->n_pieces) {
        return error_set(err, "token %d, expected 0 to %d, the ids of this tokenizer", id,
                         tokenizer->n_pieces - 1);
    }
    const Piece *piece = &tokenizer->pieces[id];
    bool is_byte = piece->kind == PIECE_BYTE && piece->length == 6; // <0xE4>
    if (is_byte) {
        char byte = (char)(hex_digit(piece->bytes[3]) * 16 + hex_digit(piece->bytes[4]));
        pass(stream, &byte, 1, text);
    } else if (!append_text(stream, tokenizer, id, text, err)) {
        return false;
    }
    if (piece->kind != PIECE_CONTROL && !(is_byte && stream->has_previous)) {
        stream->previous = id;
        stream->has_previous = true;
    }
    return true;
}

void token_stream_finish(TokenStream *stream, Buffer *text) {
    buffer_append(text, stream->held, (size_t)stream->n_held);
    stream->n_held = 0;
}
