// train_signals.c - signals that a run answers: at once while it opens, then after its step.
#include "app/train/train_signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "app/train/train_output.h"

// A handler has nothing else to write to, and nothing else to read from.
static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t save_wanted;
static const char *volatile stop_sentence;

static const int STOPPING[N_STOPPING_SIGNALS] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU};
enum { TELL_MS = 20 };

// Only calls that a handler may make. The line begins anew: the progress line, or ^C, stands there.
static void tell(const char *sentence) {
    if (sentence != NULL) {
        size_t is_terminal = isatty(STDERR_FILENO) == 1;
        train_output_within("\n", is_terminal, TELL_MS);
        train_output_within(sentence, strlen(sentence), TELL_MS);
        train_output_within("\n", 1, TELL_MS);
    }
}

static void on_signal(int number) {
    if (number == SIGUSR1) {
        save_wanted = 1;
        return;
    }
    if (number == SIGINT && stop_signal == SIGINT) {
        _exit(128 + SIGINT);
    }
    stop_signal = number;
    if (number == SIGINT) {
        tell(stop_sentence);
    }
}

static bool is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void answer_stopping(void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_STOPPING_SIGNALS; i++) {
        if (STOPPING[i] != SIGHUP || !is_ignored(SIGHUP)) {
            sigaction(STOPPING[i], &action, NULL);
        }
    }
}

static void answer(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void train_signals_catch(void) {
    answer_stopping(on_signal, 0);
    answer(SIGUSR1, on_signal);
    answer(SIGPIPE, SIG_IGN); // a reader that goes away must not end the run
}

void train_signals_restart_calls(void) {
    answer_stopping(on_signal, SA_RESTART);
}

void train_signals_release(void) {
    answer_stopping(SIG_DFL, 0);
}

int train_signals_stopping(int i) {
    return STOPPING[i];
}

void train_signals_tell(const char *sentence) {
    stop_sentence = sentence;
}

int train_signals_stop(void) {
    return stop_signal;
}

bool train_signals_take_save(void) {
    bool wanted = save_wanted != 0;
    save_wanted = 0;
    return wanted;
}
