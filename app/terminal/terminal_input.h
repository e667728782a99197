// terminal_input.h - waits for what comes from the terminal: bytes for the parser, and signals.
#ifndef APP_TERMINAL_TERMINAL_INPUT_H
#define APP_TERMINAL_TERMINAL_INPUT_H

#include <stdbool.h>

#include "app/terminal/input_parser.h"

// Waits at most timeout_ms (-1: for ever) for something to happen at standard input or
// guard_descriptor().
void terminal_input_wait(InputParser *parser, int timeout_ms, Event *event);

// True where an event, or a byte of one, is there already.
bool terminal_input_is_waiting(const InputParser *parser);

#endif
