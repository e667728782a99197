// train_output.h - standard error as far as it is read: a terminal that Ctrl-S holds, or a pipe
// that nobody reads, takes nothing.
#ifndef APP_TRAIN_TRAIN_OUTPUT_H
#define APP_TRAIN_TRAIN_OUTPUT_H

#include <stddef.h>

// How many of the bytes went to standard error, waiting at most wait_ms for each part; all of them
// where it is broken, since then none will ever be read. May stand in a signal handler.
size_t train_output_within(const char *bytes, size_t size, int wait_ms);

#endif
