// sentencepiece_train.c - learns the merges of byte-pair encoding over characters from a text.
#include "engine/tokenizers/sentencepiece/sentencepiece_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/sentencepiece/bpe_learn.h"
#include "engine/tokenizers/sentencepiece/sentencepiece.h"
#include "engine/tokenizers/sentencepiece/sentencepiece_words.h"

void sentencepiece_options_init(SentencePieceOptions *options) {
    *options = (SentencePieceOptions){.vocab_size = 8000,
                                      .character_coverage = 0.9995,
                                      .max_sentence_bytes = 4192,
                                      .max_piece_length = 16,
                                      .nfkc = true,
                                      .add_dummy_prefix = true,
                                      .remove_extra_whitespaces = true,
                                      .split_by_whitespace = true,
                                      .split_by_script = true,
                                      .split_by_number = true,
                                      .unknown_id = 0,
                                      .bos_id = 1,
                                      .eos_id = 2,
                                      .pad_id = -1,
                                      .unknown_piece = "<unk>",
                                      .bos_piece = "<s>",
                                      .eos_piece = "</s>",
                                      .pad_piece = "<pad>",
                                      .n_threads = 1};
}

// ---- pieces that are given

typedef struct GivenPiece {
    char text[16]; // of byte pieces; else `name` counts
    const char *name;
    PieceKind kind;
    int id;
} GivenPiece;

typedef struct GivenPieces {
    GivenPiece *pieces;
    int n_pieces;
} GivenPieces;

static const char *given_text(const GivenPiece *piece) {
    return piece->name != NULL ? piece->name : piece->text;
}

static bool id_is_taken(const GivenPieces *given, int id) {
    for (int i = 0; i < given->n_pieces; i++) {
        if (given->pieces[i].id == id) {
            return true;
        }
    }
    return false;
}

static GivenPiece *append_given(GivenPieces *given, const char *name, PieceKind kind, int id) {
    given->pieces =
        memory_resize(given->pieces, (size_t)(given->n_pieces + 1) * sizeof *given->pieces);
    GivenPiece *piece = &given->pieces[given->n_pieces++];
    *piece = (GivenPiece){.name = name, .kind = kind, .id = id};
    return piece;
}

static bool give_role(GivenPieces *given, const SentencePieceOptions *options, const char *role,
                      const char *name, int id, Error *err) {
    if (id < 0) {
        return true;
    }
    if (id >= options->vocab_size) {
        return error_set(err, "the id of %s is %d, expected less than the vocabulary size %d", role,
                         id, options->vocab_size);
    }
    if (name[0] == '\0') {
        return error_set(err, "the piece of %s is empty, expected a text", role);
    }
    for (int i = 0; i < given->n_pieces; i++) {
        if (given->pieces[i].id == id) {
            return error_set(err, "%s and %s both have id %d, expected different ones", role,
                             given_text(&given->pieces[i]), id);
        }
        if (strcmp(given_text(&given->pieces[i]), name) == 0) {
            return error_set(err, "piece %s is given twice, expected different pieces", name);
        }
    }
    append_given(given, name, id == options->unknown_id ? PIECE_UNKNOWN : PIECE_CONTROL, id);
    return true;
}

// A role's piece takes the kind, any other gets the next free id.
static bool give_symbol(GivenPieces *given, const char *name, PieceKind kind, int n_roles,
                        Error *err) {
    if (name[0] == '\0') {
        return true;
    }
    for (int i = 0; i < given->n_pieces; i++) {
        if (strcmp(given_text(&given->pieces[i]), name) != 0) {
            continue;
        }
        if (i >= n_roles || given->pieces[i].kind == PIECE_UNKNOWN) {
            return error_set(err, "symbol %s is there already, expected each symbol once", name);
        }
        given->pieces[i].kind = kind;
        return true;
    }
    int id = 0;
    while (id_is_taken(given, id)) {
        id++;
    }
    append_given(given, name, kind, id);
    return true;
}

static void give_bytes(GivenPieces *given) {
    int id = 0;
    for (int byte = 0; byte < 256; byte++) {
        while (id_is_taken(given, id)) {
            id++;
        }
        GivenPiece *piece = append_given(given, NULL, PIECE_BYTE, id);
        snprintf(piece->text, sizeof piece->text, "<0x%02X>", (unsigned)byte);
    }
}

