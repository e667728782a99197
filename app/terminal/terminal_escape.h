// terminal_escape.h - the few control sequences that curses has no word for.
#ifndef APP_TERMINAL_TERMINAL_ESCAPE_H
#define APP_TERMINAL_TERMINAL_ESCAPE_H

#include <stdbool.h>
#include <stdio.h>

// Pasted text is marked as such, and the mouse reports clicks as "ESC [ < button ; x ; y M".
void escape_begin_modes(FILE *out, bool has_mouse);
void escape_end_modes(FILE *out, bool has_mouse);

// Hands text to the clipboard of the terminal (OSC 52).
void escape_copy(FILE *out, const char *text);

#endif
