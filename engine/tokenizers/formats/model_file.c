// model_file.c - a tokenizer from a .model file, and back into one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/formats/model_file.h"
#include "engine/files/plugin.h"
#include "engine/tokenizers/sentencepiece/sentencepiece.h"

static const PieceKind KINDS[] = {PIECE_NORMAL, PIECE_UNKNOWN, PIECE_CONTROL,
                                  PIECE_USER,   PIECE_UNUSED,  PIECE_BYTE};
enum { N_TYPES = sizeof KINDS / sizeof KINDS[0] };

static int type_of(PieceKind kind) {
    for (int i = 0; i < N_TYPES; i++) {
        if (KINDS[i] == kind) {
            return i + 1;
        }
    }
    return 1;
}

static void set_text(Buffer *buffer, ModelText text) {
    if (text.bytes != NULL) {
        buffer->length = 0;
        buffer_append(buffer, text.bytes, text.length);
    }
}

// A role belongs to the control piece of that name, whatever number the trainer was told.
static int find_role(const Tokenizer *tokenizer, ModelText name, const char *usual) {
    const int id = name.bytes != NULL ? tokenizer_find(tokenizer, name.bytes, name.length)
                                      : tokenizer_find(tokenizer, usual, strlen(usual));
    return id >= 0 && tokenizer->pieces[id].kind == PIECE_CONTROL ? id : -1;
}

static bool take_pieces(Tokenizer *tokenizer, const ModelFile *file, Error *err) {
    for (int i = 0; i < file->n_pieces; i++) {
        const ModelFilePiece *piece = &file->pieces[i];
        if (piece->type < 1 || piece->type > N_TYPES || piece->text.length == 0) {
            return error_set(err, "piece %d has type %d and %zu bytes, expected 1 to 6 and some", i,
                             piece->type, piece->text.length);
        }
        const PieceKind kind = KINDS[piece->type - 1];
        const int id = tokenizer_append_piece(tokenizer, piece->text.bytes, piece->text.length,
                                              piece->score, kind);
        if (kind == PIECE_UNKNOWN) {
            if (tokenizer->unknown_id >= 0) {
                return error_set(err, "pieces %d and %d both stand for the unknown, expected one",
                                 tokenizer->unknown_id, id);
            }
            tokenizer->unknown_id = id;
        }
    }
    return tokenizer_index_pieces(tokenizer, err);
}

static bool take_file(Tokenizer *tokenizer, const ModelFile *file, Error *err) {
    if (file->model_type != MODEL_BPE) {
        return error_set(err, "holds a model of type %d, expected %d, byte-pair encoding",
                         file->model_type, MODEL_BPE);
    }
    if (file->maps_back) {
        return error_set(err, "maps decoded text back, expected a model without a denormalizer");
    }
    sentencepiece_start(tokenizer);
    if (!take_pieces(tokenizer, file, err)) {
        return false;
    }
    SentencePiece *own = tokenizer->detail->of.sentencepiece;
    own->byte_fallback = file->byte_fallback;
    own->normalizer.add_dummy_prefix = file->add_dummy_prefix;
    own->normalizer.remove_extra_whitespaces = file->remove_extra_whitespaces;
    own->normalizer.escape_whitespaces = file->escape_whitespaces;
    own->normalizer.whitespace_as_suffix = file->whitespace_as_suffix;
    set_text(&own->normalization_name, file->normalization);
    set_text(&own->unknown_surface, file->unk_surface);
    tokenizer->bos_id = find_role(tokenizer, file->bos_piece, "<s>");
    tokenizer->eos_id = find_role(tokenizer, file->eos_piece, "</s>");
    tokenizer->pad_id = find_role(tokenizer, file->pad_piece, "<pad>");
    return sentencepiece_prepare(tokenizer, file->map.bytes, file->map.length, err);
}

bool model_file_load(Tokenizer *tokenizer, const char *path, Error *err) {
    const ModelFileMethods *methods = plugin_open("sentencepiece", MODEL_FILE_SYMBOL, err);
    if (methods == NULL) {
        return false;
    }
    Buffer bytes = {0};
    ModelFile file = {0};
    bool ok = buffer_load(&bytes, path, err);
    if (ok && (!methods->unpack(&file, bytes.bytes, bytes.length) || file.n_pieces == 0)) {
        ok = error_set(err, "%s: expected a SentencePiece .model, found other bytes", path);
    }
    if (ok) {
        Error cause = {0};
        ok = take_file(tokenizer, &file, &cause) || error_set(err, "%s: %s", path, cause.text);
    }
    methods->free(&file);
    buffer_free(&bytes);
    return ok;
}

static ModelText role_text(const Tokenizer *tokenizer, int id) {
    if (id < 0) {
        return (ModelText){NULL, 0};
    }
    return (ModelText){tokenizer->pieces[id].bytes, (size_t)tokenizer->pieces[id].length};
}

static void fill_file(ModelFile *file, const Tokenizer *tokenizer) {
    const SentencePiece *own = tokenizer->detail->of.sentencepiece;
    *file = (ModelFile){
        .n_pieces = tokenizer->n_pieces,
        .model_type = MODEL_BPE,
        .whitespace_as_suffix = own->normalizer.whitespace_as_suffix,
        .byte_fallback = own->byte_fallback,
        .add_dummy_prefix = own->normalizer.add_dummy_prefix,
        .remove_extra_whitespaces = own->normalizer.remove_extra_whitespaces,
        .escape_whitespaces = own->normalizer.escape_whitespaces,
        .unk_id = tokenizer->unknown_id,
        .bos_id = tokenizer->bos_id,
        .eos_id = tokenizer->eos_id,
        .pad_id = tokenizer->pad_id,
        .unk_surface = {own->unknown_surface.bytes, own->unknown_surface.length},
        .unk_piece = role_text(tokenizer, tokenizer->unknown_id),
        .bos_piece = role_text(tokenizer, tokenizer->bos_id),
        .eos_piece = role_text(tokenizer, tokenizer->eos_id),
        .pad_piece = role_text(tokenizer, tokenizer->pad_id),
        .normalization = {own->normalization_name.bytes, own->normalization_name.length},
        .map = {own->normalizer.map.bytes, own->normalizer.map.length},
    };
    file->pieces = memory_resize(NULL, (size_t)file->n_pieces * sizeof *file->pieces);
    for (int i = 0; i < file->n_pieces; i++) {
        const Piece *piece = &tokenizer->pieces[i];
        file->pieces[i] = (ModelFilePiece){.text = {piece->bytes, (size_t)piece->length},
                                           .score = piece->score,
                                           .type = type_of(piece->kind)};
    }
}

bool model_file_save(const Tokenizer *tokenizer, const char *path, Error *err) {
    const ModelFileMethods *methods = plugin_open("sentencepiece", MODEL_FILE_SYMBOL, err);
    if (methods == NULL) {
        return false;
    }
    ModelFile file = {0};
    fill_file(&file, tokenizer);
    size_t length = 0;
    char *bytes = methods->pack(&file, &length);
    free(file.pieces);
    if (bytes == NULL) {
        return error_set(err, "%s: memory ran out", path);
    }
    const Buffer packed = {.bytes = bytes, .length = length};
    const bool ok = buffer_save(&packed, path, err);
    free(bytes);
    return ok;
}
