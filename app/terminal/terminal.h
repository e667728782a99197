// terminal.h - the terminal: a canvas goes out, keys come in. Only its folder knows curses.
#ifndef APP_TERMINAL_TERMINAL_H
#define APP_TERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "app/terminal/event.h"
#include "app/terminal/terminal_colour.h"
#include "engine/base/error.h"
#include "views/canvas.h"

typedef struct TerminalOptions {
    ThemeName theme;
    bool has_depth; // depth was asked for, whatever NO_COLOR says; else it is what is offered
    ColourDepth depth;
    bool ascii;          // lines and signs with ASCII
    bool no_mouse;       // leave the mouse to the terminal
    const char *instead; // what to do where there is no such terminal, for the sentence
} TerminalOptions;

typedef struct Terminal Terminal;

// NULL with a sentence where there is no terminal, its kind is unknown, it cannot place the cursor,
// or it has fewer colours than were asked for. 24 bits are believed: no description tells them.
Terminal *terminal_open(const TerminalOptions *options, Error *err);

// Leaves the terminal as it was found. NULL is allowed.
void terminal_close(Terminal *terminal);

// After terminal_close: ends the process by the signal of an EVENT_SIGNAL or EVENT_HANGUP, so that
// a shell sees what ended it. Where that signal is ignored it gives an exit status, 128 + signal.
int terminal_end_by(int signal);

void terminal_size(const Terminal *terminal, int *width, int *height);

// True where lines and signs have to be ASCII.
bool terminal_is_ascii(const Terminal *terminal);

void terminal_set_theme(Terminal *terminal, ThemeName theme);

// Shows the canvas: only what differs from what is shown already is sent. cursor_x < 0: no cursor.
void terminal_show(Terminal *terminal, const Canvas *canvas, int cursor_x, int cursor_y);

// The next terminal_show sends everything, whatever stands on the screen.
void terminal_repaint(Terminal *terminal);

// Waits at most timeout_ms (-1: for ever) for something to happen.
void terminal_wait(Terminal *terminal, int timeout_ms, Event *event);

// After an EVENT_SIGNAL that is not to end the program, as where Ctrl-C breaks off a piece of work.
// Else the process is ended a second after the event, should it not have ended by itself.
void terminal_stay(Terminal *terminal);

// True when a key is waiting, so that long work should stop.
bool terminal_has_input(const Terminal *terminal);

// Hands text to the clipboard of the terminal (OSC 52); many terminals ask or refuse.
void terminal_copy(Terminal *terminal, const char *text);

#endif
