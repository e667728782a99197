// screen.h - what a person sees: panes, the view that is chosen, overlays, the prompt; and the
// commands that change it and not the model.
#ifndef APP_LEARN_SCREEN_H
#define APP_LEARN_SCREEN_H

#include "app/learn/course.h"
#include "app/learn/player.h"
#include "app/learn/prompt.h"
#include "app/learn/workbench.h"
#include "app/terminal/terminal.h"

typedef enum Pane { PANE_TAPE, PANE_VIEW, PANE_LESSON, PANE_COUNT } Pane;
typedef enum Overlay { OVERLAY_NONE, OVERLAY_MENU, OVERLAY_HELP, OVERLAY_CHANGE } Overlay;

enum { SCREEN_MIN_WIDTH = 60, SCREEN_MIN_HEIGHT = 16, SCREEN_SOUGHT_BYTES = 64 };

// How far a pane is scrolled, as long as it shows the same.
typedef struct Scroll {
    int lines;
    int of;
} Scroll;

typedef struct Screen {
    // what it shows
    Workbench *bench;
    const Player *player;
    Reply *reply;
    // where
    Terminal *terminal; // NULL: nobody looks
    Canvas canvas;
    bool ascii;
    ThemeName theme;
    HeatScale scale;  // of the colours behind numbers
    double budget_ms; // for what a view prepares in one frame; 0: all at once
    // how
    ViewWorkspace workspace;
    const View *view;  // that was asked for, shown where it fits; NULL: the first that fits
    int view_looks;    // the cursor's n_looks when it was asked for
    int stopped_looks; // the same when a view's preparing was stopped; -1: it goes on
    Pane focus;
    Scroll scroll[PANE_COUNT];
    int lesson_rows, lesson_lines; // of the pane as last drawn, and of its whole text
    bool is_zoomed, has_spotlight, has_big;
    // over it
    Overlay overlay;
    Overlay under;                           // what shows again when the help is closed
    int overlay_scroll;                      // of the help
    int overlay_rows, overlay_lines;         // that show of it, as last drawn, and all
    char help_sought[SCREEN_SOUGHT_BYTES];   // "": the help shows all its lines
    char course_sought[SCREEN_SOUGHT_BYTES]; // what the course was loaded for
    Course course;                           // of the menu
    int menu_at;                             // a lesson of it
    Prompt prompt;
} Screen;

// bench, player and reply outlive it. It shows the menu.
void screen_init(Screen *screen, Workbench *bench, const Player *player, Reply *reply);
void screen_free(Screen *screen); // not the terminal

// ---- screen_layout.c
typedef struct Layout {
    Rect header, panes[PANE_COUNT], footer;
    bool is_too_small;
} Layout;
Layout screen_layout(const Screen *screen, int width, int height);

// ---- screen_draw.c
void screen_draw(Screen *screen, Canvas *canvas);

// ---- screen_bars.c
// The key whose hint stands at column x of the last line, 0: none.
int screen_hint_key_at(const Screen *screen, int x);
// Where the cursor of the terminal stands; x -1: it does not show.
void screen_prompt_cursor(const Screen *screen, int height, int *x, int *y);

// ---- screen_view.c
ViewState screen_view_state(const Screen *screen, ViewTraining *training);
const View *screen_view(const Screen *screen, const ViewState *state); // NULL: none fits
void screen_ask_view(Screen *screen, const View *view);
// Ends what a view still prepares; it goes on when the view is asked for again. False: nothing
// does.
bool screen_stop(Screen *screen);
bool screen_is_preparing(const Screen *screen);
// A command moved the cell, which was before in that place: a view that shows none gives way.
void screen_follow_cell(Screen *screen, CommandId id, const Place *before);
int screen_scroll_of(const Screen *screen, Pane pane); // lines
void screen_scroll_to(Screen *screen, Pane pane, int lines);
// One page of the lesson on; false where its end shows.
bool screen_page_lesson(Screen *screen);

// What the last change did to the loss and to the number that is looked at; 0: nothing is
// known of it. Text of so many columns, in one line or else in two ("\n"), which it gives: the last
// of the view's pane.
enum { SCREEN_EFFECT_BYTES = 160 };
int screen_effect(const Screen *screen, int columns, char text[SCREEN_EFFECT_BYTES]);

// ---- screen_beside.c
// What the pane of the view shows: the view itself first, then, where it leaves room, the map, the
// operands and the gradient of the same stage. Rectangles count from within the frame of the pane.
enum { SCREEN_PARTS = 4 };
typedef struct ScreenPart {
    const View *view;
    const Node *node;
    Rect rect;
} ScreenPart;
// How many there are. state->node may be NULL.
int screen_parts(const ViewState *state, const View *view, bool is_zoomed, int width, int height,
                 ScreenPart parts[SCREEN_PARTS]);
// What stands at a place within the frame; false where it is not on that part, or nothing is there.
bool screen_part_hit(Screen *screen, const ViewState *state, const ScreenPart *part, int x, int y,
                     const Node **node, size_t *element);

// ---- screen_menu.c
// The lessons that hold a word, "" for all. False, and all of them show, where none does.
bool screen_open_menu(Screen *screen, const char *sought);
void screen_move_menu(Screen *screen, int lessons); // up or down, to the ends

// ---- screen_help.c
void screen_close_overlay(Screen *screen); // what lies under it shows again
// Lines up or down; false at an end, where nothing moves.
bool screen_scroll_help(Screen *screen, int lines);

// ---- screen_complete.c
void screen_complete(Screen *screen); // what is typed in the prompt

// What a command left for the screen in its reply.
void screen_take_reply(Screen *screen);

// The functions of its commands are declared by their rows, in command.h.

#endif