static bool give_pieces(GivenPieces *given, const SentencePieceOptions *options, Error *err) {
    if (options->unknown_id < 0) {
        return error_set(err, "the id of the unknown piece is %d, expected 0 or more",
                         options->unknown_id);
    }
    if (!give_role(given, options, "unk", options->unknown_piece, options->unknown_id, err) ||
        !give_role(given, options, "bos", options->bos_piece, options->bos_id, err) ||
        !give_role(given, options, "eos", options->eos_piece, options->eos_id, err) ||
        !give_role(given, options, "pad", options->pad_piece, options->pad_id, err)) {
        return false;
    }
    const int n_roles = given->n_pieces;
    for (int i = 0; i < options->n_control_symbols; i++) {
        if (!give_symbol(given, options->control_symbols[i], PIECE_CONTROL, n_roles, err)) {
            return false;
        }
    }
    for (int i = 0; i < options->n_user_symbols; i++) {
        if (!give_symbol(given, options->user_symbols[i], PIECE_USER, n_roles, err)) {
            return false;
        }
    }
    if (options->byte_fallback) {
        give_bytes(given);
    }
    return true;
}

// ---- the vocabulary

static const GivenPiece *find_given(const GivenPieces *given, int id) {
    for (int i = 0; i < given->n_pieces; i++) {
        if (given->pieces[i].id == id) {
            return &given->pieces[i];
        }
    }
    return NULL;
}

static void take_role(Tokenizer *tokenizer, const SentencePieceOptions *options, int wanted,
                      int id) {
    if (wanted == options->unknown_id) {
        tokenizer->unknown_id = id;
    } else if (wanted == options->bos_id) {
        tokenizer->bos_id = id;
    } else if (wanted == options->eos_id) {
        tokenizer->eos_id = id;
    } else if (wanted == options->pad_id) {
        tokenizer->pad_id = id;
    }
}

// Given pieces at their ids, the learned ones between and after them, then single characters.
static void append_pieces(Tokenizer *tokenizer, const GivenPieces *given,
                          const LearnedPieces *learned, const SentencePieceOptions *options) {
    int next = 0;
    // A vocabulary may be asked for that is far larger than what the text gives.
    int left = given->n_pieces + learned->n_pieces;
    for (int id = 0; id < options->vocab_size && left > 0; id++) {
        const GivenPiece *piece = find_given(given, id);
        if (piece != NULL) {
            const char *text = given_text(piece);
            take_role(tokenizer, options, id,
                      tokenizer_append_piece(tokenizer, text, strlen(text), 0.0F, piece->kind));
            left--;
        } else if (next < learned->n_pieces) {
            const size_t start = next == 0 ? 0 : learned->ends[next - 1];
            tokenizer_append_piece(tokenizer, learned->texts.bytes + start,
                                   learned->ends[next] - start, -(float)next, PIECE_NORMAL);
            next++;
            left--;
        }
    }
}

static bool set_up(Tokenizer *tokenizer, Buffer *map, const SentencePieceOptions *options,
                   Error *err) {
    sentencepiece_start(tokenizer);
    SentencePiece *own = tokenizer->detail->of.sentencepiece;
    own->byte_fallback = options->byte_fallback;
    own->normalizer.add_dummy_prefix = options->add_dummy_prefix;
    own->normalizer.remove_extra_whitespaces = options->remove_extra_whitespaces;
    own->normalizer.whitespace_as_suffix = options->whitespace_as_suffix;
    own->normalization_name.length = 0;
    buffer_append_text(&own->normalization_name, options->nfkc ? "nmt_nfkc" : "identity");
    if (options->nfkc) {
        charsmap_append_nfkc(map);
    }
    const bool is_share = options->character_coverage >= 0.0 && options->character_coverage <= 1.0;
    if (!is_share || options->max_sentence_bytes < 1 || options->max_piece_length < 1) {
        return error_set(err,
                         "expected a character coverage from 0 to 1 and lengths of at least 1, "
                         "found %g, %d bytes and %d characters",
                         options->character_coverage, options->max_sentence_bytes,
                         options->max_piece_length);
    }
    // Normalizing makes 18 bytes of one at most, and a word's length has 32 bits.
    enum { MOST_BYTES = 1 << 27 };
    return options->max_sentence_bytes <= MOST_BYTES ||
           error_set(err, "lines of up to %d bytes: expected %d at most",
                     options->max_sentence_bytes, MOST_BYTES);
}

