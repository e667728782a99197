// terminal_direct.h - a description of terminals with 24-bit colour, which base systems lack.
#ifndef APP_TERMINAL_TERMINAL_DIRECT_H
#define APP_TERMINAL_TERMINAL_DIRECT_H

#include <stdbool.h>

#define TERMINAL_DIRECT_NAME "attend-direct"

// True where COLORTERM or the name of the terminal's kind says that it knows 24-bit colours, and
// its kind speaks as xterm does.
bool terminal_direct_fits(const char *kind);

// curses reads our description from the environment: between these two it is there. What enter
// gives belongs to leave.
char *terminal_direct_enter(void);
void terminal_direct_leave(char *saved);

#endif
