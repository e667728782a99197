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

void train_signals_catch(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    // A reader that goes away must not end the run.
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

int train_signals_stop(void) {
    return stop_signal;
}

bool train_signals_take_save(void) {
    bool wanted = save_wanted != 0;
    save_wanted = 0;
    return wanted;
}
