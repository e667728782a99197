// byte_level_encode.c - byte-level text to ids: user pieces, normalization, words, merges.
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/tokenizers/byte_level.h"

// A step costs time in the length of the word, so that longer words are merged without being shown.
enum { WATCHED_MOST = 1024 };

typedef struct Encoding {
    const Tokenizer *tokenizer;
    const ByteLevel *level;
    TokenIds *ids;
    WordCache cache;
    EncodeReport *report; // or NULL
    MergeWatcher watcher; // or NULL
    void *context;
    Error *err;
} Encoding;

static void reserve(TokenIds *ids, size_t more) {
    if (ids->capacity - ids->count >= more) {
        return;
    }
    size_t capacity = 2 * ids->capacity > ids->count + more ? 2 * ids->capacity : ids->count + more;
    ids->ids = memory_resize(ids->ids, capacity * sizeof *ids->ids);
    ids->capacity = capacity;
}

// ---- one word

// Tells of symbols that the vocabulary lacks; false where it has nothing that stands for them.
static bool note_unknown(Encoding *encoding, const char *word, size_t n, const Spelling *spelling) {
    char shown[16];
    tokenizer_clean(word + spelling->unknown_start, spelling->unknown_width, shown, sizeof shown);
    if (encoding->tokenizer->unknown_id < 0) {
        char context[64];
        tokenizer_clean(word, n, context, sizeof context);
        return error_set(encoding->err,
                         "the vocabulary has no token for %s in \"%s\", and no <unk>", shown,
                         context);
    }
    if (encoding->report != NULL) {
        if (encoding->report->n_unknown == 0) {
            memcpy(encoding->report->first_unknown, shown, sizeof shown);
        }
        encoding->report->n_unknown += spelling->n_unknown;
    }
    return true;
}

static bool merge_spelled(Encoding *encoding, const char *text, Spelling *spelling) {
    const Merger merger = {&encoding->level->pairs, encoding->level->widths};
    size_t n = spelling->n_symbols;
    size_t count = 0;
    if (spelling->starts != NULL) {
        byte_merge_watched(&merger, text, spelling->starts, spelling->ids, n, &count,
                           encoding->watcher, encoding->context);
    } else if (n <= BYTE_MERGE_SHORT) {
        count = (size_t)byte_merge_short(merger.pairs, spelling->ids, (int)n);
    } else if (!byte_merge_long(&merger, spelling->ids, n, &count, encoding->err)) {
        return false;
    }
    encoding->ids->count += count;
    return true;
}

// Appends the ids of a word of n bytes, or of a part of it that no merge crosses. There is room for
// n. *spelled becomes false where the vocabulary lacks a symbol.
static bool merge_part(Encoding *encoding, const char *text, size_t n, bool *spelled) {
    Spelling spelling = {.ids = encoding->ids->ids + encoding->ids->count};
    if (encoding->watcher != NULL && n <= WATCHED_MOST) {
        spelling.starts = memory_resize(NULL, (n + 1) * sizeof *spelling.starts);
    }
    byte_level_spell(encoding->tokenizer, text, n, &spelling);
    *spelled = *spelled && spelling.n_unknown == 0;
    const bool ok = (spelling.n_unknown == 0 || note_unknown(encoding, text, n, &spelling)) &&
                    merge_spelled(encoding, text, &spelling);
    free(spelling.starts);
    return ok;
}

static bool is_joined(const ByteLevel *level, char left, char right) {
    uint8_t next = (uint8_t)right;
    return (level->joined[(uint8_t)left][next / 64] >> next % 64 & 1) != 0;
}

// A long word is cut first where two bytes meet that no token holds side by side: nothing merges
// there. Characters stay whole.
static bool merge_long_word(Encoding *encoding, const char *word, size_t n, bool *spelled) {
    const ByteLevel *level = encoding->level;
    if (n >= INT32_MAX) {
        return error_set(encoding->err, "a word of %zu bytes, expected fewer than 2^31", n);
    }
    for (size_t start = 0; start < n;) {
        size_t end = start + 1;
        while (end < n && (is_joined(level, word[end - 1], word[end]) ||
                           (level->characters && ((uint8_t)word[end] & 0xC0) == 0x80))) {
            end++;
        }
        if (!merge_part(encoding, word + start, end - start, spelled)) {
            return false;
        }
        start = end;
    }
    return true;
}

