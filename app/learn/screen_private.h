// screen_private.h - the parts of a frame, for screen_draw.c.
#ifndef APP_LEARN_SCREEN_PRIVATE_H
#define APP_LEARN_SCREEN_PRIVATE_H

#include "app/learn/screen.h"

// ---- screen_bars.c
void screen_draw_header(const Screen *screen, Canvas *canvas);
void screen_draw_footer(const Screen *screen, Canvas *footer);

// ---- screen_lesson.c
// The whole lesson pane; gives how many lines there are.
int screen_draw_lesson(const Screen *screen, Canvas *canvas, int scroll);

// ---- screen_beside.c
// A part with its title line above it; not the first, which has the title of the pane.
void screen_draw_part(Screen *screen, Canvas *canvas, const ViewState *state,
                      const ScreenPart *part);

// ---- screen_overlay.c
void screen_draw_overlay(const Screen *screen, Canvas *canvas);
void screen_draw_big(const ViewState *state, Canvas *canvas);

// ---- screen_box.c
// A box in the middle, its hint in the last line; gives the room inside.
Canvas screen_open_box(const Screen *screen, Canvas *canvas, int width, int height, TextId title,
                       TextId hint);

// ---- screen_help.c
void screen_draw_help(const Screen *screen, Canvas *canvas);

#endif
