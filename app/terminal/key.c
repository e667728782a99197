// key.c - keys as numbers, and their names in tables, prompts and help.
#include "app/terminal/key.h"

#include <stdio.h>
#include <string.h>

#include <utf8proc.h>

typedef struct KeyName {
    int key;
    const char *name;
    const char *sign; // NULL: the name
} KeyName;

static const KeyName NAMES[] = {
    {KEY_CODE_UP, "Up", "↑"},           {KEY_CODE_DOWN, "Down", "↓"},
    {KEY_CODE_LEFT, "Left", "←"},       {KEY_CODE_RIGHT, "Right", "→"},
    {KEY_CODE_HOME, "Home", NULL},      {KEY_CODE_END, "End", NULL},
    {KEY_CODE_PAGE_UP, "PgUp", NULL},   {KEY_CODE_PAGE_DOWN, "PgDn", NULL},
    {KEY_CODE_DELETE, "Del", NULL},     {KEY_CODE_BACK_TAB, "Shift-Tab", NULL},
    {KEY_CODE_BACKSPACE, "Bksp", NULL}, {KEY_CODE_ENTER, "Enter", NULL},
    {KEY_CODE_TAB, "Tab", NULL},        {KEY_CODE_ESCAPE, "Esc", NULL},
    {KEY_CODE_SPACE, "Space", NULL},
};

enum { N_NAMES = sizeof NAMES / sizeof NAMES[0], CONTROL = 0x40, LAST_CONTROL = 0x1F };

bool key_find(int *key, const char *name, size_t length) {
    for (int i = 0; i < N_NAMES; i++) {
        if (strlen(NAMES[i].name) == length && memcmp(NAMES[i].name, name, length) == 0) {
            *key = NAMES[i].key;
            return true;
        }
    }
    if (length == 6 && memcmp(name, "Ctrl-", 5) == 0) {
        *key = name[5] & LAST_CONTROL;
        return true;
    }
    utf8proc_int32_t codepoint = 0;
    utf8proc_ssize_t used =
        utf8proc_iterate((const utf8proc_uint8_t *)name, (utf8proc_ssize_t)length, &codepoint);
    if (used <= 0 || (size_t)used != length) {
        return false;
    }
    *key = codepoint;
    return true;
}

void key_label(int key, bool ascii, char name[KEY_NAME_BYTES]) {
    for (int i = 0; i < N_NAMES; i++) {
        if (NAMES[i].key == key) {
            bool has_sign = NAMES[i].sign != NULL && !ascii;
            snprintf(name, KEY_NAME_BYTES, "%s", has_sign ? NAMES[i].sign : NAMES[i].name);
            return;
        }
    }
    if (key > 0 && key <= LAST_CONTROL) {
        snprintf(name, KEY_NAME_BYTES, "Ctrl-%c", key + CONTROL);
        return;
    }
    utf8proc_uint8_t bytes[8] = {0};
    utf8proc_ssize_t used = key > 0 && key < KEY_CODE_UP ? utf8proc_encode_char(key, bytes) : 0;
    snprintf(name, KEY_NAME_BYTES, "%.*s", (int)used, (const char *)bytes);
}

// The key that *names begins with, which moves behind it; false at the end.
static bool next_key(const char **names, int *key) {
    while (**names != '\0') {
        size_t size = strcspn(*names, " ");
        bool is_found = key_find(key, *names, size);
        *names += size;
        *names += strspn(*names, " ");
        if (is_found) {
            return true;
        }
    }
    return false;
}

bool key_is_among(int key, const char *names) {
    for (int found = 0; next_key(&names, &found);) {
        if (found == key) {
            return true;
        }
    }
    return false;
}

const char *key_labels(const char *names, bool ascii, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (int key = 0; length < size && next_key(&names, &key);) {
        char name[KEY_NAME_BYTES];
        key_label(key, ascii, name);
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? " " : "", name);
    }
    return text;
}

int key_of_character(int character) {
    enum { BACKSPACE = 8, ESCAPE = 27, DELETE = 127 };
    switch (character) {
    case '\r':
    case '\n':
        return KEY_CODE_ENTER;
    case '\t':
        return KEY_CODE_TAB;
    case ' ':
        return KEY_CODE_SPACE;
    case ESCAPE:
        return KEY_CODE_ESCAPE;
    case DELETE:
    case BACKSPACE:
        return KEY_CODE_BACKSPACE;
    default:
        return character;
    }
}
