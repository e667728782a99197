// support_pty_screen.c - what a terminal would show: the program's bytes go through libvterm.
#include "tests/support_pty_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <utf8proc.h>

#include "views/theme.h"

enum { FAINT_FONT = 1, N_BRIGHT = 8 };

// ---- what libvterm reports

static int on_property(VTermProp property, VTermValue *value, void *user) {
    Pty *pty = user;
    if (property == VTERM_PROP_ALTSCREEN) {
        pty->is_alternate = value->boolean;
    } else if (property == VTERM_PROP_MOUSE) {
        pty->has_mouse = value->number != VTERM_PROP_MOUSE_NONE;
    }
    return 1;
}

static const VTermScreenCallbacks REPORTS = {.settermprop = on_property};

static int not_known(Pty *pty, const char *sequence) {
    pty->n_unknown++;
    snprintf(pty->unknown, sizeof pty->unknown, "%s", sequence);
    return 1;
}

// libvterm knows neither the stack of titles (t) nor the Linux console's shape of the cursor (c).
static int on_unknown_csi(const char *leader, const long *arguments, int n_arguments,
                          const char *between, char command, void *user) {
    char text[64];
    snprintf(text, sizeof text, "CSI %s %ld%s %s %c", leader != NULL ? leader : "",
             n_arguments > 0 ? arguments[0] : 0, n_arguments > 1 ? " ..." : "",
             between != NULL ? between : "", command);
    return command == 't' || command == 'c' ? 1 : not_known(user, text);
}

// Nor the colours of its palette, which 104 puts back to those that it started with.
static int on_unknown_osc(const char *command, size_t length, void *user) {
    if (length == 3 && memcmp(command, "104", 3) == 0) {
        return 1;
    }
    char text[64];
    snprintf(text, sizeof text, "OSC %.*s", (int)(length < 40 ? length : 40), command);
    return not_known(user, text);
}

static int on_unknown_dcs(const char *command, size_t length, void *user) {
    (void)command;
    (void)length;
    return not_known(user, "DCS");
}

static int on_unknown_control(unsigned char control, void *user) {
    char text[32];
    snprintf(text, sizeof text, "control %d", control);
    return control == 0 ? 1 : not_known(user, text); // 0 gives old terminals time
}

static const VTermParserCallbacks UNKNOWN = {.csi = on_unknown_csi,
                                             .osc = on_unknown_osc,
                                             .dcs = on_unknown_dcs,
                                             .control = on_unknown_control};

static void answer(const char *bytes, size_t length, void *user) {
    const Pty *pty = user;
    ssize_t written = write(pty->master, bytes, length);
    (void)written;
}

// ---- opening

static VTerm *ended; // can still be read

void pty_screen_open(Pty *pty) {
    pty->vterm = vterm_new(pty->height, pty->width);
    vterm_set_utf8(pty->vterm, 1);
    vterm_output_set_callback(pty->vterm, answer, pty);
    VTermScreen *screen = vterm_obtain_screen(pty->vterm);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_set_callbacks(screen, &REPORTS, pty);
    vterm_screen_set_unrecognised_fallbacks(screen, &UNKNOWN, pty);
    vterm_screen_reset(screen, 1);
}

void pty_screen_close(Pty *pty) {
    if (ended != NULL && ended != pty->vterm) {
        vterm_free(ended);
    }
    ended = pty->vterm;
}

void pty_screen_resize(Pty *pty) {
    vterm_set_size(pty->vterm, pty->height, pty->width);
}

// ---- feeding

enum { ESC = 033, BEL = 7 };

