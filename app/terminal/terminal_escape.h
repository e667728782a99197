// terminal_escape.h - text for the clipboard of the terminal.
#ifndef APP_TERMINAL_TERMINAL_ESCAPE_H
#define APP_TERMINAL_TERMINAL_ESCAPE_H

#include <stdio.h>

// Hands text to the clipboard of the terminal (OSC 52).
void escape_copy(FILE *out, const char *text);

#endif
