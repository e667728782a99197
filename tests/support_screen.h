// support_screen.h - the learning screen on a terminal of our own, with a state folder of its own.
#ifndef TESTS_SUPPORT_SCREEN_H
#define TESTS_SUPPORT_SCREEN_H

#include "tests/support_pty.h"

#define SCREEN_KIND "xterm-256color"

// Fixtures of a group of tests: the folder where progress is kept, gone when the tests are over.
int screen_make_folder(void **state);
int screen_remove_folder(void **state);
const char *screen_folder(void);

// For pty_start: where that folder is.
const char *const *screen_environment(void);

// Lesson 13, the numbers of its first step on the screen.
extern const char *const SCREEN_LESSON[];
void screen_show_numbers(Pty *pty); // in place of the map that the lesson begins with
void screen_start(Pty *pty, int width, int height);

// Waits for the text; fails with the screen where it does not come.
void screen_expect(Pty *pty, const char *text);

// Quits; the terminal has to be as it was.
void screen_leave(Pty *pty);

// Copies the cell that is looked at: "stage[i,j] = value" into text.
void screen_copy_cell(Pty *pty, char *text, size_t size);

#endif
