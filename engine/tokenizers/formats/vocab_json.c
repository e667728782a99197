// vocab_json.c - reads vocab.json: an object of pieces, written in GPT-2's byte map, and their ids.
//
// One flat object of strings and integers is read here and not by jansson, which takes 25 ms of the
// 40 that GPT-2's tokenizer may take to load.
#include "engine/tokenizers/formats/vocab_json.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/base/hex.h"
#include "engine/tokenizers/byte_level/byte_map.h"

enum { MOST_IDS = 1 << 24 };

bool vocab_put(Vocab *vocab, const char *text, size_t length, bool mapped, long long id,
               PieceKind kind) {
    if (id < 0 || id >= MOST_IDS) {
        return false;
    }
    size_t at = (size_t)id;
    if (at >= vocab->capacity) {
        size_t capacity = vocab->capacity == 0 ? 1024 : vocab->capacity;
        while (capacity <= at) {
            capacity *= 2;
        }
        vocab->slots = memory_resize(vocab->slots, capacity * sizeof *vocab->slots);
        memset(vocab->slots + vocab->capacity, 0,
               (capacity - vocab->capacity) * sizeof *vocab->slots);
        vocab->capacity = capacity;
    }
    VocabSlot *slot = &vocab->slots[at];
    if (slot->taken) {
        return false;
    }
    buffer_reserve(&vocab->bytes, length);
    char *bytes = vocab->bytes.bytes + vocab->bytes.length;
    long n_bytes = mapped ? byte_map_undo(text, length, bytes) : -1;
    if (n_bytes < 0) {
        memcpy(bytes, text, length);
        n_bytes = (long)length;
        kind = mapped && kind == PIECE_NORMAL ? PIECE_CONTROL : kind;
    }
    *slot = (VocabSlot){vocab->bytes.length, (size_t)n_bytes, kind, true};
    vocab->bytes.length += (size_t)n_bytes;
    vocab->n_taken++;
    vocab->n_slots = vocab->n_slots > at + 1 ? vocab->n_slots : at + 1;
    return true;
}

bool vocab_holds(const Vocab *vocab, long long id, const char *text, size_t length) {
    if (id < 0 || (size_t)id >= vocab->n_slots || !vocab->slots[id].taken) {
        return false;
    }
    const VocabSlot *slot = &vocab->slots[id];
    return slot->length == length && memcmp(vocab->bytes.bytes + slot->start, text, length) == 0;
}

bool vocab_append_all(Vocab *vocab, Tokenizer *tokenizer, const char *path, Error *err) {
    if (vocab->n_slots > 2 * vocab->n_taken + 1024) {
        return error_set(err, "%s: %zu pieces, but ids up to %zu; expected few holes", path,
                         vocab->n_taken, vocab->n_slots - 1);
    }
    for (size_t id = 0; id < vocab->n_slots; id++) {
        const VocabSlot *slot = &vocab->slots[id];
        const char *bytes = slot->taken ? vocab->bytes.bytes + slot->start : "";
        tokenizer_append_piece(tokenizer, bytes, slot->length, 0,
                               slot->taken ? slot->kind : PIECE_UNUSED);
    }
    return true;
}

void vocab_free(Vocab *vocab) {
    buffer_free(&vocab->bytes);
    free(vocab->slots);
    *vocab = (Vocab){0};
}

// ---- the scanner

typedef struct Scanner {
    const char *path;
    const char *at;
    const char *end;
    int line;
    Error *err;
} Scanner;

static bool expected(const Scanner *scanner, const char *what) {
    char found[32];
    size_t length = (size_t)(scanner->end - scanner->at);
    tokenizer_clean(scanner->at, length < 12 ? length : 12, found, sizeof found);
    return error_set(scanner->err, "%s:%d: expected %s, found \"%s\"", scanner->path, scanner->line,
                     what, length == 0 ? "the end of the file" : found);
}

static char peek(Scanner *scanner) {
    for (; scanner->at < scanner->end; scanner->at++) {
        char c = *scanner->at;
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
            return c;
        }
        scanner->line += c == '\n';
    }
    return '\0';
}

static bool accept(Scanner *scanner, char wanted) {
    if (peek(scanner) != wanted || scanner->at == scanner->end) {
        return false;
    }
    scanner->at++;
    return true;
}

static int hex_value(const Scanner *scanner, const char *digits) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        if (digits + i >= scanner->end) {
            return -1;
        }
        const int digit = hex_digit(digits[i]);
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

