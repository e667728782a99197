// train_signals.c - signals that a run answers: at once while it opens, then after its step.
#include "app/train/train_signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

// A handler has nothing else to write to, and nothing else to read from.
static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t save_wanted;
static const char *volatile stop_sentence;

static const int STOPPING[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_STOPPING = sizeof STOPPING / sizeof STOPPING[0] };

// Only calls that a handler may make. The line begins anew: the progress line, or ^C, stands there.
static void tell(const char *sentence) {
    int kept = errno;
    if (sentence != NULL) {
        ssize_t written = isatty(STDERR_FILENO) == 1 ? write(STDERR_FILENO, "\n", 1) : 0;
        written += write(STDERR_FILENO, sentence, strlen(sentence));
        written += write(STDERR_FILENO, "\n", 1);
        (void)written;
    }
    errno = kept;
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

static void catch_stopping(int flags) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_STOPPING; i++) {
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
    catch_stopping(0);
    answer(SIGUSR1, on_signal);
    answer(SIGPIPE, SIG_IGN); // a reader that goes away must not end the run
}

void train_signals_restart_calls(void) {
    catch_stopping(SA_RESTART);
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