// libvterm drops the attribute faint (2). It keeps fonts, which nothing of ours sets, so that faint
// becomes the first other font, and what ends faint ends that too.
static void feed_attributes(Pty *pty) {
    char text[256] = "\033[";
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)pty->n_pending - 3, pty->pending + 2);
    size_t n = 2;
    int n_colour = 0; // numbers that belong to a colour before them
    char *rest = copy;
    for (const char *part = NULL; (part = strsep(&rest, ";")) != NULL;) {
        const char *sent = part;
        if (n_colour > 0) {
            n_colour = n_colour == 4 ? (strcmp(part, "2") == 0 ? 3 : 1) : n_colour - 1;
        } else if (strcmp(part, "38") == 0 || strcmp(part, "48") == 0) {
            n_colour = 4;
        } else if (strcmp(part, "2") == 0) {
            sent = "11";
        } else if (strcmp(part, "22") == 0) {
            sent = "22;10";
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n > 2 ? ";" : "", sent);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "m");
    vterm_input_write(pty->vterm, text, n);
}

static bool pending_is(const Pty *pty, const char *text) {
    size_t length = strlen(text);
    return pty->n_pending >= length && memcmp(pty->pending, text, length) == 0;
}

// libvterm 0.1 loses the beginning of a string that comes in pieces, and saves with the screen
// whether the cursor shows: what goes to the clipboard and the cursor are read here.
static void feed_sequence(Pty *pty) {
    const char *sequence = pty->pending;
    size_t n = pty->n_pending;
    if (pending_is(pty, "\033]52;c;")) {
        snprintf(pty->copied, sizeof pty->copied, "%.*s",
                 (int)(n - 7 - (sequence[n - 1] == BEL ? 1 : 2)), sequence + 7);
        return;
    }
    if (pending_is(pty, "\033[?25")) {
        pty->cursor_is_off = sequence[n - 1] == 'l';
    }
    if (sequence[1] == '[' && sequence[n - 1] == 'm' && n < 64 &&
        strchr("?>=", sequence[2]) == NULL) {
        feed_attributes(pty);
    } else {
        vterm_input_write(pty->vterm, sequence, n);
    }
}

static bool sequence_is_whole(const Pty *pty) {
    size_t n = pty->n_pending;
    char last = pty->pending[n - 1];
    if (n < 2) {
        return false;
    }
    switch (pty->pending[1]) {
    case '[':
        return n > 2 && last >= '@' && last <= '~';
    case ']':
    case 'P':
    case 'k':
        return last == BEL || (n > 2 && last == '\\' && pty->pending[n - 2] == ESC);
    default:
        return last >= '0' && last <= '~';
    }
}

static void feed_byte(Pty *pty, char byte) {
    if (byte != ESC && pty->n_pending == 0) {
        vterm_input_write(pty->vterm, &byte, 1);
        return;
    }
    pty->pending[pty->n_pending++] = byte;
    if (sequence_is_whole(pty) || pty->n_pending == sizeof pty->pending) {
        feed_sequence(pty);
        pty->n_pending = 0;
    }
}

// libvterm says what a key would send in the modes that it has no other word for.
typedef struct Sent {
    char bytes[32];
    size_t length;
} Sent;

static void take_sent(const char *bytes, size_t length, void *user) {
    Sent *sent = user;
    if (sent->length + length < sizeof sent->bytes) {
        memcpy(sent->bytes + sent->length, bytes, length);
        sent->length += length;
    }
}

static bool has_pen(const VTermState *state) {
    static const VTermAttr FLAGS[] = {VTERM_ATTR_BOLD, VTERM_ATTR_UNDERLINE, VTERM_ATTR_ITALIC,
                                      VTERM_ATTR_REVERSE, VTERM_ATTR_FONT};
    VTermValue value = {0};
    for (size_t i = 0; i < sizeof FLAGS / sizeof FLAGS[0]; i++) {
        value = (VTermValue){0};
        vterm_state_get_penattr(state, FLAGS[i], &value);
        bool is_number = vterm_get_attr_type(FLAGS[i]) == VTERM_VALUETYPE_INT;
        if (is_number ? value.number != 0 : value.boolean != 0) {
            return true;
        }
    }
    vterm_state_get_penattr(state, VTERM_ATTR_FOREGROUND, &value);
    bool has_ink = !VTERM_COLOR_IS_DEFAULT_FG(&value.color);
    vterm_state_get_penattr(state, VTERM_ATTR_BACKGROUND, &value);
    return has_ink || !VTERM_COLOR_IS_DEFAULT_BG(&value.color);
}

