// error.c - one sentence about what went wrong in the world: what, where, and what was expected.
#include "engine/base/error.h"

#include <stdarg.h>
#include <stdio.h>

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
    // Words from outside stand in it: what would steer a terminal is shown as "\x1b".
    utf8_shown(text, err->text, sizeof err->text);
    return false;
}

bool error_is_set(const Error *err) {
    return err->text[0] != '\0';
}
