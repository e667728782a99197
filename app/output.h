// output.h - what commands write to standard output and standard error; nothing else in app/ does.
//
// Words of files, models and the command line can hold control codes, and characters that cannot be
// seen. On a terminal they are shown as "\x1b"; a pipe or a file gets what a command prints byte
// for byte. Sentences on standard error are always shown so, wherever they go.
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

// ---- standard output
void output_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void output_text(const char *text);
void output_bytes(const char *bytes, size_t length);

// A sequence of ours that steers the terminal, such as a colour.
void output_sequence(const char *sequence);
bool output_is_terminal(void);

// Sends what is held back, also half a character.
void output_flush(void);

// ---- standard error
// One line: its newline is added, one within it is shown.
void output_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
// One for each line of the text, with its start before it.
void output_say_lines(const char *start, const char *lines);

#endif
