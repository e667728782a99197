// input_sequence.c - what a whole sequence from a terminal says: a key, the mouse, or nothing here.
#include "app/terminal/input_sequence.h"

#include <string.h>

enum {
    MAX_PARAMETERS = 4,
    MAX_PARTS = 3, // of a parameter, colons between
    MAX_NUMBER = 0x10FFFF,
};

typedef struct Parameters {
    int values[MAX_PARAMETERS][MAX_PARTS]; // 0: not given
    int n;                                 // given, empty ones too; more than fit are not kept
} Parameters;

typedef struct NumberedKey {
    int number, key;
} NumberedKey;

// ---- small tables

static int key_in(const NumberedKey *keys, size_t n_keys, int number) {
    for (size_t i = 0; i < n_keys; i++) {
        if (keys[i].number == number) {
            return keys[i].key;
        }
    }
    return -1;
}

// "ESC [ number ~": the VT220's, which rxvt and PuTTY number in their own ways.
static int key_of_tilde(int number) {
    static const NumberedKey KEYS[] = {
        {1, KEY_CODE_HOME},   {2, KEY_CODE_INSERT},  {3, KEY_CODE_DELETE},    {4, KEY_CODE_END},
        {7, KEY_CODE_HOME},   {5, KEY_CODE_PAGE_UP}, {6, KEY_CODE_PAGE_DOWN}, {8, KEY_CODE_END},
        {11, KEY_CODE_F1},    {12, KEY_CODE_F2},     {13, KEY_CODE_F3},       {14, KEY_CODE_F4},
        {15, KEY_CODE_F5},    {17, KEY_CODE_F6},     {18, KEY_CODE_F7},       {19, KEY_CODE_F8},
        {20, KEY_CODE_F9},    {21, KEY_CODE_F10},    {23, KEY_CODE_F11},      {24, KEY_CODE_F12},
        {25, KEY_CODE_OTHER}, // F13 and more
        {26, KEY_CODE_OTHER}, {28, KEY_CODE_OTHER},  {29, KEY_CODE_OTHER},    {31, KEY_CODE_OTHER},
        {32, KEY_CODE_OTHER}, {33, KEY_CODE_OTHER},  {34, KEY_CODE_OTHER},
    };
    return key_in(KEYS, sizeof KEYS / sizeof KEYS[0], number);
}

// "ESC [ letter" and "ESC O letter".
static int key_of_letter(char letter) {
    static const NumberedKey KEYS[] = {
        {'A', KEY_CODE_UP},   {'B', KEY_CODE_DOWN}, {'C', KEY_CODE_RIGHT}, {'D', KEY_CODE_LEFT},
        {'H', KEY_CODE_HOME}, {'F', KEY_CODE_END},  {'E', KEY_CODE_OTHER}, {'P', KEY_CODE_F1},
        {'Q', KEY_CODE_F2},   {'R', KEY_CODE_F3},   {'S', KEY_CODE_F4},
    };
    return key_in(KEYS, sizeof KEYS / sizeof KEYS[0], letter);
}

// "ESC O letter" of a numeric keypad, and rxvt's arrows with Ctrl.
static int key_of_keypad(char letter) {
    static const char SIGNS[] = "j*k+l,m-n.o/p0q1r2s3t4u5v6w7x8y9X=";
    for (size_t i = 0; SIGNS[i] != '\0'; i += 2) {
        if (SIGNS[i] == letter) {
            return SIGNS[i + 1];
        }
    }
    switch (letter) {
    case 'M':
        return KEY_CODE_ENTER;
    case 'I':
        return KEY_CODE_TAB;
    case ' ':
        return KEY_CODE_SPACE;
    case 'a':
    case 'b':
    case 'c':
    case 'd':
        return key_of_letter((char)(letter - 'a' + 'A')) | KEY_MOD_CTRL;
    default:
        return -1;
    }
}

// kitty's numbers of keys that give no character; the rest of its private numbers has no use here.
static int key_of_kitty(int number) {
    enum { PRIVATE_FIRST = 57344, PRIVATE_LAST = 63743, KEYPAD_0 = 57399, KEYPAD_9 = 57408 };
    static const NumberedKey KEYS[] = {
        {57409, '.'},
        {57410, '/'},
        {57411, '*'},
        {57412, '-'},
        {57413, '+'},
        {57414, KEY_CODE_ENTER},
        {57415, '='},
        {57416, ','},
        {57417, KEY_CODE_LEFT},
        {57418, KEY_CODE_RIGHT},
        {57419, KEY_CODE_UP},
        {57420, KEY_CODE_DOWN},
        {57421, KEY_CODE_PAGE_UP},
        {57422, KEY_CODE_PAGE_DOWN},
        {57423, KEY_CODE_HOME},
        {57424, KEY_CODE_END},
        {57425, KEY_CODE_INSERT},
        {57426, KEY_CODE_DELETE},
    };
    if (number < PRIVATE_FIRST || number > PRIVATE_LAST) {
        return number;
    }
    if (number >= KEYPAD_0 && number <= KEYPAD_9) {
        return '0' + number - KEYPAD_0;
    }
    int key = key_in(KEYS, sizeof KEYS / sizeof KEYS[0], number);
    return key < 0 ? KEY_CODE_OTHER : key;
}

// ---- numbers