// Of unknown ids side by side only the first stays.
static void fuse_unknown(TokenIds *ids, size_t start, int32_t unknown_id) {
    size_t count = start;
    for (size_t i = start; i < ids->count; i++) {
        if (i == start || ids->ids[i] != unknown_id || ids->ids[i - 1] != unknown_id) {
            ids->ids[count++] = ids->ids[i];
        }
    }
    ids->count = count;
}

static bool merge_word(Encoding *encoding, const char *word, size_t n, bool *spelled) {
    TokenIds *ids = encoding->ids;
    const size_t before = ids->count;
    const bool watched = encoding->watcher != NULL && n <= WATCHED_MOST;
    reserve(ids, n);
    *spelled = true;
    const bool ok = n > BYTE_MERGE_SHORT && !watched ? merge_long_word(encoding, word, n, spelled)
                                                     : merge_part(encoding, word, n, spelled);
    if (ok && !*spelled && encoding->level->fuse_unknown) {
        fuse_unknown(ids, before, encoding->tokenizer->unknown_id);
    }
    return ok;
}

// Whether the merges too make this token of the word.
static bool merges_into(const Encoding *encoding, const char *word, size_t n, int32_t id) {
    int32_t ids[BYTE_MERGE_SHORT];
    Spelling spelling = {.ids = ids};
    if (n > BYTE_MERGE_SHORT) {
        return false;
    }
    byte_level_spell(encoding->tokenizer, word, n, &spelling);
    return byte_merge_short(&encoding->level->pairs, ids, (int)spelling.n_symbols) == 1 &&
           ids[0] == id;
}

// A word that is not in the table, or is to be watched: then its merges are shown if they lead to
// the token that it is.
static bool encode_long_word(Encoding *encoding, const char *word, size_t n) {
    if (encoding->level->whole_words) {
        int id = tokenizer_find(encoding->tokenizer, word, n);
        if (id >= 0 && encoding->tokenizer->pieces[id].kind == PIECE_NORMAL &&
            (encoding->watcher == NULL || !merges_into(encoding, word, n, id))) {
            token_ids_append(encoding->ids, id);
            return true;
        }
    }
    bool spelled = true;
    return merge_word(encoding, word, n, &spelled);
}

// A word that is no token of its own: from the cache, or merged and put there.
static bool encode_key(Encoding *encoding, const char *word, size_t n, WordKey key) {
    WordCacheEntry *entry = NULL;
    TokenIds *ids = encoding->ids;
    if (encoding->cache.slots != NULL) {
        entry = &encoding->cache.slots[word_slot(key, encoding->cache.bits)];
        if (word_key_equal(entry->key, key)) {
            reserve(ids, WORD_CACHE_IDS);
            memcpy(ids->ids + ids->count, entry->ids, sizeof entry->ids);
            ids->count += (size_t)entry->count;
            return true;
        }
    }
    size_t before = ids->count;
    bool spelled = true;
    if (!merge_word(encoding, word, n, &spelled)) {
        return false;
    }
    size_t count = encoding->ids->count - before;
    if (entry != NULL && spelled && count <= WORD_CACHE_IDS) {
        entry->key = key;
        entry->count = (int32_t)count;
        memcpy(entry->ids, ids->ids + before, count * sizeof *entry->ids);
    }
    return true;
}

static bool encode_words(Encoding *encoding, const char *text, size_t length) {
    const ByteLevel *level = encoding->level;
    TokenIds *ids = encoding->ids;
    for (size_t start = 0; start < length;) {
        size_t end = byte_split_next(&level->split, text, start, length);
        size_t n = end - start;
        const char *word = text + start;
        size_t n_readable = length - start;
        start = end;
        if (n > WORD_KEY_BYTES || encoding->watcher != NULL) {
            if (!encode_long_word(encoding, word, n)) {
                return false;
            }
            continue;
        }
        WordKey key = word_key(word, n, n_readable);
        int32_t id = word_table_find(&level->words, key);
        if (id >= 0) {
            reserve(ids, 1);
            ids->ids[ids->count++] = id;
        } else if (!encode_key(encoding, word, n, key)) {
            return false;
        }
    }
    return true;
}

// ---- from the text to its words

