// bpe_symbols.c - characters and pairs of symbols while merges are learned, and where they stand.
#include "engine/tokenizers/sentencepiece/bpe_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/sentencepiece/script.h"
#include "engine/tokenizers/tokenizer_private.h"

enum { WHITESPACE = 0x2581, BOUNDARY = '\t', N_CODES = 0x110000 };

// ---- what a piece may be

static bool is_digit(int32_t code) {
    return (code >= '0' && code <= '9') || (code >= 0xff10 && code <= 0xff19); // wide ones too
}

static bool whitespace_fits(const BpeRules *rules, size_t at, bool is_last) {
    if (rules->whitespace_as_suffix) {
        return rules->split_by_whitespace ? is_last : is_last || at > 0;
    }
    return rules->split_by_whitespace ? at == 0 : at == 0 || !is_last;
}

static bool all_whitespace(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i += 3) {
        if (i + 3 > length || memcmp(bytes + i, "\xe2\x96\x81", 3) != 0) {
            return false;
        }
    }
    return true;
}

// The script that c continues a piece with; -1 where any will do.
static int piece_script(const BpeRules *rules, int32_t code, int before) {
    if (!rules->split_by_number && is_digit(code)) {
        return -1;
    }
    const int script = script_of(code);
    return script == SCRIPT_INHERITED ? before : script;
}

bool bpe_piece_is_valid(const BpeRules *rules, const char *bytes, size_t length) {
    const bool may_be_whitespace = rules->whitespace_only_pieces && all_whitespace(bytes, length);
    int before = -1;
    int n_chars = 0;
    bool has_digit = false;
    for (size_t i = 0, n = 0; i < length; i += n, n_chars++) {
        const int32_t code = utf8_next(bytes + i, length - i, &n);
        if (code < 0 || code == 0 || code == BOUNDARY || code == BPE_UNKNOWN_CHAR || code == ' ') {
            return false;
        }
        if (code == WHITESPACE) {
            if (!may_be_whitespace && !whitespace_fits(rules, i, i + n == length)) {
                return false;
            }
            continue;
        }
        const int script = piece_script(rules, code, before);
        if (rules->split_by_script && script != -1 && before != -1 && script != before) {
            return false;
        }
        before = script;
        has_digit = has_digit || is_digit(code);
    }
    return n_chars > 0 && n_chars <= rules->max_piece_length &&
           !(rules->split_digits && has_digit && n_chars > 1);
}

// ---- symbols

void bpe_symbols_init(BpeSymbols *symbols, const BpeRules *rules, bool keeps_order) {
    *symbols = (BpeSymbols){.rules = rules, .keeps_order = keeps_order, .pairs_size = 1 << 16};
    symbols->of_char = memory_resize(NULL, N_CODES * sizeof *symbols->of_char);
    memset(symbols->of_char, 0xff, N_CODES * sizeof *symbols->of_char);
    symbols->pair_keys = memory_resize(NULL, symbols->pairs_size * sizeof *symbols->pair_keys);
    memset(symbols->pair_keys, 0, symbols->pairs_size * sizeof *symbols->pair_keys);
    symbols->pair_values = memory_resize(NULL, symbols->pairs_size * sizeof *symbols->pair_values);
    buffer_reserve(&symbols->texts, 1 << 16);
}

void bpe_symbols_free(BpeSymbols *symbols) {
    for (int32_t i = 0; i < symbols->n_symbols; i++) {
        free(symbols->symbols[i].positions);
    }
    free(symbols->symbols);
    free(symbols->counts);
    free(symbols->race);
    free(symbols->prints);
    free(symbols->of_char);
    free(symbols->pair_keys);
    free(symbols->pair_values);
    buffer_free(&symbols->texts);
    bpe_order_free(&symbols->order);
    *symbols = (BpeSymbols){0};
}

// Three numbers stirred into one: Bob Jenkins's mix for 64 bits (1997).
static uint64_t mix(uint64_t a, uint64_t b, uint64_t c) {
    static const int SHIFTS[4][3] = {{43, 9, 8}, {38, 23, 5}, {35, 49, 11}, {12, 18, 22}};
    for (int i = 0; i < 4; i++) {
        a = (a - b - c) ^ c >> SHIFTS[i][0];
        b = (b - c - a) ^ a << SHIFTS[i][1];
        c = (c - a - b) ^ b >> SHIFTS[i][2];
    }
    return c;
}

// Its text is the last `length` bytes of texts, `print` its fingerprint.
static int32_t append_symbol(BpeSymbols *symbols, int32_t left, int32_t right, uint32_t length,
                             uint32_t n_chars, uint64_t print) {
    if (symbols->n_symbols == symbols->capacity) {
        symbols->capacity = symbols->capacity == 0 ? 4096 : symbols->capacity * 2;
        const size_t capacity = (size_t)symbols->capacity;
        symbols->symbols = memory_resize(symbols->symbols, capacity * sizeof *symbols->symbols);
        symbols->counts = memory_resize(symbols->counts, capacity * sizeof *symbols->counts);
        symbols->race = memory_resize(symbols->race, capacity * sizeof *symbols->race);
        symbols->prints = memory_resize(symbols->prints, capacity * sizeof *symbols->prints);
    }
    const int32_t symbol = symbols->n_symbols++;
    symbols->symbols[symbol] = (BpeSymbol){.left = left,
                                           .right = right,
                                           .start = symbols->texts.length - length,
                                           .length = length,
                                           .n_chars = n_chars,
                                           .is_known = true};
    symbols->counts[symbol] = left < 0 ? -1 : 0;
    symbols->race[symbol] = RACE_OUT;
    symbols->prints[symbol] = print;
    symbols->n_known++;
    if (symbols->keeps_order) {
        bpe_order_insert(&symbols->order, symbols->prints, symbol);
    }
    return symbol;
}

