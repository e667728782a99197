// learn.h - the learning screen: what it holds, and what its files do for one another.
#ifndef APP_LEARN_LEARN_H
#define APP_LEARN_LEARN_H

#include "app/learn/screen.h"
#include "app/learn/waiting.h"
#include "engine/playground/playground_claim.h"

typedef struct LearnOptions {
    const char *lesson;                // a number, a name or a file; NULL: the menu
    const char *state;                 // --at
    const char *picture;               // a file for it, NULL: the screen itself
    int picture_width, picture_height; // in columns and rows
    Language language;
    double autoplay_seconds; // 0: wait for keys
    bool plain;
    const char *device; // that computes where a line does not say one; NULL: the CPU
    bool check;         // evaluate the claims of the lesson
    int plain_width;    // of its lines; 0: of the terminal
    TerminalOptions terminal;
} LearnOptions;

// For claims of the lesson: the numbers that they ask for, and the goal of what a stop asks to be
// tried. A zeroed one is ready.
typedef struct LearnClaims {
    PlaygroundClaims numbers;
    Arena arena; // for one evaluation
    char shown[256];
    int n_stops_entered; // the player's, for which numbers were kept
    uint64_t signature;  // of what the goal was evaluated for last, if has_begun
    bool has_begun;
} LearnClaims;

typedef struct Visit Visit; // what was left by a link, learn_visit.c

// The lesson, the model and the screen; each knows its own. It may not be moved.
typedef struct Learn {
    LearnOptions options;
    Reply reply;
    Player player;
    Workbench bench;
    Screen screen;
    LearnClaims claims;
    Visit *visits; // where links were followed, the newest first
    int n_visits;
    char *asked_place;  // that a command asks to go to, "" back; NULL: none does
    Waiting waiting;    // for the command that is carried out
    int count;          // that is typed before a key; 0: none
    bool is_paused;     // a key stopped what happens by itself
    double autoplay_ms; // when the next thing happens by itself
    double train_ms;    // when training may do the steps of its next frame
    double pause_ms;    // until when a lesson's next command waits, so that the one before is seen
    char *asked_state;  // that a person asked for: said again when the screen is left
    int signal;         // that ended it
    bool is_over;
} Learn;

// ---- learn.c
bool learn_init(Learn *learn, const LearnOptions *options, Error *err);
void learn_free(Learn *learn);

// ---- learn_loop.c
// Runs the screen until it is left; the exit status.
int learn_run(const LearnOptions *options, Error *err);

// ---- learn_commands.c
bool learn_execute(Learn *learn, const Command *command, Error *err);
void learn_execute_line(Learn *learn, const char *line); // what fails becomes the reply
// The same for a key of a command, with the number typed before it; 0: none was.
void learn_execute_key(Learn *learn, CommandId id, int count);
bool learn_run_queue(Learn *learn); // the next command of the lesson; false: none is left
void learn_answer(Learn *learn, const char *text);

// ---- learn_lesson.c
// Opens a lesson over an empty workbench.
bool learn_open_lesson(Learn *learn, const char *name, Error *err);
// Does what waits to be done for about budget_ms: a lesson's commands, training, nodes up to the
// cursor. True while something is left.
bool learn_work(Learn *learn, double budget_ms);

// ---- learn_claim.c
ClaimWorld learn_claim_world(Learn *learn); // its context is the learn
void learn_claim_free(Learn *learn);
// Before the commands of a stop run: keeps the numbers that a goal compares with.
void learn_begin_try(Learn *learn);
// True once, when the goal of what the stop asks to be tried has come to hold. Evaluates it only
// where something has changed.
bool learn_check_try(Learn *learn);

// ---- learn_visit.c
// A place for another model and another lesson, with nothing in them.
void learn_begin(Learn *learn);
// Goes where a command asked to go, or back. False where none did, or it failed, which the reply
// says.
bool learn_visit(Learn *learn);
// Forgets the places that links led from.
void learn_end_visits(Learn *learn);

// ---- learn_keys.c
void learn_handle(Learn *learn, const Event *event);

// ---- learn_state.c
// The state string, malloc.
char *learn_state(const Learn *learn);
// It as it stands between the single quotes of a shell, malloc.
char *learn_quoted(const char *state);

// ---- learn_restore.c
bool learn_restore(Learn *learn, const char *state, Error *err); // the way back

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
