// terminal.c - the terminal: a canvas goes out, keys come in. Only this folder knows curses.
#define NCURSES_WIDECHAR 1
#include "app/terminal/terminal_private.h"

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

#include "app/terminal/terminal_escape.h"

enum {
    CODE_PASTE_BEGIN = KEY_MAX + 1,
    CODE_PASTE_END,
    CODE_MOUSE,
    ESCAPE_DELAY_MS = 25,
    PASTE_WAIT_MS = 500,
};

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

Terminal *terminal_open(const TerminalOptions *options, Error *err) {
    Terminal *terminal = calloc(1, sizeof *terminal);
    if (terminal == NULL) {
        error_set(err, "out of memory");
        return NULL;
    }
    terminal->out = stdout;
    choose_locale(terminal, options->ascii);
    if (!guard_open(&terminal->guard, err) || !terminal_kind_open(terminal, options, err)) {
        guard_close(&terminal->guard);
        free(terminal);
        return NULL;
    }
    terminal->has_mouse = !options->no_mouse && key_mouse != NULL;
    start_curses();
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
    terminal_repaint(terminal);
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