// After the backslash.
static bool scan_escape(Scanner *scanner, Buffer *text) {
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    char c = scanner->at < scanner->end ? *scanner->at : '\0';
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    if (letter != NULL) {
        buffer_append(text, &meant[letter - letters], 1);
        scanner->at++;
        return true;
    }
    int high = c == 'u' ? hex_value(scanner, scanner->at + 1) : -1;
    size_t used = 5;
    if (high >= 0xD800 && high < 0xDC00) {
        bool pair =
            scanner->end - scanner->at > 11 && scanner->at[5] == '\\' && scanner->at[6] == 'u';
        int low = pair ? hex_value(scanner, scanner->at + 7) : -1;
        high =
            low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00 : -1;
        used = 11;
    }
    if (high < 0 || (high >= 0xD800 && high < 0xE000)) {
        return expected(scanner, "an escape of JSON after \\");
    }
    char bytes[4];
    buffer_append(text, bytes, utf8_write(high, bytes));
    scanner->at += used;
    return true;
}

static bool scan_string(Scanner *scanner, Buffer *text) {
    text->length = 0;
    if (!accept(scanner, '"')) {
        return expected(scanner, "a piece in quotes");
    }
    while (scanner->at < scanner->end && *scanner->at != '"') {
        const char *run = scanner->at;
        while (scanner->at < scanner->end && *scanner->at != '"' && *scanner->at != '\\' &&
               (uint8_t)*scanner->at >= 0x20 && (uint8_t)*scanner->at < 0x80) {
            scanner->at++;
        }
        buffer_append(text, run, (size_t)(scanner->at - run));
        if (scanner->at == scanner->end || *scanner->at == '"') {
            continue;
        }
        if (*scanner->at == '\\') {
            scanner->at++;
            if (!scan_escape(scanner, text)) {
                return false;
            }
            continue;
        }
        size_t width = 1;
        int32_t character = utf8_next(scanner->at, (size_t)(scanner->end - scanner->at), &width);
        if (character < 0x20) {
            return expected(scanner, "UTF-8 without control codes");
        }
        buffer_append(text, scanner->at, width);
        scanner->at += width;
    }
    return accept(scanner, '"') || expected(scanner, "a closing quote");
}

static bool scan_id(Scanner *scanner, long long *id) {
    char c = peek(scanner);
    if (c < '0' || c > '9') {
        return expected(scanner, "an id, 0 or more");
    }
    *id = 0;
    for (; scanner->at < scanner->end && *scanner->at >= '0' && *scanner->at <= '9';
         scanner->at++) {
        *id = *id * 10 + (*scanner->at - '0');
        if (*id > INT32_MAX) {
            return expected(scanner, "an id below 2^24");
        }
    }
    return true;
}

static bool scan_vocab(Scanner *scanner, Vocab *vocab, Buffer *text) {
    if (!accept(scanner, '{')) {
        return expected(scanner, "{");
    }
    while (peek(scanner) != '}') {
        long long id = 0;
        if (!scan_string(scanner, text)) {
            return false;
        }
        if (!accept(scanner, ':')) {
            return expected(scanner, ":");
        }
        if (!scan_id(scanner, &id)) {
            return false;
        }
        if (!vocab_holds(vocab, id, text->bytes, text->length) && // as an added token
            !vocab_put(vocab, text->bytes, text->length, true, id, PIECE_NORMAL)) {
            return error_set(scanner->err,
                             "%s:%d: expected each id once and below 2^24, found %lld",
                             scanner->path, scanner->line, id);
        }
        if (!accept(scanner, ',')) {
            break;
        }
        if (peek(scanner) != '"') {
            return expected(scanner, "a piece in quotes");
        }
    }
    if (!accept(scanner, '}')) {
        return expected(scanner, "} or ,");
    }
    peek(scanner);
    return scanner->at == scanner->end || expected(scanner, "the end of the file");
}

bool vocab_json_load(Tokenizer *tokenizer, Vocab *vocab, const char *path, Error *err) {
    Buffer file = {0};
    Buffer text = {0};
    buffer_append(&text, "", 0);
    bool ok = buffer_load(&file, path, err);
    if (ok) {
        Scanner scanner = {path, file.bytes, file.bytes + file.length, 1, err};
        ok = scan_vocab(&scanner, vocab, &text) && vocab_append_all(vocab, tokenizer, path, err);
    }
    vocab_free(vocab);
    buffer_free(&text);
    buffer_free(&file);
    return ok;
}
