// input_paste.c - pasted text on its way: as long as it is, up to the sequence that ends it.
#include "app/terminal/input_paste.h"

#include <stdlib.h>

static const char END[] = "\033[201~";
enum { END_BYTES = sizeof END - 1 };

static void append(InputPaste *paste, char byte) {
    enum { FIRST_BYTES = 256 };
    if (paste->length + 1 >= paste->capacity) { // one more for the NUL
        size_t capacity = paste->capacity == 0 ? FIRST_BYTES : 2 * paste->capacity;
        char *grown = paste->is_cut ? NULL : realloc(paste->text, capacity);
        if (grown == NULL) {
            paste->is_cut = true;
            return;
        }
        paste->text = grown;
        paste->capacity = capacity;
    }
    paste->text[paste->length++] = byte;
    if (byte == '\0') {
        paste->text[paste->length - 1] = ' ';
    }
}

void input_paste_begin(InputPaste *paste) {
    paste->length = 0;
    paste->n_end = 0;
    paste->is_cut = false;
}

bool input_paste_take(InputPaste *paste, char byte) {
    if (byte == END[paste->n_end]) {
        paste->n_end++;
        return paste->n_end == END_BYTES;
    }
    for (size_t i = 0; i < paste->n_end; i++) { // it was text after all
        append(paste, END[i]);
    }
    paste->n_end = byte == END[0];
    if (paste->n_end == 0) {
        append(paste, byte);
    }
    return false;
}

bool input_paste_has_escape(const InputPaste *paste) {
    return paste->n_end == 1;
}

void input_paste_event(InputPaste *paste, Event *event) {
    if (paste->text != NULL) {
        paste->text[paste->length] = '\0';
    }
    *event = (Event){.kind = EVENT_PASTE,
                     .text = paste->text != NULL ? paste->text : "",
                     .length = paste->length,
                     .is_cut = paste->is_cut};
}

void input_paste_forget(InputPaste *paste) {
    if (paste->capacity > INPUT_PASTE_KEEP) {
        input_paste_free(paste);
    }
}

void input_paste_free(InputPaste *paste) {
    free(paste->text);
    *paste = (InputPaste){.text = NULL};
}
