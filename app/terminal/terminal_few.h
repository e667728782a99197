// terminal_few.h - what each style looks like in the eight or sixteen colours of a terminal's own.
#ifndef APP_TERMINAL_TERMINAL_FEW_H
#define APP_TERMINAL_TERMINAL_FEW_H

#include <stdbool.h>

#include "views/theme.h"

// Numbers of the terminal's colours, and LOOK_ attributes. What they look like is the terminal's
// own affair: with the palette of xterm and with that of the Linux console, and whether bold makes
// an ink bright or not, each ink is read on its paper with a WCAG contrast of at least 4.5, a
// border of at least 3. Both ink and paper are set, so that a light terminal shows the dark theme
// and a dark one the light theme.
typedef struct FewLook {
    unsigned char ink, paper;
    unsigned char attributes;
} FewLook;

// added: LOOK_ attributes of a cell besides those of its style. theme: THEME_DARK or THEME_LIGHT.
FewLook few_look(ThemeName theme, bool has_sixteen, Style style, unsigned added);

// An entry of a palette, or one of the HEAT_ values, behind a number.
FewLook few_heat(ThemeName theme, bool has_sixteen, int entry);

#endif
