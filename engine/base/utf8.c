// utf8.c - text read one character at a time, as UTF-8.
#include "engine/base/utf8.h"

#include <stdio.h>
#include <string.h>

#include <utf8proc.h>

int32_t utf8_next(const char *text, size_t length, size_t *n_bytes) {
    utf8proc_int32_t code = -1;
    const utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, &code);
    *n_bytes = n > 0 ? (size_t)n : 1;
    return n > 0 ? code : -1;
}

size_t utf8_write(int32_t code, char bytes[4]) {
    return (size_t)utf8proc_encode_char(code, (utf8proc_uint8_t *)bytes);
}

// The bytes that begin as a character does and end where none goes on so: one U+FFFD stands for
// them all (The Unicode Standard, section 3.9, "maximal subpart").
static size_t broken_bytes(const unsigned char *bytes) {
    unsigned char first = bytes[0];
    size_t whole = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0xC2 || first > 0xF4 || bytes[1] < least || bytes[1] > most) {
        return 1;
    }
    size_t n = 2;
    while (n < whole && (bytes[n] & 0xC0) == 0x80) {
        n++;
    }
    return n;
}

size_t utf8_character(const char *text, int32_t *code) {
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, code);
    if (length <= 0) {
        *code = -1;
        return broken_bytes((const unsigned char *)text);
    }
    return (size_t)length;
}

bool utf8_is_control(int32_t code) {
    bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool breaks_line = code == 0x2028 || code == 0x2029;
    bool turns = code == 0x061c || code == 0x200e || code == 0x200f ||
                 (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return is_control || breaks_line || turns;
}

bool utf8_is_invisible(int32_t code) {
    static const int32_t RANGES[][2] = {
        {0x00ad, 0x00ad},   // soft hyphen
        {0x034f, 0x034f},   // grapheme joiner, which joins nothing to see
        {0x180e, 0x180e},   // Mongolian vowel separator
        {0x200b, 0x200b},   // zero-width space
        {0x2060, 0x2065},   // word joiner, invisible operators
        {0x206a, 0x206f},   // deprecated
        {0x3164, 0x3164},   // Hangul filler
        {0xfeff, 0xfeff},   // byte order mark
        {0xffa0, 0xffa0},   // Hangul filler, half as wide
        {0xfff0, 0xfffb},   // annotations
        {0x13430, 0x1343f}, // how hieroglyphs are laid out
        {0x1bca0, 0x1bca3}, // of shorthand
        {0x1d173, 0x1d17a}, // of music
        {0xe0000, 0xe00ff}, // tags
        {0xe01f0, 0xe0fff}, // kept for more of them
    };
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; i++) {
        if (code >= RANGES[i][0] && code <= RANGES[i][1]) {
            return true;
        }
    }
    return false;
}

bool utf8_is_hidden(int32_t code) {
    return utf8_is_control(code) || utf8_is_invisible(code);
}

const char *utf8_shown(const char *from, char *text, size_t size_bytes) {
    enum { ROOM = 20 }; // for the escapes of one character, the dots and the NUL
    size_t used = 0;
    for (const char *at = from; *at != '\0';) {
        if (used + ROOM > size_bytes) {
            snprintf(text + used, size_bytes - used, "...");
            return text;
        }
        int32_t code = 0;
        size_t length = utf8_character(at, &code);
        if (!utf8_is_hidden(code)) {
            memcpy(text + used, at, length);
            used += length;
        } else {
            for (size_t i = 0; i < length; i++) {
                used += (size_t)snprintf(text + used, size_bytes - used, "\\x%02x",
                                         (unsigned)(unsigned char)at[i]);
            }
        }
        at += length;
    }
    text[used] = '\0';
    return text;
}
