// terminal_modes.h - the control sequences that put a terminal into our modes and out of them.
#ifndef APP_TERMINAL_TERMINAL_MODES_H
#define APP_TERMINAL_TERMINAL_MODES_H

#include <stdbool.h>
#include <stddef.h>

enum { MODES_BYTES = 512 };

typedef struct TerminalModes {
    char enter[MODES_BYTES]; // the screen of ours, keypad, pasted text marked, mouse; no cursor
    char leave[MODES_BYTES]; // all of it back, colours and attributes too
    size_t enter_bytes, leave_bytes;
    size_t after_curses; // where in enter that begins which curses does not send by itself
} TerminalModes;

// After setupterm, whose description is read. n_lines: of the screen, whose last one the cursor is
// left on where there is no second screen to leave.
void terminal_modes_find(TerminalModes *modes, bool has_mouse, int n_lines);

#endif
