// terminal_guard.c - signals become events, a fault puts the terminal back, errors are caught.
#include "app/terminal/terminal_guard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { FAULT_STACK_BYTES = 64 * 1024 };

// A fault can come at any instant: all that its handler may use lies here, set before.
static struct termios fault_mode;
static volatile sig_atomic_t fault_is_armed;
static char fault_stack[FAULT_STACK_BYTES];

static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const int CAUGHT[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGINT, SIGQUIT};

enum { N_FAULTS = sizeof FAULTS / sizeof FAULTS[0], N_CAUGHT = sizeof CAUGHT / sizeof CAUGHT[0] };

// Mouse and paste reports off, colours reset, cursor on, main screen.
static const char RESTORE[] = "\033[?1000l\033[?1002l\033[?1006l\033[?2004l\033[0m\033[?25h\033[?"
                              "1049l\r\nattend: an internal fault; the terminal was put back\r\n";

static void on_fault(int number) {
    if (fault_is_armed) {
        ssize_t written = write(STDOUT_FILENO, RESTORE, sizeof RESTORE - 1);
        (void)written;
        tcsetattr(STDIN_FILENO, TCSANOW, &fault_mode);
    }
    // The handler was taken off when it was entered: the second time ends the process.
    raise(number);
}

static void watch_faults(bool on) {
    struct sigaction action = {0};
    action.sa_handler = on ? on_fault : SIG_DFL;
    action.sa_flags = on ? (int)(SA_ONSTACK | SA_RESETHAND | SA_NODEFER) : 0;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_FAULTS; i++) {
        sigaction(FAULTS[i], &action, NULL);
    }
}

static sigset_t caught_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < N_CAUGHT; i++) {
        sigaddset(&set, CAUGHT[i]);
    }
    return set;
}

bool guard_open(TerminalGuard *guard, Error *err) {
    *guard = (TerminalGuard){.signals = -1, .saved_error = -1, .caught_error = -1};
    guard->has_mode = tcgetattr(STDIN_FILENO, &guard->mode) == 0;
    sigset_t set = caught_signals();
    sigprocmask(SIG_BLOCK, &set, NULL);
    guard->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (guard->signals < 0) {
        return error_set(err, "signals cannot be watched: %s", strerror(errno));
    }
    if (guard->has_mode) {
        fault_mode = guard->mode;
        stack_t stack = {.ss_sp = fault_stack, .ss_size = sizeof fault_stack};
        sigaltstack(&stack, NULL);
        fault_is_armed = 1;
        watch_faults(true);
    }
    return true;
}

int guard_next_signal(const TerminalGuard *guard) {
    struct signalfd_siginfo info;
    ssize_t size = read(guard->signals, &info, sizeof info);
    return size == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

void guard_catch_error(TerminalGuard *guard) {
    if (!isatty(STDERR_FILENO)) {
        return; // it goes somewhere else already
    }
    guard->caught_error = memfd_create("attend-stderr", MFD_CLOEXEC);
    guard->saved_error = dup(STDERR_FILENO);
    if (guard->caught_error >= 0 && guard->saved_error >= 0) {
        dup2(guard->caught_error, STDERR_FILENO);
    }
}

void guard_release_error(TerminalGuard *guard) {
    if (guard->saved_error < 0 || guard->caught_error < 0) {
        return;
    }
    dup2(guard->saved_error, STDERR_FILENO);
    char bytes[1024];
    lseek(guard->caught_error, 0, SEEK_SET);
    for (ssize_t n = 0; (n = read(guard->caught_error, bytes, sizeof bytes)) > 0;) {
        if (write(STDERR_FILENO, bytes, (size_t)n) != n) {
            break;
        }
    }
    close(guard->saved_error);
    close(guard->caught_error);
    guard->saved_error = -1;
    guard->caught_error = -1;
}

void guard_stop(const TerminalGuard *guard) {
    kill(getpid(), SIGSTOP);
    while (guard_next_signal(guard) != 0) {
    }
}

void guard_close(TerminalGuard *guard) {
    fault_is_armed = 0;
    watch_faults(false);
    if (guard->signals >= 0) {
        close(guard->signals);
        sigset_t set = caught_signals();
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    guard->signals = -1;
}
