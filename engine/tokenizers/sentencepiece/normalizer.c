// normalizer.c - text as SentencePiece wants it: characters mapped, spaces made into ▁.
#include "engine/tokenizers/sentencepiece/normalizer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/tokenizer_private.h"

// ---- symbols

void symbol_set_append(SymbolSet *set, const char *bytes, size_t length) {
    if (length == 0) {
        return;
    }
    set->symbols = memory_resize(set->symbols, (size_t)(set->n_symbols + 1) * sizeof *set->symbols);
    set->symbols[set->n_symbols] = (Buffer){0};
    buffer_append(&set->symbols[set->n_symbols++], bytes, length);
}

static int compare_symbols(const void *a, const void *b) {
    const Buffer *left = a;
    const Buffer *right = b;
    const int first = (unsigned char)left->bytes[0] - (unsigned char)right->bytes[0];
    if (first != 0) {
        return first;
    }
    return (left->length < right->length) - (left->length > right->length);
}

void symbol_set_prepare(SymbolSet *set) {
    if (set->n_symbols > 0) {
        qsort(set->symbols, (size_t)set->n_symbols, sizeof *set->symbols, compare_symbols);
    }
    int i = 0;
    for (int byte = 0; byte <= 256; byte++) {
        while (i < set->n_symbols && (unsigned char)set->symbols[i].bytes[0] < byte) {
            i++;
        }
        set->first[byte] = i;
    }
}

size_t symbol_set_match(const SymbolSet *set, const char *text, size_t length) {
    const unsigned char byte = (unsigned char)text[0];
    for (int i = set->first[byte]; i < set->first[byte + 1]; i++) {
        const Buffer *symbol = &set->symbols[i];
        if (symbol->length <= length && memcmp(symbol->bytes, text, symbol->length) == 0) {
            return symbol->length;
        }
    }
    return 0;
}

void symbol_set_free(SymbolSet *set) {
    for (int i = 0; i < set->n_symbols; i++) {
        buffer_free(&set->symbols[i]);
    }
    free(set->symbols);
    *set = (SymbolSet){0};
}

// ---- the map

static size_t unit_offset(uint32_t unit) {
    return (size_t)(unit >> 10) << ((unit & 0x200U) >> 6);
}

static bool unit_has_leaf(uint32_t unit) {
    return (unit >> 8 & 1) != 0;
}

static bool unit_is_label(uint32_t unit, unsigned char byte) {
    return (unit & 0x800000ffU) == byte;
}

// The longest text in the map that begins here: its replacement, and its length in *matched (0:
// none).
static const char *match_map(const Normalizer *normalizer, const char *text, size_t length,
                             size_t *matched) {
    const char *found = NULL;
    *matched = 0;
    size_t node = unit_offset(normalizer->units[0]);
    for (size_t i = 0; i < length; i++) {
        node ^= (unsigned char)text[i];
        if (node >= normalizer->n_units ||
            !unit_is_label(normalizer->units[node], (unsigned char)text[i])) {
            break;
        }
        const uint32_t unit = normalizer->units[node];
        node ^= unit_offset(unit);
        if (unit_has_leaf(unit) && node < normalizer->n_units) {
            const size_t value = normalizer->units[node] & 0x7fffffffU;
            if (value < normalizer->replacements_size) {
                found = normalizer->replacements + value;
                *matched = i + 1;
            }
        }
    }
    return found;
}

static bool starts_something(const Normalizer *normalizer, unsigned char first,
                             unsigned char second) {
    if (normalizer->verbatim.first[first] != normalizer->verbatim.first[first + 1]) {
        return true;
    }
    if (normalizer->n_units == 0) {
        return false;
    }
    const size_t node = unit_offset(normalizer->units[0]) ^ first;
    if (node >= normalizer->n_units || !unit_is_label(normalizer->units[node], first)) {
        return false;
    }
    const uint32_t unit = normalizer->units[node];
    const size_t next = node ^ unit_offset(unit) ^ second;
    return unit_has_leaf(unit) ||
           (next < normalizer->n_units && unit_is_label(normalizer->units[next], second));
}

static bool is_plain_before(const Normalizer *normalizer, int byte, int next) {
    const int pair = byte << 8 | next;
    return (normalizer->starts[pair >> 6] >> (pair & 63) & 1) == 0;
}

