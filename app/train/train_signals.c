// train_signals.c - signals that a run answers after its step.
#include "app/train/train_signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

// A handler has nothing else to write to.
static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t save_wanted;

static void on_signal(int number) {
    if (number == SIGUSR1) {
        save_wanted = 1;
        return;
    }
    if (number == SIGINT && stop_signal == SIGINT) {
        _exit(128 + SIGINT);
    }
    stop_signal = number;
}

static void answer(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void train_signals_catch_save(void) {
    answer(SIGUSR1, on_signal);
}

void train_signals_catch_stop(void) {
    answer(SIGINT, on_signal);
    answer(SIGTERM, on_signal);
    answer(SIGPIPE, SIG_IGN); // a reader that goes away must not end the run
}

int train_signals_stop(void) {
    return stop_signal;
}

bool train_signals_take_save(void) {
    bool wanted = save_wanted != 0;
    save_wanted = 0;
    return wanted;
}
