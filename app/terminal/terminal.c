// terminal.c - the terminal: a canvas goes out, keys come in. The only module that knows curses.
#define NCURSES_WIDECHAR 1
#include "app/terminal/terminal.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>
#include <term.h>

#include "app/terminal/terminal_direct.h"
#include "app/terminal/terminal_escape.h"
#include "app/terminal/terminal_guard.h"

enum {
    CODE_PASTE_BEGIN = KEY_MAX + 1,
    CODE_PASTE_END,
    CODE_MOUSE,
    ESCAPE_DELAY_MS = 25,
    PASTE_WAIT_MS = 500,
};

struct Terminal {
    TerminalGuard guard;
    SCREEN *screen;
    FILE *out;
    ThemeName theme;
    ColourDepth depth;
    bool ascii;
    bool has_mouse;
    PairTable pairs;
    Canvas shown; // what curses was told
    bool is_stale;
};

static void choose_locale(Terminal *terminal, bool ascii) {
    const char *own = setlocale(LC_CTYPE, "");
    if (own == NULL || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        setlocale(LC_CTYPE, "C.UTF-8");
    }
    terminal->ascii = ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static ColourDepth offered_depth(void) {
    const char *no_colour = getenv("NO_COLOR");
    if ((no_colour != NULL && no_colour[0] != '\0') || !has_colors()) {
        return COLOUR_NONE;
    }
    if (COLORS > 256) {
        return COLOUR_TRUE;
    }
    return COLORS >= 256 ? COLOUR_256 : (COLORS >= 16 ? COLOUR_16 : COLOUR_8);
}

static void choose_colours(Terminal *terminal, const TerminalOptions *options) {
    ColourDepth depth = offered_depth();
    if (options->has_depth && options->depth < depth) {
        depth = options->depth;
    }
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    terminal->depth = depth;
    terminal->theme = depth == COLOUR_NONE ? THEME_MONO : options->theme;
}

static void start_curses(void) {
    cbreak();
    noecho();
    nonl();
    set_escdelay(ESCAPE_DELAY_MS);
    nodelay(stdscr, TRUE);
    keypad(stdscr, TRUE);
    scrollok(stdscr, FALSE);
    leaveok(stdscr, FALSE);
    curs_set(0);
    define_key("\033[200~", CODE_PASTE_BEGIN);
    define_key("\033[201~", CODE_PASTE_END);
    define_key("\033[<", CODE_MOUSE);
}

static bool open_screen(Terminal *terminal, const TerminalOptions *options, Error *err) {
    const char *kind = getenv("TERM");
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
    del_curterm(cur_term); // newterm reads it for itself
    if (!can_place) {
        return error_set(err, "TERM=%s: this terminal cannot place its cursor; %s", kind, hint);
    }
    use_env(FALSE);
    use_tioctl(TRUE);
    bool is_true = options->depth == COLOUR_TRUE;
    if (options->has_depth ? is_true : terminal_direct_fits(kind)) {
        char *saved = terminal_direct_enter();
        terminal->screen = newterm(TERMINAL_DIRECT_NAME, terminal->out, stdin);
        terminal_direct_leave(saved);
    }
    if (terminal->screen == NULL) {
        terminal->screen = newterm(kind, terminal->out, stdin);
    }
    return terminal->screen != NULL ||
           error_set(err, "TERM=%s: the terminal could not be opened; %s", kind, hint);
}

Terminal *terminal_open(const TerminalOptions *options, Error *err) {
    Terminal *terminal = calloc(1, sizeof *terminal);
    if (terminal == NULL) {
        error_set(err, "out of memory");
        return NULL;
    }
    terminal->out = stdout;
    choose_locale(terminal, options->ascii);
    if (!guard_open(&terminal->guard, err) || !open_screen(terminal, options, err)) {
        guard_close(&terminal->guard);
        free(terminal);
        return NULL;
    }
    terminal->has_mouse = !options->no_mouse && key_mouse != NULL;
    start_curses();
    choose_colours(terminal, options);
    escape_begin_modes(terminal->out, terminal->has_mouse);
    guard_catch_error(&terminal->guard);
    terminal->is_stale = true;
    return terminal;
}

void terminal_close(Terminal *terminal) {
    if (terminal == NULL) {
        return;
    }
    escape_end_modes(terminal->out, terminal->has_mouse);
    endwin();
    delscreen(terminal->screen);
    guard_release_error(&terminal->guard);
    guard_close(&terminal->guard);
    canvas_free(&terminal->shown);
    free(terminal);
}

void terminal_size(const Terminal *terminal, int *width, int *height) {
    (void)terminal;
    getmaxyx(stdscr, *height, *width);
}

bool terminal_is_ascii(const Terminal *terminal) {
    return terminal->ascii;
}

void terminal_set_theme(Terminal *terminal, ThemeName theme) {
    terminal->theme = terminal->depth == COLOUR_NONE ? THEME_MONO : theme;
    terminal->is_stale = true;
}

// ---- showing

static int pair_of(Terminal *terminal, int ink, int paper) {
    bool is_new = false;
    int pair = colour_pair_find(&terminal->pairs, ink, paper, COLOR_PAIRS - 1, &is_new);
    if (is_new) {
        init_extended_pair(pair, ink, paper);
    }
    return pair;
}

static attr_t curses_attributes(unsigned attributes) {
    return ((attributes & LOOK_BOLD) != 0 ? A_BOLD : 0) |
           ((attributes & LOOK_UNDERLINE) != 0 ? A_UNDERLINE : 0) |
           ((attributes & LOOK_REVERSE) != 0 ? A_REVERSE : 0) |
           ((attributes & LOOK_DIM) != 0 ? A_DIM : 0) |
           ((attributes & LOOK_ITALIC) != 0 ? A_ITALIC : 0);
}

static void put_cell(Terminal *terminal, int x, int y, const Cell *cell) {
    wchar_t wide[CCHARW_MAX + 1] = {0};
    const char *glyph = cell->glyph;
    mbstate_t state = {0};
    size_t n = mbsrtowcs(wide, &glyph, CCHARW_MAX, &state);
    if (n == (size_t)-1 || n == 0 || (terminal->ascii && wide[0] > 126)) {
        wide[0] = terminal->ascii && cell->width == 1 ? L'?' : L' ';
        wide[1] = L'\0';
    }
    CellColours colours = colour_of_cell(cell, terminal->theme, terminal->depth);
    int pair = terminal->depth == COLOUR_NONE ? 0 : pair_of(terminal, colours.ink, colours.paper);
    cchar_t character;
    setcchar(&character, wide, curses_attributes(colours.attributes), 0, &pair);
    mvadd_wchnstr(y, x, &character, 1);
}

static bool fit_shown(Terminal *terminal, const Canvas *canvas) {
    Canvas *shown = &terminal->shown;
    if (shown->cells != NULL && shown->width == canvas->width && shown->height == canvas->height) {
        return true;
    }
    terminal->is_stale = true;
    return shown->cells == NULL ? canvas_init(shown, canvas->width, canvas->height, NULL)
                                : canvas_resize(shown, canvas->width, canvas->height, NULL);
}

void terminal_show(Terminal *terminal, const Canvas *canvas, int cursor_x, int cursor_y) {
    if (!fit_shown(terminal, canvas)) {
        return;
    }
    if (colour_pair_is_full(&terminal->pairs)) {
        colour_pair_clear(&terminal->pairs);
        terminal->is_stale = true;
    }
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            const Cell *cell = &canvas->cells[(y * canvas->grid_columns) + x];
            Cell *old = &terminal->shown.cells[(y * terminal->shown.grid_columns) + x];
            if (cell->width > 0 && (terminal->is_stale || memcmp(cell, old, sizeof *cell) != 0)) {
                put_cell(terminal, x, y, cell);
            }
            *old = *cell;
        }
    }
    terminal->is_stale = false;
    curs_set(cursor_x >= 0 ? 1 : 0);
    move(cursor_x >= 0 ? cursor_y : 0, cursor_x >= 0 ? cursor_x : 0);
    refresh();
}

