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
    {KEY_CODE_SPACE, "Space", NULL},    {KEY_CODE_INSERT, "Ins", NULL},
    {KEY_CODE_F1, "F1", NULL},          {KEY_CODE_F2, "F2", NULL},
    {KEY_CODE_F3, "F3", NULL},          {KEY_CODE_F4, "F4", NULL},
    {KEY_CODE_F5, "F5", NULL},          {KEY_CODE_F6, "F6", NULL},
    {KEY_CODE_F7, "F7", NULL},          {KEY_CODE_F8, "F8", NULL},
    {KEY_CODE_F9, "F9", NULL},          {KEY_CODE_F10, "F10", NULL},
    {KEY_CODE_F11, "F11", NULL},        {KEY_CODE_F12, "F12", NULL},
};

typedef struct ModifierName {
    int bit;
    const char *name;
} ModifierName;

// In the order in which they are written.
static const ModifierName MODIFIERS[] = {
    {KEY_MOD_CTRL, "Ctrl-"}, {KEY_MOD_ALT, "Alt-"}, {KEY_MOD_SHIFT, "Shift-"}};

enum {
    N_NAMES = sizeof NAMES / sizeof NAMES[0],
    N_MODIFIERS = sizeof MODIFIERS / sizeof MODIFIERS[0],
    ALL_MODIFIERS = KEY_MOD_SHIFT | KEY_MOD_ALT | KEY_MOD_CTRL,
    CONTROL = 0x40,
    LAST_CONTROL = 0x1F,
};

int key_with(int key, bool has_shift, bool has_alt, bool has_ctrl) {
    enum { DELETE = 127, LAST_C1 = 0x9F, FIRST_SURROGATE = 0xD800, LAST_SURROGATE = 0xDFFF };
    if (key <= 0 || (key > DELETE && key <= LAST_C1) ||
        (key >= FIRST_SURROGATE && key <= LAST_SURROGATE)) {
        return KEY_CODE_OTHER;
    }
    bool is_letter = (key >= 'a' && key <= 'z') || (key >= 'A' && key <= 'Z');
    if (has_ctrl && (is_letter || (key >= '[' && key <= '_'))) {
        key &= LAST_CONTROL;
        has_ctrl = false;
    } else if (has_shift && is_letter) {
        key = 'A' + (key & LAST_CONTROL) - 1;
        has_shift = false;
    }
    bool is_sign = key > ' ' && key < KEY_CODE_UP && key != DELETE;
    key = key_of_character(key);
    if (has_shift && key == KEY_CODE_TAB) {
        key = KEY_CODE_BACK_TAB;
        has_shift = false;
    }
    return key | (has_shift && !is_sign ? KEY_MOD_SHIFT : 0) | (has_alt ? KEY_MOD_ALT : 0) |
           (has_ctrl ? KEY_MOD_CTRL : 0);
}

static bool find_plain(int *key, const char *name, size_t length) {
    for (int i = 0; i < N_NAMES; i++) {
        if (strlen(NAMES[i].name) == length && memcmp(NAMES[i].name, name, length) == 0) {
            *key = NAMES[i].key;
            return true;
        }
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

bool key_find(int *key, const char *name, size_t length) {
    if (find_plain(key, name, length)) {
        return true; // Shift-Tab is a key of its own
    }
    int bits = 0;
    for (int i = 0; i < N_MODIFIERS; i++) {
        size_t size = strlen(MODIFIERS[i].name);
        if (length > size && memcmp(name, MODIFIERS[i].name, size) == 0) {
            bits |= MODIFIERS[i].bit;
            name += size;
            length -= size;
        }
    }
    if (!find_plain(key, name, length)) {
        return false;
    }
    *key = key_with(*key, (bits & KEY_MOD_SHIFT) != 0, (bits & KEY_MOD_ALT) != 0,
                    (bits & KEY_MOD_CTRL) != 0);
    return true;
}

static void plain_label(int key, bool ascii, char *name, size_t size) {
    for (int i = 0; i < N_NAMES; i++) {
        if (NAMES[i].key == key) {
            bool has_sign = NAMES[i].sign != NULL && !ascii;
            snprintf(name, size, "%s", has_sign ? NAMES[i].sign : NAMES[i].name);
            return;
        }
    }
    if (key > 0 && key <= LAST_CONTROL) {
        snprintf(name, size, "Ctrl-%c", key + CONTROL);
        return;
    }
    utf8proc_uint8_t bytes[8] = {0};
    utf8proc_ssize_t used = key > 0 && key < KEY_CODE_UP ? utf8proc_encode_char(key, bytes) : 0;
    snprintf(name, size, "%.*s", (int)used, (const char *)bytes);
}

void key_label(int key, bool ascii, char name[KEY_NAME_BYTES]) {
    size_t length = 0;
    name[0] = '\0';
    for (int i = 0; i < N_MODIFIERS; i++) {
        if ((key & MODIFIERS[i].bit) != 0) {
            length +=
                (size_t)snprintf(name + length, KEY_NAME_BYTES - length, "%s", MODIFIERS[i].name);
        }
    }
    plain_label(key & ~ALL_MODIFIERS, ascii, name + length, KEY_NAME_BYTES - length);
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
