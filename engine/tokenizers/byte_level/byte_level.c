// byte_level.c - byte-pair encoding over bytes, as GPT-2 does it: made, shown, decoded.
#include "engine/tokenizers/byte_level/byte_level.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/byte_level/byte_map.h"

bool byte_level_start(Tokenizer *tokenizer, Error *err) {
    tokenizer_start(tokenizer, TOKENIZER_BYTE_LEVEL, &BYTE_LEVEL_METHODS);
    ByteLevel *level = calloc(1, sizeof *level);
    if (level == NULL) {
        return error_set(err, "no memory for a tokenizer");
    }
    level->split.family = SPLIT_GPT2;
    tokenizer->detail->of.byte_level = level;
    return true;
}

static void level_free(Tokenizer *tokenizer) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    if (level == NULL) {
        return;
    }
    free(level->merges);
    free(level->tokens);
    added_tokens_free(&level->added);
    added_tokens_free(&level->added_normalized);
    free(level->widths);
    merge_pairs_free(&level->pairs);
    word_table_free(&level->words);
    free(level);
    tokenizer->detail->of.byte_level = NULL;
}

// A piece's text without the marks of its place; a space that is owed to it is put before.
static void append_piece(const ByteLevel *level, const Piece *piece, bool *owes_space,
                         Buffer *out) {
    const char *bytes = piece->bytes;
    size_t length = (size_t)piece->length;
    const size_t n_prefix = strlen(level->prefix);
    const size_t n_suffix = strlen(level->suffix);
    const bool goes_on =
        n_prefix > 0 && length > n_prefix && memcmp(bytes, level->prefix, n_prefix) == 0;
    const bool ends = n_suffix > 0 && length >= n_suffix &&
                      memcmp(bytes + length - n_suffix, level->suffix, n_suffix) == 0;
    buffer_append(out, " ", *owes_space && !goes_on ? 1 : 0);
    *owes_space = level->join_pieces || ends;
    bytes += goes_on ? n_prefix : 0;
    length -= (goes_on ? n_prefix : 0) + (ends ? n_suffix : 0);
    if (level->mark != MARK_NONE) {
        byte_level_unmark_spaces(bytes, length, out);
    } else {
        buffer_append(out, bytes, length);
    }
}

static bool level_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buffer *text,
                         Error *err) {
    (void)err;
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    Buffer out = {0};
    bool owes_space = false;
    buffer_append(&out, "", 0);
    for (size_t i = 0; i < count; i++) {
        const Piece *piece = &tokenizer->pieces[ids[i]];
        if (piece->kind == PIECE_CONTROL || piece->kind == PIECE_UNUSED) {
            continue;
        }
        if (piece->kind == PIECE_BYTE) {
            const char byte = (char)strtol(piece->bytes + 1, NULL, 16); // <0xE4>
            buffer_append(&out, &byte, 1);
        } else {
            append_piece(level, piece, &owes_space, &out);
        }
    }
    const size_t skipped = level->strip_space && out.length > 0 && out.bytes[0] == ' ' ? 1 : 0;
    buffer_append(text, out.bytes + skipped, out.length - skipped);
    buffer_free(&out);
    return true;
}

// Spaces and control codes as GPT-2's vocabulary writes them, Ġ and Ċ; all else as it reads.
static void level_piece_text(const Tokenizer *tokenizer, int id, char *text, size_t size) {
    const Piece *piece = &tokenizer->pieces[id];
    if (tokenizer->detail->of.byte_level->characters) {
        const bool is_byte = piece->kind == PIECE_BYTE;
        const char byte = is_byte ? (char)strtol(piece->bytes + 1, NULL, 16) : '\0';
        tokenizer_clean(is_byte ? &byte : piece->bytes, is_byte ? 1 : (size_t)piece->length, text,
                        size);
        return;
    }
    Buffer mapped = {0};
    buffer_append(&mapped, "", 0);
    for (int i = 0; i < piece->length; i++) {
        uint8_t byte = (uint8_t)piece->bytes[i];
        int32_t character = byte < 0x80 ? byte_map_character(byte) : byte;
        char letter[4];
        bool moved = byte < 0x80 && character != byte;
        buffer_append(&mapped, moved ? letter : &piece->bytes[i],
                      moved ? utf8_write(character, letter) : 1);
    }
    tokenizer_clean(mapped.bytes, mapped.length, text, size);
    buffer_free(&mapped);
}

const TokenizerMethods BYTE_LEVEL_METHODS = {
    .name = "byte-level",
    .encode = byte_level_encode,
    .decode = level_decode,
    .piece_text = level_piece_text,
    .save = byte_level_save,
    .load = byte_level_load,
    .free = level_free,
};
