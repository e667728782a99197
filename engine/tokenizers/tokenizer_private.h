// tokenizer_private.h - what the kinds of tokenizers share and each must bring; only they include
// it.
#ifndef ENGINE_TOKENIZERS_TOKENIZER_PRIVATE_H
#define ENGINE_TOKENIZERS_TOKENIZER_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buffer.h"
#include "engine/base/error.h"
#include "engine/tokenizers/tokenizer.h"

typedef struct SentencePiece SentencePiece; // engine/tokenizers/sentencepiece/sentencepiece.c
typedef struct ByteLevel ByteLevel;         // engine/tokenizers/byte_level/byte_level.c
typedef struct Words Words;                 // engine/tokenizers/words.c

// One line "name value" of our readable text file; value is what stands after the first space,
// still escaped (tokenizer_unescape), NUL-terminated.
typedef struct TokenizerSetting {
    const char *name;
    const char *value;
    int line;
} TokenizerSetting;

typedef struct TokenizerSettings {
    const char *path; // for sentences: "%s:%d: expected ..., found ..."
    const TokenizerSetting *settings;
    int n_settings;
} TokenizerSettings;

// What a kind is made of. A tokenizer's pieces, the four ids and the piece index belong to the core
// (tokenizer.c); all else hangs on detail->of and is the kind's.
typedef struct TokenizerMethods {
    const char *name; // of the kind, in the text file: "sentencepiece", "byte-level", "words"
    // As tokenizer_encode; report and watcher may be NULL. The core has zeroed *report.
    bool (*encode)(const Tokenizer *tokenizer, const char *text, size_t length, TokenIds *ids,
                   EncodeReport *report, MergeWatcher watcher, void *context, Error *err);
    // Appends the text of ids, which the core has checked to be in range.
    bool (*decode)(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buffer *text,
                   Error *err);
    // As tokenizer_piece_text; id is in range. NULL: tokenizer_clean of the piece's bytes.
    void (*piece_text)(const Tokenizer *tokenizer, int id, char *text, size_t size);
    // Appends lines "name value\n" with everything that pieces and ids do not say (merges,
    // normalization, options), always the same lines for the same tokenizer: tokenizer_hash is made
    // of them.
    void (*save)(const Tokenizer *tokenizer, Buffer *lines);
    // Makes detail->of from such lines; pieces, ids and the index are there already. A name that is
    // not known is refused with path and line.
    bool (*load)(Tokenizer *tokenizer, const TokenizerSettings *settings, Error *err);
    void (*free)(Tokenizer *tokenizer); // what detail->of holds; takes a half-made one
} TokenizerMethods;

struct TokenizerDetail {
    const TokenizerMethods *methods;
    uint32_t *index; // open addressing: 1 + piece id, 0 empty; index_size is a power of two
    size_t index_size;
    int pieces_capacity;
    Buffer note; // see tokenizer_notes
    union {
        SentencePiece *sentencepiece;
        ByteLevel *byte_level;
        Words *words;
    } of;
};

extern const TokenizerMethods
    SENTENCEPIECE_METHODS;                        // engine/tokenizers/sentencepiece/sentencepiece.c
extern const TokenizerMethods BYTE_LEVEL_METHODS; // engine/tokenizers/byte_level/byte_level.c
extern const TokenizerMethods WORDS_METHODS;      // engine/tokenizers/words.c

// ---- how a kind is built: start, append every piece, then the index

// An empty tokenizer of that kind, all four ids -1, detail zeroed but for its methods.
void tokenizer_start(Tokenizer *tokenizer, TokenizerKind kind, const TokenizerMethods *methods);

// Copies bytes (length may be 0: an id without a piece). Its id is the number of pieces before.
// Sets no role: unknown_id and the others are the kind's to set.
int tokenizer_append_piece(Tokenizer *tokenizer, const char *bytes, size_t length, float score,
                           PieceKind kind);

// Makes tokenizer_find work. Where two pieces have the same bytes the first is found; false names
// them (for kinds that must refuse them; the index is complete then too).
bool tokenizer_index_pieces(Tokenizer *tokenizer, Error *err);

// FNV-1a.
uint64_t tokenizer_hash_bytes(const char *bytes, size_t length);

// ---- text shared by all kinds

// Printable form of bytes: valid UTF-8 that is neither a control code (C0, DEL, C1), a bidi control
// nor unassigned stays, every other byte becomes <E4>. At most size bytes with the NUL, cut between
// characters.
void tokenizer_clean(const char *bytes, size_t length, char *text, size_t size);

// The escaped form in our text file: printable UTF-8 but for the backslash, "\xNN" for other bytes,
// space
// (\x20) included, so that an escaped word holds no space; the empty word is "\0".
void tokenizer_escape(Buffer *buffer, const char *bytes, size_t length);

// Undoes it for the first length bytes of text, appending; false where it is malformed.
bool tokenizer_unescape(Buffer *buffer, const char *text, size_t length);

// ---- our readable text file (formats/text_lines.c)

// "attend tokenizer 1", kind, ids, the kind's settings, then "pieces N" and N lines "kind score
// bytes".
void tokenizer_write_lines(const Tokenizer *tokenizer, Buffer *lines);
bool tokenizer_read_lines(Tokenizer *tokenizer, const char *path, Buffer *text, Error *err);

// ---- readers, chosen by tokenizer_load; each starts the tokenizer itself and leaves it freeable

bool gpt2_files_load(Tokenizer *tokenizer, const char *vocab_path, const char *merges_path,
                     Error *err);
bool hf_tokenizer_load(Tokenizer *tokenizer, const char *path, Error *err); // tokenizer.json
bool hf_tokenizer_save(const Tokenizer *tokenizer, const char *path, Error *err);
bool gpt2_files_load_ranks(Tokenizer *tokenizer, const char *path, Error *err); // tiktoken .bpe
bool model_file_load(Tokenizer *tokenizer, const char *path, Error *err);       // .model
bool model_file_save(const Tokenizer *tokenizer, const char *path, Error *err);

#endif
