// buffer.h - bytes that grow, and whole files in and out.
#ifndef ENGINE_BASE_BUFFER_H
#define ENGINE_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

// A zeroed one is empty. bytes always has a NUL after length once anything was appended. Running
// out of memory ends the program.
typedef struct Buffer {
    char *bytes;
    size_t length;
    size_t capacity;
} Buffer;

void buffer_reserve(Buffer *buffer, size_t length); // room for length more bytes and a NUL
void buffer_append(Buffer *buffer, const char *bytes, size_t length);
void buffer_append_text(Buffer *buffer, const char *text);
void buffer_format(Buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_free(Buffer *buffer);

// realloc that ends the program when memory runs out, as everything here does.
void *memory_resize(void *memory, size_t size_bytes);

// Appends the whole file. "-" is the standard input.
bool buffer_load(Buffer *buffer, const char *path, Error *err);

// As file_save: path is the old file or the new one, whole; a link stays one, and a device.
bool buffer_save(const Buffer *buffer, const char *path, Error *err);

#endif
