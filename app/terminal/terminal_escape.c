// terminal_escape.c - the few control sequences that curses has no word for.
#include "app/terminal/terminal_escape.h"

#include <string.h>

void escape_begin_modes(FILE *out, bool has_mouse) {
    fputs("\033[?2004h", out);
    if (has_mouse) {
        fputs("\033[?1000h\033[?1006h", out);
    }
    fflush(out);
}

void escape_end_modes(FILE *out, bool has_mouse) {
    if (has_mouse) {
        fputs("\033[?1006l\033[?1000l", out);
    }
    fputs("\033[?2004l", out);
    fflush(out);
}

// Base64, as the sequence wants it.
void escape_copy(FILE *out, const char *text) {
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    fputs("\033]52;c;", out);
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i += 3) {
        unsigned bits = 0;
        for (size_t k = i; k < i + 3; k++) {
            bits = bits << 8;
            if (k < length) {
                bits |= (unsigned char)text[k];
            }
        }
        for (size_t k = 0; k < 4; k++) {
            fputc(i + k <= length ? DIGITS[bits >> (18 - (6 * k)) & 63U] : '=', out);
        }
    }
    fputc('\a', out);
    fflush(out);
}
