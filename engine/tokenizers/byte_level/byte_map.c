// byte_map.c - GPT-2's way of writing any byte as a printable character: a space is Ġ, a newline Ċ.
#include "engine/tokenizers/byte_level/byte_map.h"

#include "engine/base/utf8.h"

// The bytes that stand for something else come in three runs: 0 to 32, 127 to 160, and 173.
enum { RUN_A = 33, RUN_B = 127, RUN_B_END = 161, LONE = 173, MOVED = 256 };

int32_t byte_map_character(uint8_t byte) {
    if (byte < RUN_A) {
        return MOVED + byte;
    }
    if (byte >= RUN_B && byte < RUN_B_END) {
        return MOVED + RUN_A + byte - RUN_B;
    }
    if (byte == LONE) {
        return MOVED + RUN_A + RUN_B_END - RUN_B;
    }
    return byte;
}

int byte_map_byte(int32_t character) {
    if (character < 0) {
        return -1;
    }
    if (character < MOVED) {
        return byte_map_character((uint8_t)character) == character ? character : -1;
    }
    int moved = character - MOVED;
    if (moved < RUN_A) {
        return moved;
    }
    if (moved < RUN_A + RUN_B_END - RUN_B) {
        return moved - RUN_A + RUN_B;
    }
    return moved == RUN_A + RUN_B_END - RUN_B ? LONE : -1;
}

long byte_map_undo(const char *text, size_t length, char *bytes) {
    size_t n_bytes = 0;
    for (size_t i = 0; i < length;) {
        size_t width = 1;
        int byte = byte_map_byte(utf8_next(text + i, length - i, &width));
        if (byte < 0) {
            return -1;
        }
        bytes[n_bytes++] = (char)byte;
        i += width;
    }
    return (long)n_bytes;
}
