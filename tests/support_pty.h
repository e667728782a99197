// support_pty.h - the real program on a terminal of our own: keys go in, what the screen shows is
// read.
#ifndef TESTS_SUPPORT_PTY_H
#define TESTS_SUPPORT_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <vterm.h>

#include "tests/support_palette.h"

enum { PTY_MAX_WIDTH = 240, PTY_MAX_HEIGHT = 80, PTY_GLYPH_BYTES = 32 };

// One cell as a person sees it: reverse, faint and bold are carried out in ink and paper.
typedef struct PtyCell {
    char glyph[PTY_GLYPH_BYTES]; // UTF-8; " " where there is nothing; "" in the right half of a
                                 // wide one
    int width;                   // 0 in the right half of a wide one
    Rgb ink, paper;
    unsigned attributes; // LOOK_..., what was sent, LOOK_REVERSE too
} PtyCell;

// The bytes of the program go through libvterm. All that can be read here is as of the bytes that
// came so far.
typedef struct Pty {
    int master;
    pid_t pid;
    int width, height;
    VTerm *vterm;
    PtyPalette palette;
    int x, y;          // the cursor
    size_t n_bytes;    // that came in all
    size_t n_unknown;  // sequences that the emulation does not know
    char unknown[64];  // the last of them
    char copied[256];  // what went to the clipboard last, in base 64
    bool is_alternate; // the second screen is shown
    bool cursor_is_off;
    bool has_paste;                   // pastes are marked
    bool has_mouse;                   // any of the mouse's modes
    bool has_cursor_keys, has_keypad; // arrows and keypad send their application's sequences
    bool has_pen; // a new character would not be in the terminal's own colours, plain
    bool is_closed;
    char pending[8192]; // an unfinished sequence
    size_t n_pending;
} Pty;

// Starts program with arguments (ended by NULL) on a terminal of that kind and size, with the
// palette of xterm. environment: "NAME=VALUE" to be added, ended by NULL; may be NULL.
void pty_start(Pty *pty, const char *kind, int width, int height, const char *const *arguments,
               const char *const *environment);

// The same; the new process calls prepare(context) before it becomes the program.
void pty_start_after(Pty *pty, const char *kind, int width, int height,
                     const char *const *arguments, const char *const *environment,
                     void (*prepare)(void *context), void *context);

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

PtyCell pty_cell(const Pty *pty, int x, int y);

// A row as text, without the spaces at its end; borrowed until the next call.
const char *pty_row(const Pty *pty, int y);
void pty_print(const Pty *pty); // for a test that fails

// The exit status as a shell says it, 128 + n for a signal; waits at most 10 s, then kills: -1.
// What is on the screen can still be read until the next terminal ends.
int pty_end(Pty *pty);

// The terminal goes away under the program.
void pty_hang_up(Pty *pty);

// Of the process, until now: resident kilobytes; how often its main thread went to sleep, which,
// unlike its time, nothing else on the machine changes. -1 where it has ended.
long pty_resident_kb(const Pty *pty);
long pty_sleeps(const Pty *pty);

#endif
