// support_pty_screen.c - what a terminal would show: the sequences of an xterm that curses uses.
#include <stdio.h>
#include <string.h>

#include "tests/support_pty.h"
#include "tests/support_pty_screen.h"
#include "views/text.h"

static void set_cell(Pty *pty, int x, int y, const char *glyph) {
    if (x >= 0 && y >= 0 && x < pty->width && y < pty->height) {
        snprintf(pty->cells[y][x], PTY_GLYPH_BYTES, "%s", glyph);
    }
}

static void blank(Pty *pty, int y, int from, int to) {
    for (int x = from; x < to; x++) {
        set_cell(pty, x, y, " ");
    }
}

void pty_screen_clear(Pty *pty) {
    for (int y = 0; y < pty->height; y++) {
        blank(pty, y, 0, pty->width);
    }
}

static void copy_row(Pty *pty, int to, int from) {
    memcpy(pty->cells[to], pty->cells[from], sizeof pty->cells[to]);
}

// Rows from `top` on move up (n > 0) or down.
static void scroll(Pty *pty, int top, int n) {
    int count = pty->bottom - top + 1;
    int size = n < 0 ? -n : n;
    for (int i = 0; i < count; i++) {
        int y = n > 0 ? top + i : pty->bottom - i;
        int from = y + n;
        if (i + size < count) {
            copy_row(pty, y, from);
        } else {
            blank(pty, y, 0, pty->width);
        }
    }
}

static void line_feed(Pty *pty) {
    if (pty->y == pty->bottom) {
        scroll(pty, pty->top, 1);
    } else if (pty->y < pty->height - 1) {
        pty->y++;
    }
}

static void put(Pty *pty, const char *glyph, int columns) {
    if (pty->wraps || pty->x + columns > pty->width) {
        pty->x = 0;
        line_feed(pty);
        pty->wraps = false;
    }
    set_cell(pty, pty->x, pty->y, glyph);
    if (columns == 2) {
        set_cell(pty, pty->x + 1, pty->y, "");
    }
    snprintf(pty->last, sizeof pty->last, "%s", glyph);
    pty->x += columns;
    if (pty->x >= pty->width) {
        pty->x = pty->width - 1;
        pty->wraps = true;
    }
}

static void shift_cells(Pty *pty, int n) {
    char(*row)[PTY_GLYPH_BYTES] = pty->cells[pty->y];
    int left = pty->width - pty->x - (n < 0 ? -n : n);
    left = left < 0 ? 0 : left;
    if (n > 0) {
        memmove(row[pty->x + n], row[pty->x], (size_t)left * PTY_GLYPH_BYTES);
        blank(pty, pty->y, pty->x, pty->x + n);
    } else {
        memmove(row[pty->x], row[pty->x - n], (size_t)left * PTY_GLYPH_BYTES);
        blank(pty, pty->y, pty->width + n, pty->width);
    }
}

static void set_mode(Pty *pty, int mode, bool on) {
    switch (mode) {
    case 25:
        pty->cursor_is_off = !on;
        return;
    case 1049:
        pty->is_alternate = on;
        return;
    case 2004:
        pty->has_paste = on;
        return;
    case 1000:
        pty->has_mouse = on;
        return;
    default:
        return;
    }
}

static void not_known(Pty *pty, const char *sequence, size_t length) {
    pty->n_unknown++;
    snprintf(pty->unknown, sizeof pty->unknown, "%.*s", (int)length, sequence);
}

static int limit(int value, int low, int high) {
    return value < low ? low : (value > high ? high : value);
}

static void erase_display(Pty *pty, int how) {
    if (how == 2 || how == 3) {
        pty_screen_clear(pty);
        return;
    }
    int from = how == 0 ? pty->y + 1 : 0;
    int to = how == 0 ? pty->height : pty->y;
    for (int y = from; y < to; y++) {
        blank(pty, y, 0, pty->width);
    }
    blank(pty, pty->y, how == 0 ? pty->x : 0, how == 0 ? pty->width : pty->x + 1);
}

static void move_to(Pty *pty, int x, int y) {
    pty->x = limit(x, 0, pty->width - 1);
    pty->y = limit(y, 0, pty->height - 1);
    pty->wraps = false;
}

typedef struct Control {
    char final;
    bool is_private;
    int numbers[8];
    int n; // of the last number
} Control;

static Control read_control(const char *sequence, size_t length) {
    Control control = {.final = sequence[length - 1],
                       .is_private = sequence[2] == '?' || sequence[2] == '>'};
    for (size_t i = control.is_private ? 3 : 2; i + 1 < length; i++) {
        if (sequence[i] == ';' && control.n < 7) {
            control.n++;
        } else if (sequence[i] >= '0' && sequence[i] <= '9') {
            int *number = &control.numbers[control.n];
            *number = 10 * *number + (sequence[i] - '0');
        }
    }
    return control;
}

// Sequences that move the cursor; false: another one.
static bool move_cursor(Pty *pty, const Control *control, int a) {
    switch (control->final) {
    case 'H':
        move_to(pty, (control->numbers[1] > 0 ? control->numbers[1] : 1) - 1, a - 1);
        return true;
    case 'A':
        move_to(pty, pty->x, pty->y - a);
        return true;
    case 'B':
        move_to(pty, pty->x, pty->y + a);
        return true;
    case 'C':
        move_to(pty, pty->x + a, pty->y);
        return true;
    case 'D':
        move_to(pty, pty->x - a, pty->y);
        return true;
    case 'G':
        move_to(pty, a - 1, pty->y);
        return true;
    case 'd':
        move_to(pty, pty->x, a - 1);
        return true;
    default:
        return false;
    }
}

