// stop_text.h - text that comes in pieces, up to the first of some strings.
#ifndef ENGINE_GENERATION_STOP_TEXT_H
#define ENGINE_GENERATION_STOP_TEXT_H

#include <stdbool.h>

#include "engine/base/buffer.h"

// A zeroed one with its strings set (borrowed, none empty) is at the start.
typedef struct StopText {
    const char *const *strings; // n_strings
    int n_strings;
    Buffer held; // what may still become one of them
    bool is_stopped;
} StopText;

// Takes bytes in and appends to text what is certain: what stands before a stop string, and not
// what may be the beginning of one. Nothing comes after it stopped.
void stop_text_append(StopText *stop, const char *bytes, size_t length, Buffer *text);

// The text ends: appends what was held, unless it stopped. Also gives back its memory.
void stop_text_finish(StopText *stop, Buffer *text);

#endif
