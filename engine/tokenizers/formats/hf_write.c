// hf_write.c - writes a byte-level tokenizer as Hugging Face's tokenizer.json.
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/byte_level/byte_level.h"
#include "engine/tokenizers/byte_level/byte_map.h"

static bool check_options(const Tokenizer *tokenizer, Error *err) {
    if (tokenizer->kind != TOKENIZER_BYTE_LEVEL) {
        return error_set(err, "a tokenizer.json holds the byte-level kind only");
    }
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    const bool is_cut = level->split.family != SPLIT_GPT2 && level->split.family != SPLIT_NONE;
    if (level->characters || level->mark != MARK_NONE) {
        return error_set(err, "this tokenizer merges characters, not bytes");
    }
    if (level->by_rank) {
        return error_set(err, "this tokenizer is made of ranks, not of merges");
    }
    if (byte_level_has_affix(level) || level->lowercase || level->join_pieces ||
        level->strip_space) {
        return error_set(err, "this tokenizer writes words in a way of its own");
    }
    if (tokenizer->special_as_text) {
        return error_set(err, "a tokenizer.json cannot say that special tokens stay text");
    }
    if (level->n_before > 0 || (is_cut && level->prefix_space) ||
        (is_cut && byte_split_pattern(&level->split) == NULL)) {
        return error_set(err, "this tokenizer splits text as \"%s\", with more before it",
                         byte_split_name(&level->split));
    }
    return true;
}

// A piece as the file writes it: bytes in GPT-2's letters, and what is found in the text as it is.
static void append_spelling(const Piece *piece, Buffer *out) {
    out->length = 0;
    buffer_append(out, "", 0);
    if (piece->kind != PIECE_NORMAL) {
        buffer_append(out, piece->bytes, (size_t)piece->length);
        return;
    }
    for (int i = 0; i < piece->length; i++) {
        const int32_t code = byte_map_character((uint8_t)piece->bytes[i]);
        char letter[4];
        buffer_append(out, letter, utf8_write(code, letter));
    }
}

// What the text may name: as its file said, or by the kind of its piece; false: nothing.
static bool find_added(const Tokenizer *tokenizer, int id, AddedToken *found) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    const PieceKind kind = tokenizer->pieces[id].kind;
    for (int i = 0; i < level->n_tokens; i++) {
        if (level->tokens[i].id == id) {
            *found = level->tokens[i];
            return true;
        }
    }
    *found = (AddedToken){.id = id, .is_special = kind != PIECE_USER};
    return kind != PIECE_NORMAL;
}

static json_t *added_token(const Piece *piece, const AddedToken *token) {
    return json_pack("{s:i, s:s%, s:b, s:b, s:b, s:b, s:b}", "id", token->id, "content",
                     piece->bytes, (size_t)piece->length, "single_word", token->single_word,
                     "lstrip", token->takes_left, "rstrip", token->takes_right, "normalized",
                     token->in_normalized, "special", token->is_special);
}

// The vocabulary, and the pieces in it that are found whole; NULL where two are written alike.
static json_t *list_pieces(const Tokenizer *tokenizer, json_t *added, Error *err) {
    json_t *vocab = json_object();
    Buffer text = {0};
    for (int id = 0; vocab != NULL && id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        if (piece->length == 0) { // an id without a piece
            continue;
        }
        AddedToken token;
        append_spelling(piece, &text);
        const bool fits = memchr(text.bytes, '\0', text.length) == NULL &&
                          json_object_get(vocab, text.bytes) == NULL &&
                          json_object_set_new(vocab, text.bytes, json_integer(id)) == 0;
        if (!fits || (find_added(tokenizer, id, &token) &&
                      json_array_append_new(added, added_token(piece, &token)) != 0)) {
            char shown[64];
            tokenizer_clean(piece->bytes, (size_t)piece->length, shown, sizeof shown);
            error_set(err, "piece %d, \"%s\", is no text of its own, expected each piece once", id,
                      shown);
            json_decref(vocab);
            vocab = NULL;
        }
    }
    buffer_free(&text);
    return vocab;
}

