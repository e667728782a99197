// theme.c - what each style of a canvas looks like: dark, light, and without colour.
#include "views/theme.h"

#include <assert.h>
#include <string.h>

#define RGB(hex)                                                                                   \
    {                                                                                              \
        (unsigned char)((hex) >> 16 & 255), (unsigned char)((hex) >> 8 & 255),                     \
            (unsigned char)((hex)&255)                                                             \
    }

enum { DARK_PAPER = 0x15181D, LIGHT_PAPER = 0xFDFCF9 };
#define DARK(ink, attributes)                                                                      \
    { RGB(ink), RGB(DARK_PAPER), (attributes) }
#define LIGHT(ink, attributes)                                                                     \
    { RGB(ink), RGB(LIGHT_PAPER), (attributes) }
#define ON(ink, paper, attributes)                                                                 \
    { RGB(ink), RGB(paper), (attributes) }
#define MONO(attributes)                                                                           \
    { RGB(0x000000), RGB(0xFFFFFF), (attributes) }

static const Look DARK_LOOKS[STYLE_COUNT] = {
    [STYLE_TEXT] = DARK(0xD6DAE0, 0),
    [STYLE_DIM] = DARK(0x858C97, 0),
    [STYLE_STRONG] = DARK(0xFFFFFF, LOOK_BOLD),
    [STYLE_EMPHASIS] = DARK(0xE8EBF0, LOOK_ITALIC),
    [STYLE_CODE] = DARK(0xE3C27A, 0),
    [STYLE_LINK] = DARK(0x6FB7F2, LOOK_UNDERLINE),
    [STYLE_TITLE] = DARK(0xFFFFFF, LOOK_BOLD),
    [STYLE_HEADING] = DARK(0x8CCBFF, LOOK_BOLD),
    [STYLE_BAR] = ON(0xD6DAE0, 0x2A3039, 0),
    [STYLE_KEY] = ON(0xFFD479, 0x2A3039, LOOK_BOLD),
    [STYLE_BORDER] = DARK(0x858C97, 0),
    [STYLE_FOCUS] = DARK(0x6FB7F2, LOOK_BOLD),
    [STYLE_NUMBER] = DARK(0xE8EBF0, 0),
    [STYLE_NEGATIVE] = DARK(0xF0A3A0, 0),
    [STYLE_MASKED] = DARK(0x858C97, 0),
    [STYLE_QUERY_LABEL] = DARK(0x7FD8C4, LOOK_BOLD),
    [STYLE_KEY_LABEL] = DARK(0xF2B872, LOOK_BOLD),
    [STYLE_CURSOR] = ON(0x15181D, 0xFFD479, LOOK_BOLD),
    [STYLE_SOURCE] = ON(0xFFFFFF, 0x1F5B8C, LOOK_UNDERLINE),
    [STYLE_ACTIVE] = ON(0xFFFFFF, 0x35404D, 0),
    [STYLE_HIT] = ON(0x15181D, 0xA6D189, 0),
    [STYLE_HALF] = DARK(0x7FD8C4, 0),
    [STYLE_CHANGED] = DARK(0xFF9CE0, LOOK_BOLD),
    [STYLE_FORWARD] = DARK(0x7FC8F8, 0),
    [STYLE_BACKWARD] = DARK(0xF5A97F, 0),
    [STYLE_GOOD] = DARK(0x9BDB8A, LOOK_BOLD),
    [STYLE_BAD] = DARK(0xFF8A85, LOOK_BOLD),
    [STYLE_QUESTION] = DARK(0xFFD479, LOOK_BOLD),
    [STYLE_PROMPT] = DARK(0xFFFFFF, 0),
};

static const Look LIGHT_LOOKS[STYLE_COUNT] = {
    [STYLE_TEXT] = LIGHT(0x23272E, 0),
    [STYLE_DIM] = LIGHT(0x6A707A, 0),
    [STYLE_STRONG] = LIGHT(0x000000, LOOK_BOLD),
    [STYLE_EMPHASIS] = LIGHT(0x23272E, LOOK_ITALIC),
    [STYLE_CODE] = LIGHT(0x7A4B00, 0),
    [STYLE_LINK] = LIGHT(0x0B5CAD, LOOK_UNDERLINE),
    [STYLE_TITLE] = LIGHT(0x000000, LOOK_BOLD),
    [STYLE_HEADING] = LIGHT(0x0B4F94, LOOK_BOLD),
    [STYLE_BAR] = ON(0x23272E, 0xE3E6EB, 0),
    [STYLE_KEY] = ON(0x7A3E00, 0xE3E6EB, LOOK_BOLD),
    [STYLE_BORDER] = LIGHT(0x6A707A, 0),
    [STYLE_FOCUS] = LIGHT(0x0B5CAD, LOOK_BOLD),
    [STYLE_NUMBER] = LIGHT(0x1A1D22, 0),
    [STYLE_NEGATIVE] = LIGHT(0xA3201C, 0),
    [STYLE_MASKED] = LIGHT(0x6A707A, 0),
    [STYLE_QUERY_LABEL] = LIGHT(0x006A5B, LOOK_BOLD),
    [STYLE_KEY_LABEL] = LIGHT(0x8A4B00, LOOK_BOLD),
    [STYLE_CURSOR] = ON(0x000000, 0xFFC94D, LOOK_BOLD),
    [STYLE_SOURCE] = ON(0x06213A, 0xB9DBF7, LOOK_UNDERLINE),
    [STYLE_ACTIVE] = ON(0x000000, 0xDDE3EA, 0),
    [STYLE_HIT] = ON(0x000000, 0xBFE5A8, 0),
    [STYLE_HALF] = LIGHT(0x006A5B, 0),
    [STYLE_CHANGED] = LIGHT(0x9B1B7E, LOOK_BOLD),
    [STYLE_FORWARD] = LIGHT(0x0B5CAD, 0),
    [STYLE_BACKWARD] = LIGHT(0xA4470B, 0),
    [STYLE_GOOD] = LIGHT(0x226B1B, LOOK_BOLD),
    [STYLE_BAD] = LIGHT(0xB01712, LOOK_BOLD),
    [STYLE_QUESTION] = LIGHT(0x7A4B00, LOOK_BOLD),
    [STYLE_PROMPT] = LIGHT(0x000000, 0),
};

static const Look MONO_LOOKS[STYLE_COUNT] = {
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
    [STYLE_HALF] = MONO(LOOK_BOLD),
    [STYLE_CHANGED] = MONO(LOOK_UNDERLINE),
    [STYLE_FORWARD] = MONO(0),
    [STYLE_BACKWARD] = MONO(LOOK_ITALIC),
    [STYLE_GOOD] = MONO(LOOK_BOLD),
    [STYLE_BAD] = MONO(LOOK_BOLD | LOOK_UNDERLINE),
    [STYLE_QUESTION] = MONO(LOOK_BOLD),
    [STYLE_PROMPT] = MONO(0),
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
    const Look *looks[THEME_COUNT] = {DARK_LOOKS, LIGHT_LOOKS, MONO_LOOKS};
    return looks[theme][style];
}

char theme_style_letter(Style style) {
    static const char LETTERS[STYLE_COUNT] = {
#define X(name, letter) [STYLE_##name] = (letter),
        STYLE_LIST(X)
#undef X
    };
    return LETTERS[style];
}
