// test_screen_colours.c - what each kind of terminal is sent shows the screen as it was meant, and
// all of it can be read.
#include "tests/support.h"

#include <ctype.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/terminal/terminal_colour.h"
#include "tests/support_places.h"
#include "tests/support_screen.h"

enum {
    WIDTH = 80,
    HEIGHT = 24,
    TOGETHER = 4, // programs at once
    ALL = LOOK_BOLD | LOOK_UNDERLINE | LOOK_REVERSE | LOOK_DIM | LOOK_ITALIC,
    OLD = LOOK_BOLD | LOOK_UNDERLINE | LOOK_REVERSE,
};

static Canvas *canvases; // of every place, as they are meant

// How far a person came shows in the menu: here nowhere.
static const char NO_PROGRESS[] = "XDG_STATE_HOME=/dev/null/none";

static int draw_places(void **state) {
    setlocale(LC_CTYPE, "C.UTF-8");
    screen_make_folder(state);
    setenv("XDG_STATE_HOME", strchr(NO_PROGRESS, '=') + 1, 1);
    canvases = calloc((size_t)N_SUPPORT_PLACES, sizeof *canvases);
    assert_non_null(canvases);
    for (int i = 0; i < N_SUPPORT_PLACES; i++) {
        Error err = {""};
        LearnOptions options = support_place_options(&SUPPORT_PLACES[i], THEME_DARK);
        if (!canvas_init(&canvases[i], WIDTH, HEIGHT, &err) ||
            !learn_draw_place(&options, &canvases[i], &err)) {
            fail_msg("%s: %s", SUPPORT_PLACES[i].name, err.text);
        }
    }
    return 0;
}

static int forget_places(void **state) {
    for (int i = 0; i < N_SUPPORT_PLACES; i++) {
        canvas_free(&canvases[i]);
    }
    free(canvases);
    return screen_remove_folder(state);
}

// A terminal and what it is asked for.
typedef struct Run {
    const char *kind;
    const char *environment; // NULL: nothing more
    const char *color;       // of --color, NULL: none
    ColourDepth depth;       // that has to come of it
    const PtyPalette *palette;
    unsigned attributes; // that the terminal has
    bool has_all_places; // else some: what is sent hangs on the cells alone
} Run;

static const Run RUNS[] = {
    {"xterm", NULL, NULL, COLOUR_8, &PTY_XTERM, ALL, true},
    {"xterm", NULL, "8", COLOUR_8, &PTY_XTERM, ALL, false},
    {"xterm", NULL, "none", COLOUR_NONE, &PTY_XTERM, ALL, false},
    {"xterm", NULL, "true", COLOUR_TRUE, &PTY_XTERM, ALL, false},
    {"xterm-256color", NULL, NULL, COLOUR_256, &PTY_XTERM, ALL, true},
    {"xterm-256color", NULL, "256", COLOUR_256, &PTY_XTERM, ALL, false},
    {"xterm-256color", NULL, "16", COLOUR_16, &PTY_XTERM, ALL, true},
    {"xterm-256color", NULL, "8", COLOUR_8, &PTY_XTERM, ALL, false},
    {"xterm-256color", NULL, "none", COLOUR_NONE, &PTY_XTERM, ALL, false},
    {"xterm-256color", "NO_COLOR=1", NULL, COLOUR_NONE, &PTY_XTERM, ALL, true},
    {"xterm-256color", "NO_COLOR=1", "256", COLOUR_256, &PTY_XTERM, ALL, false},
    {"xterm-256color", "COLORTERM=truecolor", NULL, COLOUR_TRUE, &PTY_XTERM, ALL, true},
    {"xterm-256color", "COLORTERM=24bit", "16", COLOUR_16, &PTY_XTERM, ALL, false},
    {"xterm-256color", "COLORTERM=truecolor", "256", COLOUR_256, &PTY_XTERM, ALL, false},
    {"xterm-direct", NULL, NULL, COLOUR_TRUE, &PTY_XTERM, ALL, false},
    {"xterm-direct", "COLORTERM=truecolor", "true", COLOUR_TRUE, &PTY_XTERM, ALL, false},
    {"xterm-direct", NULL, "256", COLOUR_256, &PTY_XTERM, ALL, false},
    {"xterm-direct", NULL, "8", COLOUR_8, &PTY_XTERM, ALL, false},
    {"screen-256color", NULL, NULL, COLOUR_256, &PTY_XTERM, OLD | LOOK_DIM, false},
    {"screen-256color", NULL, "16", COLOUR_16, &PTY_XTERM, OLD | LOOK_DIM, false},
    {"screen-256color", NULL, "8", COLOUR_8, &PTY_XTERM, OLD | LOOK_DIM, false},
    {"screen-256color", NULL, "none", COLOUR_NONE, &PTY_XTERM, OLD | LOOK_DIM, false},
    {"tmux-256color", NULL, NULL, COLOUR_256, &PTY_XTERM, ALL, false},
    {"tmux-256color", "COLORTERM=truecolor", NULL, COLOUR_TRUE, &PTY_XTERM, ALL, false},
    {"tmux-256color", NULL, "16", COLOUR_16, &PTY_XTERM, ALL, false},
    {"tmux-256color", NULL, "8", COLOUR_8, &PTY_XTERM, ALL, false},
    {"tmux-256color", NULL, "none", COLOUR_NONE, &PTY_XTERM, ALL, false},
    {"linux", NULL, NULL, COLOUR_8, &PTY_VGA, LOOK_BOLD | LOOK_REVERSE, true},
    {"linux", NULL, "8", COLOUR_8, &PTY_VGA, LOOK_BOLD | LOOK_REVERSE, false},
    {"linux", NULL, "none", COLOUR_NONE, &PTY_VGA, OLD, false},
    {"vt100", NULL, NULL, COLOUR_NONE, &PTY_XTERM, OLD, false},
    {"vt100", NULL, "none", COLOUR_NONE, &PTY_XTERM, OLD, false},
    {"xterm-mono", NULL, NULL, COLOUR_NONE, &PTY_XTERM, OLD, false},
    {"xterm-mono", NULL, "none", COLOUR_NONE, &PTY_XTERM, OLD, false},
};

