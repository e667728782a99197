// vocab_json.h - reads vocab.json: an object of pieces, written in GPT-2's byte map, and their ids.
#ifndef ENGINE_TOKENIZERS_FORMATS_VOCAB_JSON_H
#define ENGINE_TOKENIZERS_FORMATS_VOCAB_JSON_H

#include <stdbool.h>

#include "engine/tokenizers/tokenizer_private.h"

// Makes room for ids to come in any order: pieces[id] for id in 0 to n - 1, appended once all are
// known.
typedef struct VocabSlot {
    size_t start; // in the bytes
    size_t length;
    PieceKind kind;
    bool taken;
} VocabSlot;

typedef struct Vocab {
    Buffer bytes;
    VocabSlot *slots;
    size_t n_slots; // one more than the largest id
    size_t capacity;
    size_t n_taken;
} Vocab;

// text is UTF-8 in the byte map where `mapped`, else as it reads. False: the id is taken or too
// large.
bool vocab_put(Vocab *vocab, const char *text, size_t length, bool mapped, long long id,
               PieceKind kind);
// Whether this id is there already, with this text.
bool vocab_holds(const Vocab *vocab, long long id, const char *text, size_t length);

// Appends the pieces in the order of their ids, as plain bytes, all PIECE_NORMAL but those that
// vocab holds already (it is freed); ids that the file skips are PIECE_UNUSED. A piece that is not
// in the byte map keeps its text. Strict JSON; an id twice is refused, and so are holes that are
// larger than the vocabulary.
bool vocab_json_load(Tokenizer *tokenizer, Vocab *vocab, const char *path, Error *err);

bool vocab_append_all(Vocab *vocab, Tokenizer *tokenizer, const char *path, Error *err);
void vocab_free(Vocab *vocab);

#endif
