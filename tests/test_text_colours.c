// test_text_colours.c - commands that print text colour it where the terminal has colours, nowhere
// else.
#include "tests/support.h"

#include <string.h>

#include "tests/support_screen.h"

typedef struct TextRun {
    const char *kind, *environment;
    bool has_colour;
} TextRun;

static const TextRun RUNS[] = {{"xterm", NULL, true},
                               {"xterm-256color", NULL, true},
                               {"xterm-direct", NULL, true},
                               {"screen-256color", NULL, true},
                               {"tmux-256color", NULL, true},
                               {"linux", NULL, true},
                               {"vt100", NULL, false},
                               {"xterm-mono", NULL, false},
                               {"dumb", NULL, false},
                               {"no-such-terminal", NULL, false},
                               {"", NULL, false},
                               {"xterm-256color", "NO_COLOR=1", false},
                               {"xterm-256color", "NO_COLOR=", true}};

static bool shows_a_look(const Pty *pty) {
    for (int i = 0; i < pty->width * pty->height; i++) {
        PtyCell cell = pty_cell(pty, i % pty->width, i / pty->width);
        bool is_own = memcmp(&cell.ink, &pty->palette.ink, sizeof cell.ink) == 0 &&
                      memcmp(&cell.paper, &pty->palette.paper, sizeof cell.paper) == 0;
        if (!is_own || cell.attributes != 0) {
            return true;
        }
    }
    return false;
}

static void run(const char *const *arguments, const char *last) {
    for (size_t i = 0; i < sizeof RUNS / sizeof RUNS[0]; i++) {
        const char *const environment[] = {screen_environment()[0], RUNS[i].environment, NULL};
        Pty pty;
        pty_start(&pty, RUNS[i].kind, 100, 40, arguments, environment);
        screen_expect(&pty, last);
        assert_int_equal(pty_end(&pty), 0);
        if (shows_a_look(&pty) != RUNS[i].has_colour || pty.has_pen || pty.n_unknown > 0) {
            fail_msg("TERM=%s %s: %s %s: colours %s expected", RUNS[i].kind,
                     RUNS[i].environment != NULL ? RUNS[i].environment : "", arguments[0],
                     arguments[1], RUNS[i].has_colour ? "were" : "were not");
        }
    }
}

static void pieces_are_coloured_where_there_are_colours(void **state) {
    (void)state;
    static const char *const PIECES[] = {
        "tokenize", "-t", "assets/tokenizers/stories-512.tokenizer", "The cat sat.", NULL};
    static const char *const STEPS[] = {
        "tokenize", "-t", "assets/tokenizers/stories-512.tokenizer", "-s", "The cat sat.", NULL};
    run(PIECES, "446");
    run(STEPS, "rank");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_coloured_where_there_are_colours),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
