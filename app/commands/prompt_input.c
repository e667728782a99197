// prompt_input.c - a prompt from standard input.
#include "app/commands/prompt_input.h"

#include <string.h>

bool prompt_input_read(Buffer *input, Error *err) {
    if (!buffer_load(input, "-", err)) {
        return false;
    }
    if (input->length > 0 && memchr(input->bytes, '\0', input->length) != NULL) {
        return error_set(err, "standard input: holds a NUL byte, which no prompt may hold");
    }
    if (input->length > 0 && input->bytes[input->length - 1] == '\n') {
        input->bytes[--input->length] = '\0';
        if (input->length > 0 && input->bytes[input->length - 1] == '\r') {
            input->bytes[--input->length] = '\0';
        }
    }
    return true;
}
