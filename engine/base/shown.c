// shown.c - text from outside on its way to a terminal: what would steer it is shown as "\x1b".
#include "engine/base/shown.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"

// How many bytes the character that begins so has; 1 where none does.
static size_t whole_of(char first) {
    unsigned char byte = (unsigned char)first;
    return byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC2U ? 2 : 1;
}

// True where the text ends within what may become a character.
static bool is_cut(const char *text, size_t length) {
    size_t n = 1;
    while (n < length && utf8_is_inside(text[n])) {
        n++;
    }
    return n == length && length < whole_of(text[0]);
}

static void put_codes(const char *bytes, size_t length, ShownPut put, void *context) {
    for (size_t i = 0; i < length; i++) {
        char code[8];
        int n = snprintf(code, sizeof code, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
        put(context, code, (size_t)n);
    }
}

// Hands on runs of what may be seen; returns how many bytes were read: all but a character that is
// cut at the end.
static size_t pass(const char *bytes, size_t length, bool is_end, ShownPut put, void *context) {
    size_t run = 0;
    size_t at = 0;
    while (at < length) {
        size_t n = 1;
        int32_t code = utf8_next(bytes + at, length - at, &n);
        if (code < 0 && !is_end && is_cut(bytes + at, length - at)) {
            break;
        }
        if (code == '\n' || code == '\t' || !utf8_is_hidden(code)) {
            at += n;
            continue;
        }
        if (at > run) {
            put(context, bytes + run, at - run);
        }
        put_codes(bytes + at, n, put, context);
        at += n;
        run = at;
    }
    if (at > run) {
        put(context, bytes + run, at - run);
    }
    return at;
}

void shown_pass(ShownText *shown, const char *bytes, size_t length, ShownPut put, void *context) {
    while (shown->n_held > 0 && length > 0) {
        char joined[sizeof shown->held + 1];
        memcpy(joined, shown->held, shown->n_held);
        joined[shown->n_held] = bytes[0];
        size_t n = shown->n_held + 1;
        size_t read = pass(joined, n, false, put, context);
        shown->n_held = n - read;
        memcpy(shown->held, joined + read, shown->n_held);
        bytes++;
        length--;
    }
    size_t read = pass(bytes, length, false, put, context);
    if (read < length) {
        shown->n_held = length - read;
        memcpy(shown->held, bytes + read, shown->n_held);
    }
}

void shown_end(ShownText *shown, ShownPut put, void *context) {
    pass(shown->held, shown->n_held, true, put, context);
    shown->n_held = 0;
}

char *shown_line(const char *text) {
    size_t length = strlen(text);
    char *line = malloc(4 * length + 1); // each byte may become \xNN
    char *at = line;
    for (size_t n = 0; line != NULL && length > 0; text += n, length -= n) {
        int32_t code = utf8_next(text, length, &n);
        if (!utf8_is_hidden(code)) {
            memcpy(at, text, n);
            at += n;
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            at += snprintf(at, sizeof "\\xff", "\\x%02x", (unsigned)(unsigned char)text[i]);
        }
    }
    if (line != NULL) {
        *at = '\0';
    }
    return line;
}
