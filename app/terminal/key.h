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
    KEY_CODE_INSERT,
    KEY_CODE_F1,
    KEY_CODE_F2,
    KEY_CODE_F3,
    KEY_CODE_F4,
    KEY_CODE_F5,
    KEY_CODE_F6,
    KEY_CODE_F7,
    KEY_CODE_F8,
    KEY_CODE_F9,
    KEY_CODE_F10,
    KEY_CODE_F11,
    KEY_CODE_F12,
    KEY_CODE_OTHER, // one that has no use here
} KeyCode;

// Keys held together with another one are bits beside it. They are never there where a character
// says as much: Ctrl with a letter is 1 to 26, Shift with a letter is the capital, Shift with Tab
// is KEY_CODE_BACK_TAB.
typedef enum KeyModifier {
    KEY_MOD_SHIFT = 1 << 24,
    KEY_MOD_ALT = 1 << 25,
    KEY_MOD_CTRL = 1 << 26,
} KeyModifier;

enum { KEY_NAME_BYTES = 32 };

// The key of a character that a terminal sends: control codes have names of their own.
int key_of_character(int character);

// A character or KEY_CODE_... pressed together with others.
int key_with(int key, bool has_shift, bool has_alt, bool has_ctrl);

// "n", "Space", "Shift-Tab", "Ctrl-L", "F5", "Alt-b", "Ctrl-Right", "Ctrl-Alt-Shift-End"; false for
// a name that no key has.
bool key_find(int *key, const char *name, size_t length);

// True where the key is one of those whose names stand in the text, spaces between.
bool key_is_among(int key, const char *names);

// Such names as a person reads them. Returns text.
const char *key_labels(const char *names, bool ascii, char *text, size_t size);

// The name of a key, as a person reads it: arrows are signs unless ascii.
void key_label(int key, bool ascii, char name[KEY_NAME_BYTES]);

#endif
