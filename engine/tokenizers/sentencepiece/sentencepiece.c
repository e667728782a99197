// sentencepiece.c - BPE over characters as SentencePiece does it: its options, its lines in our
// file, decoding.
#include "engine/tokenizers/sentencepiece/sentencepiece.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/base/hex.h"

void sentencepiece_start(Tokenizer *tokenizer) {
    tokenizer_start(tokenizer, TOKENIZER_SENTENCEPIECE, &SENTENCEPIECE_METHODS);
    SentencePiece *own = memory_resize(NULL, sizeof *own);
    *own = (SentencePiece){.normalizer = {.add_dummy_prefix = true,
                                          .remove_extra_whitespaces = true,
                                          .escape_whitespaces = true}};
    buffer_append_text(&own->normalization_name, "identity");
    buffer_append_text(&own->unknown_surface, " \xe2\x81\x87 ");
    tokenizer->detail->of.sentencepiece = own;
}

static void free_own(Tokenizer *tokenizer) {
    SentencePiece *own = tokenizer->detail->of.sentencepiece;
    if (own == NULL) {
        return;
    }
    normalizer_free(&own->normalizer);
    buffer_free(&own->normalization_name);
    buffer_free(&own->unknown_surface);
    added_tokens_free(&own->special);
    merge_tables_free(&own->tables);
    if (own->memory != NULL) {
        free(own->memory->slots);
        free(own->memory);
    }
    free(own);
    tokenizer->detail->of.sentencepiece = NULL;
}

bool sentencepiece_prepare(Tokenizer *tokenizer, const char *map, size_t map_length, Error *err) {
    SentencePiece *own = tokenizer->detail->of.sentencepiece;
    for (int byte = 0; byte < 256; byte++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)byte);
        const int id = tokenizer_find(tokenizer, name, strlen(name));
        own->byte_ids[byte] = id >= 0 && tokenizer->pieces[id].kind == PIECE_BYTE ? id : -1;
        if (own->byte_fallback && own->byte_ids[byte] < 0) {
            return error_set(err, "bytes are to be spelled out, but there is no piece %s", name);
        }
    }
    if (tokenizer->unknown_id < 0) {
        return error_set(err, "there is no piece for the unknown, expected one such as <unk>");
    }
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        if (piece->kind == PIECE_UNUSED) {
            return error_set(err, "piece %d is marked as unused, expected pieces in use only", id);
        }
        if (piece->kind == PIECE_CONTROL || piece->kind == PIECE_UNKNOWN) {
            const AddedToken token = {.id = id, .is_special = true};
            added_tokens_append(&own->special, &token, piece->bytes, (size_t)piece->length);
        }
        if (piece->kind == PIECE_USER) {
            symbol_set_append(&own->normalizer.verbatim, piece->bytes, (size_t)piece->length);
        }
    }
    if (!normalizer_prepare(&own->normalizer, map, map_length, err) ||
        !merge_tables_init(&own->tables, tokenizer, err)) {
        return false;
    }
    own->memory = memory_resize(NULL, sizeof *own->memory);
    *own->memory = (EncodeMemory){.is_taken = ATOMIC_FLAG_INIT};
    return true;
}

// ---- decoding

// Bytes in a row, as text; what is not UTF-8 becomes U+FFFD, byte by byte.
static void append_bytes(const Buffer *bytes, Buffer *text) {
    for (size_t i = 0, n = 0; i < bytes->length; i += n) {
        if (utf8_next(bytes->bytes + i, bytes->length - i, &n) < 0) {
            buffer_append_text(text, "\xef\xbf\xbd");
        } else {
            buffer_append(text, bytes->bytes + i, n);
        }
    }
}

static void append_spaced(const char *bytes, size_t length, Buffer *text) {
    for (size_t i = 0; i < length;) {
        if (length - i >= NORMALIZER_SPACE_BYTES &&
            memcmp(bytes + i, NORMALIZER_SPACE, NORMALIZER_SPACE_BYTES) == 0) {
            buffer_append(text, " ", 1);
            i += NORMALIZER_SPACE_BYTES;
        } else {
            buffer_append(text, bytes + i, 1);
            i++;
        }
    }
}

