// tokenizer.h - text to token ids and back: words, SentencePiece BPE, byte-level BPE.
#ifndef ENGINE_TOKENIZERS_TOKENIZER_H
#define ENGINE_TOKENIZERS_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

typedef enum TokenizerKind {
    TOKENIZER_WORDS,         // whole words, as the toy has them
    TOKENIZER_SENTENCEPIECE, // BPE over characters (Sennrich et al. 2016, SentencePiece 2018)
    TOKENIZER_BYTE_LEVEL,    // BPE over bytes (GPT-2, 2019)
} TokenizerKind;

typedef enum PieceKind {
    PIECE_NORMAL,
    PIECE_UNKNOWN, // stands for what the vocabulary cannot spell
    PIECE_CONTROL, // <s>, </s>, <pad>, <|endoftext|>: found where a text spells them out
    PIECE_USER,    // given by the user, matched before anything is merged
    PIECE_BYTE,    // one byte, <0xNN>
    PIECE_UNUSED,
} PieceKind;

typedef struct Piece {
    const char *bytes; // not a C string: may hold NUL; owned by the tokenizer
    int length;
    float score; // SentencePiece: minus the merge's number; 0 elsewhere
    PieceKind kind;
} Piece;

typedef struct TokenizerDetail TokenizerDetail; // merges, normalization: private to each kind

// Filled by one of the functions below, given back by tokenizer_free; owns its pieces.
typedef struct Tokenizer {
    TokenizerKind kind;
    Piece *pieces; // n_pieces, the index is the token id
    int n_pieces;
    int unknown_id; // each -1 where there is none
    int bos_id;
    int eos_id;
    int pad_id;
    // Special pieces (control and unknown) that a text spells out stay text: said by the file, or
    // by tokenizer_choose. Otherwise they are these pieces, whatever the kind and the file's
    // format.
    bool special_as_text;
    bool assumes_pattern; // byte-level: its file does not say how text is split; GPT-2's way is
                          // taken
    TokenizerDetail *detail;
} Tokenizer;

// A growing list of ids; a zeroed one is empty. token_ids_free gives it back.
typedef struct TokenIds {
    int32_t *ids;
    size_t count;
    size_t capacity;
} TokenIds;

// What encoding met that the caller may want to say, once for the whole text.
typedef struct EncodeReport {
    size_t n_unknown;       // characters the vocabulary cannot spell
    size_t n_invalid_bytes; // bytes that are not UTF-8
    char first_unknown[16]; // the first of them, cleaned for the screen
} EncodeReport;
// Adds what one text's report says to that of several.
void encode_report_add(EncodeReport *sum, const EncodeReport *report);

// One merge while a word is put together, for the view that shows them one by one. Spans are byte
// offsets into the normalized text; the row of pieces is `n_pieces` cuts before the merge.
typedef struct MergeStep {
    const char *text; // normalized; valid during the call
    int left_start, left_end, right_end;
    int rank;          // of this merge among all of them; lower is earlier
    const int *starts; // where each piece begins, before the merge
    int n_pieces;
    int text_length;
    int id; // the piece that the merge makes
} MergeStep;
typedef void (*MergeWatcher)(void *context, const MergeStep *step);

// Opens whatever is at path: a folder that holds one of the following, our own .tokenizer text
// file, a SentencePiece .model, a Hugging Face tokenizer.json (BPE), a vocab.json beside
// merges.txt, or a tiktoken .bpe rank file. What is not understood is refused, not ignored.
bool tokenizer_load(Tokenizer *tokenizer, const char *path, Error *err);
// Whether a folder holds such a file.
bool tokenizer_is_in(const char *folder);

// What a person says of how texts are read; zero: as the file has it.
typedef struct TokenizerChoice {
    const char *special; // "token" or "text": what <|endoftext|> and the like in a text are
    const char *pattern; // "gpt2", "cl100k" and the like, where the file does not say how it splits
} TokenizerChoice;

// False with a sentence for a value that no tokenizer takes.
bool tokenizer_choice_check(const TokenizerChoice *choice, Error *err);
// A pattern is refused where the file says another; what is assumed joins the notes.
bool tokenizer_choose(Tokenizer *tokenizer, const TokenizerChoice *choice, Error *err);

// The words of a small vocabulary, ids in order; `<pad> <s> </s> <unk>` get their roles by name.
bool tokenizer_init_words(Tokenizer *tokenizer, const char *const *words, int n_words, Error *err);

// Writes path (".model": SentencePiece's protobuf; ".json": Hugging Face's tokenizer.json; else our
// readable text file), beside and renamed. A kind that the form cannot hold is refused.
bool tokenizer_save(const Tokenizer *tokenizer, const char *path, Error *err);
// False, with the reason, where a tokenizer.json cannot say what this one does.
bool tokenizer_fits_json(const Tokenizer *tokenizer, Error *err);
void tokenizer_free(Tokenizer *tokenizer);
// What a person should know of its files, a line each; "": nothing. The tokenizer's.
const char *tokenizer_notes(const Tokenizer *tokenizer);

// Appends the ids of text (any bytes). No <s> or </s> is added. report and watcher may be NULL.
// Fails only where the kind has no unknown piece and the text needs one: the sentence then says
// which and what is known.
bool tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t length, TokenIds *ids,
                      EncodeReport *report, Error *err);
bool tokenizer_encode_watched(const Tokenizer *tokenizer, const char *text, size_t length,
                              TokenIds *ids, MergeWatcher watcher, void *context, Error *err);

// The text of ids into *text (malloc, the caller's, NUL at the end not counted in *length). Control
// pieces give nothing.
bool tokenizer_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, char **text,
                      size_t *length, Error *err);

// How one token is shown: printable, ▁ and spaces as the kind writes them, part of a character as
// "<E4>", control codes made harmless. At most size bytes with the NUL.
void tokenizer_piece_text(const Tokenizer *tokenizer, int id, char *text, size_t size);

// Id of a piece by its exact bytes, -1 where there is none.
int tokenizer_find(const Tokenizer *tokenizer, const char *bytes, size_t length);

// The same for the same pieces, merges and normalization: 16 hex digits, for checkpoints.
void tokenizer_hash(const Tokenizer *tokenizer, char text[17]);

void token_ids_append(TokenIds *ids, int32_t id);
void token_ids_free(TokenIds *ids);

#endif
