// byte_level_text.c - text to what is split into words: added tokens, normalization, marks.
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/byte_level/byte_encoding.h"

// ---- normalization

// Appends a run of valid UTF-8 in normal form.
static bool normalize_run(ByteNormalizer normalizer, const char *text, size_t length, Buffer *out) {
    static const int OPTIONS[] = {
        [BYTE_NORMALIZER_NONE] = 0,
        [BYTE_NORMALIZER_NFC] = UTF8PROC_STABLE | UTF8PROC_COMPOSE,
        [BYTE_NORMALIZER_NFD] = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
        [BYTE_NORMALIZER_NFKC] = UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE,
        [BYTE_NORMALIZER_NFKD] = UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE,
    };
    utf8proc_uint8_t *normal = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length,
                                      &normal, (utf8proc_option_t)OPTIONS[normalizer]);
    if (n < 0) {
        return false;
    }
    buffer_append(out, (const char *)normal, (size_t)n);
    free(normal);
    return true;
}

// Character by character, so that Σ at the end of a word is no exception.
static void append_lower(const char *text, size_t length, Buffer *out) {
    for (size_t at = 0, width = 0; at < length; at += width) {
        const int32_t code = utf8_next(text + at, length - at, &width);
        char lower[4];
        if (code == 0x130) { // the one character that becomes two
            buffer_append_text(out, "i\xCC\x87");
        } else if (code < 0) {
            buffer_append(out, text + at, width);
        } else {
            buffer_append(out, lower, utf8_write(utf8proc_tolower(code), lower));
        }
    }
}

// Bytes that are not UTF-8 stay; what stands between them is brought into normal form.
static bool append_form(ByteNormalizer form, const char *text, size_t length, Buffer *out,
                        Error *err) {
    if (form == BYTE_NORMALIZER_NONE) {
        buffer_append(out, text, length);
        return true;
    }
    size_t start = 0;
    for (size_t at = 0; at <= length;) {
        size_t width = 1;
        bool valid = at < length && utf8_next(text + at, length - at, &width) >= 0;
        if (!valid) {
            if (at > start && !normalize_run(form, text + start, at - start, out)) {
                return error_set(err, "%zu bytes of text could not be normalized", at - start);
            }
            buffer_append(out, text + at, at < length ? 1 : 0);
            start = at + 1;
        }
        at += width;
    }
    return true;
}

static bool marks_early(const ByteLevel *level) {
    return level->mark == MARK_SPACES || level->mark == MARK_ALWAYS;
}

static bool changes_text(const ByteLevel *level) {
    return level->normalizer != BYTE_NORMALIZER_NONE || level->lowercase || marks_early(level);
}

bool byte_level_normalize(const ByteLevel *level, const char *text, size_t length, Buffer *out,
                          Error *err) {
    Buffer form = {0};
    Buffer lower = {0};
    buffer_append(&form, "", 0);
    buffer_append(&lower, "", 0);
    const bool ok = append_form(level->normalizer, text, length, &form, err);
    if (level->lowercase) {
        append_lower(form.bytes, form.length, &lower);
    }
    const Buffer *made = level->lowercase ? &lower : &form;
    if (ok && marks_early(level)) {
        byte_level_mark_spaces(level->mark, false, made->bytes, made->length, out);
    } else if (ok) {
        buffer_append(out, made->bytes, made->length);
    }
    buffer_free(&form);
    buffer_free(&lower);
    return ok;
}

// ---- tokens that the text may name

void byte_level_add_token(ByteLevel *level, const AddedToken *token) {
    level->tokens =
        memory_resize(level->tokens, (size_t)(level->n_tokens + 1) * sizeof *level->tokens);
    level->tokens[level->n_tokens++] = *token;
}

static bool add_to_set(const Tokenizer *tokenizer, const AddedToken *token, Error *err) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    const Piece *piece = &tokenizer->pieces[token->id];
    if (!token->in_normalized) {
        added_tokens_append(&level->added, token, piece->bytes, (size_t)piece->length);
        return true;
    }
    Buffer normal = {0};
    buffer_append(&normal, "", 0);
    const bool ok = byte_level_normalize(level, piece->bytes, (size_t)piece->length, &normal, err);
    added_tokens_append(&level->added_normalized, token, normal.bytes, normal.length);
    buffer_free(&normal);
    return ok;
}

