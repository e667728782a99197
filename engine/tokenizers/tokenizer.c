// tokenizer.c - what all kinds of tokenizers share: pieces, their index, text to ids and back.
#include "engine/tokenizers/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/tokenizer_private.h"

void tokenizer_start(Tokenizer *tokenizer, TokenizerKind kind, const TokenizerMethods *methods) {
    *tokenizer =
        (Tokenizer){.kind = kind, .unknown_id = -1, .bos_id = -1, .eos_id = -1, .pad_id = -1};
    tokenizer->detail = memory_resize(NULL, sizeof *tokenizer->detail);
    memset(tokenizer->detail, 0, sizeof *tokenizer->detail);
    tokenizer->detail->methods = methods;
}

int tokenizer_append_piece(Tokenizer *tokenizer, const char *bytes, size_t length, float score,
                           PieceKind kind) {
    TokenizerDetail *detail = tokenizer->detail;
    if (tokenizer->n_pieces == detail->pieces_capacity) {
        detail->pieces_capacity = detail->pieces_capacity == 0 ? 256 : 2 * detail->pieces_capacity;
        tokenizer->pieces = memory_resize(tokenizer->pieces, (size_t)detail->pieces_capacity *
                                                                 sizeof *tokenizer->pieces);
    }
    char *copy = memory_resize(NULL, length + 1);
    if (length > 0) {
        memcpy(copy, bytes, length);
    }
    copy[length] = '\0';
    const int id = tokenizer->n_pieces++;
    tokenizer->pieces[id] =
        (Piece){.bytes = copy, .length = (int)length, .score = score, .kind = kind};
    return id;
}

enum { HASH_START_HIGH = 0xcbf29ce4, HASH_START_LOW = 0x84222325 };
static uint64_t hash_start(void) {
    return (uint64_t)(uint32_t)HASH_START_HIGH << 32 | (uint32_t)HASH_START_LOW;
}

uint64_t tokenizer_hash_bytes(const char *bytes, size_t length) {
    uint64_t hash = hash_start();
    for (size_t i = 0; i < length; i++) { // FNV-1a
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3U;
    }
    return hash;
}

// The slot that holds these bytes, or the empty one where they belong.
static size_t find_slot(const Tokenizer *tokenizer, const char *bytes, size_t length) {
    const TokenizerDetail *detail = tokenizer->detail;
    const size_t mask = detail->index_size - 1;
    const uint64_t hash = tokenizer_hash_bytes(bytes, length);
    for (size_t slot = (hash ^ hash >> 32) & mask;; slot = (slot + 1) & mask) {
        if (detail->index[slot] == 0) {
            return slot;
        }
        const Piece *piece = &tokenizer->pieces[detail->index[slot] - 1];
        if ((size_t)piece->length == length && memcmp(piece->bytes, bytes, length) == 0) {
            return slot;
        }
    }
}

bool tokenizer_index_pieces(Tokenizer *tokenizer, Error *err) {
    TokenizerDetail *detail = tokenizer->detail;
    detail->index_size = 64;
    while (detail->index_size < 2 * (size_t)tokenizer->n_pieces) {
        detail->index_size *= 2;
    }
    free(detail->index);
    detail->index = memory_resize(NULL, detail->index_size * sizeof *detail->index);
    memset(detail->index, 0, detail->index_size * sizeof *detail->index);
    bool ok = true;
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        if (piece->length == 0) {
            continue;
        }
        const size_t slot = find_slot(tokenizer, piece->bytes, (size_t)piece->length);
        if (detail->index[slot] == 0) {
            detail->index[slot] = (uint32_t)id + 1;
            continue;
        }
        char shown[64];
        tokenizer_clean(piece->bytes, (size_t)piece->length, shown, sizeof shown);
        ok = error_set(err, "piece %d is \"%s\" again, as piece %u is; expected each piece once",
                       id, shown, detail->index[slot] - 1);
    }
    return ok;
}

int tokenizer_find(const Tokenizer *tokenizer, const char *bytes, size_t length) {
    if (tokenizer->detail == NULL || tokenizer->detail->index == NULL || length == 0) {
        return -1;
    }
    return (int)tokenizer->detail->index[find_slot(tokenizer, bytes, length)] - 1;
}

void tokenizer_free(Tokenizer *tokenizer) {
    if (tokenizer->detail != NULL) {
        tokenizer->detail->methods->free(tokenizer);
        free(tokenizer->detail->index);
        buffer_free(&tokenizer->detail->note);
        free(tokenizer->detail);
    }
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        char *owned; // what the struct shows as const was allocated here
        memcpy(&owned, &tokenizer->pieces[id].bytes, sizeof owned);
        free(owned);
    }
    free(tokenizer->pieces);
    *tokenizer = (Tokenizer){0};
}

void encode_report_add(EncodeReport *sum, const EncodeReport *report) {
    if (sum->n_unknown == 0) {
        memcpy(sum->first_unknown, report->first_unknown, sizeof report->first_unknown);
    }
    sum->n_unknown += report->n_unknown;
    sum->n_invalid_bytes += report->n_invalid_bytes;
}

bool tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t length, TokenIds *ids,
                      EncodeReport *report, Error *err) {
    if (report != NULL) {
        *report = (EncodeReport){0};
    }
    return tokenizer->detail->methods->encode(tokenizer, text, length, ids, report, NULL, NULL,
                                              err);
}

bool tokenizer_encode_watched(const Tokenizer *tokenizer, const char *text, size_t length,
                              TokenIds *ids, MergeWatcher watcher, void *context, Error *err) {
    return tokenizer->detail->methods->encode(tokenizer, text, length, ids, NULL, watcher, context,
                                              err);
}

bool tokenizer_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, char **text,
                      size_t *length, Error *err) {
    *text = NULL;
    *length = 0;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] < 0 || ids[i] >= tokenizer->n_pieces) {
            return error_set(err, "token %zu is %d, expected 0 to %d, the ids of this tokenizer", i,
                             ids[i], tokenizer->n_pieces - 1);
        }
    }
    Buffer buffer = {0};
    buffer_append(&buffer, "", 0);
    if (!tokenizer->detail->methods->decode(tokenizer, ids, count, &buffer, err)) {
        buffer_free(&buffer);
        return false;
    }
    *text = buffer.bytes;
    *length = buffer.length;
    return true;
}

void tokenizer_piece_text(const Tokenizer *tokenizer, int id, char *text, size_t size) {
    if (id < 0 || id >= tokenizer->n_pieces) {
        snprintf(text, size, "<%d?>", id);
        return;
    }
    if (tokenizer->detail->methods->piece_text != NULL) {
        tokenizer->detail->methods->piece_text(tokenizer, id, text, size);
        return;
    }
    const Piece *piece = &tokenizer->pieces[id];
    tokenizer_clean(piece->bytes, (size_t)piece->length, text, size);
}

const char *tokenizer_notes(const Tokenizer *tokenizer) {
    const bool has_notes = tokenizer->detail != NULL && tokenizer->detail->note.length > 0;
    return has_notes ? tokenizer->detail->note.bytes : "";
}

void token_ids_append(TokenIds *ids, int32_t id) {
    if (ids->count == ids->capacity) {
        ids->capacity = ids->capacity == 0 ? 64 : 2 * ids->capacity;
        ids->ids = memory_resize(ids->ids, ids->capacity * sizeof *ids->ids);
    }
    ids->ids[ids->count++] = id;
}

void token_ids_free(TokenIds *ids) {
    free(ids->ids);
    *ids = (TokenIds){0};
}
