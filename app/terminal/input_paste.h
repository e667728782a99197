// input_paste.h - pasted text on its way: as long as it is, up to the sequence that ends it.
#ifndef APP_TERMINAL_INPUT_PASTE_H
#define APP_TERMINAL_INPUT_PASTE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/terminal/event.h"

enum { INPUT_PASTE_KEEP = 1 << 16 }; // a larger buffer is freed once its text was taken

typedef struct InputPaste {
    char *text;
    size_t length, capacity;
    size_t n_end; // bytes of the ending sequence that were seen
    bool is_cut;
} InputPaste;

void input_paste_begin(InputPaste *paste);

// True where this byte ends it.
bool input_paste_take(InputPaste *paste, char byte);

// True where the last byte was ESC, which may begin the end.
bool input_paste_has_escape(const InputPaste *paste);

// The text, which stays the paste's own until the next one begins or it is forgotten.
void input_paste_event(InputPaste *paste, Event *event);

// The text was taken: memory is given back where it was much.
void input_paste_forget(InputPaste *paste);
void input_paste_free(InputPaste *paste);

#endif