static json_t *list_merges(const Tokenizer *tokenizer) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    json_t *merges = json_array();
    Buffer left = {0};
    Buffer right = {0};
    for (int i = 0; i < level->n_merges; i++) {
        append_spelling(&tokenizer->pieces[level->merges[i].left], &left);
        append_spelling(&tokenizer->pieces[level->merges[i].right], &right);
        buffer_append_text(&left, " ");
        buffer_append(&left, right.bytes, right.length);
        json_array_append_new(merges, json_stringn(left.bytes, left.length));
    }
    buffer_free(&left);
    buffer_free(&right);
    return merges;
}

static json_t *byte_level(const ByteLevel *level, bool splits) {
    return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space",
                     level->prefix_space, "trim_offsets", 0, "use_regex", splits);
}

static json_t *pre_tokenizer(const ByteLevel *level) {
    if (level->split.family == SPLIT_GPT2 || level->split.family == SPLIT_NONE) {
        return byte_level(level, level->split.family == SPLIT_GPT2);
    }
    const bool drops_spaces = byte_split_drops_spaces(&level->split);
    return json_pack("{s:s, s:[{s:s, s:{s:s}, s:s, s:b}, o]}", "type", "Sequence", "pretokenizers",
                     "type", "Split", "pattern", "Regex", byte_split_pattern(&level->split),
                     "behavior", drops_spaces ? "Removed" : "Isolated", "invert", drops_spaces,
                     byte_level(level, false));
}

static json_t *normalizer(const ByteLevel *level) {
    static const char *const FORMS[] = {NULL, "NFC", "NFD", "NFKC", "NFKD"};
    const char *form = FORMS[level->normalizer];
    return form == NULL ? json_null() : json_pack("{s:s}", "type", form);
}

bool tokenizer_fits_json(const Tokenizer *tokenizer, Error *err) {
    json_t *added = json_array();
    json_t *vocab = check_options(tokenizer, err) ? list_pieces(tokenizer, added, err) : NULL;
    json_decref(added);
    json_decref(vocab);
    return vocab != NULL;
}

// Takes vocab and added.
static json_t *whole_file(const Tokenizer *tokenizer, json_t *vocab, json_t *added) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    const int unknown = tokenizer->unknown_id;
    json_t *model =
        json_pack("{s:s, s:n, s:s?, s:n, s:n, s:b, s:b, s:b, s:o, s:o}", "type", "BPE", "dropout",
                  "unk_token", unknown < 0 ? NULL : tokenizer->pieces[unknown].bytes,
                  "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
                  level->fuse_unknown, "byte_fallback", 0, "ignore_merges", level->whole_words,
                  "vocab", vocab, "merges", list_merges(tokenizer));
    return json_pack("{s:s, s:n, s:n, s:o, s:o, s:o, s:o, s:o, s:o}", "version", "1.0",
                     "truncation", "padding", "added_tokens", added, "normalizer",
                     normalizer(level), "pre_tokenizer", pre_tokenizer(level), "post_processor",
                     byte_level(level, true), "decoder", byte_level(level, true), "model", model);
}

bool hf_tokenizer_save(const Tokenizer *tokenizer, const char *path, Error *err) {
    Error reason = {""};
    json_t *added = json_array();
    json_t *vocab =
        check_options(tokenizer, &reason) ? list_pieces(tokenizer, added, &reason) : NULL;
    if (vocab == NULL) {
        json_decref(added);
        return error_set(err, "%s: %.300s; expected another name, such as .tokenizer", path,
                         reason.text);
    }
    json_t *root = whole_file(tokenizer, vocab, added);
    char *text = root == NULL ? NULL : json_dumps(root, JSON_INDENT(1));
    Buffer bytes = {0};
    bool ok = text != NULL || error_set(err, "%s: not enough memory", path);
    if (ok) {
        buffer_append_text(&bytes, text);
        ok = buffer_save(&bytes, path, err);
    }
    buffer_free(&bytes);
    free(text);
    json_decref(root);
    return ok;
}