static void read_modes(Pty *pty) {
    Sent sent = {0};
    vterm_output_set_callback(pty->vterm, take_sent, &sent);
    vterm_keyboard_start_paste(pty->vterm);
    pty->has_paste = sent.length > 0;
    sent.length = 0;
    vterm_keyboard_key(pty->vterm, VTERM_KEY_UP, VTERM_MOD_NONE);
    pty->has_cursor_keys = sent.length > 1 && sent.bytes[1] == 'O';
    sent.length = 0;
    vterm_keyboard_key(pty->vterm, (VTermKey)VTERM_KEY_KP_0, VTERM_MOD_NONE);
    pty->has_keypad = sent.length > 1;
    vterm_output_set_callback(pty->vterm, answer, pty);

    VTermState *state = vterm_obtain_state(pty->vterm);
    VTermPos position = {0};
    vterm_state_get_cursorpos(state, &position);
    pty->x = position.col;
    pty->y = position.row;
    pty->has_pen = has_pen(state);
}

void pty_screen_feed(Pty *pty, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        feed_byte(pty, bytes[i]);
    }
    read_modes(pty);
}

// ---- reading

static Rgb rgb_of(const Pty *pty, VTermColor colour, bool is_bold, Rgb own) {
    if (VTERM_COLOR_IS_DEFAULT_FG(&colour) || VTERM_COLOR_IS_DEFAULT_BG(&colour)) {
        return own;
    }
    if (VTERM_COLOR_IS_INDEXED(&colour) && colour.indexed.idx < PTY_COLOURS) {
        int i = colour.indexed.idx;
        bool brightens = is_bold && i < N_BRIGHT && pty->palette.bold_is_bright;
        return pty->palette.colours[i + (brightens ? N_BRIGHT : 0)];
    }
    if (VTERM_COLOR_IS_INDEXED(&colour)) { // libvterm's own are other than xterm's
        return colour_of_256(colour.indexed.idx);
    }
    return (Rgb){colour.rgb.red, colour.rgb.green, colour.rgb.blue};
}

static void copy_glyph(char glyph[PTY_GLYPH_BYTES], const VTermScreenCell *cell) {
    if (cell->chars[0] == (uint32_t)-1) {
        return; // the right half of a wide one
    }
    size_t n = 0;
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i] != 0; i++) {
        n += (size_t)utf8proc_encode_char((utf8proc_int32_t)cell->chars[i],
                                          (utf8proc_uint8_t *)glyph + n);
    }
    if (n == 0) {
        glyph[0] = ' ';
    }
}

PtyCell pty_cell(const Pty *pty, int x, int y) {
    VTermScreenCell given = {0};
    PtyCell cell = {.glyph = "", .width = 1};
    vterm_screen_get_cell(vterm_obtain_screen(pty->vterm), (VTermPos){.row = y, .col = x}, &given);
    copy_glyph(cell.glyph, &given);
    cell.width = cell.glyph[0] == '\0' ? 0 : given.width;
    VTermScreenCellAttrs set = given.attrs;
    bool is_faint = set.font == FAINT_FONT;
    cell.attributes = (set.bold ? LOOK_BOLD : 0U) | (set.underline != 0 ? LOOK_UNDERLINE : 0U) |
                      (set.reverse ? LOOK_REVERSE : 0U) | (set.italic ? LOOK_ITALIC : 0U) |
                      (is_faint ? LOOK_DIM : 0U);
    Rgb ink = rgb_of(pty, given.fg, set.bold, pty->palette.ink);
    Rgb paper = rgb_of(pty, given.bg, false, pty->palette.paper);
    cell.ink = set.reverse ? paper : ink;
    cell.paper = set.reverse ? ink : paper;
    if (is_faint) {
        cell.ink = palette_faint(cell.ink, cell.paper);
    }
    return cell;
}