static bool encode_digits_apart(Encoding *encoding, const char *text, size_t length) {
    if (!encoding->level->isolate_digits) {
        return encode_words(encoding, text, length);
    }
    for (size_t start = 0; start < length;) {
        size_t end = byte_split_digit(text, start, length);
        if (!encode_words(encoding, text + start, end - start)) {
            return false;
        }
        start = end;
    }
    return true;
}

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

// Bytes that are not UTF-8 stay; what stands between them is normalized.
static bool normalize(Encoding *encoding, const char *text, size_t length, Buffer *out) {
    size_t start = 0;
    for (size_t at = 0; at <= length;) {
        size_t width = 1;
        bool valid = at < length && tokenizer_next_char(text + at, length - at, &width) >= 0;
        if (!valid) {
            if (at > start &&
                !normalize_run(encoding->level->normalizer, text + start, at - start, out)) {
                return error_set(encoding->err, "%zu bytes of text could not be normalized",
                                 at - start);
            }
            buffer_append(out, text + at, at < length ? 1 : 0);
            start = at + 1;
        }
        at += width;
    }
    return true;
}

static bool encode_part(Encoding *encoding, const char *text, size_t length, bool is_first) {
    const ByteLevel *level = encoding->level;
    const bool prefix = level->prefix_space && length > 0 && text[0] != ' ';
    if (!prefix && level->normalizer == BYTE_NORMALIZER_NONE && level->mark == MARK_NONE) {
        return encode_digits_apart(encoding, text, length);
    }
    Buffer normal = {0};
    Buffer ready = {0};
    bool ok = true;
    buffer_append(&ready, " ", prefix ? 1 : 0);
    if (level->normalizer == BYTE_NORMALIZER_NONE) {
        buffer_append(&normal, text, length);
    } else {
        ok = normalize(encoding, text, length, &normal);
    }
    if (ok && level->mark == MARK_NONE) {
        buffer_append(&ready, normal.bytes, normal.length);
    } else if (ok) {
        byte_level_mark_spaces(level->mark, is_first, normal.bytes, normal.length, &ready);
    }
    ok = ok && encode_digits_apart(encoding, ready.bytes, ready.length);
    buffer_free(&normal);
    buffer_free(&ready);
    return ok;
}

// The longest user piece that stands here, -1: none does.
static int user_piece_at(const Encoding *encoding, const char *text, size_t length) {
    const ByteLevel *level = encoding->level;
    if (!level->user_starts[(uint8_t)text[0]]) {
        return -1;
    }
    for (int i = 0; i < level->n_user_ids; i++) {
        const Piece *piece = &encoding->tokenizer->pieces[level->user_ids[i]];
        if ((size_t)piece->length <= length &&
            memcmp(piece->bytes, text, (size_t)piece->length) == 0) {
            return level->user_ids[i];
        }
    }
    return -1;
}

static bool encode_all(Encoding *encoding, const char *text, size_t length) {
    if (encoding->level->n_user_ids == 0) {
        return encode_part(encoding, text, length, true);
    }
    size_t start = 0;
    for (size_t at = 0; at < length;) {
        int id = user_piece_at(encoding, text + at, length - at);
        if (id < 0) {
            at++;
            continue;
        }
        if (!encode_part(encoding, text + start, at - start, start == 0)) {
            return false;
        }
        token_ids_append(encoding->ids, id);
        at += (size_t)encoding->tokenizer->pieces[id].length;
        start = at;
    }
    return encode_part(encoding, text + start, length - start, start == 0);
}

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
        n_invalid += tokenizer_next_char(text + at, length - at, &width) < 0;
        at += width;
    }
    return n_invalid;
}

bool byte_level_encode(const Tokenizer *tokenizer, const char *text, size_t length, TokenIds *ids,
                       EncodeReport *report, MergeWatcher watcher, void *context, Error *err) {
    Encoding encoding = {
        .tokenizer = tokenizer,
        .level = tokenizer->detail->of.byte_level,
        .ids = ids,
        .report = report,
        .watcher = watcher,
        .context = context,
        .err = err,
    };
    if (report != NULL) {
        report->n_invalid_bytes = count_invalid(text, length);
    }
    reserve(ids, length / 4 + 16);
    word_cache_init(&encoding.cache, length);
    bool ok = encode_all(&encoding, text, length);
    word_cache_free(&encoding.cache);
    return ok;
}