int32_t bpe_symbols_of_char(BpeSymbols *symbols, int32_t code, const char *bytes, size_t length) {
    if (symbols->of_char[code] < 0) {
        buffer_append(&symbols->texts, bytes, length);
        symbols->of_char[code] =
            append_symbol(symbols, -1, -1, (uint32_t)length, 1, (uint64_t)code);
    }
    return symbols->of_char[code];
}

static size_t pair_slot(const BpeSymbols *symbols, uint64_t key) {
    const size_t mask = symbols->pairs_size - 1;
    size_t slot = (size_t)((key * 0x9e3779b97f4a7c15U) >> 32) & mask;
    while (symbols->pair_keys[slot] != 0 && symbols->pair_keys[slot] != key) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static void grow_pairs(BpeSymbols *symbols) {
    uint64_t *keys = symbols->pair_keys;
    int32_t *values = symbols->pair_values;
    const size_t size = symbols->pairs_size;
    symbols->pairs_size *= 4;
    symbols->pair_keys = memory_resize(NULL, symbols->pairs_size * sizeof *keys);
    memset(symbols->pair_keys, 0, symbols->pairs_size * sizeof *keys);
    symbols->pair_values = memory_resize(NULL, symbols->pairs_size * sizeof *values);
    for (size_t i = 0; i < size; i++) {
        if (keys[i] != 0) {
            const size_t slot = pair_slot(symbols, keys[i]);
            symbols->pair_keys[slot] = keys[i];
            symbols->pair_values[slot] = values[i];
        }
    }
    free(keys);
    free(values);
}

static int32_t make_pair(BpeSymbols *symbols, int32_t left, int32_t right) {
    const BpeSymbol *a = &symbols->symbols[left];
    const BpeSymbol *b = &symbols->symbols[right];
    const uint32_t length = a->length + b->length;
    const uint32_t n_chars = a->n_chars + b->n_chars;
    buffer_reserve(&symbols->texts, length);
    buffer_append(&symbols->texts, symbols->texts.bytes + a->start, a->length);
    buffer_append(&symbols->texts, symbols->texts.bytes + b->start, b->length);
    const char *text = symbols->texts.bytes + symbols->texts.length - length;
    if (!bpe_piece_is_valid(symbols->rules, text, length)) {
        symbols->texts.length -= length;
        return -1;
    }
    const uint64_t print = mix(symbols->prints[left], 0xe08c1d668b756f82U, symbols->prints[right]);
    return append_symbol(symbols, left, right, length, n_chars, print);
}

int32_t bpe_symbols_of_pair(BpeSymbols *symbols, int32_t left, int32_t right) {
    const uint64_t key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    size_t slot = pair_slot(symbols, key);
    if (symbols->pair_keys[slot] == key) {
        const int32_t found = symbols->pair_values[slot];
        if (found < 0 || symbols->symbols[found].is_known) {
            return found;
        }
    } else if (2 * ++symbols->n_pairs > symbols->pairs_size) {
        grow_pairs(symbols);
        slot = pair_slot(symbols, key);
    }
    symbols->pair_keys[slot] = key;
    symbols->pair_values[slot] = make_pair(symbols, left, right);
    return symbols->pair_values[slot];
}

void bpe_symbols_append_position(BpeSymbols *symbols, int32_t symbol, int32_t position) {
    BpeSymbol *pair = &symbols->symbols[symbol];
    if (pair->n_positions == pair->capacity) {
        pair->capacity = pair->capacity == 0 ? 4 : 2 * pair->capacity;
        pair->positions = memory_resize(pair->positions, pair->capacity * sizeof *pair->positions);
    }
    pair->positions[pair->n_positions++] = position;
}

void bpe_symbols_forget(BpeSymbols *symbols, int32_t symbol) {
    BpeSymbol *pair = &symbols->symbols[symbol];
    free(pair->positions);
    pair->positions = NULL;
    pair->n_positions = 0;
    pair->capacity = 0;
    pair->is_known = false;
    symbols->counts[symbol] = -1;
    symbols->n_known--;
    if (symbols->keeps_order) {
        bpe_order_erase(&symbols->order, symbols->prints, symbol);
    }
}

int bpe_symbols_compare(const BpeSymbols *symbols, int32_t left, int32_t right) {
    const BpeSymbol *a = &symbols->symbols[left];
    const BpeSymbol *b = &symbols->symbols[right];
    if (a->n_chars != b->n_chars) {
        return a->n_chars < b->n_chars ? -1 : 1;
    }
    const uint32_t shorter = a->length < b->length ? a->length : b->length;
    const int order =
        memcmp(symbols->texts.bytes + a->start, symbols->texts.bytes + b->start, shorter);
    if (order != 0) {
        return order;
    }
    if (a->length != b->length) {
        return a->length < b->length ? -1 : 1;
    }
    return (left > right) - (left < right);
}
