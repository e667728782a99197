// byte_level_encode.c - prepared text to ids: words, known or merged.
#include "engine/base/utf8.h"
#include "engine/tokenizers/byte_level/byte_encoding.h"

#include <stdlib.h>
#include <string.h>

// A step costs time in the length of the word, so that longer words are merged without being shown.
enum { WATCHED_MOST = 1024 };

void byte_encoding_reserve(TokenIds *ids, size_t more) {
    if (ids->capacity - ids->count >= more) {
        return;
    }
    size_t capacity = 2 * ids->capacity > ids->count + more ? 2 * ids->capacity : ids->count + more;
    ids->ids = memory_resize(ids->ids, capacity * sizeof *ids->ids);
    ids->capacity = capacity;
}

// ---- one word

// Tells of symbols that the vocabulary lacks; false where it has nothing that stands for them.
static bool note_unknown(ByteEncoding *encoding, const char *word, size_t n,
                         const Spelling *spelling) {
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

static bool merge_spelled(ByteEncoding *encoding, const char *text, Spelling *spelling) {
    const Merger merger = {.pairs = &encoding->level->pairs,
                           .widths =
                               encoding->level->varying_widths ? NULL : encoding->level->widths};
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

// Of bytes that are no token, those that were merged are gone; false where one is left over and
// nothing stands for it.
static bool settle_left_over(ByteEncoding *encoding, const char *word, size_t n, size_t first,
                             bool *spelled) {
    const int32_t n_pieces = encoding->tokenizer->n_pieces;
    bool ok = true;
    for (size_t i = first; ok && encoding->level->by_rank && i < encoding->ids->count; i++) {
        int32_t *id = &encoding->ids->ids[i];
        if (*id >= n_pieces) {
            const char *at = memchr(word, *id - n_pieces, n);
            const Spelling one = {
                .n_unknown = 1, .unknown_start = (size_t)(at - word), .unknown_width = 1};
            *spelled = false;
            *id = encoding->tokenizer->unknown_id;
            ok = note_unknown(encoding, word, n, &one);
        }
    }
    return ok;
}

// Appends the ids of a word of n bytes, or of a part of it that no merge crosses. There is room for
// n. *spelled becomes false where the vocabulary lacks a symbol.
static bool merge_part(ByteEncoding *encoding, const char *text, size_t n, bool *spelled) {
    const size_t first = encoding->ids->count;
    Spelling spelling = {.ids = encoding->ids->ids + first};
    if (encoding->watcher != NULL && n <= WATCHED_MOST) {
        spelling.starts = memory_resize(NULL, (n + 1) * sizeof *spelling.starts);
    }
    byte_level_spell(encoding->tokenizer, text, n, &spelling);
    *spelled = *spelled && spelling.n_unknown == 0;
    const bool ok = (spelling.n_unknown == 0 || note_unknown(encoding, text, n, &spelling)) &&
                    merge_spelled(encoding, text, &spelling) &&
                    settle_left_over(encoding, text, n, first, spelled);
    free(spelling.starts);
    return ok;
}

static bool is_joined(const ByteLevel *level, char left, char right) {
    uint8_t next = (uint8_t)right;
    return (level->joined[(uint8_t)left][next / 64] >> next % 64 & 1) != 0;
}

// A long word is cut first where two bytes meet that no token holds side by side: nothing merges
// there. Characters stay whole.
static bool merge_long_word(ByteEncoding *encoding, const char *word, size_t n, bool *spelled) {
    const ByteLevel *level = encoding->level;
    for (size_t start = 0; start < n;) {
        size_t end = start + 1;
        while (end < n && (is_joined(level, word[end - 1], word[end]) ||
                           (level->characters && utf8_is_inside(word[end])))) {
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

static bool merge_word(ByteEncoding *encoding, const char *word, size_t n, bool *spelled) {
    TokenIds *ids = encoding->ids;
    const size_t before = ids->count;
    const bool watched = encoding->watcher != NULL && n <= WATCHED_MOST;
    const bool may_cut = !watched && !byte_level_has_affix(encoding->level);
    if (n >= INT32_MAX) {
        return error_set(encoding->err, "a word of %zu bytes, expected fewer than 2^31", n);
    }
    byte_encoding_reserve(ids, n);
    *spelled = true;
    const bool ok = n > BYTE_MERGE_SHORT && may_cut ? merge_long_word(encoding, word, n, spelled)
                                                    : merge_part(encoding, word, n, spelled);
    if (ok && !*spelled && encoding->level->fuse_unknown) {
        fuse_unknown(ids, before, encoding->tokenizer->unknown_id);
    }
    return ok;
}

// Whether the merges too make this token of the word.
static bool merges_into(const ByteEncoding *encoding, const char *word, size_t n, int32_t id) {
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
static bool encode_long_word(ByteEncoding *encoding, const char *word, size_t n) {
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
static bool encode_key(ByteEncoding *encoding, const char *word, size_t n, WordKey key) {
    WordCacheEntry *entry = NULL;
    TokenIds *ids = encoding->ids;
    if (encoding->cache.slots != NULL) {
        entry = &encoding->cache.slots[word_slot(key, encoding->cache.bits)];
        if (word_key_equal(entry->key, key)) {
            byte_encoding_reserve(ids, WORD_CACHE_IDS);
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

static bool encode_word(ByteEncoding *encoding, const char *word, size_t n, size_t n_readable) {
    TokenIds *ids = encoding->ids;
    if (n > WORD_KEY_BYTES || encoding->watcher != NULL) {
        return encode_long_word(encoding, word, n);
    }
    const WordKey key = word_key(word, n, n_readable);
    const int32_t id = word_table_find(&encoding->level->words, key);
    if (id < 0) {
        return encode_key(encoding, word, n, key);
    }
    byte_encoding_reserve(ids, 1);
    ids->ids[ids->count++] = id;
    return true;
}

// ---- words

// The words of a text that the last rule splits.
static bool encode_words(ByteEncoding *encoding, const char *text, size_t length) {
    const SplitRule *rule = &encoding->level->split;
    const bool drops_spaces = byte_split_drops_spaces(rule);
    for (size_t start = 0; start < length;) {
        const size_t end = byte_split_next(rule, text, start, length);
        const bool is_dropped = drops_spaces && byte_split_is_space(text, start, length);
        if (!is_dropped && !encode_word(encoding, text + start, end - start, length - start)) {
            return false;
        }
        start = end;
    }
    return true;
}

bool byte_encoding_words(ByteEncoding *encoding, const char *text, size_t length) {
    const ByteLevel *level = encoding->level;
    size_t ends[MOST_SPLITS] = {length}; // of the piece at hand after 0, 1, ... of the first rules
    for (size_t start = 0; start < length;) {
        bool is_dropped = false;
        size_t end = length;
        for (int i = 0; i < level->n_before && !is_dropped; i++) {
            const SplitRule *rule = &level->before[i];
            if (ends[i + 1] <= start) {
                ends[i + 1] = byte_split_next(rule, text, start, end);
                is_dropped = byte_split_drops_spaces(rule) && byte_split_is_space(text, start, end);
            }
            end = ends[i + 1];
        }
        if (!is_dropped && !encode_words(encoding, text + start, end - start)) {
            return false;
        }
        start = end;
    }
    return true;
}