// Sequences that blank, shift or repeat cells; false: another one.
static bool change_cells(Pty *pty, const Control *control, int a) {
    char glyph[PTY_GLYPH_BYTES];
    switch (control->final) {
    case 'J':
        erase_display(pty, control->numbers[0]);
        return true;
    case 'K':
        blank(pty, pty->y, control->numbers[0] == 0 ? pty->x : 0,
              control->numbers[0] == 1 ? pty->x + 1 : pty->width);
        return true;
    case 'X':
        blank(pty, pty->y, pty->x, limit(pty->x + a, 0, pty->width));
        return true;
    case 'b':
        memcpy(glyph, pty->last, sizeof glyph);
        while (a-- > 0) {
            put(pty, glyph, text_columns(glyph));
        }
        return true;
    case '@':
        shift_cells(pty, limit(a, 0, pty->width - pty->x));
        return true;
    case 'P':
        shift_cells(pty, -limit(a, 0, pty->width - pty->x));
        return true;
    default:
        return false;
    }
}

static bool move_rows(Pty *pty, const Control *control, int a) {
    switch (control->final) {
    case 'L':
        scroll(pty, pty->y, -a);
        return true;
    case 'M':
        scroll(pty, pty->y, a);
        return true;
    case 'S':
        scroll(pty, pty->top, a);
        return true;
    case 'T':
        scroll(pty, pty->top, -a);
        return true;
    case 'r':
        pty->top = a - 1;
        pty->bottom = (control->numbers[1] > 0 ? control->numbers[1] : pty->height) - 1;
        pty->bottom = limit(pty->bottom, 0, pty->height - 1);
        move_to(pty, 0, 0);
        return true;
    default:
        return false;
    }
}

static void take_control_sequence(Pty *pty, const char *sequence, size_t length) {
    Control control = read_control(sequence, length);
    int a = control.numbers[0] > 0 ? control.numbers[0] : 1;
    if (control.final == 'm' || control.final == 't') {
        return; // colours; the window's title
    }
    if (control.final == 'h' || control.final == 'l') {
        for (int i = 0; i <= control.n && control.is_private; i++) {
            set_mode(pty, control.numbers[i], control.final == 'h');
        }
        return;
    }
    if (!move_cursor(pty, &control, a) && !change_cells(pty, &control, a) &&
        !move_rows(pty, &control, a)) {
        not_known(pty, sequence, length);
    }
}

// The bytes of a whole escape sequence at text, 0 where it is not whole yet.
static size_t sequence_length(const char *text, size_t length) {
    if (length < 2) {
        return 0;
    }
    if (text[1] == '[') {
        for (size_t i = 2; i < length; i++) {
            if (text[i] >= '@' && text[i] <= '~') {
                return i + 1;
            }
        }
        return 0;
    }
    if (text[1] == ']') {
        for (size_t i = 2; i < length; i++) {
            if (text[i] == '\a') {
                return i + 1;
            }
        }
        return length > 500 ? length : 0; // long ones are passed over
    }
    if (text[1] == '(' || text[1] == ')') {
        return length < 3 ? 0 : 3;
    }
    return 2;
}

static void take_sequence(Pty *pty, const char *text, size_t length) {
    switch (text[1]) {
    case '[':
        take_control_sequence(pty, text, length);
        return;
    case 'M':
        if (pty->y == pty->top) {
            scroll(pty, pty->top, -1);
        } else {
            move_to(pty, pty->x, pty->y - 1);
        }
        return;
    case 'D':
        line_feed(pty);
        return;
    case ']':
        if (strncmp(text, "\033]52;c;", 7) == 0) {
            snprintf(pty->copied, sizeof pty->copied, "%.*s", (int)length - 8, text + 7);
        }
        return;
    case '(':
    case ')':
    case '=':
    case '>':
    case '7':
    case '8':
        return;
    default:
        not_known(pty, text, length);
    }
}

static bool take_control(Pty *pty, char byte) {
    switch (byte) {
    case '\r':
        pty->x = 0;
        pty->wraps = false;
        return true;
    case '\n':
        line_feed(pty);
        pty->wraps = false;
        return true;
    case '\b':
        move_to(pty, pty->x - 1, pty->y);
        return true;
    case '\t':
        move_to(pty, (pty->x / 8 + 1) * 8, pty->y);
        return true;
    default:
        return byte >= 0 && byte < ' ';
    }
}

static size_t utf8_length(unsigned char byte) {
    return byte < 0x80 ? 1 : (byte < 0xE0 ? 2 : (byte < 0xF0 ? 3 : 4));
}

static size_t take(Pty *pty, const char *text, size_t length) {
    if (text[0] == '\033') {
        size_t size = sequence_length(text, length);
        if (size > 0) {
            take_sequence(pty, text, size);
        }
        return size;
    }
    if (take_control(pty, text[0])) {
        return 1;
    }
    size_t size = utf8_length((unsigned char)text[0]);
    if (size > length) {
        return 0;
    }
    char glyph[8] = {0};
    memcpy(glyph, text, size);
    put(pty, glyph, text_columns(glyph));
    return size;
}

void pty_screen_feed(Pty *pty, const char *bytes, size_t length) {
    char text[8192];
    memcpy(text, pty->pending, pty->n_pending);
    memcpy(text + pty->n_pending, bytes, length);
    length += pty->n_pending;
    size_t at = 0;
    while (at < length) {
        size_t used = take(pty, text + at, length - at);
        if (used == 0) {
            break;
        }
        at += used;
    }
    pty->n_pending = length - at < sizeof pty->pending ? length - at : 0;
    memcpy(pty->pending, text + at, pty->n_pending);
}
