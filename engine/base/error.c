// error.c - one sentence about what went wrong in the world: what, where, and what was expected.
#include "engine/base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "engine/base/file.h"

bool error_set(Error *err, const char *format, ...) {
    if (err == NULL || err->text[0] != '\0') {
        return false;
    }
    char text[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    // Words from outside stand in it: what would steer a terminal is shown as "\x1b".
    file_shown_in(text, err->text, sizeof err->text);
    return false;
}

bool error_is_set(const Error *err) {
    return err->text[0] != '\0';
}
