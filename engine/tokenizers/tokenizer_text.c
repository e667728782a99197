// tokenizer_text.c - UTF-8 read strictly, pieces made printable, and escaped for our text file.
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/base/hex.h"
#include "engine/tokenizers/tokenizer_private.h"

static bool is_printable(int32_t code) {
    if (utf8_is_control(code)) {
        return false;
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
    static const char MARK[] = "...";
    size_t used = 0;
    size_t kept = 0; // bytes behind which the mark still has room
    size_t i = 0;
    while (i < length) {
        size_t n = 1;
        const int32_t code = utf8_next(bytes + i, length - i, &n);
        kept = used + sizeof MARK <= size ? used : kept;
        if (code >= 0 && is_printable(code) && !utf8_is_invisible(code)) {
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
    if (i < length && size >= sizeof MARK) {
        memcpy(text + kept, MARK, sizeof MARK);
    }
}

void tokenizer_escape(Buffer *buffer, const char *bytes, size_t length) {
    if (length == 0) {
        buffer_append_text(buffer, "\\0");
    }
    for (size_t i = 0; i < length;) {
        size_t n = 1;
        const int32_t code = utf8_next(bytes + i, length - i, &n);
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