// ---- waiting

bool terminal_has_input(const Terminal *terminal) {
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = terminal->guard.signals, .events = POLLIN}};
    return poll(watched, 2, 0) > 0;
}

static bool next_character(wint_t *character, bool *is_code) {
    int kind = get_wch(character);
    struct pollfd watched = {.fd = STDIN_FILENO, .events = POLLIN};
    if (kind == ERR && poll(&watched, 1, PASTE_WAIT_MS) > 0) {
        kind = get_wch(character);
    }
    *is_code = kind == KEY_CODE_YES;
    return kind != ERR;
}

static void read_paste(Event *event) {
    event->kind = EVENT_PASTE;
    size_t length = 0;
    wint_t character = 0;
    bool is_code = false;
    mbstate_t state = {0};
    while (next_character(&character, &is_code) && !(is_code && character == CODE_PASTE_END)) {
        char bytes[MB_LEN_MAX];
        size_t size = is_code ? 0 : wcrtomb(bytes, (wchar_t)character, &state);
        if (size != (size_t)-1 && length + size < sizeof event->text) {
            memcpy(event->text + length, bytes, size);
            length += size;
        }
    }
    event->text[length] = '\0';
}

// After "ESC [ <": button ; column ; row, then M for pressed or m for let go.
static void read_mouse(Event *event) {
    int numbers[3] = {0};
    int n = 0;
    wint_t character = 0;
    bool is_code = false;
    while (next_character(&character, &is_code) && !is_code && character != 'M' &&
           character != 'm') {
        if (character == ';' && n < 2) {
            n++;
        } else if (character >= '0' && character <= '9' && numbers[n] < CANVAS_MAX_SIDE) {
            numbers[n] = (10 * numbers[n]) + (int)(character - '0');
        }
    }
    bool is_wheel = (numbers[0] & 64) != 0;
    int button = numbers[0] & 3;
    if (character != 'M' || (numbers[0] & 32) != 0 || button == 3) {
        return; // let go, or moved
    }
    event->kind = EVENT_MOUSE;
    event->x = numbers[1] - 1;
    event->y = numbers[2] - 1;
    event->button = is_wheel ? (button == 0 ? MOUSE_UP : MOUSE_DOWN) : (MouseButton)button;
}

