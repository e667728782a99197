// texts.c - what the screen says, in each language.
#include "app/learn/texts.h"

#include <string.h>

static const Texts *const ALL[LANGUAGE_COUNT] = {&texts_en, &texts_zh};

const char *text_of(Language language, TextId id) {
    return ALL[language]->texts[id];
}

const char *text_help(Language language, CommandId id) {
    return ALL[language]->help[id];
}

const char *text_hint(Language language, CommandId id) {
    return ALL[language]->hints[id];
}

static size_t put(char *out, size_t size, size_t at, const char *text, size_t length) {
    if (at + length + 1 > size) {
        length = size > at + 1 ? size - at - 1 : 0;
    }
    memcpy(out + at, text, length);
    return at + length;
}

const char *text_fill(char *out, size_t size, const char *text, const char *a, const char *b) {
    size_t at = 0;
    while (*text != '\0') {
        bool is_a = strncmp(text, "{a}", 3) == 0;
        bool is_b = strncmp(text, "{b}", 3) == 0;
        if (is_a || is_b) {
            const char *value = is_a ? a : b;
            at = put(out, size, at, value == NULL ? "" : value, value == NULL ? 0 : strlen(value));
            text += 3;
        } else {
            at = put(out, size, at, text++, 1);
        }
    }
    out[at] = '\0';
    return out;
}
