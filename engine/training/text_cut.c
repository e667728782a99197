// text_cut.c - where texts part: blank lines between them, and places inside a long one at which
// its tokens do not change.
#include "engine/training/text_cut.h"

#include <assert.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/base/file.h"
#include "engine/tokenizers/character_class.h"

static bool is_gap(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

bool text_cut_find_blank(const char *text, size_t length, size_t *offset, size_t *blank_bytes) {
    const char *end = text + length;
    const char *line = memchr(text, '\n', length);
    while (line != NULL) {
        const char *last = line; // the last line end of the run
        const char *at = line + 1;
        for (; at < end && (is_gap(*at) || *at == '\n'); at++) {
            last = *at == '\n' ? at : last;
        }
        if (at < end && last > line) {
            *offset = (size_t)(line - text);
            *blank_bytes = (size_t)(last + 1 - line);
            return true;
        }
        line = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    }
    return false;
}

// What stands at a place: a class of CharacterClass; what is not UTF-8 is a sign.
static unsigned class_at(const char *text, size_t at, size_t length) {
    unsigned char first = (unsigned char)text[at];
    if (first < 0x80) {
        bool is_letter = (first | 0x20) >= 'a' && (first | 0x20) <= 'z';
        bool is_space = first == ' ' || (first >= '\t' && first <= '\r');
        return is_letter ? CLASS_LETTER : is_space ? CLASS_SPACE : CLASS_SIGN;
    }
    size_t n = 0;
    int32_t code = utf8_next(text + at, length - at, &n);
    return code < 0 ? CLASS_SIGN : character_class_of(code);
}

static unsigned class_before(const char *text, size_t at, size_t length) {
    size_t start = at - 1;
    while (start > 0 && at - start < 4 && utf8_is_inside(text[start])) {
        start--;
    }
    return class_at(text, start, length);
}

// One white byte at `at` that stands alone, with a letter behind it.
static bool parts_words(const char *text, size_t at, size_t length, char white) {
    return text[at] == white && at + 1 < length &&
           (class_at(text, at + 1, length) & CLASS_LETTER) != 0 &&
           (class_before(text, at, length) & CLASS_SPACE) == 0;
}

size_t text_cut_end(const char *text, size_t length, size_t most) {
    assert(most > 0 && most < length);
    for (size_t i = most; i > 0; i--) {
        if (parts_words(text, i, length, ' ')) {
            return i;
        }
    }
    for (size_t i = most; i > 1; i--) {
        if (parts_words(text, i - 1, length, '\n')) {
            return i;
        }
    }
    return text_cut_line(text, length, most);
}

size_t text_cut_line(const char *line, size_t length, size_t most) {
    assert(most > 0 && most < length);
    for (size_t i = most; i > 0; i--) {
        if (line[i] == ' ' || line[i] == '\n' || line[i] == '\t' || line[i] == '\r') {
            return i;
        }
    }
    size_t end = most;
    while (end > 1 && utf8_is_inside(line[end])) {
        end--;
    }
    return utf8_is_inside(line[end]) ? most : end;
}
