// stop_text.c - text that comes in pieces, up to the first of some strings.
#include "engine/generation/stop_text.h"

#include <string.h>

static bool begins_at(const Buffer *held, size_t at, const char *string, bool whole) {
    size_t length = strlen(string);
    size_t left = held->length - at;
    size_t n = length < left ? length : left;
    return (!whole || left >= length) && memcmp(held->bytes + at, string, n) == 0;
}

// The first place where one of the strings stands, whole or as far as the bytes go.
static size_t find(const StopText *stop, bool whole) {
    for (size_t at = 0; at < stop->held.length; at++) {
        for (int i = 0; i < stop->n_strings; i++) {
            if (begins_at(&stop->held, at, stop->strings[i], whole)) {
                return at;
            }
        }
    }
    return stop->held.length;
}

void stop_text_append(StopText *stop, const char *bytes, size_t length, Buffer *text) {
    if (stop->is_stopped || length == 0) {
        return;
    }
    buffer_append(&stop->held, bytes, length);
    size_t end = find(stop, true);
    stop->is_stopped = end < stop->held.length;
    size_t certain = stop->is_stopped ? end : find(stop, false);
    buffer_append(text, stop->held.bytes, certain);
    stop->held.length -= certain;
    memmove(stop->held.bytes, stop->held.bytes + certain, stop->held.length);
}

void stop_text_finish(StopText *stop, Buffer *text) {
    if (!stop->is_stopped && stop->held.length > 0) {
        buffer_append(text, stop->held.bytes, stop->held.length);
    }
    buffer_free(&stop->held);
}
