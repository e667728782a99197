// support_pty_screen.h - what a terminal would show.
#ifndef TESTS_SUPPORT_PTY_SCREEN_H
#define TESTS_SUPPORT_PTY_SCREEN_H

#include <stddef.h>

#include "tests/support_pty.h"

// Takes bytes as a terminal does; at most 4096 at once.
void pty_screen_feed(Pty *pty, const char *bytes, size_t length);
void pty_screen_clear(Pty *pty);

#endif
