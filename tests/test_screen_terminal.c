// test_screen_terminal.c - the screen and its terminal: sizes, signals, kinds, what is left behind.
#include "tests/support.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/folder.h"
#include "tests/support_pty_screen.h"
#include "tests/support_screen.h"

static void sizes_from_one_cell_up_are_survived(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 80, 24);
    static const int SIZES[][2] = {{1, 1}, {59, 16}, {60, 15}, {2, 70}, {200, 1}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        pty_resize(&pty, SIZES[i][0], SIZES[i][1]);
        pty_settle(&pty, 30);
    }
    pty_resize(&pty, 59, 24);
    screen_expect(&pty, "attend needs a window of 60×16 characters; this one has");
    pty_resize(&pty, 100, 30);
    screen_expect(&pty, "src.tokens");
    screen_leave(&pty);
}

// The frame fills every window: the last pane ends above the last line.
static void every_size_shows_every_lesson(void **state) {
    (void)state;
    static const char *const LESSONS[] = {"3", "6", "7", "12", "13", "14"};
    static const int SIZES[][2] = {{60, 16},
                                   {60, 80},
                                   {80, 24},
                                   {80, 50},
                                   {99, 31},
                                   {100, 30},
                                   {120, 24},
                                   {120, 40},
                                   {132, 43},
                                   {160, 48},
                                   {200, 60},
                                   {PTY_MAX_WIDTH, 16},
                                   {PTY_MAX_WIDTH, PTY_MAX_HEIGHT}};
    for (size_t i = 0; i < sizeof LESSONS / sizeof LESSONS[0]; i++) {
        const char *const arguments[] = {"learn", LESSONS[i], NULL};
        Pty pty;
        pty_start(&pty, SCREEN_KIND, 80, 24, arguments, screen_environment());
        screen_expect(&pty, " attend");
        for (size_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; k++) {
            pty_resize(&pty, SIZES[k][0], SIZES[k][1]);
            pty_settle(&pty, 20);
            bool is_whole = false;
            for (int wait = 0; wait < 100 && !is_whole; wait++) {
                is_whole = strncmp(pty_row(&pty, 0), " attend", 7) == 0 &&
                           strstr(pty_row(&pty, pty.height - 2), "┘") != NULL;
                pty_step(&pty, is_whole ? 0 : 20);
            }
            if (!is_whole) {
                pty_print(&pty);
                fail_msg("lesson %s, %d x %d", LESSONS[i], SIZES[k][0], SIZES[k][1]);
            }
        }
        screen_leave(&pty);
    }
}

static void a_storm_of_sizes_and_steps_ends_on_a_whole_frame(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 80, 24);
    pty_send(&pty, "t");
    for (int i = 0; i < 2000; i++) {
        pty_resize(&pty, 20 + (i * 37) % 200, 4 + (i * 23) % 70);
        if (i % 10 == 0) {
            pty_send(&pty, i % 20 == 0 ? "n" : "p");
            pty_settle(&pty, 1);
        }
    }
    pty_send(&pty, "t");
    pty_settle(&pty, 100);
    pty_resize(&pty, 90, 28);
    pty_send(&pty, "0");
    screen_expect(&pty, "step 1 of ");
    assert_non_null(strstr(pty_row(&pty, 0), " attend"));
    screen_leave(&pty);
}

static void signals_put_the_terminal_back(void **state) {
    (void)state;
    static const int SIGNALS[] = {SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGABRT};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        Pty pty;
        screen_start(&pty, 80, 24);
        assert_true(pty.is_alternate);
        kill(pty.pid, SIGNALS[i]);
        assert_int_equal(pty_end(&pty), 128 + SIGNALS[i]);
        assert_false(pty.is_alternate);
        assert_false(pty.cursor_is_off);
        assert_false(pty.has_paste);
        assert_false(pty.has_mouse);
    }
}

static void a_closed_terminal_ends_the_program(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 80, 24);
    pty_hang_up(&pty);
    int status = 0;
    pid_t done = 0;
    for (int i = 0; i < 500 && done == 0; i++) {
        usleep(10000);
        done = waitpid(pty.pid, &status, WNOHANG);
    }
    assert_int_equal(done, pty.pid);
}

static void idle_wakes_nothing_and_memory_stays(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 80, 24);
    for (int i = 0; i < 20; i++) {
        pty_send(&pty, "nnnnnnnnnnnnnnnnnnnnnnnnnppppppppppppppppppppppppp");
        pty_settle(&pty, 5);
    }
    long before_kb = pty_resident_kb(&pty);
    for (int i = 0; i < 200; i++) {
        pty_send(&pty, "nnnnnnnnnnnnnnnnnnnnnnnnnppppppppppppppppppppppppp");
        pty_settle(&pty, 2);
    }
    pty_send(&pty, "0");
    screen_expect(&pty, "step 1 of ");
