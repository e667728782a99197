// terminal.c - the terminal: a canvas goes out, keys come in. Only this folder knows curses.
#define NCURSES_WIDECHAR 1
#include "app/terminal/terminal_private.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <curses.h>

#include "app/terminal/terminal_escape.h"
#include "app/terminal/terminal_guard.h"
#include "app/terminal/terminal_input.h"
#include "app/terminal/terminal_restore.h"
#include "app/terminal/terminal_stderr.h"

static void choose_locale(Terminal *terminal, bool ascii) {
    const char *own = setlocale(LC_CTYPE, "");
    if (own == NULL || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        setlocale(LC_CTYPE, "C.UTF-8");
    }
    terminal->ascii = ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static void start_curses(void) {
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    typeahead(-1); // a frame is sent whole; keys are read by us
    scrollok(stdscr, FALSE);
    leaveok(stdscr, FALSE);
    curs_set(0);
}

Terminal *terminal_open(const TerminalOptions *options, Error *err) {
    Terminal *terminal = calloc(1, sizeof *terminal);
    if (terminal == NULL) {
        error_set(err, "out of memory");
        return NULL;
    }
    terminal->out = stdout;
    choose_locale(terminal, options->ascii);
    if (!guard_open(err) || !terminal_kind_open(terminal, options, err)) {
        restore_leave(false);
        restore_close();
        guard_close();
        free(terminal);
        return NULL;
    }
    start_curses();
    restore_begin();
    stderr_catch();
    terminal->is_stale = true;
    return terminal;
}

void terminal_close(Terminal *terminal) {
    if (terminal == NULL) {
        return;
    }
    restore_leave(false); // endwin would wait where output stands still
    delscreen(terminal->screen);
    stderr_release();
    restore_close();
    guard_close();
    input_free(&terminal->input);
    canvas_free(&terminal->shown);
    free(terminal);
}

int terminal_end_by(int signal) {
    return guard_end_by(signal);
}

void terminal_size(const Terminal *terminal, int *width, int *height) {
    (void)terminal;
    getmaxyx(stdscr, *height, *width);
}

bool terminal_is_ascii(const Terminal *terminal) {
    return terminal->ascii;
}

// ---- waiting

bool terminal_has_input(const Terminal *terminal) {
    return terminal_input_is_waiting(&terminal->input);
}

static void take_size(Terminal *terminal) {
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        resizeterm(size.ws_row, size.ws_col);
        restore_set_lines(size.ws_row);
    }
    curs_set(0); // as it is where the terminal was taken back after a stop
    terminal_repaint(terminal);
}

void terminal_wait(Terminal *terminal, int timeout_ms, Event *event) {
    terminal_input_wait(&terminal->input, timeout_ms, event);
    if (event->kind == EVENT_RESIZE) {
        take_size(terminal);
    }
}

void terminal_stay(Terminal *terminal) {
    (void)terminal;
    guard_stay();
}

void terminal_copy(Terminal *terminal, const char *text) {
    if (restore_is_up()) {
        guard_begin_frame();
        escape_copy(terminal->out, text);
        guard_end_frame();
    }
}
