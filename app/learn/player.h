// player.h - a lesson that is being played: its stops, the commands that wait, its question, how
// far a person came.
#ifndef APP_LEARN_PLAYER_H
#define APP_LEARN_PLAYER_H

#include "app/learn/about.h"
#include "app/learn/command.h"
#include "app/learn/reply.h"
#include "engine/lessons/lesson.h"

enum { PLAYER_PATH_BYTES = 4096 };

typedef struct Question {
    const LessonQuestion *question; // NULL: none at this stop
    bool is_open;                   // asks, and takes the keys that answer it
    bool is_answered, was_right;
    int chosen;   // of its choices, from 1; 0: none was taken
    double value; // of a cell that was asked for, once answered
} Question;

// Commands of a lesson that still have to run, one after the other: those from command `command` of
// block `block` on, before block `end`.
typedef struct Queue {
    int block, command, end;
} Queue;

// How the player learns the number of a cell that a question asks for. False with a sentence where
// there is no such cell.
typedef bool PlayerNumber(void *context, const char *cell, double *value, Error *err);

struct Player {
    Reply *reply;
    PlayerNumber *number;
    void *context; // of number
    Lesson lesson; // if has_lesson
    bool has_lesson;
    char needs[ABOUT_NEEDS_BYTES]; // lessons that it builds on
    bool is_own_file;              // a person's own: no other language
    char file[PLAYER_PATH_BYTES];  // "13-the-whole-transformer.md", or a path
    int stop;
    int furthest, resume_stop; // stops reached; the one of last time, 0: none
    int n_stops_entered;       // who shows the lesson begins at its top where this is another
    Queue queue;
    Question question;
    bool is_try_done;   // what the stop asks to be tried; set by who evaluates its goal
    bool is_visited;    // a link led here: how far one comes is not kept
    const Player *from; // whose link that was; NULL: nobody's
};

// reply and context outlive the player.
void player_init(Player *player, Reply *reply, PlayerNumber *number, void *context);
void player_free(Player *player);

// Opens a lesson by its number, its name or as a file of one's own, at its first stop. On failure
// what was open stays open.
bool player_open(Player *player, const char *name, Error *err);

// Back in the menu: no lesson is played.
void player_leave(Player *player);

void player_go(Player *player, int stop);

// The next command, which is then over; NULL: none is left.
const LessonCommand *player_next_command(Player *player);
bool player_has_commands(const Player *player);
// A jump does again what came before its stop: nobody is told or shown that.
bool player_repeats(const Player *player);
void player_skip_commands(Player *player);

// Judges an answer to the question of the stop, and says how it was; nothing where there is none.
void player_answer(Player *player, const char *text);
bool player_is_asking(const Player *player); // a question that was not answered
// What the lesson says to the choice that was taken; NULL: nothing.
const LessonText *player_why(const Player *player);

// Where the link of what is shown leads; NULL: there is none, or it stands behind an open question.
const char *player_link(const Player *player);

// The first stop that goes to a stage or looks at it; -1: none does.
int player_find_stage(const Player *player, const char *stage);

// What the stop asks to be tried; NULL: nothing.
const LessonTry *player_try(const Player *player);

// The lesson after this one, by its file without the ending. False where there is none.
bool player_find_next(const Player *player, char name[256]);

// The same stop in another language, where there is such a lesson.
void player_set_language(Player *player, Language language);

// The next stop after the present one whose prose holds the text; -1: none.
int player_find(const Player *player, const char *text);

// ---- commands

// ---- player_progress.c
// Both say nothing where there is no place to keep it: a missing home, no file but a pipe.
void player_load_progress(Player *player);
// The last stop that was reached of the lesson with that file, from 0; -1: it was not begun.
int player_reached(const char *file);
void player_save_progress(const Player *player);

#endif
