// terminal_direct.h - a description of terminals with 24-bit colour, which base systems lack.
#ifndef APP_TERMINAL_TERMINAL_DIRECT_H
#define APP_TERMINAL_TERMINAL_DIRECT_H

#include <stdbool.h>

#define TERMINAL_DIRECT_NAME "attend-direct"

// True where the terminal says in COLORTERM that it knows 24-bit colours, its kind speaks as xterm
// does, and nobody has set NO_COLOR.
bool terminal_direct_fits(const char *kind);

// curses reads our description from the environment: between these two it is there. What enter
// gives belongs to leave.
char *terminal_direct_enter(void);
void terminal_direct_leave(char *saved);

#endif
