// terminal_private.h - what the files of the terminal share.
#ifndef APP_TERMINAL_TERMINAL_PRIVATE_H
#define APP_TERMINAL_TERMINAL_PRIVATE_H

#include <stdio.h>

#include "app/terminal/input_parser.h"
#include "app/terminal/terminal.h"

struct screen;

struct Terminal {
    InputParser input;
    struct screen *screen; // curses' SCREEN
    FILE *out;
    ThemeName theme; // that was asked for
    ColourDepth depth;
    bool ascii;
    bool has_faint; // faint ink can still be read
    ColourPairs pairs;
    Canvas shown; // what curses was told
    bool is_stale;
};

// ---- terminal_kind.c
// Makes curses ready for the kind of terminal that TERM names, with the colours that were asked for
// or that the terminal offers.
bool terminal_kind_open(Terminal *terminal, const TerminalOptions *options, Error *err);

#endif
