// plain.h - what the files of the lesson in lines of text share.
#ifndef APP_LEARN_PLAIN_H
#define APP_LEARN_PLAIN_H

#include <signal.h>

#include "app/learn/learn.h"
#include "app/learn/plain_page.h"

typedef struct Plain {
    Learn learn;
    PlainPage page;
    int n_builds;     // of the tape that `told` is of
    const Node *told; // the node whose numbers were written last
    size_t told_element;
    const View *told_view; // that was asked for when a view was told last
    int early_block;       // of the lesson, run before the text that it stands in; -1: none
    Error fault;           // of a command of the lesson
    bool reads;            // commands come from standard input
    bool is_over;
    struct sigaction before; // what SIGINT did before the command at work, if is_guarded
    bool is_guarded;
} Plain;

// ---- plain_tell.c
void plain_tell_notice(Plain *plain);
// Where a person is, as far as it was not told: the stage, its numbers, the cell. True where it is
// another stage.
bool plain_tell_numbers(Plain *plain);
void plain_tell_cell(Plain *plain); // again
// The numbers of an item and a head (VIEW_ALL: of all) of a stage, below its name; of many only
// what they are like, and how to get them. False where there are others.
bool plain_tell_part(Plain *plain, const Node *node, int item, int head);
void plain_tell_question(Plain *plain);

// ---- plain_view.c
// The view that is asked for: its lines, its numbers, or that it is a picture.
void plain_tell_view(Plain *plain);
// The same after the place was told, where the view says more than that.
void plain_tell_lines(Plain *plain);
// Where a person is, as far as it was not told: the stage, its numbers, the cell, the view that was
// asked for.
void plain_tell_place(Plain *plain);

// ---- plain_wait.c
// Between these two, Ctrl-C at a terminal ends what is at work; where nothing takes it, the
// program.
void plain_begin_work(Plain *plain);
void plain_end_work(Plain *plain);

// ---- plain_stop.c
// True for the commands that say how the next token is drawn.
bool plain_draws_tokens(CommandId id);
void plain_tell_stop(Plain *plain);
// Says so where what the stop asks to be tried is done now.
void plain_tell_try(Plain *plain);
// Runs to the end what a command began: a lesson's commands, training that has an end.
void plain_finish_work(Plain *plain);

// ---- plain_commands.c
// The lessons that hold a word, "" for all: what comes before what, how far a person came.
void plain_tell_course(Plain *plain, const char *sought);
// One typed line; true when the lesson is to go on.
bool plain_take_line(Plain *plain, char *line);

#endif
