// buffer.c - bytes that grow, and whole files in and out.
#include "engine/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"

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

static bool read_all(Buffer *buffer, int file, const char *path, Error *err) {
    struct stat about;
    if (fstat(file, &about) == 0) {
        if (S_ISDIR(about.st_mode)) {
            return error_set(err, "%s: a folder, expected a file", path);
        }
        if (S_ISREG(about.st_mode) && about.st_size > 0) {
            buffer_reserve(buffer, (size_t)about.st_size + 1);
        }
    }
    for (;;) {
        buffer_reserve(buffer, buffer->capacity > buffer->length + 1 ? 1 : 65536);
        const ssize_t n =
            read(file, buffer->bytes + buffer->length, buffer->capacity - buffer->length - 1);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return error_set(err, "%s: %s", path, strerror(errno));
        }
        if (n == 0) {
            buffer->bytes[buffer->length] = '\0';
            return true;
        }
        buffer->length += (size_t)n;
    }
}

bool buffer_load(Buffer *buffer, const char *path, Error *err) {
    if (strcmp(path, "-") == 0) {
        return read_all(buffer, STDIN_FILENO, "standard input", err);
    }
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return error_set(err, "%s: %s", path, strerror(errno));
    }
    const bool ok = read_all(buffer, file, path, err);
    close(file);
    return ok;
}

bool buffer_save(const Buffer *buffer, const char *path, Error *err) {
    return file_save(path, buffer->bytes, buffer->length, err);
}
