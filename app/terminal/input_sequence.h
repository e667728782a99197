// input_sequence.h - what a whole sequence from a terminal says: a key, the mouse, or nothing here.
#ifndef APP_TERMINAL_INPUT_SEQUENCE_H
#define APP_TERMINAL_INPUT_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/terminal/event.h"

typedef enum SequenceMeaning {
    SEQUENCE_UNKNOWN,
    SEQUENCE_REPORT, // known, and says nothing here
    SEQUENCE_EVENT,  // *event holds it
    SEQUENCE_PASTE,  // pasted text follows
} SequenceMeaning;

// body: what stands behind "ESC [", with the final byte. Keys as xterm, rxvt, PuTTY, the Linux
// console and kitty send them, and the mouse as SGR 1006.
SequenceMeaning sequence_of_csi(const char *body, size_t length, Event *event);

// body: what stands behind "ESC O", with the final byte.
SequenceMeaning sequence_of_ss3(const char *body, size_t length, Event *event);

// final: behind "ESC [ [".
SequenceMeaning sequence_of_console(char final, Event *event);

// A mouse report: the bits of its button and its column and row from 1, pressed or let go.
SequenceMeaning sequence_of_mouse(int bits, int column, int row, bool is_pressed, Event *event);

#endif