// The words of the text, as this normalizer leaves them.
static bool count_words(WordCounts *words, const char *text, size_t length, const Buffer *map,
                        const GivenPieces *given, const SentencePieceOptions *options,
                        SentencePieceReport *report, Error *err) {
    Normalizer normalizer = {.add_dummy_prefix = options->add_dummy_prefix,
                             .remove_extra_whitespaces = options->remove_extra_whitespaces,
                             .escape_whitespaces = true,
                             .whitespace_as_suffix = options->whitespace_as_suffix};
    SymbolSet symbols = {0};
    for (int i = 0; i < given->n_pieces; i++) {
        const char *name = given_text(&given->pieces[i]);
        symbol_set_append(&symbols, name, strlen(name));
    }
    symbol_set_prepare(&symbols);
    const bool ok = normalizer_prepare(&normalizer, map->bytes, map->length, err);
    if (ok) {
        sentencepiece_count_words(words, text, length, &normalizer, &symbols, options, report);
    }
    symbol_set_free(&symbols);
    normalizer_free(&normalizer);
    return ok;
}

// Merges into learned, then the single characters.
static bool learn(LearnedPieces *learned, WordCounts *words, int n_given,
                  const SentencePieceOptions *options, SentencePieceReport *report,
                  LearnedMergeWatcher watcher, void *context, Error *err) {
    RequiredChar *chars = NULL;
    int n_chars = 0;
    sentencepiece_choose_chars(words, options, &chars, &n_chars, report);
    const int n_wanted = options->vocab_size - n_given - n_chars;
    bool ok = true;
    if (words->bytes.length == 0) {
        ok = error_set(
            err,
            "the text has no words to learn from (%zu lines are longer than %d bytes, the "
            "longest that are taken)",
            report->n_too_long, options->max_sentence_bytes);
    } else if (n_wanted < 0) {
        ok = error_set(err,
                       "a vocabulary of %d is too small: the text's %d characters and %d given "
                       "pieces need %d, or a smaller character coverage",
                       options->vocab_size, n_chars, n_given, n_chars + n_given);
    } else if (!word_counts_fit(words, err)) {
        ok = false;
    } else {
        const BpeRules rules = {.max_piece_length = options->max_piece_length,
                                .whitespace_as_suffix = options->whitespace_as_suffix,
                                .whitespace_only_pieces = options->whitespace_only_pieces,
                                .split_by_whitespace = options->split_by_whitespace,
                                .split_by_script = options->split_by_script,
                                .split_by_number = options->split_by_number,
                                .split_digits = options->split_digits,
                                .is_stopped = options->is_stopped};
        bpe_learn(words, &rules, n_wanted, learned, watcher, context);
        report->n_merges = learned->n_pieces;
        report->clamped = learned->n_pieces < n_wanted;
        report->maximum = n_given + learned->n_pieces + n_chars;
        ok = options->is_stopped == NULL || !options->is_stopped() ||
             error_set(err, "learning the pieces was stopped");
    }
    for (int i = 0; ok && i < n_chars; i++) {
        char bytes[4];
        const size_t n = utf8_write(chars[i].code, bytes);
        learned_pieces_append(learned, bytes, n);
    }
    free(chars);
    return ok;
}

bool sentencepiece_train(Tokenizer *tokenizer, const char *text, size_t length,
                         const SentencePieceOptions *options, SentencePieceReport *report,
                         LearnedMergeWatcher watcher, void *context, Error *err) {
    *report = (SentencePieceReport){0};
    *tokenizer = (Tokenizer){0};
    GivenPieces given = {0};
    WordCounts words = {0};
    LearnedPieces learned = {0};
    Buffer map = {0};
    bool ok = set_up(tokenizer, &map, options, err) && give_pieces(&given, options, err) &&
              count_words(&words, text, length, &map, &given, options, report, err) &&
              learn(&learned, &words, given.n_pieces, options, report, watcher, context, err);
    word_counts_free(&words);
    if (ok) {
        append_pieces(tokenizer, &given, &learned, options);
        ok = tokenizer_index_pieces(tokenizer, err) &&
             sentencepiece_prepare(tokenizer, map.bytes, map.length, err);
    }
    buffer_free(&map);
    free(given.pieces);
    learned_pieces_free(&learned);
    if (!ok) {
        tokenizer_free(tokenizer);
    }
    return ok;
}
