// error.c - one sentence about what went wrong in the world: what, where, and what was expected.
#include "engine/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"

// A sentence that was too long ends with a whole character.
static void trim(char *text, size_t length) {
    size_t start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0U) == 0x80U) {
        start--;
    }
    if (start > 0 && (unsigned char)text[start - 1] >= 0xC0U) {
        text[start - 1] = '\0';
    }
}

// The bytes at text of a character that ends too early, 0: it is whole, or no character at all.
static size_t unfinished(const char *text) {
    unsigned char lead = (unsigned char)text[0];
    size_t wanted = lead >= 0xF0U ? 4 : (lead >= 0xE0U ? 3 : 2);
    size_t n = 1;
    while (n < wanted && utf8_is_inside(text[n])) {
        n++;
    }
    return lead >= 0xC2U && lead <= 0xF4U && n < wanted ? n : 0;
}

// What "%.40s" has cut ends with a whole character: a piece of just so many bytes, behind a quote,
// a space or nothing, loses a character that is unfinished. Bytes that were broken before stay.
static void trim_pieces(char *text, const char *format) {
    for (const char *at = strstr(format, "%."); at != NULL; at = strstr(at + 2, "%.")) {
        char *letter = NULL;
        unsigned long most = strtoul(at + 2, &letter, 10);
        for (size_t i = 0; *letter == 's' && text[i] != '\0'; i++) {
            size_t n = unfinished(text + i);
            bool is_cut = n > 0 && i + n >= most &&
                          (i + n == most || strchr("\"' ", text[i + n - most - 1]) != NULL);
            if (is_cut) {
                memmove(text + i, text + i + n, strlen(text + i + n) + 1);
            }
        }
    }
}

bool error_set(Error *err, const char *format, ...) {
    if (err == NULL || err->text[0] != '\0') {
        return false;
    }
    char text[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text) {
        trim(text, sizeof text - 1);
    }
    trim_pieces(text, format);
    // Words from outside stand in it: what would steer a terminal is shown as "\x1b".
    utf8_shown(text, err->text, sizeof err->text);
    return false;
}

bool error_is_set(const Error *err) {
    return err->text[0] != '\0';
}