// Between them they show every style and shades; the other places are for the runs that have all.
static const char *const SOME[] = {"equation", "heads", "predictions", "help"};

static bool is_shown(const Run *run, int place) {
    bool is_some = run->has_all_places;
    for (size_t i = 0; i < sizeof SOME / sizeof SOME[0]; i++) {
        is_some = is_some || strcmp(SUPPORT_PLACES[place].name, SOME[i]) == 0;
    }
    return is_some;
}

static void start(Pty *pty, const Run *run, const SupportPlace *place, ThemeName theme) {
    const char *arguments[10] = {"learn", "--lang", "en", "--theme", theme_name(theme)};
    int n = 5;
    if (run->color != NULL) {
        arguments[n++] = "--color";
        arguments[n++] = run->color;
    }
    if (place->state != NULL) {
        arguments[n++] = "--at";
        arguments[n++] = place->state;
    }
    const char *const environment[] = {NO_PROGRESS, run->environment, NULL};
    pty_start(pty, run->kind, WIDTH, HEIGHT, arguments, environment);
    pty->palette = *run->palette;
}

// ---- one cell as it was meant

typedef struct Meant {
    const char *glyph;
    Rgb ink, paper;
    unsigned attributes;
    double least_contrast;
} Meant;

static Meant meant(const Cell *cell, const Run *run, ThemeName theme) {
    Meant meant = {.glyph = cell_glyph(cell, colour_shows_heat(theme, run->depth))};
    CellColours colours = colour_of_cell(cell, theme, run->depth);
    bool has_colours = run->depth != COLOUR_NONE && theme != THEME_MONO;
    // only the console cannot underline, and only what has a colour
    colours.attributes &= run->attributes | (has_colours ? 0 : LOOK_UNDERLINE);
    if (!colour_is_faint_readable(run->kind)) {
        colours.attributes &= ~(unsigned)LOOK_DIM;
    }
    palette_seen(run->palette, &colours, run->depth, &meant.ink, &meant.paper);
    meant.attributes = colours.attributes;
    bool is_faint = (colours.attributes & LOOK_DIM) != 0;
    bool is_border = cell->style == STYLE_BORDER && cell->heat_paper == HEAT_NONE;
    meant.least_contrast = is_faint || (is_border && has_colours) ? 3.0 : 4.5;
    return meant;
}

