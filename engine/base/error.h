// error.h - one sentence about what went wrong in the world: what, where, and what was expected.
#ifndef ENGINE_BASE_ERROR_H
#define ENGINE_BASE_ERROR_H

#include <stdbool.h>

enum { ERROR_TEXT_BYTES = 512 };

typedef struct Error {
    char text[ERROR_TEXT_BYTES]; // empty while nothing has failed
} Error;

// Keeps the first cause: a later call leaves the text as it is. Always false, so that a function
// can return it. err may be NULL, then the sentence is lost.
bool error_set(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool error_is_set(const Error *err);

#endif
