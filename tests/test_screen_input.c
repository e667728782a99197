// test_screen_input.c - keys, mouse and pasted text at the learning screen, as terminals send them.
#include "tests/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_screen.h"

enum { SCREEN_BYTES = PTY_MAX_HEIGHT * PTY_MAX_WIDTH * 4 };

static void read_rows(const Pty *pty, char *text) {
    size_t length = 0;
    for (int y = 0; y < pty->height; y++) {
        length += (size_t)snprintf(text + length, SCREEN_BYTES - length, "%s\n", pty_row(pty, y));
    }
}

// A step on and back: the screen is as it was, unless something else happened before.
static void step_on_and_back(Pty *pty) {
    pty_send(pty, "n");
    screen_expect(pty, "step 3 of ");
    pty_send(pty, "p");
    screen_expect(pty, "step 2 of ");
    pty_settle(pty, 30);
}

static void what_means_nothing_here_does_nothing(void **state) {
    (void)state;
    static const char *const SENT[] = {
        "\033[1;5C",                  // Ctrl-Right
        "\033[1;5D",                  // Ctrl-Left
        "\033Oc",                     // the same in rxvt
        "\033[13;2u",                 // kitty: Shift-Enter
        "\033[99~",                   // nothing known
        "\033[24;80R",                // where the cursor stands
        "\033[1;2R",                  // the same, or Shift-F3 of xterm
        "\033[?62;1;6c",              // what the terminal can do
        "\033[I\033[O",               // focus
        "\033OQ\033[15~\033[1;2S",    // F2, F5, Shift-F4
        "\033]11;rgb:00/00/00\033\\", // colours
        "\033P1+r544e=7874\033\\",    // DCS
        "\033[<35;10;10M",            // the mouse moved
        "\033[201~",                  // the end of nothing
        "\033u\033Q\033x",            // Alt with letters that alone are keys
        "\033[200~nnQuxd\033[201~",   // pasted where nothing is typed
    };
    static char before[SCREEN_BYTES];
    static char after[SCREEN_BYTES];
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, "n");
    screen_expect(&pty, "step 2 of ");
    step_on_and_back(&pty);
    read_rows(&pty, before);
    for (size_t i = 0; i < sizeof SENT / sizeof SENT[0]; i++) {
        pty_send(&pty, SENT[i]);
        step_on_and_back(&pty);
        read_rows(&pty, after);
        if (strcmp(before, after) != 0) {
            pty_print(&pty);
            fail_msg("ESC %s changes the screen", SENT[i] + 1);
        }
    }
    screen_leave(&pty);
}

static void slow_sequences_are_no_letters(void **state) {
    (void)state;
    static const char *const PIECES[][3] = {
        {"\033[", "1;5C", ""}, {"\033[1;", "5", "C"},   {"\033[1", "3;2", "u"},
        {"\033", "[99~", ""},  {"\033[<6", "5;1", "M"}, {"\033]0;n", "nn", "\a"},
    };
    Pty pty;
    screen_start(&pty, 100, 30);
    for (size_t i = 0; i < sizeof PIECES / sizeof PIECES[0]; i++) {
        for (int k = 0; k < 3; k++) {
            pty_send(&pty, PIECES[i][k]);
            pty_settle(&pty, 120);
        }
        pty_send(&pty, "n");
        screen_expect(&pty, "step 2 of ");
        pty_send(&pty, "p");
        screen_expect(&pty, "step 1 of ");
    }
    pty_send(&pty, "\033[<0;12n"); // a report that is cut off
    screen_expect(&pty, "step 2 of ");
    screen_leave(&pty);
}

static void keys_of_other_terminals_edit_the_line(void **state) {
    (void)state;
    static const char *const FORMS[][2] = {
        {"\033[1~", "\033[4~"}, // PuTTY, screen
        {"\033[7~", "\033[8~"}, // rxvt
        {"\033[H", "\033[F"},   {"\033OH", "\033OF"}, {"\033[57423u", "\033[57424u"}, // kitty
    };
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":");
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
        char keys[64];
        snprintf(keys, sizeof keys, "\025bc%sa%sd", FORMS[i][0], FORMS[i][1]);
        pty_send(&pty, keys);
        screen_expect(&pty, ":abcd");
        pty_send(&pty, "\025x");
        screen_expect(&pty, ":x");
    }
    pty_send(&pty, "\025\033[27u");
    screen_leave(&pty);
}

