// support_pty.c - the real program on a terminal of our own: keys go in, what the screen shows is
// read.
#include "tests/support.h"

#include "tests/support_pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/support_pty_screen.h"

enum { DEADLINE_MS = 10000 };

// ---- the process

void pty_start(Pty *pty, const char *kind, int width, int height, const char *const *arguments,
               const char *const *environment) {
    pty_start_after(pty, kind, width, height, arguments, environment, NULL, NULL);
}

void pty_start_after(Pty *pty, const char *kind, int width, int height,
                     const char *const *arguments, const char *const *environment,
                     void (*prepare)(void *context), void *context) {
    memset(pty, 0, sizeof *pty);
    pty->width = width;
    pty->height = height;
    pty->palette = PTY_XTERM;
    struct winsize size = {.ws_row = (unsigned short)height, .ws_col = (unsigned short)width};
    const char *given = getenv("PROGRAM");
    const char *program = given != NULL ? given : "attend";
    char path[512];
    snprintf(path, sizeof path, "%s%s", strchr(program, '/') == NULL ? "./" : "", program);
    pty->pid = forkpty(&pty->master, NULL, NULL, &size);
    if (pty->pid == 0) {
        setenv("TERM", kind, 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        setenv("ATTEND_ASSETS", ".", 1);
        unsetenv("NO_COLOR");
        unsetenv("COLORTERM");
        for (int i = 0; environment != NULL && environment[i] != NULL; i++) {
            putenv(strdup(environment[i]));
        }
        char *copies[32] = {path};
        for (int i = 0; i < 30 && arguments[i] != NULL; i++) {
            copies[i + 1] = strdup(arguments[i]);
        }
        if (prepare != NULL) {
            prepare(context);
        }
        execv(path, copies);
        _exit(127);
    }
    fcntl(pty->master, F_SETFL, O_NONBLOCK);
    pty_screen_open(pty);
}

// A suite that runs in the background has these ignored, and programs would inherit that; one at a
// terminal has not.
__attribute__((constructor)) static void take_signals_as_at_a_terminal(void) {
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

bool pty_step(Pty *pty, int wait_ms) {
    struct pollfd watched = {.fd = pty->master, .events = POLLIN};
    if (pty->is_closed || poll(&watched, 1, wait_ms) <= 0) {
        return false;
    }
    char bytes[4096];
    ssize_t n = read(pty->master, bytes, sizeof bytes);
    if (n <= 0) {
        pty->is_closed = n == 0 || errno != EAGAIN;
        return false;
    }
    pty->n_bytes += (size_t)n;
    pty_screen_feed(pty, bytes, (size_t)n);
    return true;
}

void pty_send(Pty *pty, const char *keys) {
    size_t length = strlen(keys);
    double end_ms = clock_ms() + DEADLINE_MS;
    while (length > 0 && clock_ms() < end_ms) {
        ssize_t n = write(pty->master, keys, length);
        if (n > 0) {
            keys += n;
            length -= (size_t)n;
        } else {
            pty_step(pty, 10);
        }
    }
}

void pty_resize(Pty *pty, int width, int height) {
    struct winsize size = {.ws_row = (unsigned short)height, .ws_col = (unsigned short)width};
    pty->width = width;
    pty->height = height;
    pty_screen_resize(pty);
    ioctl(pty->master, TIOCSWINSZ, &size);
}

void pty_settle(Pty *pty, int quiet_ms) {
    double end_ms = clock_ms() + DEADLINE_MS;
    while (clock_ms() < end_ms && pty_step(pty, quiet_ms)) {
    }
}

const char *pty_row(const Pty *pty, int y) {
    static char row[PTY_MAX_WIDTH * PTY_GLYPH_BYTES];
    size_t length = 0;
    size_t end = 0;
    for (int x = 0; x < pty->width; x++) {
        PtyCell cell = pty_cell(pty, x, y);
        size_t size = strlen(cell.glyph);
        memcpy(row + length, cell.glyph, size);
        length += size;
        end = size > 0 && cell.glyph[0] != ' ' ? length : end;
    }
    row[end] = '\0';
    return row;
}

bool pty_shows(const Pty *pty, const char *text) {
    for (int y = 0; y < pty->height; y++) {
        if (strstr(pty_row(pty, y), text) != NULL) {
            return true;
        }
    }
    return false;
}

bool pty_wait_for(Pty *pty, const char *text) {
    double end_ms = clock_ms() + DEADLINE_MS;
    while (clock_ms() < end_ms) {
        if (pty_shows(pty, text)) {
            return true;
        }
        if (!pty_step(pty, 50) && pty->is_closed) {
            break;
        }
    }
    return pty_shows(pty, text);
}

void pty_expect(Pty *pty, const char *text) {
    if (!pty_wait_for(pty, text)) {
        pty_print(pty);
        fail_msg("the screen does not show \"%s\"", text);
    }
}

void pty_print(const Pty *pty) {
    for (int y = 0; y < pty->height; y++) {
        fprintf(stderr, "|%s\n", pty_row(pty, y));
    }
}

void pty_hang_up(Pty *pty) {
    close(pty->master);
    pty->is_closed = true;
    pty_screen_close(pty);
}

int pty_end(Pty *pty) {
    double end_ms = clock_ms() + DEADLINE_MS;
    int status = 0;
    pid_t done = 0;
    while (done == 0 && clock_ms() < end_ms) {
        pty_step(pty, 5);
        done = waitpid(pty->pid, &status, WNOHANG);
    }
    while (pty_step(pty, 5)) {
    }
    if (done == 0) {
        kill(pty->pid, SIGKILL);
        waitpid(pty->pid, &status, 0);
    }
    pty_hang_up(pty);
    if (done == 0) {
        return -1;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool read_process(const Pty *pty, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pty->pid, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    size_t n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return true;
}

static long number_of(const Pty *pty, const char *key) {
    char text[4096];
    const char *at = read_process(pty, "status", text, sizeof text) ? strstr(text, key) : NULL;
    return at == NULL ? -1 : strtol(at + strlen(key), NULL, 10);
}

long pty_resident_kb(const Pty *pty) {
    return number_of(pty, "\nVmRSS:");
}

long pty_sleeps(const Pty *pty) {
    return number_of(pty, "\nvoluntary_ctxt_switches:");
}
