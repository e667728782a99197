// theme.h - what each style of a canvas looks like: dark, light, and without colour.
#ifndef VIEWS_THEME_H
#define VIEWS_THEME_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "views/pictures/palette.h"

// Style, its letter in golden frames, and its use.
#define STYLE_LIST(X)                                                                              \
    X(TEXT, '.')   /* prose and everything that is nothing else */                                 \
    X(DIM, 'd')    /* what is there but not to be read now */                                      \
    X(STRONG, 's') /* a word with weight in prose */                                               \
    X(EMPHASIS, 'e')                                                                               \
    X(CODE, '`')    /* a formula, a name, a command in prose */                                    \
    X(LINK, 'l')    /* can be followed */                                                          \
    X(TITLE, 't')   /* of a pane */                                                                \
    X(HEADING, 'H') /* in a lesson, in a list */                                                   \
    X(BAR, 'b')     /* the lines at the top and at the bottom */                                   \
    X(KEY, 'k')     /* a key that can be pressed */                                                \
    X(BORDER, '-')                                                                                 \
    X(FOCUS, '=') /* border of the pane that has the keys */                                       \
    X(NUMBER, 'n')                                                                                 \
    X(NEGATIVE, 'm')    /* a number below 0 */                                                     \
    X(MASKED, 'x')      /* -inf, padding */                                                        \
    X(QUERY_LABEL, 'q') /* tokens that ask */                                                      \
    X(KEY_LABEL, 'Q')   /* tokens that are asked */                                                \
    X(CURSOR, 'C')      /* the cell that the keys move */                                          \
    X(SOURCE, 'S')      /* a cell that the current number comes from */                            \
    X(ACTIVE, 'A')      /* row, column or node that is at work */                                  \
    X(HIT, 'h')         /* found by a search */                                                    \
    X(HALF, '~')        /* a shade that lies between two glyphs */                                 \
    X(CHANGED, 'c')     /* a number that a person has changed, or what follows from it */          \
    X(FORWARD, 'F')     /* forward pass */                                                         \
    X(BACKWARD, 'B')    /* gradients */                                                            \
    X(GOOD, '+')        /* a right answer, a loss that falls */                                    \
    X(BAD, '!')         /* a wrong answer, a fault */                                              \
    X(QUESTION, '?')                                                                               \
    X(PROMPT, ':') /* what a person types */

typedef enum Style {
#define X(name, letter) STYLE_##name,
    STYLE_LIST(X)
#undef X
        STYLE_COUNT,
} Style;

enum { LOOK_BOLD = 1, LOOK_UNDERLINE = 2, LOOK_REVERSE = 4, LOOK_DIM = 8, LOOK_ITALIC = 16 };

// Colours for a screen with many colours and for a picture, and the attributes.
typedef struct Look {
    Rgb ink, paper;
    unsigned char attributes;
} Look;

typedef enum ThemeName { THEME_DARK, THEME_LIGHT, THEME_MONO, THEME_COUNT } ThemeName;

const char *theme_name(ThemeName theme);
bool theme_find(ThemeName *theme, const char *name, Error *err);

// In THEME_MONO the styles differ by attributes alone; a picture of it is black on white.
Look theme_look(ThemeName theme, Style style);

char theme_style_letter(Style style);

#endif