static bool begins_with_space(const Piece *piece) {
    return piece->length >= NORMALIZER_SPACE_BYTES &&
           memcmp(piece->bytes, NORMALIZER_SPACE, NORMALIZER_SPACE_BYTES) == 0;
}

static int byte_of(const Piece *piece) {
    if (piece->kind != PIECE_BYTE || piece->length != 6) { // <0xE4>
        return -1;
    }
    return (int)(strtoul(piece->bytes + 3, NULL, 16) & 255);
}

static bool decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buffer *text,
                   Error *err) {
    (void)err;
    const SentencePiece *own = tokenizer->detail->of.sentencepiece;
    const bool drops_space =
        own->normalizer.add_dummy_prefix || own->normalizer.remove_extra_whitespaces;
    const size_t start = text->length;
    bool space_dropped = false;
    Buffer bytes = {0};
    for (size_t i = 0; i < count; i++) {
        const Piece *piece = &tokenizer->pieces[ids[i]];
        const int byte = byte_of(piece);
        if (byte >= 0) {
            const char c = (char)byte;
            buffer_append(&bytes, &c, 1);
            continue;
        }
        append_bytes(&bytes, text);
        bytes.length = 0;
        if (piece->kind == PIECE_CONTROL) {
            continue;
        }
        if (piece->kind == PIECE_UNKNOWN) {
            buffer_append(text, own->unknown_surface.bytes, own->unknown_surface.length);
            continue;
        }
        const bool drop =
            drops_space && !space_dropped && text->length == start && begins_with_space(piece);
        const size_t skipped = drop ? NORMALIZER_SPACE_BYTES : 0;
        space_dropped = space_dropped || (drop && !own->normalizer.remove_extra_whitespaces);
        append_spaced(piece->bytes + skipped, (size_t)piece->length - skipped, text);
    }
    append_bytes(&bytes, text);
    buffer_free(&bytes);
    return true;
}

static void piece_text(const Tokenizer *tokenizer, int id, char *text, size_t size) {
    const Piece *piece = &tokenizer->pieces[id];
    const int byte = byte_of(piece);
    if (byte < 0) {
        tokenizer_clean(piece->bytes, (size_t)piece->length, text, size);
    } else if (byte > ' ' && byte < 0x7f) {
        snprintf(text, size, "%c", byte);
    } else {
        snprintf(text, size, "<%02X>", (unsigned)byte);
    }
}

// ---- lines in our file

enum { MAP_BYTES_A_LINE = 32 };

static void save(const Tokenizer *tokenizer, Buffer *lines) {
    const SentencePiece *own = tokenizer->detail->of.sentencepiece;
    const Normalizer *normalizer = &own->normalizer;
    buffer_append_text(lines, "normalization ");
    tokenizer_escape(lines, own->normalization_name.bytes, own->normalization_name.length);
    buffer_format(lines,
                  "\ndummy-prefix %d\nremove-extra-whitespaces %d\nescape-whitespaces %d\n"
                  "whitespace-as-suffix %d\nbyte-fallback %d\nunknown-surface ",
                  normalizer->add_dummy_prefix, normalizer->remove_extra_whitespaces,
                  normalizer->escape_whitespaces, normalizer->whitespace_as_suffix,
                  own->byte_fallback);
    tokenizer_escape(lines, own->unknown_surface.bytes, own->unknown_surface.length);
    buffer_append(lines, "\n", 1);
    static const char HEX[] = "0123456789abcdef";
    for (size_t i = 0; i < normalizer->map.length; i += MAP_BYTES_A_LINE) {
        char digits[2 * MAP_BYTES_A_LINE];
        size_t n = 0;
        for (size_t k = i; k < i + MAP_BYTES_A_LINE && k < normalizer->map.length; k++) {
            digits[n++] = HEX[(unsigned char)normalizer->map.bytes[k] >> 4];
            digits[n++] = HEX[(unsigned char)normalizer->map.bytes[k] & 15];
        }
        buffer_append_text(lines, "map ");
        buffer_append(lines, digits, n);
        buffer_append(lines, "\n", 1);
    }
}

