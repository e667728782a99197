// terminal_guard.h - what has to hold whatever happens: signals become events, a fault puts the
// terminal back, and what libraries write to standard error does not land on the screen.
#ifndef APP_TERMINAL_TERMINAL_GUARD_H
#define APP_TERMINAL_TERMINAL_GUARD_H

#include <stdbool.h>
#include <termios.h>

#include "engine/base/error.h"

typedef struct TerminalGuard {
    int signals;         // a descriptor that becomes readable when one of ours arrives; -1: closed
    int saved_error;     // the standard error of before; -1: not caught
    int caught_error;    // where it goes meanwhile
    struct termios mode; // of the terminal, as it was found
    bool has_mode;
} TerminalGuard;

// Blocks WINCH, TSTP, CONT, TERM, HUP, INT and QUIT for the whole process; to be called before any
// thread starts. Then watches for faults.
bool guard_open(TerminalGuard *guard, Error *err);

// The next signal that came, 0 when there is none.
int guard_next_signal(const TerminalGuard *guard);

// Standard error goes into memory from here on; guard_release_error writes what came to the real
// one.
void guard_catch_error(TerminalGuard *guard);
void guard_release_error(TerminalGuard *guard);

// Stops the process as Ctrl-Z does; returns when it goes on.
void guard_stop(const TerminalGuard *guard);

void guard_close(TerminalGuard *guard);

#endif
