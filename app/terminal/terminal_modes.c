// terminal_modes.c - the control sequences that put a terminal into our modes and out of them.
#include "app/terminal/terminal_modes.h"

#include <string.h>

#include <term.h>

// What tputs gives byte for byte; it has no other way to say where.
static char *target;
static size_t length;

static int put(int byte) {
    if (length < MODES_BYTES) {
        target[length++] = (char)byte;
    }
    return byte;
}

static void capability(const char *sequence) {
    if (sequence != NULL) {
        tputs(sequence, 1, put);
    }
}

static void text(const char *sequence) {
    while (*sequence != '\0') {
        put(*sequence++);
    }
}

void terminal_modes_find(TerminalModes *modes, bool has_mouse, int n_lines) {
    target = modes->enter;
    length = 0;
    capability(exit_attribute_mode); // which the terminal keeps with the cursor and brings back
    capability(orig_pair);
    capability(enter_ca_mode);
    capability(keypad_xmit);
    capability(cursor_invisible);
    modes->after_curses = length;
    text("\033[?2004h");
    text(has_mouse ? "\033[?1000h\033[?1006h" : "");
    modes->enter_bytes = length;
    target = modes->leave;
    length = 0;
    text(has_mouse ? "\033[?1006l\033[?1000l" : "");
    text("\033[?2004l");
    capability(exit_attribute_mode);
    capability(orig_pair);
    if (cursor_address != NULL) {
        capability(tparm(cursor_address, n_lines - 1, 0, 0, 0, 0, 0, 0, 0, 0));
    }
    capability(clr_eol);
    capability(exit_ca_mode);
    capability(keypad_local);
    capability(cursor_normal);
    modes->leave_bytes = length;
}
