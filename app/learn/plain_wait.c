// plain_wait.c - what takes long says so, and Ctrl-C ends it and not the program.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/learn/plain.h"

static volatile sig_atomic_t was_interrupted;

static void note_interrupt(int signal) {
    (void)signal;
    was_interrupted = 1;
}

static bool take_interrupt(void) {
    bool was = was_interrupted != 0;
    was_interrupted = 0;
    return was;
}

static void say_busy(void *context, const char *name) {
    Plain *plain = context;
    char *text = text_filled(reply_text(&plain->learn.reply, TEXT_BUSY), name, NULL);
    plain_page_text(&plain->page, "", text == NULL ? "" : text);
    free(text);
    plain_page_flush(&plain->page);
}

void plain_begin_work(Plain *plain) {
    if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
        return; // a script is ended as it always was
    }
    struct sigaction action = {.sa_handler = note_interrupt};
    sigemptyset(&action.sa_mask);
    was_interrupted = 0;
    sigaction(SIGINT, &action, &plain->before);
    plain->is_guarded = plain->before.sa_handler == SIG_DFL;
    if (!plain->is_guarded) { // who ignores it goes on doing so
        sigaction(SIGINT, &plain->before, NULL);
        return;
    }
    plain->learn.waiting.say = say_busy;
    plain->learn.waiting.is_asked_to_end = take_interrupt;
    plain->learn.waiting.listener = plain;
}

void plain_end_work(Plain *plain) {
    if (plain->is_guarded) {
        plain->is_guarded = false;
        plain->learn.waiting.say = NULL;
        sigaction(SIGINT, &plain->before, NULL);
        if (take_interrupt()) { // nothing was there to be ended but the program
            (void)raise(SIGINT);
        }
    }
}
