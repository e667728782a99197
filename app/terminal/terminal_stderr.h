// terminal_stderr.h - what libraries and assertions write to standard error waits until the
// terminal is as it was.
#ifndef APP_TERMINAL_TERMINAL_STDERR_H
#define APP_TERMINAL_TERMINAL_STDERR_H

// Standard error goes into memory from here on, where it is a terminal.
void stderr_catch(void);

// Standard error is what it was, and what came meanwhile is written to it. May stand in a signal
// handler.
void stderr_release(void);

#endif