// More than a line takes is left out whole and said; keys after it are keys.
static void a_large_paste_is_not_cut_in_silence(void **state) {
    (void)state;
    enum { SIZE = 100000 };
    char *text = malloc(SIZE + 16);
    assert_non_null(text);
    int n_start = snprintf(text, SIZE + 16, "\033[200~");
    memset(text + n_start, 'n', SIZE);
    snprintf(text + n_start + SIZE, 10, "\033[201~");
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, text);
    screen_expect(&pty, "Text can be pasted only where a line is typed");
    pty_send(&pty, ":go ");
    pty_send(&pty, text);
    screen_expect(&pty, "The line is full: it takes ");
    pty_send(&pty, "src");
    screen_expect(&pty, ":go src");
    pty_send(&pty, "\033[27u");
    screen_leave(&pty);
    free(text);
}

static void wheel(Pty *pty, int button, int x, int y) {
    char report[64];
    snprintf(report, sizeof report, "\033[<%d;%d;%dM", button, x + 1, y + 1);
    pty_send(pty, report);
}

static int row_with(const Pty *pty, const char *text) {
    for (int y = 0; y < pty->height; y++) {
        if (strstr(pty_row(pty, y), text) != NULL) {
            return y;
        }
    }
    return -1;
}

static void the_wheel_moves_what_lies_under_it(void **state) {
    (void)state;
    enum { UP = 64, DOWN = 65, LEFT = 66, RIGHT = 67, TAPE_X = 5, VIEW_X = 70 };
    static const char EMBEDDING[] = ":cell src.embedding[0,1,3]\r";
    char cell[256];
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, EMBEDDING);
    screen_expect(&pty, "step 4 of ");
    wheel(&pty, DOWN, TAPE_X, 5);
    screen_expect(&pty, "step 5 of ");
    wheel(&pty, UP, TAPE_X, 5);
    screen_expect(&pty, "step 4 of ");
    wheel(&pty, RIGHT, TAPE_X, 5); // there is nothing beside it
    pty_send(&pty, EMBEDDING);
    wheel(&pty, RIGHT, VIEW_X, 5);
    screen_copy_cell(&pty, cell, sizeof cell);
    assert_non_null(strstr(cell, "src.embedding[0,1,4]"));
    wheel(&pty, LEFT, VIEW_X, 5);
    wheel(&pty, UP, VIEW_X, 5);
    screen_copy_cell(&pty, cell, sizeof cell);
    assert_non_null(strstr(cell, "src.embedding[0,0,3]"));
    pty_resize(&pty, 80, 16); // the lesson's text is longer than its pane
    screen_expect(&pty, "src.embedding");
    pty_settle(&pty, 50);
    int first = row_with(&pty, "lesson 1/") + 1;
    assert_true(first > 1);
    char before[PTY_MAX_WIDTH * 4];
    snprintf(before, sizeof before, "%s", pty_row(&pty, first));
    wheel(&pty, DOWN, TAPE_X, first + 1);
    for (int i = 0; i < 500 && strcmp(before, pty_row(&pty, first)) == 0; i++) {
        pty_step(&pty, 20);
    }
    assert_string_not_equal(before, pty_row(&pty, first));
    screen_copy_cell(&pty, cell, sizeof cell);
    assert_non_null(strstr(cell, "src.embedding[0,0,3]"));
    screen_leave(&pty);
}

// Ctrl-C and Ctrl-\\ are text where they are pasted, and end the program where they are pressed.
static void what_is_pasted_ends_nothing(void **state) {
    (void)state;
    static const char *const PASTED[] = {"\003", "go log\003its", "\003\003go logits",
                                         "go\034 logits\003"};
    for (size_t i = 0; i < sizeof PASTED / sizeof PASTED[0]; i++) {
        Pty pty;
        screen_start(&pty, 100, 30);
        for (int n = 0; n < 3; n++) {
            char text[64];
            snprintf(text, sizeof text, ":\033[200~%s\033[201~", PASTED[i]);
            pty_send(&pty, text);
            screen_expect(&pty, i == 0 ? ":" : ":go");
            pty_settle(&pty, 150); // longer than an end may take
            pty_send(&pty, "\033");
            pty_settle(&pty, 60);
        }
        pty_settle(&pty, 150);
        pty_send(&pty, "\003");
        assert_int_equal(pty_end(&pty), 128 + SIGINT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_pasted_ends_nothing),
        cmocka_unit_test(what_means_nothing_here_does_nothing),
        cmocka_unit_test(slow_sequences_are_no_letters),
        cmocka_unit_test(keys_of_other_terminals_edit_the_line),
        cmocka_unit_test(a_large_paste_is_not_cut_in_silence),
        cmocka_unit_test(the_wheel_moves_what_lies_under_it),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
