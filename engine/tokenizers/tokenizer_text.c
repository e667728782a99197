// tokenizer_text.c - UTF-8 read strictly, pieces made printable, and escaped for our text file.
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "engine/base/hex.h"
#include "engine/tokenizers/tokenizer_private.h"

int32_t tokenizer_next_char(const char *text, size_t length, size_t *n_bytes) {
    const unsigned char *bytes = (const unsigned char *)text;
    *n_bytes = 1;
    const uint32_t first = bytes[0];
    if (first < 0x80) {
        return (int32_t)first;
    }
    const size_t needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || needed > length) {
        return -1;
    }
    uint32_t code = first & (0xffU >> (needed + 1));
    for (size_t i = 1; i < needed; i++) {
        if ((bytes[i] & 0xc0U) != 0x80) {
            return -1;
        }
        code = code << 6 | (bytes[i] & 0x3fU);
    }
    const bool overlong = (needed == 3 && code < 0x800) || (needed == 4 && code < 0x10000);
    if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        return -1;
    }
    *n_bytes = needed;
    return (int32_t)code;
}

static bool is_printable(int32_t code) {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
        return false;
    }
    if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
        code == 0x200e || code == 0x200f || code == 0x061c || code == 0x2028 || code == 0x2029) {
        return false; // would turn the line around, or break it
    }
    if (code < 0x7f) {
        return true;
    }
    const utf8proc_category_t category = utf8proc_category(code);
    return category != UTF8PROC_CATEGORY_CN && category != UTF8PROC_CATEGORY_CS;
}

void tokenizer_clean(const char *bytes, size_t length, char *text, size_t size) {
    if (size == 0) {
        return;
    }
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        size_t n = 1;
        const int32_t code = tokenizer_next_char(bytes + i, length - i, &n);
        if (code >= 0 && is_printable(code)) {
            if (used + n >= size) {
                break;
            }
            memcpy(text + used, bytes + i, n);
            used += n;
            i += n;
            continue;
        }
        if (used + 4 * n >= size) {
            break;
        }
        for (size_t k = 0; k < n; k++, i++) {
            snprintf(text + used, size - used, "<%02X>", (unsigned)(unsigned char)bytes[i]);
            used += 4;
        }
    }
    text[used] = '\0';
}

void tokenizer_escape(Buffer *buffer, const char *bytes, size_t length) {
    if (length == 0) {
        buffer_append_text(buffer, "\\0");
    }
    for (size_t i = 0; i < length;) {
        size_t n = 1;
        const int32_t code = tokenizer_next_char(bytes + i, length - i, &n);
        if (code > 0x20 && code != '\\' && is_printable(code)) {
            buffer_append(buffer, bytes + i, n);
            i += n;
            continue;
        }
        for (size_t k = 0; k < n; k++, i++) {
            buffer_format(buffer, "\\x%02X", (unsigned)(unsigned char)bytes[i]);
        }
    }
}

bool tokenizer_unescape(Buffer *buffer, const char *text, size_t length) {
    if (length == 2 && text[0] == '\\' && text[1] == '0') {
        return true;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\\') {
            buffer_append(buffer, text + i, 1);
            continue;
        }
        if (i + 3 >= length + 0 || text[i + 1] != 'x') {
            return false;
        }
        const int high = hex_digit_upper(text[i + 2]);
        const int low = hex_digit_upper(text[i + 3]);
        if (high < 0 || low < 0) {
            return false;
        }
        const char byte = (char)(high * 16 + low);
        buffer_append(buffer, &byte, 1);
        i += 3;
    }
    return true;
}