static void find_plain_bytes(Normalizer *normalizer) {
    memset(normalizer->starts, 0, sizeof normalizer->starts);
    for (int pair = 0; pair < 65536; pair++) {
        if (starts_something(normalizer, (unsigned char)(pair >> 8), (unsigned char)pair)) {
            normalizer->starts[pair >> 6] |= (uint64_t)1 << (pair & 63);
        }
    }
    for (int byte = 0; byte < 256; byte++) {
        bool plain = byte < 0x80;
        for (int next = 0; next < 0x80 && plain; next++) {
            plain = is_plain_before(normalizer, byte, next);
        }
        normalizer->plain[byte] = plain && byte != ' ';
        normalizer->space_is_plain = byte == ' ' ? plain : normalizer->space_is_plain;
    }
}

bool normalizer_prepare(Normalizer *normalizer, const char *map, size_t length, Error *err) {
    symbol_set_prepare(&normalizer->verbatim);
    if (length > 0) {
        const unsigned char *bytes = (const unsigned char *)map;
        const size_t size = length <= 4 ? 0
                                        : bytes[0] | (size_t)bytes[1] << 8 |
                                              (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
        if (size == 0 || size % 4 != 0 || size >= length - 4 || map[length - 1] != '\0') {
            return error_set(err,
                             "the character map is damaged: expected a size, a double array and "
                             "replacements that end in NUL, found %zu bytes",
                             length);
        }
        buffer_append(&normalizer->map, map, length);
        normalizer->n_units = size / 4;
        normalizer->units = memory_resize(NULL, size);
        for (size_t i = 0; i < normalizer->n_units; i++) {
            const unsigned char *unit = bytes + 4 + 4 * i;
            normalizer->units[i] = unit[0] | (uint32_t)unit[1] << 8 | (uint32_t)unit[2] << 16 |
                                   (uint32_t)unit[3] << 24;
        }
        normalizer->replacements = normalizer->map.bytes + 4 + size;
        normalizer->replacements_size = length - 4 - size;
    }
    find_plain_bytes(normalizer);
    return true;
}

void normalizer_free(Normalizer *normalizer) {
    symbol_set_free(&normalizer->verbatim);
    buffer_free(&normalizer->map);
    free(normalizer->units);
    *normalizer = (Normalizer){0};
}

// ---- the run

// What the text begins with, mapped: its bytes, their number, and how much of the text that was.
static const char *map_first(const Normalizer *normalizer, const char *text, size_t length,
                             size_t *mapped_length, size_t *used, size_t *n_invalid) {
    *used = symbol_set_match(&normalizer->verbatim, text, length);
    if (*used > 0) {
        *mapped_length = *used;
        return text;
    }
    if (normalizer->n_units > 0) {
        const char *replacement = match_map(normalizer, text, length, used);
        if (*used > 0) {
            *mapped_length = strlen(replacement);
            return replacement;
        }
    }
    if (utf8_next(text, length, used) < 0) {
        *n_invalid += 1;
        *mapped_length = 3;
        return "\xef\xbf\xbd";
    }
    *mapped_length = *used;
    return text;
}

static void append_space(const Normalizer *normalizer, Buffer *out) {
    if (normalizer->escape_whitespaces) {
        buffer_append(out, NORMALIZER_SPACE, NORMALIZER_SPACE_BYTES);
    } else {
        buffer_append(out, " ", 1);
    }
}

static void append_mapped(const Normalizer *normalizer, const char *mapped, size_t length,
                          bool *after_space, Buffer *out) {
    while (*after_space && length > 0 && mapped[0] == ' ') {
        mapped++;
        length--;
    }
    if (length == 0) {
        return;
    }
    for (size_t i = 0; i < length; i++) {
        if (mapped[i] == ' ') {
            append_space(normalizer, out);
        } else {
            buffer_append(out, mapped + i, 1);
        }
    }
    *after_space = normalizer->remove_extra_whitespaces && mapped[length - 1] == ' ';
}

// Length of a character from U+0080 to U+FFFF that nothing in the map begins with; 0: look closer.
static size_t plain_char(const Normalizer *normalizer, const unsigned char *bytes, size_t left) {
    if (left < 3 || !is_plain_before(normalizer, bytes[0], bytes[1]) ||
        (bytes[1] & 0xc0U) != 0x80) {
        return 0;
    }
    size_t n = 0;
    if (bytes[0] >= 0xc2 && bytes[0] < 0xe0) {
        n = 2;
    } else if (bytes[0] > 0xe0 && bytes[0] < 0xf0 && bytes[0] != 0xed &&
               (bytes[2] & 0xc0U) == 0x80) {
        n = 3;
    }
    return n;
}

// Copies what stands for itself, spaces included, up to the first that must be looked at closer;
// returns how far it came. out has room for three times the bytes that are left.
static size_t copy_plain(const Normalizer *normalizer, const char *text, size_t start,
                         size_t length, bool *after_space, Buffer *out) {
    const unsigned char *bytes = (const unsigned char *)text;
    char *end = out->bytes + out->length;
    const bool spaces = normalizer->space_is_plain && normalizer->escape_whitespaces;
    const bool has_map = normalizer->n_units > 0;
    size_t i = start;
    while (i < length) {
        const unsigned char byte = bytes[i];
        const bool marked = has_map && i + 1 < length && bytes[i + 1] >= 0x80;
        if (normalizer->plain[byte] &&
            (!marked || is_plain_before(normalizer, byte, bytes[i + 1]))) {
            *end++ = (char)byte;
            *after_space = false;
            i++;
        } else if (byte == ' ' && spaces && !marked) {
            if (!*after_space) {
                memcpy(end, NORMALIZER_SPACE, NORMALIZER_SPACE_BYTES);
                end += NORMALIZER_SPACE_BYTES;
            }
            *after_space = normalizer->remove_extra_whitespaces;
            i++;
        } else {
            const size_t n = byte < 0x80 ? 0 : plain_char(normalizer, bytes + i, length - i);
            if (n == 0) {
                break;
            }
            memcpy(end, bytes + i, 3);
            end += n;
            i += n;
            *after_space = false;
        }
    }
    out->length = (size_t)(end - out->bytes);
    return i;
}

static size_t skip_leading_spaces(const Normalizer *normalizer, const char *text, size_t length,
                                  size_t *n_invalid) {
    size_t i = 0;
    while (i < length) {
        size_t mapped_length = 0;
        size_t used = 0;
        size_t n_seen = 0;
        const char *mapped =
            map_first(normalizer, text + i, length - i, &mapped_length, &used, &n_seen);
        if (mapped_length != 1 || mapped[0] != ' ') {
            break;
        }
        *n_invalid += n_seen;
        i += used;
    }
    return i;
}

static void strip_trailing_spaces(const Normalizer *normalizer, Buffer *out, size_t start) {
    const char *space = normalizer->escape_whitespaces ? NORMALIZER_SPACE : " ";
    const size_t size = strlen(space);
    while (out->length >= start + size &&
           memcmp(out->bytes + out->length - size, space, size) == 0) {
        out->length -= size;
    }
    out->bytes[out->length] = '\0';
}

void normalizer_run(const Normalizer *normalizer, const char *text, size_t length, Buffer *out,
                    size_t *n_invalid) {
    size_t invalid = 0;
    size_t i = 0;
    if (normalizer->remove_extra_whitespaces) {
        i = skip_leading_spaces(normalizer, text, length, &invalid);
    }
    if (i == length) {
        return;
    }
    const size_t start = out->length;
    buffer_append(out, "", 0);
    if (normalizer->add_dummy_prefix && !normalizer->whitespace_as_suffix) {
        append_space(normalizer, out);
    }
    bool after_space = normalizer->remove_extra_whitespaces;
    while (i < length) {
        buffer_reserve(out, NORMALIZER_SPACE_BYTES * (length - i) + NORMALIZER_SPACE_BYTES);
        i = copy_plain(normalizer, text, i, length, &after_space, out);
        if (i == length) {
            break;
        }
        size_t mapped_length = 0;
        size_t used = 0;
        const char *mapped =
            map_first(normalizer, text + i, length - i, &mapped_length, &used, &invalid);
        append_mapped(normalizer, mapped, mapped_length, &after_space, out);
        i += used;
    }
    out->bytes[out->length] = '\0';
    if (normalizer->remove_extra_whitespaces) {
        strip_trailing_spaces(normalizer, out, start);
    }
    if (normalizer->add_dummy_prefix && normalizer->whitespace_as_suffix) {
        append_space(normalizer, out);
    }
    if (n_invalid != NULL) {
        *n_invalid += invalid;
    }
}
