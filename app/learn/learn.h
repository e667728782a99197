// learn.h - the learning screen: what it holds, and what its files do for one another.
#ifndef APP_LEARN_LEARN_H
#define APP_LEARN_LEARN_H

#include "app/learn/workbench.h"
#include "app/terminal/terminal.h"
#include "app/learn/player.h"
#include "views/screen/view.h"

typedef struct LearnOptions {
    const char *lesson;                // a number, a name or a file; NULL: the menu
    const char *state;                 // --at
    const char *picture;               // a file for it, NULL: the screen itself
    int picture_width, picture_height; // in columns and rows
    Language language;
    double autoplay_seconds; // 0: wait for keys
    bool plain;
    bool check;      // evaluate the claims of the lesson
    int plain_width; // of its lines; 0: of the terminal
    TerminalOptions terminal;
} LearnOptions;

typedef enum Pane { PANE_TAPE, PANE_VIEW, PANE_LESSON, PANE_COUNT } Pane;
// How far a pane is scrolled, as long as it shows the same.
typedef struct Scroll {
    int lines;
    int of;
} Scroll;

typedef enum Overlay { OVERLAY_NONE, OVERLAY_MENU, OVERLAY_HELP, OVERLAY_CHANGE } Overlay;

enum {
    PROMPT_BYTES = 4096,
    PROMPT_HISTORY = 32,
    LEARN_MIN_WIDTH = 60,
    LEARN_MIN_HEIGHT = 16,
};

typedef struct Prompt {
    bool is_open;
    char text[PROMPT_BYTES];
    size_t length, cursor; // in bytes
    char history[PROMPT_HISTORY][PROMPT_BYTES];
    int n_history, at; // at: the line of history that is shown, n_history: a new one
    char saved[PROMPT_BYTES];
    char hint[REPLY_BYTES]; // completions
} Prompt;

typedef struct Learn {
    LearnOptions options;
    Terminal *terminal; // NULL with --plain
    Canvas canvas;
    Player player;
    Workbench bench;
    // the screen
    ViewWorkspace workspace;
    const View *view;  // that was asked for, shown where it fits; NULL: the first that fits
    int view_looks;    // the cursor's n_looks when it was asked for
    const Scope *zoom; // that a view shows the inside of
    int zoom_tapes;    // the cursor's n_tapes then
    Prompt prompt;
    Reply reply;
    double autoplay_ms; // when the next thing happens by itself
    double pause_ms;    // until when a lesson's next command waits, so that the one before is seen
    Scroll scroll[PANE_COUNT];
    int lesson_rows, lesson_lines; // of the pane as last drawn, and of its whole text
    int overlay_scroll, menu_at;
    char *asked_state; // that a person asked for: said again when the screen is left
    int signal;        // that ended it
    ThemeName theme;
    HeatScale scale; // of the colours behind numbers
    Pane focus;
    Overlay overlay;
    bool ascii;
    bool is_zoomed, has_spotlight, has_big;
    bool is_over;
} Learn;

// ---- learn.c
// Runs the screen until it is left; the exit status.
int learn_run(const LearnOptions *options, Error *err);
bool learn_init(Learn *learn, const LearnOptions *options, Error *err);
void learn_free(Learn *learn);

// Does what waits to be done for about budget_ms: a lesson's commands, training, nodes up to the
// cursor. True while something is left.
bool learn_work(Learn *learn, double budget_ms);

// ---- learn_commands.c
bool learn_execute(Learn *learn, const Command *command, Error *err);
void learn_execute_line(Learn *learn, const char *line); // what fails becomes the notice

// ---- learn_keys.c
void learn_handle(Learn *learn, const Event *event);

bool learn_open_lesson(Learn *learn, const char *name, Error *err);
bool learn_run_queue(Learn *learn); // the next command of the lesson; false: none is left
void learn_answer(Learn *learn, const char *text);

// ---- learn_state.c
// The state string, malloc; and the way back.
char *learn_state(const Learn *learn);
// It as it stands between the single quotes of a shell, malloc.
char *learn_quoted(const char *state);
bool learn_restore(Learn *learn, const char *state, Error *err);

// ---- learn_prompt.c
void learn_prompt_open(Learn *learn, const char *start);
void learn_prompt_key(Learn *learn, int key);
void learn_prompt_paste(Learn *learn, const char *text);

// ---- learn_draw.c
typedef struct Layout {
    Rect header, panes[PANE_COUNT], footer;
    bool is_too_small;
} Layout;
Layout learn_layout(const Learn *learn, int width, int height);
void learn_draw(Learn *learn, Canvas *canvas);
// ---- learn_bars.c
void learn_draw_header(const Learn *learn, Canvas *canvas);
void learn_draw_footer(const Learn *learn, Canvas *footer);
// The key whose hint stands at column x of the last line, 0: none.
int learn_hint_key_at(const Learn *learn, int x);
void learn_prompt_cursor(const Learn *learn, int height, int *x, int *y);
ViewState learn_view_state(const Learn *learn, ViewTraining *training);
const View *learn_view(const Learn *learn, const ViewState *state); // NULL: none fits
void learn_ask_view(Learn *learn, const View *view);
int learn_scroll_of(const Learn *learn, Pane pane); // lines
void learn_scroll_to(Learn *learn, Pane pane, int lines);

// ---- learn_prose.c
// Draws a text with its marks from line y on; gives the line after it. canvas NULL: measures.
int learn_prose(Canvas *canvas, int x, int y, int width, const LessonText *text);
// The whole lesson pane; gives how many lines there are.
int learn_draw_lesson(const Learn *learn, Canvas *canvas, int scroll);

// ---- learn_overlay.c
void learn_draw_overlay(const Learn *learn, Canvas *canvas);
void learn_draw_big(const ViewState *state, Canvas *canvas);

// ---- learn_picture.c
// Draws what the screen shows at the place that the options say, on a canvas of any size and in
// ASCII where the canvas says so.
bool learn_draw_place(const LearnOptions *options, Canvas *canvas, Error *err);
// The same as a picture in a file; the exit status.
int learn_picture(const LearnOptions *options, Error *err);

// ---- learn_plain.c
int learn_plain(const LearnOptions *options, Error *err);

// ---- learn_check.c
// Plays the lesson and prints each claim that does not hold, file:line and both values; the exit
// status.
int learn_check(const LearnOptions *options, Error *err);

#endif