#ifdef __SANITIZE_ADDRESS__ // it keeps what was freed for a while
    const long more_kb = 20000;
#else
    const long more_kb = 600;
#endif
    assert_in_range(pty_resident_kb(&pty), 0, before_kb + more_kb);
    pty_settle(&pty, 100);
    long n_sleeps = pty_sleeps(&pty);
    size_t n_bytes = pty.n_bytes;
    pty_settle(&pty, 1500);
    assert_int_equal(pty_sleeps(&pty), n_sleeps);
    assert_int_equal(pty.n_bytes, n_bytes);
    screen_leave(&pty);
}

static void pasted_text_presses_no_keys(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 80, 24);
    pty_send(&pty, "\033[200~nnnQ\033[201~");
    pty_send(&pty, "n");
    screen_expect(&pty, "step 2 of ");
    pty_send(&pty, ":\033[200~go loss\nQ\033[201~");
    screen_expect(&pty, ":go loss Q");
    pty_send(&pty, "\033");
    while (pty_shows(&pty, ":go loss Q") && pty_step(&pty, 10000)) {
    } // ESC and Q together would be Alt-Q
    screen_leave(&pty);
}

static bool is_same_colour(Rgb a, Rgb b) {
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static bool is_same_cell(const PtyCell *a, const PtyCell *b) {
    return strcmp(a->glyph, b->glyph) == 0 && a->width == b->width &&
           a->attributes == b->attributes && is_same_colour(a->ink, b->ink) &&
           is_same_colour(a->paper, b->paper);
}

// Another program wrote over the screen, and left its colours and its marks of scrolling behind.
static void is_repaired_by_ctrl_l(Pty *pty) {
    static PtyCell before[24][80];
    for (int i = 0; i < 24 * 80; i++) {
        before[i / 80][i % 80] = pty_cell(pty, i % 80, i / 80);
    }
    static const char GARBAGE[] = "\033[5;20r\033[31;44mgarbage\033[9;3Hmore\033[2J\033[12;1H#####";
    pty_screen_feed(pty, GARBAGE, sizeof GARBAGE - 1);
    size_t n_bytes = pty->n_bytes;
    pty_send(pty, "\f");
    for (int i = 0; i < 24 * 80; i++) {
        PtyCell now = pty_cell(pty, i % 80, i / 80);
        for (int wait = 0; wait < 500 && !is_same_cell(&now, &before[i / 80][i % 80]); wait++) {
            pty_step(pty, 20);
            now = pty_cell(pty, i % 80, i / 80);
        }
        assert_true(is_same_cell(&now, &before[i / 80][i % 80]));
    }
    assert_true(pty->n_bytes > n_bytes + 1000);
}

static void ctrl_l_repaints_everything(void **state) {
    (void)state;
    static const char *const KEYS[][2] = {{"n", "step 2 of"},
                                          {"?", "any other key closes"},
                                          {"\033", "ids: the ids of"},
                                          {":go", ":go"},
                                          {"\033", "Space go on"}};
    Pty pty;
    screen_start(&pty, 80, 24);
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        pty_send(&pty, KEYS[i][0]);
        screen_expect(&pty, KEYS[i][1]);
        pty_settle(&pty, 100);
        is_repaired_by_ctrl_l(&pty);
    }
    screen_leave(&pty);
}

// One that the C library does not know (U+1FAF8, of Unicode 15), and wide ones that it does.
static void unknown_characters_keep_the_columns(void **state) {
    (void)state;
    char path[FOLDER_PATH_BYTES];
    FILE *file = fopen(folder_path(screen_folder(), "own.md", path), "w");
    assert_non_null(file);
    fputs("# Hands\n\nLeft \xf0\x9f\xab\xb8 of it, \xe7\x8c\xab cat, e\xcc\x81 end.\n", file);
    fclose(file);
    const char *const arguments[] = {"learn", path, NULL};
    Pty pty;
    pty_start(&pty, SCREEN_KIND, 80, 24, arguments, screen_environment());
    screen_expect(&pty, "Left \xef\xbf\xbd  of it, \xe7\x8c\xab cat, e\xcc\x81 end.");
    for (int y = 0; y < pty.height; y++) {
        const char *at = strstr(pty_row(&pty, y), "Left ");
        if (at != NULL) { // the frame stands where it stands in every row
            PtyCell edge = pty_cell(&pty, 79, y);
            assert_string_equal(edge.glyph, "\xe2\x94\x82");
        }
    }
    screen_leave(&pty);
    unlink(path);
}

