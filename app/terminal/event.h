// event.h - what can happen at a terminal: a key, pasted text, the mouse, a new size, the end.
#ifndef APP_TERMINAL_EVENT_H
#define APP_TERMINAL_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "app/terminal/key.h"

typedef enum EventKind {
    EVENT_NONE,   // the time is over
    EVENT_KEY,    // key
    EVENT_PASTE,  // text, length, is_cut
    EVENT_MOUSE,  // x, y, button
    EVENT_RESIZE, // or whatever else asks for a whole new frame
    EVENT_SIGNAL, // key holds the signal that asks to end
    EVENT_HANGUP, // the terminal is gone
} EventKind;

typedef enum MouseButton {
    MOUSE_LEFT,
    MOUSE_MIDDLE,
    MOUSE_RIGHT,
    MOUSE_UP, // the wheel from here on
    MOUSE_DOWN,
    MOUSE_WHEEL_LEFT,
    MOUSE_WHEEL_RIGHT,
} MouseButton;

typedef struct Event {
    EventKind kind;
    int key;  // a character or KEY_CODE_..., with KEY_MOD_... bits
    int x, y; // a cell, from 0
    MouseButton button;
    const char *text; // pasted, whole; borrowed until the next wait; a NUL in it has become a space
    size_t length;    // bytes of text
    bool is_cut;      // there was no memory for the rest of the pasted text
} Event;

#endif
