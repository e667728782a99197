// model_file.h - what a SentencePiece .model file says, and the table by which its reader is
// called.
//
// The reader needs protobuf-c and stands in a shared object of its own, opened when a .model is
// first met.
#ifndef ENGINE_TOKENIZERS_FORMATS_MODEL_FILE_H
#define ENGINE_TOKENIZERS_FORMATS_MODEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

typedef struct ModelText {
    const char *bytes; // may be NULL where length is 0
    size_t length;
} ModelText;

enum { MODEL_BPE = 2 }; // model_type

typedef struct ModelFilePiece {
    ModelText text;
    float score;
    int type; // 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte
} ModelFilePiece;

typedef struct ModelFile {
    ModelFilePiece *pieces; // n_pieces
    int n_pieces;
    int model_type;
    bool whitespace_as_suffix, byte_fallback;
    bool add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces;
    int unk_id, bos_id, eos_id, pad_id;                                // as trained; -1: none
    ModelText unk_surface, unk_piece, bos_piece, eos_piece, pad_piece; // NULL bytes: not said
    ModelText normalization, map;
    bool maps_back; // has a map for decoded text
    void *unpacked; // the reader's, behind the texts
} ModelFile;

#define MODEL_FILE_SYMBOL "attend_model_file"

// What MODEL_FILE_SYMBOL names in attend-sentencepiece.so.
typedef struct ModelFileMethods {
    // Fills *file, which points into memory of its own until it is freed; false where bytes are no
    // .model.
    bool (*unpack)(ModelFile *file, const void *bytes, size_t length);
    void (*free)(ModelFile *file);
    // The bytes of file (malloc, the caller's); NULL where memory runs out.
    char *(*pack)(const ModelFile *file, size_t *length);
} ModelFileMethods;

#endif
