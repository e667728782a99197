// error.c - one sentence about what went wrong in the world: what, where, and what was expected.
#include "engine/error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(Error *err, const char *format, ...) {
    if (err == NULL || err->text[0] != '\0') {
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return false;
}

bool error_is_set(const Error *err) {
    return err->text[0] != '\0';
}
