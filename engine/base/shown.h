// shown.h - text from outside on its way to a terminal: what would steer it is shown as "\x1b".
#ifndef ENGINE_BASE_SHOWN_H
#define ENGINE_BASE_SHOWN_H

#include <stddef.h>

// A stream of text, cut anywhere; a zeroed one is at its beginning.
typedef struct ShownText {
    char held[4]; // the start of a character whose rest has not come
    size_t n_held;
} ShownText;

typedef void (*ShownPut)(void *context, const char *bytes, size_t length);

// Hands on the text with control codes, marks that turn the direction of writing, what is invisible
// (utf8_is_invisible) and broken UTF-8 as "\x1b"; newline and tab stay. Of a character cut at the
// end the rest may come with the next.
void shown_pass(ShownText *shown, const char *bytes, size_t length, ShownPut put, void *context);

// The text as one line, its newlines and tabs shown too: for sentences. malloc, NULL without
// memory.
char *shown_line(const char *text);

// Hands on what is still held.
void shown_end(ShownText *shown, ShownPut put, void *context);

#endif
