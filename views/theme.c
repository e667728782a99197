// theme.c - what each style of a canvas looks like: dark, light, and without colour.
#include "views/theme.h"

#include <assert.h>
#include <string.h>

// Numbers of the terminal's own colours.
enum {
    DEFAULT = -1,
    BLACK,
    RED,
    GREEN,
    YELLOW,
    BLUE,
    MAGENTA,
    CYAN,
    WHITE,
    BRIGHT_BLACK,
    BRIGHT_RED,
    BRIGHT_GREEN,
    BRIGHT_YELLOW,
    BRIGHT_BLUE,
    BRIGHT_MAGENTA,
    BRIGHT_CYAN,
    BRIGHT_WHITE
};

#define RGB(hex)                                                                                   \
    {                                                                                              \
        (unsigned char)((hex) >> 16 & 255), (unsigned char)((hex) >> 8 & 255),                     \
            (unsigned char)((hex)&255)                                                             \
    }

enum { DARK_PAPER = 0x15181D, LIGHT_PAPER = 0xFDFCF9 };
#define DARK(ink, ink16, attributes)                                                               \
    { RGB(ink), RGB(DARK_PAPER), (ink16), DEFAULT, (attributes) }
#define LIGHT(ink, ink16, attributes)                                                              \
    { RGB(ink), RGB(LIGHT_PAPER), (ink16), DEFAULT, (attributes) }
#define ON(ink, paper, ink16, paper16, attributes)                                                 \
    { RGB(ink), RGB(paper), (ink16), (paper16), (attributes) }
#define MONO(attributes)                                                                           \
    { RGB(0x000000), RGB(0xFFFFFF), DEFAULT, DEFAULT, (attributes) }

