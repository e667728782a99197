// key.h - keys as numbers, and their names in tables, prompts and help.
#ifndef APP_TERMINAL_KEY_H
#define APP_TERMINAL_KEY_H

#include <stdbool.h>
#include <stddef.h>

// A key that gives a character is its code point; these lie above all code points.
typedef enum KeyCode {
    KEY_CODE_UP = 0x110000,
    KEY_CODE_DOWN,
    KEY_CODE_LEFT,
    KEY_CODE_RIGHT,
    KEY_CODE_HOME,
    KEY_CODE_END,
    KEY_CODE_PAGE_UP,
    KEY_CODE_PAGE_DOWN,
    KEY_CODE_DELETE,
    KEY_CODE_BACK_TAB,
    KEY_CODE_BACKSPACE,
    KEY_CODE_ENTER,
    KEY_CODE_TAB,
    KEY_CODE_ESCAPE,
    KEY_CODE_SPACE,
    KEY_CODE_OTHER, // one that has no use here
} KeyCode;

enum { KEY_NAME_BYTES = 16 };

// The key of a character that a terminal sends: control codes have names of their own.
int key_of_character(int character);

// "n", "Space", "Shift-Tab", "Ctrl-L"; false for a name that no key has.
bool key_find(int *key, const char *name, size_t length);

// True where the key is one of those whose names stand in the text, spaces between.
bool key_is_among(int key, const char *names);

// Such names as a person reads them. Returns text.
const char *key_labels(const char *names, bool ascii, char *text, size_t size);

// The name of a key, as a person reads it: arrows are signs unless ascii.
void key_label(int key, bool ascii, char name[KEY_NAME_BYTES]);

#endif
