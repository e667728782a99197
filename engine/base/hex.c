// hex.c - hexadecimal digits.
#include "engine/base/hex.h"

int hex_digit_upper(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int hex_digit(char c) {
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : hex_digit_upper(c);
}
