// support_pty_screen.h - what a terminal would show: the program's bytes go through libvterm.
#ifndef TESTS_SUPPORT_PTY_SCREEN_H
#define TESTS_SUPPORT_PTY_SCREEN_H

#include <stddef.h>

#include "tests/support_pty.h"

// An empty screen of pty->width by pty->height. What libvterm answers to the program is written to
// pty->master.
void pty_screen_open(Pty *pty);
void pty_screen_feed(Pty *pty, const char *bytes, size_t length);

// Empties the screen and takes the new size.
void pty_screen_resize(Pty *pty);

// The screen can be read until the next one is closed.
void pty_screen_close(Pty *pty);

#endif
