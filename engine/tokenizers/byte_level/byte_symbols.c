// byte_symbols.c - words as rows of symbols, which merging starts from: bytes, or characters.
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/byte_level/byte_level.h"

int byte_level_find_mergeable(const Tokenizer *tokenizer, const char *bytes, size_t length) {
    const int id = tokenizer_find(tokenizer, bytes, length);
    const bool mergeable = id >= 0 && (tokenizer->pieces[id].kind == PIECE_NORMAL ||
                                       tokenizer->pieces[id].kind == PIECE_USER);
    return mergeable ? id : -1;
}

static void append_symbol(Spelling *spelling, int32_t id, size_t start) {
    if (spelling->starts != NULL) {
        spelling->starts[spelling->n_symbols] = (int)start;
    }
    spelling->ids[spelling->n_symbols++] = id;
}

static void append_unknown(Spelling *spelling, int32_t id, size_t start, size_t width) {
    if (spelling->n_unknown++ == 0) {
        spelling->unknown_start = start;
        spelling->unknown_width = width;
    }
    append_symbol(spelling, id, start);
}

bool byte_level_has_affix(const ByteLevel *level) {
    return level->prefix[0] != '\0' || level->suffix[0] != '\0';
}

// The id of the symbol at start as the vocabulary writes it there.
static int find_placed(const Tokenizer *tokenizer, const char *word, size_t n, size_t start,
                       size_t width) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    if (!byte_level_has_affix(level)) {
        return byte_level_find_mergeable(tokenizer, word + start, width);
    }
    char placed[2 * AFFIX_BYTES + 4];
    const size_t n_prefix = start > 0 ? strlen(level->prefix) : 0;
    const size_t n_suffix = start + width == n ? strlen(level->suffix) : 0;
    memcpy(placed, level->prefix, n_prefix);
    memcpy(placed + n_prefix, word + start, width);
    memcpy(placed + n_prefix + width, level->suffix, n_suffix);
    return byte_level_find_mergeable(tokenizer, placed, n_prefix + width + n_suffix);
}

static void spell_bytes(const Tokenizer *tokenizer, const char *word, size_t n,
                        Spelling *spelling) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    const bool has_affix = byte_level_has_affix(level);
    for (size_t i = 0; i < n; i++) {
        const int32_t id =
            has_affix ? find_placed(tokenizer, word, n, i, 1) : level->byte_ids[(uint8_t)word[i]];
        if (id < 0) {
            append_unknown(spelling, tokenizer->unknown_id, i, 1);
        } else {
            append_symbol(spelling, id, i);
        }
    }
}

// A character that the vocabulary lacks becomes its bytes, if it has pieces for all of them.
static void spell_characters(const Tokenizer *tokenizer, const char *word, size_t n,
                             Spelling *spelling) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    size_t width = 1;
    for (size_t start = 0; start < n; start += width) {
        utf8_next(word + start, n - start, &width);
        const int id = find_placed(tokenizer, word, n, start, width);
        if (id >= 0) {
            append_symbol(spelling, id, start);
            continue;
        }
        bool has_bytes = true;
        for (size_t i = 0; i < width; i++) {
            has_bytes = has_bytes && level->byte_ids[(uint8_t)word[start + i]] >= 0;
        }
        if (!has_bytes) {
            append_unknown(spelling, tokenizer->unknown_id, start, width);
            continue;
        }
        for (size_t i = 0; i < width; i++) {
            append_symbol(spelling, level->byte_ids[(uint8_t)word[start + i]], start + i);
        }
    }
}

void byte_level_spell(const Tokenizer *tokenizer, const char *word, size_t n, Spelling *spelling) {
    spelling->n_symbols = 0;
    spelling->n_unknown = 0;
    if (tokenizer->detail->of.byte_level->characters) {
        spell_characters(tokenizer, word, n, spelling);
    } else {
        spell_bytes(tokenizer, word, n, spelling);
    }
    if (spelling->starts != NULL) {
        spelling->starts[spelling->n_symbols] = (int)n;
    }
}

uint16_t byte_level_width(const Tokenizer *tokenizer, int id) {
    const Piece *piece = &tokenizer->pieces[id];
    if (id == tokenizer->unknown_id || piece->kind == PIECE_BYTE) {
        return 1;
    }
    size_t n_symbols = 0;
    for (int i = 0; i < piece->length; i++) {
        const bool inside = utf8_is_inside(piece->bytes[i]);
        n_symbols += !(tokenizer->detail->of.byte_level->characters && inside);
    }
    return (uint16_t)(n_symbols < UINT16_MAX ? n_symbols : UINT16_MAX);
}

// ---- spaces as marks

void byte_level_mark_spaces(SpaceMark mark, bool is_first, const char *text, size_t length,
                            Buffer *out) {
    const bool has_mark =
        length > 0 && (text[0] == ' ' || (length >= SPACE_MARK_BYTES &&
                                          memcmp(text, SPACE_MARK, SPACE_MARK_BYTES) == 0));
    const bool adds = length > 0 && (mark == MARK_ALWAYS || (mark == MARK_MISSING && !has_mark) ||
                                     (mark == MARK_FIRST && !has_mark && is_first));
    buffer_append(out, SPACE_MARK, adds ? SPACE_MARK_BYTES : 0);
    for (size_t i = 0; i < length; i++) {
        const bool space = text[i] == ' ';
        buffer_append(out, space ? SPACE_MARK : text + i, space ? SPACE_MARK_BYTES : 1);
    }
}

void byte_level_unmark_spaces(const char *text, size_t length, Buffer *out) {
    for (size_t i = 0; i < length;) {
        const bool mark =
            length - i >= SPACE_MARK_BYTES && memcmp(text + i, SPACE_MARK, SPACE_MARK_BYTES) == 0;
        buffer_append(out, mark ? " " : text + i, 1);
        i += mark ? SPACE_MARK_BYTES : 1;
    }
}
