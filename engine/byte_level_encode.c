// byte_level_encode.c - byte-level text to ids: user pieces, normalization, words, merges.
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/byte_level.h"

// A step costs time in the length of the word, so that longer words are merged without being shown.
enum { WATCHED_MOST = 4096 };

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

static bool unknown_byte(Encoding *encoding, const char *word, size_t n, size_t at) {
    char shown[16];
    tokenizer_clean(word + at, 1, shown, sizeof shown);
    if (encoding->tokenizer->unknown_id < 0) {
        char context[64];
        tokenizer_clean(word, n, context, sizeof context);
        return error_set(encoding->err,
                         "the vocabulary has no token for the byte %s in \"%s\", and no <unk>",
                         shown, context);
    }
    if (encoding->report != NULL && encoding->report->n_unknown++ == 0) {
        memcpy(encoding->report->first_unknown, shown, sizeof shown);
    }
    return true;
}

// The ids of the single bytes; *spelled is whether the vocabulary has them all.
static bool spell(Encoding *encoding, const char *word, size_t n, int32_t *ids, bool *spelled) {
    const ByteLevel *level = encoding->level;
    *spelled = true;
    for (size_t i = 0; i < n; i++) {
        ids[i] = level->byte_ids[(uint8_t)word[i]];
        if (ids[i] == encoding->tokenizer->unknown_id || ids[i] < 0) {
            *spelled = false;
            if (!unknown_byte(encoding, word, n, i)) {
                return false;
            }
        }
    }
    return true;
}

// Merges the n ids after the last one of the encoding's, which stand for the n bytes of a word or
// of a part of it that no merge crosses.
static bool merge_part(Encoding *encoding, const char *text, size_t n) {
    const ByteLevel *level = encoding->level;
    int32_t *ids = encoding->ids->ids + encoding->ids->count;
    const Merger merger = {&level->pairs, encoding->tokenizer->pieces,
                           encoding->tokenizer->unknown_id};
    size_t count = 0;
    if (encoding->watcher != NULL && n <= WATCHED_MOST) {
        if (!byte_merge_watched(&merger, text, ids, n, &count, encoding->watcher, encoding->context,
                                encoding->err)) {
            return false;
        }
    } else if (n <= BYTE_MERGE_SHORT) {
        count = (size_t)byte_merge_short(&level->pairs, ids, (int)n);
    } else if (!byte_merge_long(&merger, ids, n, &count, encoding->err)) {
        return false;
    }
    encoding->ids->count += count;
    return true;
}

static bool is_joined(const ByteLevel *level, char left, char right) {
    uint8_t next = (uint8_t)right;
    return (level->joined[(uint8_t)left][next / 64] >> next % 64 & 1) != 0;
}

// A long word is cut first where two bytes meet that no token holds side by side: nothing merges
// there.
static bool merge_long_word(Encoding *encoding, const char *word, size_t n, bool *spelled) {
    if (n >= INT32_MAX) {
        return error_set(encoding->err, "a word of %zu bytes, expected fewer than 2^31", n);
    }
    reserve(encoding->ids, n);
    *spelled = true;
    for (size_t start = 0; start < n;) {
        size_t end = start + 1;
        while (end < n && is_joined(encoding->level, word[end - 1], word[end])) {
            end++;
        }
        bool known = true;
        if (!spell(encoding, word + start, end - start, encoding->ids->ids + encoding->ids->count,
                   &known) ||
            !merge_part(encoding, word + start, end - start)) {
            return false;
        }
        *spelled = *spelled && known;
        start = end;
    }
    return true;
}

static bool merge_word(Encoding *encoding, const char *word, size_t n, bool *spelled) {
    bool watched = encoding->watcher != NULL && n <= WATCHED_MOST;
    if (n > BYTE_MERGE_SHORT && !watched) {
        return merge_long_word(encoding, word, n, spelled);
    }
    reserve(encoding->ids, n);
    return spell(encoding, word, n, encoding->ids->ids + encoding->ids->count, spelled) &&
           merge_part(encoding, word, n);
}

static bool encode_long_word(Encoding *encoding, const char *word, size_t n) {
    if (encoding->level->whole_words) {
        int id = tokenizer_find(encoding->tokenizer, word, n);
        if (id >= 0 && encoding->tokenizer->pieces[id].kind == PIECE_NORMAL) {
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
    bool merges_all = encoding->watcher != NULL && !level->whole_words;
    for (size_t start = 0; start < length;) {
        size_t end = byte_split_next(&level->split, text, start, length);
        size_t n = end - start;
        const char *word = text + start;
        size_t n_readable = length - start;
        start = end;
        if (n > WORD_KEY_BYTES || merges_all) {
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

static bool encode_part(Encoding *encoding, const char *text, size_t length) {
    const ByteLevel *level = encoding->level;
    bool prefix = level->prefix_space && length > 0 && text[0] != ' ';
    if (!prefix && level->normalizer == BYTE_NORMALIZER_NONE) {
        return encode_digits_apart(encoding, text, length);
    }
    Buffer ready = {0};
    buffer_append(&ready, " ", prefix ? 1 : 0);
    bool ok = true;
    if (level->normalizer == BYTE_NORMALIZER_NONE) {
        buffer_append(&ready, text, length);
    } else {
        ok = normalize(encoding, text, length, &ready);
    }
    ok = ok && encode_digits_apart(encoding, ready.bytes, ready.length);
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
        return encode_part(encoding, text, length);
    }
    size_t start = 0;
    for (size_t at = 0; at < length;) {
        int id = user_piece_at(encoding, text + at, length - at);
        if (id < 0) {
            at++;
            continue;
        }
        if (!encode_part(encoding, text + start, at - start)) {
            return false;
        }
        token_ids_append(encoding->ids, id);
        at += (size_t)encoding->tokenizer->pieces[id].length;
        start = at;
    }
    return encode_part(encoding, text + start, length - start);
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