static bool read_flag(const TokenizerSettings *all, const TokenizerSetting *setting, bool *flag,
                      Error *err) {
    if ((setting->value[0] != '0' && setting->value[0] != '1') || setting->value[1] != '\0') {
        return error_set(err, "%s:%d: expected \"%s 0\" or \"%s 1\", found \"%.40s\"", all->path,
                         setting->line, setting->name, setting->name, setting->value);
    }
    *flag = setting->value[0] == '1';
    return true;
}

static bool read_text(const TokenizerSettings *all, const TokenizerSetting *setting, Buffer *text,
                      Error *err) {
    text->length = 0;
    buffer_append(text, "", 0);
    return tokenizer_unescape(text, setting->value, strlen(setting->value)) ||
           error_set(err, "%s:%d: expected escaped text, found \"%.60s\"", all->path, setting->line,
                     setting->value);
}

// Two digits a byte; a map has a quarter of a million bytes.
static bool read_map(const TokenizerSettings *all, const TokenizerSetting *setting, Buffer *map,
                     Error *err) {
    const char *digits = setting->value;
    buffer_reserve(map, strlen(digits) / 2);
    for (; digits[0] != '\0'; digits += 2) {
        const int high = hex_digit(digits[0]);
        const int low = high < 0 ? -1 : hex_digit(digits[1]);
        if (low < 0) {
            return error_set(err, "%s:%d: expected hexadecimal digits, found \"%.60s\"", all->path,
                             setting->line, setting->value);
        }
        map->bytes[map->length++] = (char)(high * 16 + low);
    }
    map->bytes[map->length] = '\0';
    return true;
}

static bool read_setting(SentencePiece *own, const TokenizerSettings *all,
                         const TokenizerSetting *setting, Buffer *map, Error *err) {
    Normalizer *normalizer = &own->normalizer;
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"dummy-prefix", &normalizer->add_dummy_prefix},
                 {"remove-extra-whitespaces", &normalizer->remove_extra_whitespaces},
                 {"escape-whitespaces", &normalizer->escape_whitespaces},
                 {"whitespace-as-suffix", &normalizer->whitespace_as_suffix},
                 {"byte-fallback", &own->byte_fallback}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(setting->name, flags[i].name) == 0) {
            return read_flag(all, setting, flags[i].flag, err);
        }
    }
    if (strcmp(setting->name, "normalization") == 0) {
        return read_text(all, setting, &own->normalization_name, err);
    }
    if (strcmp(setting->name, "unknown-surface") == 0) {
        return read_text(all, setting, &own->unknown_surface, err);
    }
    if (strcmp(setting->name, "map") == 0) {
        return read_map(all, setting, map, err);
    }
    return error_set(err,
                     "%s:%d: expected normalization, dummy-prefix, remove-extra-whitespaces, "
                     "whitespace-as-suffix, byte-fallback, unknown-surface or map, found \"%.40s\"",
                     all->path, setting->line, setting->name);
}

static bool load(Tokenizer *tokenizer, const TokenizerSettings *settings, Error *err) {
    Tokenizer made = {0};
    sentencepiece_start(&made); // for the defaults
    tokenizer->detail->of.sentencepiece = made.detail->of.sentencepiece;
    made.detail->of.sentencepiece = NULL;
    tokenizer_free(&made);
    SentencePiece *own = tokenizer->detail->of.sentencepiece;
    Buffer map = {0};
    bool ok = true;
    for (int i = 0; i < settings->n_settings && ok; i++) {
        ok = read_setting(own, settings, &settings->settings[i], &map, err);
    }
    Error cause = {0};
    if (ok && !sentencepiece_prepare(tokenizer, map.bytes, map.length, &cause)) {
        ok = error_set(err, "%s: %.400s", settings->path, cause.text);
    }
    buffer_free(&map);
    return ok;
}

const TokenizerMethods SENTENCEPIECE_METHODS = {
    .name = "sentencepiece",
    .encode = sentencepiece_encode,
    .decode = decode,
    .piece_text = piece_text,
    .save = save,
    .load = load,
    .free = free_own,
};