// Bytes that a key sends in the mean of some that each wait for their frame.
static double mean_of(Pty *pty, const char *key, const char *before_it, int first, int n,
                      const char *after_it) {
    pty_settle(pty, 100); // what the key before has sent is there
    size_t before = pty->n_bytes;
    for (int i = first; i < first + n; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s%d%s", before_it, i, after_it);
        pty_send(pty, key);
        screen_expect(pty, text);
        pty_settle(pty, 1);
    }
    pty_settle(pty, 100);
    return (double)(pty->n_bytes - before) / n;
}

// A line to another continent carries them too. About three in a hundred more than is sent: each
// step changes colours 120 times, which takes 5 bytes of eight colours, 11 of 256 and 17 in 24
// bits.
static void a_key_sends_few_bytes(void **state) {
    (void)state;
    static const struct {
        const char *kind, *environment;
        double most_a_step, most_an_arrow;
    } CASES[] = {{"xterm-mono", NULL, 940.0, 270.0},
                 {"xterm", NULL, 1330.0, 465.0},
                 {"xterm-256color", NULL, 1850.0, 660.0},
                 {"xterm-256color", "COLORTERM=truecolor", 2480.0, 880.0}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const char *const environment[] = {screen_environment()[0], CASES[i].environment, NULL};
        Pty pty;
        pty_start(&pty, CASES[i].kind, 80, 24, SCREEN_LESSON, environment);
        screen_show_numbers(&pty);
        assert_in_range((int)mean_of(&pty, "n", "step ", 2, 60, " of"), 1, CASES[i].most_a_step);
        pty_send(&pty, ":go src.embedding\r");
        screen_expect(&pty, "embedding[0,0,0]");
        assert_in_range((int)mean_of(&pty, "\033[C", "embedding[0,0,", 1, 7, "]"), 1,
                        CASES[i].most_an_arrow);
        screen_leave(&pty);
    }
}

static void every_kind_of_terminal_is_served_or_told(void **state) {
    (void)state;
    static const char *const GOOD[] = {"xterm", "vt100",        "vt220",
                                       "linux", "ansi",         "screen-256color",
                                       "tmux",  "rxvt-unicode", "xterm-direct"};
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
        Pty pty;
        pty_start(&pty, GOOD[i], 80, 24, SCREEN_LESSON, screen_environment());
        screen_expect(&pty, "step 1 of ");
        pty_send(&pty, "Q");
        assert_int_equal(pty_end(&pty), 0);
    }
    static const char *const BAD[][2] = {
        {"dumb", "TERM=dumb: this terminal cannot place its cursor"},
        {"no-such-terminal", "TERM=no-such-terminal: this kind of terminal is unknown here"},
        {"", "TERM is not set"}};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Pty pty;
        pty_start(&pty, BAD[i][0], 100, 24, SCREEN_LESSON, screen_environment());
        screen_expect(&pty, BAD[i][1]);
        assert_int_equal(pty_end(&pty), 1);
    }
}

static void without_colours_and_without_utf8_it_still_shows(void **state) {
    (void)state;
    Pty pty;
    const char *const no_colour[] = {"NO_COLOR=1", screen_environment()[0], NULL};
    pty_start(&pty, SCREEN_KIND, 80, 24, SCREEN_LESSON, no_colour);
    screen_expect(&pty, "step 1 of ");
    screen_leave(&pty);
    const char *const ascii[] = {"learn", "13", "--ascii", NULL};
    pty_start(&pty, SCREEN_KIND, 80, 24, ascii, screen_environment());
    screen_expect(&pty, "step 1 of ");
    for (int y = 0; y < pty.height; y++) {
        for (const char *at = pty_row(&pty, y); *at != '\0'; at++) {
            assert_in_range((unsigned char)*at, ' ', '~');
        }
    }
    screen_leave(&pty);
    const char *const plain_locale[] = {"LC_ALL=C", screen_environment()[0], NULL};
    pty_start(&pty, SCREEN_KIND, 80, 24, SCREEN_LESSON, plain_locale);
    screen_expect(&pty, "step 1 of ");
    screen_leave(&pty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_from_one_cell_up_are_survived),
        cmocka_unit_test(every_size_shows_every_lesson),
        cmocka_unit_test(a_storm_of_sizes_and_steps_ends_on_a_whole_frame),
        cmocka_unit_test(signals_put_the_terminal_back),
        cmocka_unit_test(a_closed_terminal_ends_the_program),
        cmocka_unit_test(idle_wakes_nothing_and_memory_stays),
        cmocka_unit_test(pasted_text_presses_no_keys),
        cmocka_unit_test(ctrl_l_repaints_everything),
        cmocka_unit_test(unknown_characters_keep_the_columns),
        cmocka_unit_test(a_key_sends_few_bytes),
        cmocka_unit_test(every_kind_of_terminal_is_served_or_told),
        cmocka_unit_test(without_colours_and_without_utf8_it_still_shows),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
