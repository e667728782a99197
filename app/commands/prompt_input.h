// prompt_input.h - a prompt from standard input.
#ifndef APP_COMMANDS_PROMPT_INPUT_H
#define APP_COMMANDS_PROMPT_INPUT_H

#include <stdbool.h>

#include "engine/base/buffer.h"
#include "engine/base/error.h"

// All that standard input holds, as text with a NUL at its end. A program that prints a line ends
// it, and an editor ends its last one: the prompt is what stands before that line end. A NUL inside
// is refused.
bool prompt_input_read(Buffer *input, Error *err);

#endif
