// terminal_restore.h - into our modes of the terminal and out of them again, at any instant: these
// calls may stand in a signal handler, and none of them waits long.
#ifndef APP_TERMINAL_TERMINAL_RESTORE_H
#define APP_TERMINAL_TERMINAL_RESTORE_H

#include <stdbool.h>

// There is one terminal a process, and handlers have nothing else to look at: what is kept here is
// the module's own.

// Remembers how the terminal is now, so that restore_leave can bring it back; waits until the
// terminal is ours to use. After guard_open.
void restore_open(void);
void restore_close(void);

// What is sent, after setupterm; from now on the terminal is taken to be ours.
void restore_arm(bool has_mouse, int n_lines);
void restore_set_lines(int n_lines);

// The keyboard's mode is now as we want it, and curses has sent what it sends.
void restore_begin(void);

bool restore_is_armed(void); // between restore_arm and restore_close
bool restore_is_up(void);    // our modes are on

// True where this process may use the terminal; another job has it else.
bool restore_is_foreground(void);

// As it was found. Output that waits for ever, because of Ctrl-S or of a reader that does not read,
// is thrown away. is_urgent: in the midst of anything, perhaps of a sequence.
void restore_leave(bool is_urgent);

// Our modes again, after a stop. What could not be sent at once is sent by restore_finish.
void restore_enter(void);
void restore_finish(void);

#endif