static bool is_same_colour(Rgb a, Rgb b) {
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

// A blank has no ink.
static bool is_as_meant(const PtyCell *seen, const Meant *meant) {
    bool is_blank = strcmp(meant->glyph, " ") == 0;
    unsigned ignored = is_blank ? LOOK_BOLD | LOOK_ITALIC | LOOK_DIM : 0;
    return strcmp(seen->glyph, meant->glyph) == 0 && is_same_colour(seen->paper, meant->paper) &&
           (is_blank || is_same_colour(seen->ink, meant->ink)) &&
           ((seen->attributes ^ meant->attributes) & ~ignored) == 0;
}

// The first cell that differs, -1: none does.
static int first_wrong(const Pty *pty, const Canvas *canvas, const Run *run, ThemeName theme) {
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const Cell *cell = canvas_cell(canvas, i % WIDTH, i / WIDTH);
        PtyCell seen = pty_cell(pty, i % WIDTH, i / WIDTH);
        Meant wanted = meant(cell, run, theme);
        if (cell->width > 0 && !is_as_meant(&seen, &wanted)) {
            return i;
        }
    }
    return -1;
}

static void is_shown_as_meant(Pty *pty, int place, const Run *run, ThemeName theme) {
    const Canvas *canvas = &canvases[place];
    int wrong = first_wrong(pty, canvas, run, theme);
    for (int i = 0; i < 500 && wrong >= 0 && !pty->is_closed; i++) {
        if (pty_step(pty, 20)) {
            pty_settle(pty, 1);
            wrong = first_wrong(pty, canvas, run, theme);
        }
    }
    for (int i = 0; i < WIDTH * HEIGHT && wrong < 0; i++) {
        PtyCell seen = pty_cell(pty, i % WIDTH, i / WIDTH);
        Meant wanted = meant(canvas_cell(canvas, i % WIDTH, i / WIDTH), run, theme);
        bool is_blank = strcmp(seen.glyph, " ") == 0;
        bool is_readable =
            is_blank || palette_contrast(seen.ink, seen.paper) >= wanted.least_contrast;
        wrong = is_readable ? wrong : i;
    }
    if (wrong >= 0) {
        int x = wrong % WIDTH;
        int y = wrong / WIDTH;
        PtyCell seen = pty_cell(pty, x, y);
        Meant wanted = meant(canvas_cell(canvas, x, y), run, theme);
        pty_print(pty);
        fail_msg("TERM=%s %s --color %s --theme %s, %s: column %d, row %d shows \"%s\" "
                 "%02x%02x%02x on %02x%02x%02x with attributes %u, meant is \"%s\" "
                 "%02x%02x%02x on %02x%02x%02x with %u",
                 run->kind, run->environment != NULL ? run->environment : "",
                 run->color != NULL ? run->color : "(none)", theme_name(theme),
                 SUPPORT_PLACES[place].name, x, y, seen.glyph, seen.ink.r, seen.ink.g, seen.ink.b,
                 seen.paper.r, seen.paper.g, seen.paper.b, seen.attributes, wanted.glyph,
                 wanted.ink.r, wanted.ink.g, wanted.ink.b, wanted.paper.r, wanted.paper.g,
                 wanted.paper.b, wanted.attributes);
    }
}

// Whatever keys would do there.
static void leave(Pty *pty) {
    kill(pty->pid, SIGTERM);
    assert_int_equal(pty_end(pty), 128 + SIGTERM);
    assert_false(pty->is_alternate);
    assert_false(pty->has_pen);
    if (pty->n_unknown > 0) {
        fail_msg("the terminal does not know %s", pty->unknown);
    }
}

static void show_all(const Run *run, ThemeName theme) {
    static Pty ptys[TOGETHER];
    int places[TOGETHER];
    int n = 0;
    for (int place = 0; place <= N_SUPPORT_PLACES; place++) {
        bool is_last = place == N_SUPPORT_PLACES;
        if (!is_last && is_shown(run, place)) {
            start(&ptys[n], run, &SUPPORT_PLACES[place], theme);
            places[n++] = place;
        }
        for (int i = 0; i < n && (is_last || n == TOGETHER); i++) {
            is_shown_as_meant(&ptys[i], places[i], run, theme);
            leave(&ptys[i]);
        }
        n = is_last || n == TOGETHER ? 0 : n;
    }
}

static void every_terminal_shows_what_was_meant(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof RUNS / sizeof RUNS[0]; i++) {
        show_all(&RUNS[i], THEME_DARK);
        if (RUNS[i].depth != COLOUR_NONE) { // else all themes are the one without colours
            show_all(&RUNS[i], THEME_LIGHT);
            show_all(&RUNS[i], THEME_MONO);
        }
    }
}

// A contrast of 3 is enough for lines, so that nothing that is read may be in their style.
static void borders_hold_nothing_to_read(void **state) {
    (void)state;
    for (int place = 0; place < N_SUPPORT_PLACES; place++) {
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            const Cell *cell = canvas_cell(&canvases[place], i % WIDTH, i / WIDTH);
            if (cell->style == STYLE_BORDER && isalnum((unsigned char)cell->glyph[0]) != 0) {
                fail_msg("%s: \"%s\" in column %d, row %d is in the style of borders",
                         SUPPORT_PLACES[place].name, cell->glyph, i % WIDTH, i / WIDTH);
            }
        }
    }
}

