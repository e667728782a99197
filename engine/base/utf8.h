// utf8.h - text read one character at a time, as UTF-8.
#ifndef ENGINE_BASE_UTF8_H
#define ENGINE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The first character of text: its code point and its length in *n_bytes; -1 and 1 where the bytes
// are not UTF-8 (overlong, surrogates, cut short, above U+10FFFF). length > 0.
int32_t utf8_next(const char *text, size_t length, size_t *n_bytes);

// The character at text, a string that must not be at its end: its length in bytes, and its code,
// -1 where it is not UTF-8: then the length is of the bytes that one U+FFFD stands for, 1 to 3.
size_t utf8_character(const char *text, int32_t *code);

// Writes a code point as 1 to 4 bytes and gives their number; 0 where it is none.
size_t utf8_write(int32_t code, char bytes[4]);

// Whether a byte goes on with a character that began before it.
static inline bool utf8_is_inside(char byte) {
    return ((unsigned char)byte & 0xC0U) == 0x80;
}

// A code that must not reach a terminal as it is: C0, DEL, C1, line separators, marks that turn the
// direction of writing; and -1.
bool utf8_is_control(int32_t code);

// A code that leaves nothing to see and has no part in how letters are shaped: zero-width spaces,
// soft hyphens, byte order marks, invisible operators, tags, fillers. Joiners (U+200C, U+200D) and
// variation selectors are none of these: Persian, the scripts of India and emoji need them.
bool utf8_is_invisible(int32_t code);
// Either: shown as its bytes where a person reads.
bool utf8_is_hidden(int32_t code);

// How words from outside are shown in a sentence: control codes and broken UTF-8 as "\x1b", long
// ones cut with "...". size_bytes from 20 on. Returns text.
const char *utf8_shown(const char *from, char *text, size_t size_bytes);

#endif
