// terminal_escape.c - text for the clipboard of the terminal.
#include "app/terminal/terminal_escape.h"

#include <string.h>

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
