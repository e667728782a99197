// terminal_kind.c - which description of the terminal curses reads, and how many colours are used.
#include "app/terminal/terminal_private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

#include "app/terminal/terminal_direct.h"
#include "app/terminal/terminal_restore.h"

enum { KIND_BYTES = 128 };

static bool has_no_colour(void) {
    const char *said = getenv("NO_COLOR");
    return said != NULL && said[0] != '\0';
}

// Only after start_color() does curses say how many colours there are.
static ColourDepth offered_depth(void) {
    if (!has_colors()) {
        return COLOUR_NONE;
    }
    if (COLORS > 256) {
        return COLOUR_TRUE;
    }
    return COLORS >= 256 ? COLOUR_256 : (COLORS >= 16 ? COLOUR_16 : COLOUR_8);
}

static bool choose_colours(Terminal *terminal, const TerminalOptions *options, const char *kind,
                           Error *err) {
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    ColourDepth offered = offered_depth();
    terminal->depth = has_no_colour() ? COLOUR_NONE : offered;
    if (options->has_depth && options->depth > offered) {
        char colours[32] = "no colours";
        if (offered > COLOUR_NONE) {
            snprintf(colours, sizeof colours, "%d colours", COLORS);
        }
        return error_set(err, "--color %s: TERM=%s has %s", colour_depth_name(options->depth), kind,
                         colours);
    }
    if (options->has_depth) {
        terminal->depth = options->depth;
    }
    terminal->theme = options->theme;
    return true;
}

// Where the palette is to be used, a description that sends 24-bit colours alone is of no use: its
// sister of 256 colours, or of fewer.
static SCREEN *open_palette(const Terminal *terminal, const char *kind) {
    static const char DIRECT[] = "-direct";
    size_t length = strlen(kind);
    size_t size = sizeof DIRECT - 1;
    if (length > size && strcmp(kind + length - size, DIRECT) == 0) {
        static const char *const SISTERS[] = {"-256color", "-16color", ""};
        for (size_t i = 0; i < sizeof SISTERS / sizeof SISTERS[0]; i++) {
            char sister[KIND_BYTES];
            snprintf(sister, sizeof sister, "%.*s%s", (int)(length - size), kind, SISTERS[i]);
            SCREEN *screen = newterm(sister, terminal->out, stdin);
            if (screen != NULL) {
                return screen;
            }
        }
    }
    return newterm(kind, terminal->out, stdin);
}

static bool wants_direct(const TerminalOptions *options, const char *kind) {
    if (options->has_depth) {
        return options->depth == COLOUR_TRUE;
    }
    return !has_no_colour() && terminal_direct_fits(kind);
}

// What is restored at any instant from here on has to be known before curses changes anything.
static bool check_kind(const char *kind, const TerminalOptions *options, Error *err) {
    const char *hint = options->instead;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        return error_set(err, "standard input and output are not both a terminal; %s", hint);
    }
    if (kind == NULL || kind[0] == '\0') {
        return error_set(err, "TERM is not set, so the terminal's kind is unknown; %s", hint);
    }
    if (setupterm(kind, STDOUT_FILENO, &(int){0}) == ERR) {
        return error_set(err, "TERM=%s: this kind of terminal is unknown here; %s", kind, hint);
    }
    bool can_place = cursor_address != NULL && clear_screen != NULL;
    if (can_place) {
        restore_open();
        restore_arm(!options->no_mouse && key_mouse != NULL, lines);
    }
    del_curterm(cur_term); // newterm reads it for itself
    return can_place ||
           error_set(err, "TERM=%s: this terminal cannot place its cursor; %s", kind, hint);
}

bool terminal_kind_open(Terminal *terminal, const TerminalOptions *options, Error *err) {
    const char *kind = getenv("TERM");
    if (!check_kind(kind, options, err) || kind == NULL) {
        return false;
    }
    use_env(FALSE);
    use_tioctl(TRUE);
    if (wants_direct(options, kind)) {
        char *saved = terminal_direct_enter();
        terminal->screen = newterm(TERMINAL_DIRECT_NAME, terminal->out, stdin);
        terminal_direct_leave(saved);
    }
    if (terminal->screen == NULL) {
        terminal->screen = open_palette(terminal, kind);
    }
    if (terminal->screen == NULL) {
        return error_set(err, "TERM=%s: the terminal could not be opened; %s", kind,
                         options->instead);
    }
    terminal->has_faint = colour_is_faint_readable(kind);
    if (choose_colours(terminal, options, kind, err)) {
        return true;
    }
    delscreen(terminal->screen);
    terminal->screen = NULL;
    return false;
}
