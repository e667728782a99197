// terminal_guard.c - what every signal does while the terminal is ours.
#include "app/terminal/terminal_guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "app/terminal/terminal_restore.h"
#include "app/terminal/terminal_stderr.h"

enum { FAULT_STACK_BYTES = 64 * 1024, SIGNAL_LIMIT = 65 };

// A handler can look at nothing but what lies here.
static char fault_stack[FAULT_STACK_BYTES];
static pthread_t key_thread;
static int wakes = -1; // the descriptor that guard_descriptor gives
static timer_t deadline;
static volatile sig_atomic_t end_wanted;   // the first signal that asks to end
static volatile sig_atomic_t end_is_typed; // on the terminal itself
static volatile sig_atomic_t end_is_taken;
static volatile sig_atomic_t deadline_is_over;
static volatile sig_atomic_t is_resized;
static volatile sig_atomic_t is_drawing;
static volatile sig_atomic_t continue_is_done; // by who was stopped
static struct sigaction actions_before[SIGNAL_LIMIT];
static bool is_answered[SIGNAL_LIMIT];

// ---- the table

SignalDeed guard_deed(int number) {
    static const struct {
        int number;
        SignalDeed deed;
    } DEEDS[] = {
        {SIGHUP, SIGNAL_ENDS},      {SIGINT, SIGNAL_ENDS},     {SIGQUIT, SIGNAL_ENDS},
        {SIGTERM, SIGNAL_ENDS},     {SIGUSR1, SIGNAL_ENDS},    {SIGUSR2, SIGNAL_ENDS},
        {SIGALRM, SIGNAL_ENDS},     {SIGVTALRM, SIGNAL_ENDS},  {SIGPROF, SIGNAL_ENDS},
        {SIGXCPU, SIGNAL_ENDS},     {SIGIO, SIGNAL_ENDS},      {SIGPWR, SIGNAL_ENDS},
        {SIGSTKFLT, SIGNAL_ENDS},   {SIGSEGV, SIGNAL_FAULT},   {SIGBUS, SIGNAL_FAULT},
        {SIGFPE, SIGNAL_FAULT},     {SIGILL, SIGNAL_FAULT},    {SIGABRT, SIGNAL_FAULT},
        {SIGTRAP, SIGNAL_FAULT},    {SIGSYS, SIGNAL_FAULT},    {SIGTSTP, SIGNAL_STOPS},
        {SIGTTIN, SIGNAL_STOPS},    {SIGTTOU, SIGNAL_STOPS},   {SIGCONT, SIGNAL_CONTINUES},
        {SIGWINCH, SIGNAL_RESIZES}, {SIGPIPE, SIGNAL_IGNORED}, {SIGXFSZ, SIGNAL_IGNORED},
        {SIGCHLD, SIGNAL_KEPT},     {SIGURG, SIGNAL_KEPT},     {SIGKILL, SIGNAL_KEPT},
        {SIGSTOP, SIGNAL_KEPT},
    };
    for (size_t i = 0; i < sizeof DEEDS / sizeof DEEDS[0]; i++) {
        if (DEEDS[i].number == number) {
            return DEEDS[i].deed;
        }
    }
    return number >= SIGRTMIN && number <= SIGRTMAX ? SIGNAL_ENDS : SIGNAL_KEPT;
}

// ---- what handlers do

static void wake(void) {
    const unsigned long long one = 1;
    ssize_t written = write(wakes, &one, sizeof one);
    (void)written;
}

// By its default action, at once: it may be blocked here, which is lifted for it.
static void raise_default(int number) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct sigaction before;
    sigset_t only;
    sigset_t mask;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, &before);
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_kill(pthread_self(), number);
    pthread_sigmask(SIG_UNBLOCK, &only, &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(number, &before, NULL);
}

static void end_at_once(int number) {
    enum { SHELL_SIGNAL = 128 };
    restore_leave(true);
    stderr_release();
    raise_default(number);
    _exit(SHELL_SIGNAL + number);
}

static void set_deadline(int ms) {
    enum { MS = 1000, NS_IN_MS = 1000000 };
    const struct itimerspec when = {
        .it_value = {.tv_sec = ms / MS, .tv_nsec = (long)(ms % MS) * NS_IN_MS}};
    timer_settime(deadline, 0, &when, NULL);
}

static bool is_pending(SignalDeed deed) {
    sigset_t pending;
    sigpending(&pending);
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (sigismember(&pending, number) == 1 && guard_deed(number) == deed) {
            return true;
        }
    }
    return false;
}

// Sent on in the background the program stops again, until the terminal is its own; a signal that
// ends it is not kept waiting for that. All signals are blocked here.
static void come_back(void) {
    bool is_continued = true;
    while (!restore_is_foreground() && is_continued && !is_pending(SIGNAL_ENDS)) {
        restore_leave(true);
        raise_default(SIGTTOU);
        // Where nothing stops it, as in a group without a shell, nobody will give it the terminal.
        is_continued = is_pending(SIGNAL_CONTINUES);
    }
    if (restore_is_foreground() && !is_pending(SIGNAL_ENDS)) {
        restore_enter();
        is_resized = 1;
        wake();
    }
}

static void on_stop(int number) {
    restore_leave(true);
    raise_default(number);
    come_back();
    continue_is_done = is_pending(SIGNAL_CONTINUES);
}

static void on_continue(void) {
    if (!continue_is_done && restore_is_armed()) {
        come_back();
    }
    continue_is_done = 0;
}

