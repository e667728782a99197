// json_text_decode.c - JSON whose numbers may be wider than a program's, and text that may be no
// UTF-8.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/base/hex.h"
#include "engine/base/utf8.h"
#include "engine/files/json_text.h"

// ---- numbers

static const char LARGEST[] = "1e308";
enum { LARGEST_BYTES = sizeof LARGEST - 1, MOST_DIGITS = 300 };

static bool is_overflow(const char *number, bool is_integer) {
    errno = 0;
    if (is_integer) {
        (void)strtoll(number, NULL, 10);
        return errno == ERANGE;
    }
    return isinf(strtod(number, NULL));
}

// Makes a number of n bytes, none of them its sign, one that a double holds. The width stays, so
// that what is found wrong elsewhere in the line is told at its column.
static void narrow(char *number, size_t n, bool is_integer) {
    if (is_integer && n <= MOST_DIGITS) { // the last two digits become an exponent
        number[n - 2] = 'e';
        number[n - 1] = '2';
        return;
    }
    memset(number, ' ', n);
    memcpy(number, LARGEST, n < LARGEST_BYTES ? n : LARGEST_BYTES);
}

// text ends with a NUL.
static void narrow_numbers(char *text, size_t length) {
    for (size_t at = 0; at < length;) {
        if (text[at] == '"') {
            for (at++; at < length && text[at] != '"'; at++) {
                at += text[at] == '\\' ? 1 : 0;
            }
            at++;
            continue;
        }
        const size_t n = strspn(text + at, "0123456789+.eE-");
        if (n == 0) {
            at++;
            continue;
        }
        const size_t sign = text[at] == '-' ? 1 : 0;
        const bool is_integer = strspn(text + at + sign, "0123456789") == n - sign;
        if (n > sign && is_overflow(text + at, is_integer)) {
            narrow(text + at + sign, n - sign, is_integer);
        }
        at += n;
    }
}

json_t *json_text_decode(const char *text, size_t length, size_t flags, json_error_t *fault) {
    json_t *value = json_loadb(text, length, flags, fault);
    if (value != NULL || json_error_code(fault) != json_error_numeric_overflow) {
        return value;
    }
    Buffer copy = {0};
    buffer_append(&copy, text, length);
    narrow_numbers(copy.bytes, copy.length);
    value = json_loadb(copy.bytes, copy.length, flags, fault);
    buffer_free(&copy);
    return value;
}

// ---- bytes

json_t *json_text_from_bytes(const char *text) {
    json_t *value = json_string(text);
    if (value != NULL) {
        return value;
    }
    Buffer escaped = {0};
    const size_t length = strlen(text);
    for (size_t i = 0, n = 0; i < length; i += n) {
        if (utf8_next(text + i, length - i, &n) < 0) {
            buffer_format(&escaped, "\\x%02x", (unsigned)(unsigned char)text[i]);
        } else {
            buffer_append_text(&escaped, text[i] == '\\' ? "\\" : "");
            buffer_append(&escaped, text + i, n);
        }
    }
    value = json_pack("{s:s}", "bytes", escaped.bytes);
    buffer_free(&escaped);
    return value;
}

char *json_text_to_bytes(const json_t *value) {
    const char *text = json_string_value(value);
    if (text != NULL) {
        return strdup(text);
    }
    text = json_string_value(json_object_get(value, "bytes"));
    char *bytes = text == NULL ? NULL : malloc(strlen(text) + 1);
    size_t n = 0;
    while (bytes != NULL && *text != '\0') {
        if (text[0] == '\\' && text[1] == 'x' && hex_digit(text[2]) >= 0 &&
            hex_digit(text[3]) >= 0) {
            bytes[n++] = (char)(hex_digit(text[2]) * 16 + hex_digit(text[3]));
            text += 4;
            continue;
        }
        text += text[0] == '\\' && text[1] == '\\' ? 1 : 0;
        bytes[n++] = *text++;
    }
    if (bytes != NULL) {
        bytes[n] = '\0';
    }
    return bytes;
}
