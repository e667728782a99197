// support_palette.h - what the colours that a terminal calls by numbers look like.
#ifndef TESTS_SUPPORT_PALETTE_H
#define TESTS_SUPPORT_PALETTE_H

#include <stdbool.h>

#include "app/terminal/terminal_colour.h"

enum { PTY_COLOURS = 16 };

// What the sixteen colours of a terminal look like, and those that it shows where none is set.
typedef struct PtyPalette {
    Rgb colours[PTY_COLOURS];
    Rgb ink, paper;
    bool bold_is_bright; // bold makes the first eight inks the second eight
} PtyPalette;

extern const PtyPalette PTY_XTERM;       // xterm's, black on white as it starts, bold is bright
extern const PtyPalette PTY_XTERM_PLAIN; // the same, bold is only bold
extern const PtyPalette PTY_VGA;         // the Linux console's, grey on black, bold is bright

// What a person sees of a faint ink: two thirds of it.
Rgb palette_faint(Rgb ink, Rgb paper);

// Ink and paper as a person sees them, reverse, faint and bold carried out.
void palette_seen(const PtyPalette *palette, const CellColours *colours, ColourDepth depth,
                  Rgb *ink, Rgb *paper);

#endif
