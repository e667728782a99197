// support_pty.h - the real program on a terminal of our own: keys go in, what the screen shows is
// read.
#ifndef TESTS_SUPPORT_PTY_H
#define TESTS_SUPPORT_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PTY_MAX_WIDTH = 240, PTY_MAX_HEIGHT = 80, PTY_GLYPH_BYTES = 16 };

typedef struct Pty {
    int master;
    pid_t pid;
    int width, height;
    char cells[PTY_MAX_HEIGHT][PTY_MAX_WIDTH]
              [PTY_GLYPH_BYTES]; // "" in the right half of a wide one
    int x, y;
    int top, bottom; // rows that scroll
    bool wraps;      // the last column was written: the next glyph goes to the next line
    char last[PTY_GLYPH_BYTES];
    char pending[512]; // an unfinished sequence
    size_t n_pending;
    size_t n_bytes;    // that came in all
    size_t n_unknown;  // sequences that the emulation does not know
    char unknown[64];  // the last of them
    char copied[256];  // what went to the clipboard last, in base 64
    bool is_alternate; // the second screen is shown
    bool cursor_is_off;
    bool has_paste, has_mouse;
    bool is_closed;
} Pty;

// Starts program with arguments (ended by NULL) on a terminal of that kind and size. environment:
// "NAME=VALUE" to be added, ended by NULL; may be NULL.
void pty_start(Pty *pty, const char *kind, int width, int height, const char *const *arguments,
               const char *const *environment);

void pty_send(Pty *pty, const char *keys);
void pty_resize(Pty *pty, int width, int height);

// Reads what is there, waiting for it at most wait_ms; false: nothing came.
bool pty_step(Pty *pty, int wait_ms);

// Reads until nothing came for quiet_ms.
void pty_settle(Pty *pty, int quiet_ms);

// Reads until the text stands somewhere on the screen, at most 10 s; false: it never did.
bool pty_wait_for(Pty *pty, const char *text);
// The same; fails the test, with the screen printed, where it never did.
void pty_expect(Pty *pty, const char *text);
bool pty_shows(const Pty *pty, const char *text);

// A row as text, without the spaces at its end; borrowed until the next call.
const char *pty_row(const Pty *pty, int y);
void pty_print(const Pty *pty); // for a test that fails

// The exit status as a shell says it, 128 + n for a signal; waits at most 10 s, then kills: -1.
int pty_end(Pty *pty);

// Of the process, until now: resident kilobytes; how often its main thread went to sleep, which,
// unlike its time, nothing else on the machine changes. -1 where it has ended.
long pty_resident_kb(const Pty *pty);
long pty_sleeps(const Pty *pty);

#endif