static Parameters parse(const char *text, size_t length) {
    Parameters all = {.n = length > 0};
    int part = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ';') {
            all.n++;
            part = 0;
        } else if (text[i] == ':') {
            part++;
        } else if (text[i] >= '0' && text[i] <= '9' && all.n <= MAX_PARAMETERS &&
                   part < MAX_PARTS) {
            int *value = &all.values[all.n - 1][part];
            *value = 10 * *value + (text[i] - '0');
            *value = *value < MAX_NUMBER ? *value : MAX_NUMBER;
        }
    }
    return all;
}

static SequenceMeaning press(int key, Event *event) {
    *event = (Event){.kind = EVENT_KEY, .key = key};
    return SEQUENCE_EVENT;
}

// Modifiers are told as 1 + their bits; the locks say nothing, and no key here takes Super, Hyper
// or Meta.
static SequenceMeaning press_with(int key, const Parameters *all, int at, Event *event) {
    enum { SHIFT = 1, ALT = 2, CTRL = 4, OTHERS = 8 + 16 + 32, RELEASED = 3 };
    unsigned bits = all->values[at][0] > 0 ? (unsigned)all->values[at][0] - 1U : 0U;
    if (all->values[at][1] == RELEASED) {
        return SEQUENCE_REPORT;
    }
    return press((bits & OTHERS) != 0
                     ? KEY_CODE_OTHER
                     : key_with(key, (bits & SHIFT) != 0, (bits & ALT) != 0, (bits & CTRL) != 0),
                 event);
}

// ---- sequences

SequenceMeaning sequence_of_mouse(int bits, int column, int row, bool is_pressed, Event *event) {
    enum { MOVED = 32, WHEEL = 64, EXTRA = 128, NO_BUTTON = 3 };
    int button = bits & 3;
    bool is_wheel = (bits & WHEEL) != 0;
    if (!is_pressed || (bits & (MOVED | EXTRA)) != 0 || (!is_wheel && button == NO_BUTTON) ||
        column < 1 || row < 1) {
        return SEQUENCE_REPORT;
    }
    *event = (Event){.kind = EVENT_MOUSE,
                     .x = column - 1,
                     .y = row - 1,
                     .button = (MouseButton)(is_wheel ? MOUSE_UP + button : button)};
    return SEQUENCE_EVENT;
}

// "ESC [ number ~", and rxvt's ends: ^ with Ctrl, $ with Shift, @ with both.
static SequenceMeaning of_tilde(const Parameters *all, char final, Event *event) {
    enum { PASTE_BEGIN = 200, PASTE_END = 201, OTHER_KEYS = 27 };
    int number = all->values[0][0];
    if (final == '~' && (number == PASTE_BEGIN || number == PASTE_END)) {
        return number == PASTE_BEGIN ? SEQUENCE_PASTE : SEQUENCE_REPORT;
    }
    if (final == '~' && number == OTHER_KEYS && all->n == 3) { // xterm's modifyOtherKeys
        return press_with(all->values[2][0], all, 1, event);
    }
    int key = key_of_tilde(number);
    if (key < 0) {
        return SEQUENCE_UNKNOWN;
    }
    if (final == '~') {
        return press_with(key, all, 1, event);
    }
    return press(key_with(key, final != '^', false, final != '$'), event);
}

SequenceMeaning sequence_of_csi(const char *body, size_t length, Event *event) {
    char final = body[length - 1];
    bool is_private = strchr("<=>?", body[0]) != NULL;
    Parameters all = parse(body + is_private, length - 1 - is_private);
    if (body[0] == '<' && (final == 'M' || final == 'm')) {
        return all.n == 3 ? sequence_of_mouse(all.values[0][0], all.values[1][0], all.values[2][0],
                                              final == 'M', event)
                          : SEQUENCE_REPORT;
    }
    if (is_private) {
        return SEQUENCE_REPORT;
    }
    // "ESC [ row ; column R" is where the cursor stands; xterm's modified F3 looks alike.
    if (final == 'R' && all.n > 0) {
        return SEQUENCE_UNKNOWN;
    }
    if (final == 'Z') {
        return press(KEY_CODE_BACK_TAB, event);
    }
    if (strchr("~^$@", final) != NULL) {
        return all.n > 0 ? of_tilde(&all, final, event) : SEQUENCE_UNKNOWN;
    }
    if (final == 'u' && all.n > 0) {
        // What Shift makes of the key stands beside its number where the terminal says it.
        bool has_shifted = all.values[0][1] > 0 && ((all.values[1][0] - 1) & 1) != 0;
        return press_with(key_of_kitty(all.values[0][has_shifted]), &all, 1, event);
    }
    if (final >= 'a' && final <= 'd' && all.n == 0) { // rxvt's arrows with Shift
        return press(key_of_letter((char)(final - 'a' + 'A')) | KEY_MOD_SHIFT, event);
    }
    int key = key_of_letter(final);
    return key < 0 ? SEQUENCE_UNKNOWN : press_with(key, &all, all.n == 1 ? 0 : 1, event);
}

SequenceMeaning sequence_of_ss3(const char *body, size_t length, Event *event) {
    char final = body[length - 1];
    Parameters all = parse(body, length - 1);
    int key = key_of_letter(final);
    key = key < 0 ? key_of_keypad(final) : key;
    return key < 0 ? SEQUENCE_UNKNOWN : press_with(key, &all, all.n == 1 ? 0 : 1, event);
}

SequenceMeaning sequence_of_console(char final, Event *event) {
    return final >= 'A' && final <= 'E' ? press(KEY_CODE_F1 + (final - 'A'), event)
                                        : SEQUENCE_UNKNOWN;
}
