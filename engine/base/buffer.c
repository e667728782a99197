// buffer.c - bytes that grow, and whole files in and out.
#include "engine/base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"

void *memory_resize(void *memory, size_t size_bytes) {
    void *resized = realloc(memory, size_bytes > 0 ? size_bytes : 1);
    if (resized == NULL) {
        static const char SENTENCE[] = "attend: out of memory\n";
        fwrite(SENTENCE, 1, sizeof SENTENCE - 1, stderr);
        _Exit(1);
    }
    return resized;
}

void buffer_reserve(Buffer *buffer, size_t length) {
    const size_t needed = buffer->length + length + 1;
    if (needed <= buffer->capacity) {
        return;
    }
    size_t capacity = buffer->capacity == 0 ? 64 : buffer->capacity + buffer->capacity / 2;
    if (capacity < needed) {
        capacity = needed;
    }
    buffer->bytes = memory_resize(buffer->bytes, capacity);
    buffer->capacity = capacity;
}

void buffer_append(Buffer *buffer, const char *bytes, size_t length) {
    buffer_reserve(buffer, length);
    if (length > 0) {
        memcpy(buffer->bytes + buffer->length, bytes, length);
    }
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

void buffer_append_text(Buffer *buffer, const char *text) {
    buffer_append(buffer, text, strlen(text));
}

void buffer_format(Buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length <= 0) {
        return;
    }
    buffer_reserve(buffer, (size_t)length);
    va_start(arguments, format);
    vsnprintf(buffer->bytes + buffer->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buffer->length += (size_t)length;
}

void buffer_free(Buffer *buffer) {
    free(buffer->bytes);
    *buffer = (Buffer){0};
}

bool buffer_load(Buffer *buffer, const char *path, Error *err) {
    FileBytes file;
    if (!file_read(&file, path, 0, err)) {
        return false;
    }
    if (buffer->length == 0 && file.size_bytes > 0) { // taken over: texts may be big
        free(buffer->bytes);
        *buffer = (Buffer){file.memory, file.size_bytes, file.size_bytes + 1};
        return true;
    }
    buffer_append(buffer, (const char *)file.bytes, file.size_bytes);
    file_close(&file);
    return true;
}

bool buffer_save(const Buffer *buffer, const char *path, Error *err) {
    return file_save(path, buffer->bytes, buffer->length, err);
}
