// terminal_restore.c - into our modes of the terminal and out of them again, at any instant.
#include "app/terminal/terminal_restore.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "app/terminal/terminal_modes.h"
#include "engine/base/clock.h"

enum { DRAIN_MS = 20, START_MS = 10, FLUSH_MS = 10, ENTER_MS = 20 };

static struct {
    int descriptor; // of the terminal, which never waits; -1: standard output has to do
    bool has_found, has_ours, has_mouse;
    struct termios found, ours;
    TerminalModes modes;
    size_t unfinished_from; // of what is to be sent to enter them
} terminal = {.descriptor = -1};

static volatile sig_atomic_t is_armed, is_up, is_unfinished;

static int output(void) {
    return terminal.descriptor >= 0 ? terminal.descriptor : STDOUT_FILENO;
}

void restore_open(void) {
    // Opened anew: what does not wait here still waits for everybody else who writes to it.
    terminal.descriptor = open("/proc/self/fd/1", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal.descriptor < 0) {
        terminal.descriptor = open("/dev/tty", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    }
    // In the background this stops the program until it is given the terminal, in the mode that the
    // shell has put it into by then.
    terminal.has_found = tcgetattr(STDIN_FILENO, &terminal.found) == 0 &&
                         tcsetattr(STDIN_FILENO, TCSANOW, &terminal.found) == 0 &&
                         tcgetattr(STDIN_FILENO, &terminal.found) == 0;
    terminal.has_ours = false;
}

void restore_close(void) {
    is_armed = 0;
    if (terminal.descriptor >= 0) {
        close(terminal.descriptor);
    }
    terminal.descriptor = -1;
}

void restore_begin(void) {
    terminal.has_ours = tcgetattr(STDIN_FILENO, &terminal.ours) == 0;
    terminal.ours.c_lflag |= NOFLSH; // Ctrl-C within pasted text takes none of it away
    if (terminal.has_ours) {
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal.ours);
    }
    terminal.unfinished_from = terminal.modes.after_curses;
    is_unfinished = 1;
}

bool restore_is_armed(void) {
    return is_armed != 0;
}

bool restore_is_up(void) {
    return is_up != 0;
}

bool restore_is_foreground(void) {
    pid_t group = tcgetpgrp(STDIN_FILENO);
    return group < 0 || group == getpgrp();
}

// Nothing stops us while we do this, not even that the terminal is another job's.
static sigset_t hold_signals(void) {
    static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
        sigdelset(&all, FAULTS[i]);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}

void restore_set_lines(int n_lines) {
    TerminalModes modes;
    terminal_modes_find(&modes, terminal.has_mouse, n_lines);
    sigset_t before = hold_signals();
    terminal.modes = modes;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void restore_arm(bool has_mouse, int n_lines) {
    terminal.has_mouse = has_mouse;
    restore_set_lines(n_lines);
    is_armed = 1;
    is_up = 1;
}

// False where not all bytes went out within wait_ms.
static bool send_within(const char *bytes, size_t size, int wait_ms) {
    double end_ms = clock_ms() + wait_ms;
    while (size > 0) {
        double left_ms = end_ms - clock_ms();
        struct pollfd watched = {.fd = output(), .events = POLLOUT};
        if (left_ms <= 0.0 || poll(&watched, 1, (int)left_ms + 1) <= 0) {
            return false;
        }
        ssize_t n = write(output(), bytes, size);
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

// Output may stand still for good. First it is given a moment, then Ctrl-S is lifted, then what
// nobody reads is thrown away. CAN ends a sequence that was cut in its midst.
static void send_leave(bool is_urgent) {
    char bytes[MODES_BYTES + 1] = "\030";
    memcpy(bytes + 1, terminal.modes.leave, terminal.modes.leave_bytes);
    size_t size = terminal.modes.leave_bytes + 1;
    if (send_within(bytes + !is_urgent, size - !is_urgent, DRAIN_MS)) {
        return;
    }
    tcflow(output(), TCOOFF); // TCOON alone does not lift what Ctrl-S did
    tcflow(output(), TCOON);
    if (!send_within(bytes, size, START_MS)) {
        tcflush(output(), TCOFLUSH);
        send_within(bytes, size, FLUSH_MS);
    }
}

void restore_leave(bool is_urgent) {
    int kept = errno;
    sigset_t before = hold_signals();
    if (is_up != 0) {
        is_up = 0;
        is_unfinished = 0;
        send_leave(is_urgent);
        if (terminal.has_found && restore_is_foreground()) {
            tcsetattr(STDIN_FILENO, TCSANOW, &terminal.found);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = kept;
}

void restore_enter(void) {
    int kept = errno;
    sigset_t before = hold_signals();
    if (is_armed != 0) {
        is_up = 1;
        if (terminal.has_ours) {
            tcsetattr(STDIN_FILENO, TCSANOW, &terminal.ours);
        }
        terminal.unfinished_from = 0;
        is_unfinished = !send_within(terminal.modes.enter, terminal.modes.enter_bytes, ENTER_MS);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = kept;
}

void restore_finish(void) {
    if (is_unfinished == 0 || is_up == 0) {
        return;
    }
    is_unfinished = 0;
    const char *bytes = terminal.modes.enter + terminal.unfinished_from;
    size_t size = terminal.modes.enter_bytes - terminal.unfinished_from;
    while (size > 0) {
        ssize_t n = write(STDOUT_FILENO, bytes, size);
        if (n <= 0 && errno != EINTR) {
            return;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
}
