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
void screen_draw_overlay(Screen *screen, Canvas *canvas);
void screen_draw_big(const ViewState *state, Canvas *canvas);

// ---- screen_box.c
// A box in the middle, its hint in the last line; gives the room inside. sought follows the title,
// "": nothing does.
typedef struct ScreenBox {
    Rect rect; // of the box on the canvas
    Canvas inside;
} ScreenBox;
ScreenBox screen_open_box(const Screen *screen, Canvas *canvas, int width, int height, TextId title,
                          const char *sought, TextId hint);
// On its upper and lower edge: how many lines are above and below those that show.
void screen_draw_ends(Canvas *canvas, Rect rect, int above, int below);

// ---- screen_help.c
void screen_draw_help(Screen *screen, Canvas *canvas);

// ---- screen_menu.c
void screen_draw_menu(Screen *screen, Canvas *canvas);

#endif
