// text_buffer.h - a text that grows while it is written.
#ifndef VIEWS_TEXT_BUFFER_H
#define VIEWS_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

// A zeroed one is empty. Where memory runs out the rest is lost and text_buffer_take says so.
typedef struct TextBuffer {
    char *text;
    size_t length, capacity;
    bool is_out_of_memory;
} TextBuffer;

void text_buffer_append(TextBuffer *buffer, const char *bytes, size_t length);
void text_buffer_text(TextBuffer *buffer, const char *text);

void text_buffer_print(TextBuffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Cleaned as for the screen, with what XML keeps for itself written as entities.
void text_buffer_xml(TextBuffer *buffer, const char *text);

// Hands the text over, ended by NUL, and empties the buffer in any case.
bool text_buffer_take(TextBuffer *buffer, char **text, size_t *length, Error *err);

#endif