static bool is_shade(const Cell *cell) {
    return (cell->attributes & CELL_SHADE) != 0;
}

// A number over heat has its mark, unless something that a person looks for stands in its place.
static void every_number_over_heat_has_its_glyph(void **state) {
    (void)state;
    int n_marks = 0;
    for (int place = 0; place < N_SUPPORT_PLACES; place++) {
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            const Cell *cell = canvas_cell(&canvases[place], i % WIDTH, i / WIDTH);
            const Cell *left = i % WIDTH > 0 ? cell - 1 : NULL;
            bool begins = cell->heat_paper >= 0 && cell->heat_paper < PALETTE_ENTRIES &&
                          !is_shade(cell) && left != NULL && left->heat_paper != cell->heat_paper;
            if (begins) {
                bool is_covered = strchr("[]*!", left->glyph[0]) != NULL;
                if (!is_covered) {
                    fail_msg("%s: column %d, row %d has a number without a mark",
                             SUPPORT_PLACES[place].name, i % WIDTH, i / WIDTH);
                }
            }
            n_marks += (cell->attributes & CELL_MARK) != 0;
        }
    }
    assert_in_range(n_marks, 50, 100000);
}

// Either digits or a shade tell the number behind a heat.
static void heat_never_stands_alone(void **state) {
    (void)state;
    for (int place = 0; place < N_SUPPORT_PLACES; place++) {
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            const Cell *cell = canvas_cell(&canvases[place], i % WIDTH, i / WIDTH);
            int first = i;
            int last = i;
            while (first % WIDTH > 0 &&
                   canvases[place].cells[first - 1].heat_paper == cell->heat_paper) {
                first--;
            }
            while ((last + 1) % WIDTH > 0 &&
                   canvases[place].cells[last + 1].heat_paper == cell->heat_paper) {
                last++;
            }
            bool is_told = cell->heat_paper == HEAT_NONE || is_shade(cell) ||
                           (i % WIDTH > 0 && is_shade(cell - 1)); // of the scale
            for (int k = first; k <= last; k++) {
                const char *glyph = canvases[place].cells[k].glyph;
                is_told = is_told || isdigit((unsigned char)glyph[0]) != 0 ||
                          strcmp(glyph, "∞") == 0 || strcmp(glyph, "-") == 0;
            }
            if (!is_told) {
                fail_msg("%s: column %d, row %d tells its number by colour alone",
                         SUPPORT_PLACES[place].name, i % WIDTH, i / WIDTH);
            }
        }
    }
}

static void more_colours_than_there_are_is_one_sentence(void **state) {
    (void)state;
    static const char *const CASES[][3] = {
        {"xterm", "16", "attend learn: --color 16: TERM=xterm has 8 colours"},
        {"xterm", "256", "attend learn: --color 256: TERM=xterm has 8 colours"},
        {"linux", "16", "attend learn: --color 16: TERM=linux has 8 colours"},
        {"vt100", "8", "attend learn: --color 8: TERM=vt100 has no colours"},
        {"xterm-mono", "256", "attend learn: --color 256: TERM=xterm-mono has no colours"},
        {"dumb", "8", "attend learn: TERM=dumb: this terminal cannot place its cursor"},
        {"dumb", "none", "attend learn: TERM=dumb: this terminal cannot place its cursor"},
        {"dumb", "true", "attend learn: TERM=dumb: this terminal cannot place its cursor"},
        {"unknown", "8", "attend learn: TERM=unknown: this"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const char *const arguments[] = {"learn", "13", "--color", CASES[i][1], NULL};
        Pty pty;
        pty_start(&pty, CASES[i][0], 120, 24, arguments, screen_environment());
        screen_expect(&pty, CASES[i][2]);
        assert_int_equal(pty_end(&pty), 1);
        assert_false(pty.is_alternate);
        assert_false(pty.cursor_is_off);
        assert_false(pty.has_pen);
        assert_string_equal(pty_row(&pty, 1), "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_hold_nothing_to_read),
        cmocka_unit_test(every_number_over_heat_has_its_glyph),
        cmocka_unit_test(heat_never_stands_alone),
        cmocka_unit_test(every_terminal_shows_what_was_meant),
        cmocka_unit_test(more_colours_than_there_are_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, draw_places, forget_places);
}