static int key_of_code(wint_t code) {
    static const int KEYS[][2] = {
        {KEY_UP, KEY_CODE_UP},         {KEY_DOWN, KEY_CODE_DOWN},
        {KEY_LEFT, KEY_CODE_LEFT},     {KEY_RIGHT, KEY_CODE_RIGHT},
        {KEY_HOME, KEY_CODE_HOME},     {KEY_END, KEY_CODE_END},
        {KEY_PPAGE, KEY_CODE_PAGE_UP}, {KEY_NPAGE, KEY_CODE_PAGE_DOWN},
        {KEY_DC, KEY_CODE_DELETE},     {KEY_BTAB, KEY_CODE_BACK_TAB},
        {KEY_ENTER, KEY_CODE_ENTER},   {KEY_BACKSPACE, KEY_CODE_BACKSPACE},
    };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        if (KEYS[i][0] == (int)code) {
            return KEYS[i][1];
        }
    }
    return KEY_CODE_OTHER;
}

static bool read_key(Event *event) {
    wint_t character = 0;
    int kind = get_wch(&character);
    if (kind == ERR) {
        return false;
    }
    if (kind == KEY_CODE_YES && character == CODE_PASTE_BEGIN) {
        read_paste(event);
    } else if (kind == KEY_CODE_YES && character == CODE_MOUSE) {
        read_mouse(event);
    } else {
        event->kind = EVENT_KEY;
        event->key =
            kind == KEY_CODE_YES ? key_of_code(character) : key_of_character((int)character);
    }
    return true;
}

static void take_size(Terminal *terminal) {
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        resizeterm(size.ws_row, size.ws_col);
    }
    clearok(curscr, TRUE);
    terminal->is_stale = true;
}

static void suspend(Terminal *terminal) {
    escape_end_modes(terminal->out, terminal->has_mouse);
    endwin();
    guard_stop(&terminal->guard);
    refresh();
    escape_begin_modes(terminal->out, terminal->has_mouse);
    take_size(terminal);
}

static void take_signal(Terminal *terminal, int number, Event *event) {
    switch (number) {
    case SIGTSTP:
        suspend(terminal);
        event->kind = EVENT_RESIZE;
        return;
    case SIGWINCH:
    case SIGCONT:
        take_size(terminal);
        event->kind = EVENT_RESIZE;
        return;
    default:
        event->kind = number == SIGHUP ? EVENT_HANGUP : EVENT_SIGNAL;
        event->key = number;
        return;
    }
}

void terminal_wait(Terminal *terminal, int timeout_ms, Event *event) {
    event->kind = EVENT_NONE;
    event->text[0] = '\0';
    int number = guard_next_signal(&terminal->guard);
    if (number != 0) {
        take_signal(terminal, number, event);
        return;
    }
    if (read_key(event)) {
        return;
    }
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = terminal->guard.signals, .events = POLLIN}};
    if (poll(watched, 2, timeout_ms) <= 0) {
        return;
    }
    number = guard_next_signal(&terminal->guard);
    if (number != 0) {
        take_signal(terminal, number, event);
    } else if (!read_key(event) && (watched[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
        event->kind = EVENT_HANGUP;
        event->key = SIGHUP;
    }
}

void terminal_copy(Terminal *terminal, const char *text) {
    escape_copy(terminal->out, text);
}