static const Look LOOKS[THEME_COUNT][STYLE_COUNT] =
    {
        [THEME_DARK] =
            {
                [STYLE_TEXT] = DARK(0xD6DAE0, DEFAULT, 0),
                [STYLE_DIM] = DARK(0x858C97, BRIGHT_BLACK, 0),
                [STYLE_STRONG] = DARK(0xFFFFFF, BRIGHT_WHITE, LOOK_BOLD),
                [STYLE_EMPHASIS] = DARK(0xE8EBF0, WHITE, LOOK_ITALIC),
                [STYLE_CODE] = DARK(0xE3C27A, YELLOW, 0),
                [STYLE_LINK] = DARK(0x6FB7F2, BRIGHT_BLUE, LOOK_UNDERLINE),
                [STYLE_TITLE] = DARK(0xFFFFFF, BRIGHT_WHITE, LOOK_BOLD),
                [STYLE_HEADING] = DARK(0x8CCBFF, BRIGHT_CYAN, LOOK_BOLD),
                [STYLE_BAR] = ON(0xD6DAE0, 0x2A3039, WHITE, BRIGHT_BLACK, 0),
                [STYLE_KEY] = ON(0xFFD479, 0x2A3039, BRIGHT_YELLOW, BRIGHT_BLACK, LOOK_BOLD),
                [STYLE_BORDER] = DARK(0x7A828E, BRIGHT_BLACK, 0),
                [STYLE_FOCUS] = DARK(0x6FB7F2, BRIGHT_BLUE, LOOK_BOLD),
                [STYLE_NUMBER] = DARK(0xE8EBF0, DEFAULT, 0),
                [STYLE_NEGATIVE] = DARK(0xF0A3A0, BRIGHT_RED, 0),
                [STYLE_MASKED] = DARK(0x858C97, BRIGHT_BLACK, 0),
                [STYLE_QUERY_LABEL] = DARK(0x7FD8C4, BRIGHT_CYAN, LOOK_BOLD),
                [STYLE_KEY_LABEL] = DARK(0xF2B872, BRIGHT_YELLOW, LOOK_BOLD),
                [STYLE_CURSOR] = ON(0x15181D, 0xFFD479, BLACK, YELLOW, LOOK_BOLD),
                [STYLE_SOURCE] = ON(0xFFFFFF, 0x1F5B8C, BRIGHT_WHITE, BLUE, LOOK_UNDERLINE),
                [STYLE_ACTIVE] = ON(0xFFFFFF, 0x35404D, BRIGHT_WHITE, BRIGHT_BLACK, 0),
                [STYLE_HIT] = ON(0x15181D, 0xA6D189, BLACK, GREEN, 0),
                [STYLE_CHANGED] = DARK(0xFF9CE0, BRIGHT_MAGENTA, LOOK_BOLD),
                [STYLE_FORWARD] = DARK(0x7FC8F8, BRIGHT_BLUE, 0),
                [STYLE_BACKWARD] = DARK(0xF5A97F, BRIGHT_RED, 0),
                [STYLE_GOOD] = DARK(0x9BDB8A, BRIGHT_GREEN, LOOK_BOLD),
                [STYLE_BAD] = DARK(0xFF8A85, BRIGHT_RED, LOOK_BOLD),
                [STYLE_QUESTION] = DARK(0xFFD479, BRIGHT_YELLOW, LOOK_BOLD),
                [STYLE_PROMPT] = DARK(0xFFFFFF, BRIGHT_WHITE, 0),
            },
        [THEME_LIGHT] =
            {
                [STYLE_TEXT] = LIGHT(0x23272E, DEFAULT, 0),
                [STYLE_DIM] = LIGHT(0x6A707A, BRIGHT_BLACK, 0),
                [STYLE_STRONG] = LIGHT(0x000000, BLACK, LOOK_BOLD),
                [STYLE_EMPHASIS] = LIGHT(0x23272E, BLACK, LOOK_ITALIC),
                [STYLE_CODE] = LIGHT(0x7A4B00, YELLOW, 0),
                [STYLE_LINK] = LIGHT(0x0B5CAD, BLUE, LOOK_UNDERLINE),
                [STYLE_TITLE] = LIGHT(0x000000, BLACK, LOOK_BOLD),
                [STYLE_HEADING] = LIGHT(0x0B4F94, BLUE, LOOK_BOLD),
                [STYLE_BAR] = ON(0x23272E, 0xE3E6EB, BLACK, WHITE, 0),
                [STYLE_KEY] = ON(0x7A3E00, 0xE3E6EB, RED, WHITE, LOOK_BOLD),
                [STYLE_BORDER] = LIGHT(0x6A707A, BRIGHT_BLACK, 0),
                [STYLE_FOCUS] = LIGHT(0x0B5CAD, BLUE, LOOK_BOLD),
                [STYLE_NUMBER] = LIGHT(0x1A1D22, DEFAULT, 0),
                [STYLE_NEGATIVE] = LIGHT(0xA3201C, RED, 0),
                [STYLE_MASKED] = LIGHT(0x6A707A, BRIGHT_BLACK, 0),
                [STYLE_QUERY_LABEL] = LIGHT(0x006A5B, CYAN, LOOK_BOLD),
                [STYLE_KEY_LABEL] = LIGHT(0x8A4B00, YELLOW, LOOK_BOLD),
                [STYLE_CURSOR] = ON(0x000000, 0xFFC94D, BLACK, YELLOW, LOOK_BOLD),
                [STYLE_SOURCE] = ON(0x06213A, 0xB9DBF7, BLACK, CYAN, LOOK_UNDERLINE),
                [STYLE_ACTIVE] = ON(0x000000, 0xDDE3EA, BLACK, WHITE, 0),
                [STYLE_HIT] = ON(0x000000, 0xBFE5A8, BLACK, GREEN, 0),
                [STYLE_CHANGED] = LIGHT(0x9B1B7E, MAGENTA, LOOK_BOLD),
                [STYLE_FORWARD] = LIGHT(0x0B5CAD, BLUE, 0),
                [STYLE_BACKWARD] = LIGHT(0xA4470B, RED, 0),
                [STYLE_GOOD] = LIGHT(0x226B1B, GREEN, LOOK_BOLD),
                [STYLE_BAD] = LIGHT(0xB01712, RED, LOOK_BOLD),
                [STYLE_QUESTION] = LIGHT(0x7A4B00, YELLOW, LOOK_BOLD),
                [STYLE_PROMPT] = LIGHT(0x000000, BLACK, 0),
            },
        [THEME_MONO] =
            {
                [STYLE_TEXT] = MONO(0),
                [STYLE_DIM] = MONO(LOOK_DIM),
                [STYLE_STRONG] = MONO(LOOK_BOLD),
                [STYLE_EMPHASIS] = MONO(LOOK_ITALIC),
                [STYLE_CODE] = MONO(0),
                [STYLE_LINK] = MONO(LOOK_UNDERLINE),
                [STYLE_TITLE] = MONO(LOOK_BOLD),
                [STYLE_HEADING] = MONO(LOOK_BOLD | LOOK_UNDERLINE),
                [STYLE_BAR] = MONO(LOOK_REVERSE),
                [STYLE_KEY] = MONO(LOOK_REVERSE | LOOK_BOLD),
                [STYLE_BORDER] = MONO(0),
                [STYLE_FOCUS] = MONO(LOOK_BOLD),
                [STYLE_NUMBER] = MONO(0),
                [STYLE_NEGATIVE] = MONO(0),
                [STYLE_MASKED] = MONO(LOOK_DIM),
                [STYLE_QUERY_LABEL] = MONO(LOOK_BOLD),
                [STYLE_KEY_LABEL] = MONO(LOOK_BOLD),
                [STYLE_CURSOR] = MONO(LOOK_REVERSE | LOOK_BOLD),
                [STYLE_SOURCE] = MONO(LOOK_UNDERLINE | LOOK_BOLD),
                [STYLE_ACTIVE] = MONO(LOOK_BOLD),
                [STYLE_HIT] = MONO(LOOK_REVERSE),
                [STYLE_CHANGED] = MONO(LOOK_UNDERLINE),
                [STYLE_FORWARD] = MONO(0),
                [STYLE_BACKWARD] = MONO(LOOK_ITALIC),
                [STYLE_GOOD] = MONO(LOOK_BOLD),
                [STYLE_BAD] = MONO(LOOK_BOLD | LOOK_UNDERLINE),
                [STYLE_QUESTION] = MONO(LOOK_BOLD),
                [STYLE_PROMPT] = MONO(0),
            },
};

const char *theme_name(ThemeName theme) {
    static const char *const NAMES[THEME_COUNT] = {
        [THEME_DARK] = "dark", [THEME_LIGHT] = "light", [THEME_MONO] = "mono"};
    return NAMES[theme];
}

bool theme_find(ThemeName *theme, const char *name, Error *err) {
    for (int i = 0; i < THEME_COUNT; i++) {
        if (strcmp(name, theme_name((ThemeName)i)) == 0) {
            *theme = (ThemeName)i;
            return true;
        }
    }
    return error_set(err, "there is no theme \"%s\"; there are dark, light and mono", name);
}

Look theme_look(ThemeName theme, Style style) {
    assert((int)style < STYLE_COUNT && (int)theme < THEME_COUNT);
    return LOOKS[theme][style];
}

char theme_style_letter(Style style) {
    static const char LETTERS[STYLE_COUNT] = {
#define X(name, letter) [STYLE_##name] = (letter),
        STYLE_LIST(X)
#undef X
    };
    return LETTERS[style];
}
