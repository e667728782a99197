// support_frames.h - golden frames: a drawing at several sizes and in all themes, held against
// files.
#ifndef TESTS_SUPPORT_FRAMES_H
#define TESTS_SUPPORT_FRAMES_H

#include <stdbool.h>

#include "views/canvas.h"

// Draws the whole canvas.
typedef void (*FramesDraw)(void *context, Canvas *canvas);

// Compares with tests/frames/NAME-WIDTHxHEIGHT-THEME.txt, or writes them. How many differ.
int frames_each(const char *name, FramesDraw draw, void *context, bool writes);

// To look at one: arguments WIDTH HEIGHT [ascii | THEME FILE.png]; printed, or a picture.
void frames_show(FramesDraw draw, void *context, int count, char **arguments);

#endif
