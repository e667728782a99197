// text_buffer.c - a text that grows while it is written.
#include "views/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/text.h"

void text_buffer_append(TextBuffer *buffer, const char *bytes, size_t length) {
    if (buffer->is_out_of_memory) {
        return;
    }
    if (buffer->capacity - buffer->length <= length) {
        size_t capacity = 2 * buffer->capacity + length + 4096;
        char *text = realloc(buffer->text, capacity);
        if (text == NULL) {
            buffer->is_out_of_memory = true;
            return;
        }
        buffer->text = text;
        buffer->capacity = capacity;
    }
    memcpy(buffer->text + buffer->length, bytes, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void text_buffer_text(TextBuffer *buffer, const char *text) {
    text_buffer_append(buffer, text, strlen(text));
}

void text_buffer_print(TextBuffer *buffer, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *longer = length < (int)sizeof text ? NULL : malloc((size_t)length + 1);
    if (longer != NULL) {
        vsnprintf(longer, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length >= (int)sizeof text && longer == NULL) {
        buffer->is_out_of_memory = true;
    } else if (length > 0) {
        text_buffer_append(buffer, longer != NULL ? longer : text, (size_t)length);
    }
    free(longer);
}

void text_buffer_xml(TextBuffer *buffer, const char *text) {
    const char *end = text + strlen(text);
    TextCluster cluster;
    while (text_next_cluster(&text, end, &cluster)) {
        switch (cluster.codepoints[0]) {
        case '&':
            text_buffer_text(buffer, "&amp;");
            break;
        case '<':
            text_buffer_text(buffer, "&lt;");
            break;
        case '>':
            text_buffer_text(buffer, "&gt;");
            break;
        case '"':
            text_buffer_text(buffer, "&quot;");
            break;
        default:
            text_buffer_text(buffer, cluster.glyph);
        }
    }
}

bool text_buffer_take(TextBuffer *buffer, char **text, size_t *length, Error *err) {
    text_buffer_append(buffer, "", 0); // so that an empty text exists too
    bool ok = !buffer->is_out_of_memory;
    if (ok) {
        *text = buffer->text;
        *length = buffer->length;
    } else {
        free(buffer->text);
        error_set(err, "out of memory for a text of %zu bytes", buffer->length);
    }
    *buffer = (TextBuffer){0};
    return ok;
}
