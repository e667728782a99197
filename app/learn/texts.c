// texts.c - what the screen says, in each language.
#include "app/learn/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/text_buffer.h"
#include "views/text.h"

static const Texts *const ALL[LANGUAGE_COUNT] = {&texts_en, &texts_zh};

const char *text_of(Language language, TextId id) {
    return ALL[language]->texts[id];
}

const char *text_spoken(Language language, TextId id) {
    const char *text = ALL[language]->spoken[id];
    return text != NULL ? text : ALL[language]->texts[id];
}

static const char *const HELP[LANGUAGE_COUNT][COMMAND_COUNT] = {
#define X(id, name, keys, argument, needs, part, function, hint, en, zh, hint_en, hint_zh)         \
    [LANGUAGE_EN][COMMAND_##id] = (en), [LANGUAGE_ZH][COMMAND_##id] = (zh),
    COMMAND_LIST(X)
#undef X
};

static const char *const HINTS[LANGUAGE_COUNT][COMMAND_COUNT] = {
#define X(id, name, keys, argument, needs, part, function, hint, en, zh, hint_en, hint_zh)         \
    [LANGUAGE_EN][COMMAND_##id] = (hint_en), [LANGUAGE_ZH][COMMAND_##id] = (hint_zh),
    COMMAND_LIST(X)
#undef X
};

const char *text_help(Language language, CommandId id) {
    return HELP[language][id];
}

const char *text_hint(Language language, CommandId id) {
    const char *hint = HINTS[language][id];
    return hint[0] == '\0' ? NULL : hint;
}

char *text_filled(const char *text, const char *a, const char *b) {
    TextBuffer buffer = {0};
    while (*text != '\0') {
        bool is_a = strncmp(text, "{a}", 3) == 0;
        bool is_b = strncmp(text, "{b}", 3) == 0;
        if (is_a || is_b) {
            const char *value = is_a ? a : b;
            text_buffer_text(&buffer, value == NULL ? "" : value);
            text += 3;
        } else {
            text_buffer_append(&buffer, text++, 1);
        }
    }
    char *all = NULL;
    size_t length = 0;
    return text_buffer_take(&buffer, &all, &length, NULL) ? all : NULL;
}

const char *text_fill(char *out, size_t size, const char *text, const char *a, const char *b) {
    char *all = text_filled(text, a, b);
    text_copy(out, size, all == NULL ? text : all);
    free(all);
    return out;
}