bool byte_level_make_added(const Tokenizer *tokenizer, Error *err) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    bool *told = memory_resize(NULL, (size_t)tokenizer->n_pieces + 1);
    memset(told, 0, (size_t)tokenizer->n_pieces + 1);
    bool ok = true;
    for (int i = 0; i < level->n_tokens; i++) {
        ok = add_to_set(tokenizer, &level->tokens[i], err) && ok;
        told[level->tokens[i].id] = true;
    }
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const bool is_special = tokenizer->pieces[id].kind == PIECE_CONTROL;
        if (!told[id] && (is_special || tokenizer->pieces[id].kind == PIECE_USER)) {
            const AddedToken token = {.id = id, .is_special = is_special};
            ok = add_to_set(tokenizer, &token, err) && ok;
        }
    }
    free(told);
    return ok;
}

// ---- between the added tokens

// What is to be done with text in which no added token stands; is_first: the whole text starts
// with it.
typedef bool (*EncodePart)(ByteEncoding *encoding, const char *text, size_t length, bool is_first);

static bool encode_between(ByteEncoding *encoding, const AddedTokens *set, const char *text,
                           size_t length, bool is_first, EncodePart encode_part) {
    AddedScan scan = {0};
    AddedMatch match = {0};
    size_t start = 0;
    while (added_tokens_next(set, !encoding->tokenizer->special_as_text, text, length, &scan,
                             &match)) {
        if (match.start > start &&
            !encode_part(encoding, text + start, match.start - start, is_first && start == 0)) {
            return false;
        }
        token_ids_append(encoding->ids, match.id);
        start = match.end;
    }
    return start == length ||
           encode_part(encoding, text + start, length - start, is_first && start == 0);
}

// What the pre-tokenizer puts before or into normalized text.
static bool encode_normalized(ByteEncoding *encoding, const char *text, size_t length,
                              bool is_first) {
    const ByteLevel *level = encoding->level;
    const bool prefix = level->prefix_space && text[0] != ' ';
    const bool marks = level->mark != MARK_NONE && !marks_early(level);
    if (!prefix && !marks) {
        return byte_encoding_words(encoding, text, length);
    }
    Buffer ready = {0};
    buffer_append(&ready, " ", prefix ? 1 : 0);
    if (marks) {
        byte_level_mark_spaces(level->mark, is_first, text, length, &ready);
    } else {
        buffer_append(&ready, text, length);
    }
    const bool ok = byte_encoding_words(encoding, ready.bytes, ready.length);
    buffer_free(&ready);
    return ok;
}

static bool encode_part(ByteEncoding *encoding, const char *text, size_t length, bool is_first) {
    const ByteLevel *level = encoding->level;
    if (!changes_text(level)) {
        return encode_between(encoding, &level->added_normalized, text, length, is_first,
                              encode_normalized);
    }
    Buffer normal = {0};
    buffer_append(&normal, "", 0);
    const bool ok = byte_level_normalize(level, text, length, &normal, encoding->err) &&
                    encode_between(encoding, &level->added_normalized, normal.bytes, normal.length,
                                   is_first, encode_normalized);
    buffer_free(&normal);
    return ok;
}

// ---- the whole

static size_t count_invalid(const char *text, size_t length) {
    size_t n_invalid = 0;
    for (size_t at = 0; at < length;) {
        uint64_t eight = 0;
        if (length - at >= sizeof eight) {
            memcpy(&eight, text + at, sizeof eight);
            if ((eight & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        size_t width = 1;
        n_invalid += utf8_next(text + at, length - at, &width) < 0;
        at += width;
    }
    return n_invalid;
}

bool byte_level_encode(const Tokenizer *tokenizer, const char *text, size_t length, TokenIds *ids,
                       EncodeReport *report, MergeWatcher watcher, void *context, Error *err) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    ByteEncoding encoding = {
        .tokenizer = tokenizer,
        .level = level,
        .ids = ids,
        .report = report,
        .watcher = watcher,
        .context = context,
        .err = err,
    };
    if (report != NULL) {
        report->n_invalid_bytes = count_invalid(text, length);
    }
    byte_encoding_reserve(ids, length / 4 + 16);
    word_cache_init(&encoding.cache, length);
    bool ok = encode_between(&encoding, &level->added, text, length, true, encode_part);
    word_cache_free(&encoding.cache);
    return ok;
}