static void on_end(int number, const siginfo_t *info, bool is_deadline) {
    if (is_deadline) {
        if (end_wanted != 0) {
            end_at_once(end_wanted);
        }
        return;
    }
    if (end_wanted == 0) {
        end_wanted = number;
        end_is_typed = info->si_code == SI_KERNEL;
        set_deadline(number == SIGINT ? GUARD_INTERRUPT_MS : GUARD_DEADLINE_MS);
    }
    // Another job has the terminal: the rest of a frame would land on its screen.
    if (restore_is_armed() && !restore_is_up() && is_drawing) {
        end_at_once(number);
    }
    wake();
}

// Any thread may come here.
static void on_fault(int number, const siginfo_t *info) {
    static const char SENTENCE[] =
        "attend: this is a fault of the program; the terminal was put back\n";
    bool was_up = restore_is_up();
    bool is_own = info->si_code > 0 || info->si_pid == getpid();
    restore_leave(true);
    stderr_release();
    if (was_up && is_own) {
        ssize_t written = write(STDERR_FILENO, SENTENCE, sizeof SENTENCE - 1);
        (void)written;
    }
    raise_default(number);
}

static void answer(int number, const siginfo_t *info, bool is_deadline) {
    switch (guard_deed(number)) {
    case SIGNAL_ENDS:
        on_end(number, info, is_deadline);
        return;
    case SIGNAL_STOPS:
        on_stop(number);
        return;
    case SIGNAL_CONTINUES:
        on_continue();
        return;
    case SIGNAL_RESIZES:
        is_resized = 1;
        wake();
        return;
    case SIGNAL_FAULT:
    case SIGNAL_IGNORED:
    case SIGNAL_KEPT:
        return;
    }
}

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    int kept = errno;
    bool is_deadline = number == SIGALRM && info->si_code == SI_TIMER;
    if (guard_deed(number) == SIGNAL_FAULT) {
        on_fault(number, info);
    } else if (pthread_equal(pthread_self(), key_thread)) {
        bool was_passed_on = number == SIGALRM && info->si_code == SI_TKILL;
        answer(number, info, is_deadline || (was_passed_on && deadline_is_over));
    } else {
        // What the key thread is in the midst of, a write that waits, must not go on meanwhile.
        deadline_is_over = deadline_is_over || is_deadline;
        pthread_kill(key_thread, number);
    }
    errno = kept;
}

// ---- being on guard

static void catch_all(void) {
    struct sigaction action = {.sa_sigaction = on_signal};
    sigfillset(&action.sa_mask);
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (guard_deed(number) == SIGNAL_FAULT) {
            sigdelset(&action.sa_mask, number);
        }
    }
    for (int number = 1; number <= SIGRTMAX; number++) {
        SignalDeed deed = guard_deed(number);
        is_answered[number] = false;
        if (deed == SIGNAL_KEPT || sigaction(number, NULL, &actions_before[number]) != 0) {
            continue;
        }
        bool was_ignored = actions_before[number].sa_handler == SIG_IGN;
        if (was_ignored && (deed == SIGNAL_ENDS || deed == SIGNAL_STOPS)) {
            continue;
        }
        struct sigaction ignored = {.sa_handler = SIG_IGN};
        sigemptyset(&ignored.sa_mask);
        action.sa_flags = SA_SIGINFO | SA_RESTART | (deed == SIGNAL_FAULT ? SA_ONSTACK : 0);
        is_answered[number] =
            sigaction(number, deed == SIGNAL_IGNORED ? &ignored : &action, NULL) == 0;
    }
}

static void release_all(void) {
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (is_answered[number]) {
            sigaction(number, &actions_before[number], NULL);
            is_answered[number] = false;
        }
    }
}

bool guard_open(Error *err) {
    struct sigevent expiry = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    end_wanted = end_is_taken = deadline_is_over = 0;
    is_resized = is_drawing = continue_is_done = 0;
    key_thread = pthread_self();
    wakes = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wakes < 0 || timer_create(CLOCK_MONOTONIC, &expiry, &deadline) != 0) {
        error_set(err, "signals cannot be watched: %s", strerror(errno));
        if (wakes >= 0) {
            close(wakes);
        }
        wakes = -1;
        return false;
    }
    stack_t stack = {.ss_sp = fault_stack, .ss_size = sizeof fault_stack};
    sigaltstack(&stack, NULL);
    catch_all();
    return true;
}

void guard_close(void) {
    if (wakes < 0) {
        return;
    }
    timer_delete(deadline);
    release_all();
    close(wakes);
    wakes = -1;
    if (end_wanted != 0 && !end_is_taken) {
        guard_end_by(end_wanted);
    }
}

int guard_descriptor(void) {
    return wakes;
}

void guard_take(int *end, bool *resized) {
    unsigned long long count = 0;
    ssize_t size = read(wakes, &count, sizeof count);
    (void)size;
    *resized = false;
    if (is_resized != 0) { // set again by now, it is seen in the size that is read after this
        is_resized = 0;
        *resized = true;
    }
    *end = end_is_taken ? 0 : end_wanted;
    if (*end != 0) {
        end_is_taken = 1;
        set_deadline(GUARD_CLOSING_MS);
    }
}

bool guard_was_typed(void) {
    return end_is_typed != 0;
}

void guard_stay(void) {
    set_deadline(0); // 0 disarms it
    end_wanted = 0;
    end_is_taken = 0;
}

void guard_begin_frame(void) {
    is_drawing = 1;
}

void guard_end_frame(void) {
    is_drawing = 0;
}

int guard_end_by(int number) {
    enum { SHELL_SIGNAL = 128 };
    struct sigaction action;
    fflush(stdout);
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
        raise_default(number);
    }
    return SHELL_SIGNAL + number;
}
