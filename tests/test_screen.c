// test_screen.c - the learning screen, driven through a pty against the real program.
#include "tests/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support_pty.h"

static const char KIND[] = "xterm-256color";
static const char *const LESSON[] = {"learn", "13", NULL};
static char state_folder[64];

static const char *const *environment(void) {
    static char home[96];
    static const char *all[] = {home, NULL};
    snprintf(home, sizeof home, "XDG_STATE_HOME=%s", state_folder);
    return all;
}

static void start(Pty *pty, int width, int height) {
    pty_start(pty, KIND, width, height, LESSON, environment());
    if (!pty_wait_for(pty, "src.tokens")) {
        pty_print(pty);
        fail_msg("the first frame does not show the first step");
    }
}

static void expect(Pty *pty, const char *text) {
    if (!pty_wait_for(pty, text)) {
        pty_print(pty);
        fail_msg("the screen does not show \"%s\"", text);
    }
}

static void leave(Pty *pty) {
    pty_send(pty, "Q");
    assert_int_equal(pty_end(pty), 0);
    assert_false(pty->is_alternate);
    assert_false(pty->cursor_is_off);
    assert_false(pty->has_paste);
    assert_false(pty->has_mouse);
    assert_int_equal(pty->n_unknown, 0);
}

static void steps_go_forward_and_back(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    expect(&pty, "step 1 of ");
    pty_send(&pty, "n");
    expect(&pty, "step 2 of ");
    expect(&pty, "tgt.tokens");
    pty_send(&pty, "nnn");
    expect(&pty, "src.positions");
    pty_send(&pty, "p");
    expect(&pty, "step 4 of ");
    pty_send(&pty, "$");
    expect(&pty, "update");
    pty_send(&pty, "L");
    expect(&pty, "loss");
    pty_send(&pty, "0");
    expect(&pty, "step 1 of ");
    leave(&pty);
}

static void a_command_is_typed_and_completed(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    pty_send(&pty, ":go encoder.0.self_attn.sc\t\r");
    expect(&pty, "encoder.0.self_attn.scores");
    pty_send(&pty, ":cell encoder.0.self_attn.scores[0,1,2,1]\r");
    expect(&pty, "head 1");
    expect(&pty, "scores[0,1,2,1] run, dog = ");
    pty_send(&pty, ":dance\r");
    expect(&pty, "there is no command \"dance\"");
    leave(&pty);
}

static void enter_follows_and_backspace_returns(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    pty_send(&pty, ":go src.input\r");
    expect(&pty, "input[0,0,0] <s> = ");
    pty_send(&pty, "\r");
    expect(&pty, "embedding[0,0,0] <s> = ");
    pty_send(&pty, "\r");
    expect(&pty, "weight[1,0] <s> = ");
    pty_send(&pty, "\r");
    expect(&pty, "This number was given, not computed");
    pty_send(&pty, "\177\177");
    expect(&pty, "input[0,0,0] <s> = ");
    leave(&pty);
}

static void an_edit_is_seen_and_taken_back(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    pty_send(&pty, ":go src.input\r");
    expect(&pty, "input[0,0,0] <s> = ");
    pty_send(&pty, ":edit 7.25\r");
    expect(&pty, "src.input[0,0,0] is now 7.25");
    expect(&pty, " 7.25");
    pty_send(&pty, "u");
    expect(&pty, "Taken back: edit 7.25");
    pty_settle(&pty, 50);
    assert_false(pty_shows(&pty, "7.2500"));
    pty_send(&pty, "U");
    expect(&pty, "7.2500");
    pty_send(&pty, "r");
    expect(&pty, "Everything is as it was opened; u brings back what was.");
    assert_false(pty_shows(&pty, "changes "));
    pty_send(&pty, "u");
    expect(&pty, "Taken back: reset");
    expect(&pty, "changes 1");
    expect(&pty, "7.2500");
    leave(&pty);
}

// Training, its curve and its snapshots too.
static void a_reset_an_input_and_a_decoded_token_are_taken_back(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 120, 40);
    pty_send(&pty, ":train 30\r");
    expect(&pty, "trained 30");
    pty_send(&pty, "r");
    expect(&pty, "Everything is as it was opened");
    assert_false(pty_shows(&pty, "trained "));
    pty_send(&pty, "u");
    expect(&pty, "Taken back: reset");
    expect(&pty, "trained 30");
    pty_send(&pty, "((");
    expect(&pty, "the weights after step 29");
    pty_send(&pty, ":width 16\r");
    expect(&pty, "parameters of another shape were drawn again");
    assert_false(pty_shows(&pty, "trained "));
    pty_send(&pty, "u");
    expect(&pty, "Taken back: width 16");
    expect(&pty, "trained 29");
    pty_send(&pty, ":input cat\r:go src.input\r");
    expect(&pty, "(1,2,8)");
    pty_send(&pty, "g");
    expect(&pty, "next token: ");
    pty_send(&pty, "u");
    expect(&pty, "Taken back: decode");
    pty_send(&pty, "u");
    expect(&pty, "Taken back: input cat");
    pty_send(&pty, ":go src.input\r");
    expect(&pty, "(2,3,8)");
    expect(&pty, "trained 29");
    leave(&pty);
}

static void the_mask_changes_the_numbers(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    pty_send(&pty, ":cell decoder.0.self_attn.masked[0,0,0,1]\r");
    expect(&pty, "-inf");
    pty_send(&pty, "m");
    expect(&pty, "mask of the future: off");
    pty_settle(&pty, 50);
    assert_false(pty_shows(&pty, "-inf"));
    pty_send(&pty, "m");
    expect(&pty, "-inf");
    leave(&pty);
}

static void the_drawn_structure_follows_the_tape(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 120, 40);
    pty_send(&pty, ":view map\r");
    expect(&pty, "post-norm");
    expect(&pty, "Masked Self-Attention");
    pty_send(&pty, ":norm pre\r");
    expect(&pty, "pre-norm");
    pty_send(&pty, ":norm annotated\r");
    expect(&pty, ": pre, annotated");
    pty_send(&pty, "p:residual off\r");
    expect(&pty, "residual sums: off");
    pty_settle(&pty, 50);
    assert_false(pty_shows(&pty, "Add & Norm"));
    leave(&pty);
}

static void sizes_are_changed_and_taken_back(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    pty_send(&pty, ":go encoder.0.self_attn.q\r");
    expect(&pty, "(2,2,3,4)");
    pty_send(&pty, ":heads 4\r");
    expect(&pty, "(2,4,3,2)");
    pty_send(&pty, ":width 16\r");
    expect(&pty, "parameters of another shape were drawn again");
    expect(&pty, "(2,4,3,4)");
    pty_send(&pty, "uu");
    expect(&pty, "(2,2,3,4)");
    pty_send(&pty, ":heads 3\r");
    expect(&pty, "3 heads: expected a number that divides the width, 8");
    pty_send(&pty, ":input cat\r");
    expect(&pty, "(1,2,2,4)");
    pty_send(&pty, ":input bird\r");
    expect(&pty, "bird");
    leave(&pty);
}

static void a_second_run_is_trained_beside_the_first(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 120, 40);
    pty_send(&pty, ":train 30\r");
    expect(&pty, "trained 30");
    pty_send(&pty, "c");
    expect(&pty, "This run is kept.");
    pty_send(&pty, "m");
    pty_send(&pty, ":train 30\r");
    expect(&pty, "trained 30");
    pty_send(&pty, ":view training\r");
    expect(&pty, "this run");
    leave(&pty);
}

// "src.tokens[0,0] = 1" in base 64, on its way to the clipboard.
static void the_cell_is_copied_through_the_terminal(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    pty_send(&pty, "y");
    expect(&pty, "Copied: src.tokens[0,0] = 1");
    assert_string_equal(pty.copied, "c3JjLnRva2Vuc1swLDBdID0gMQ==");
    leave(&pty);
}

static void training_runs_and_keys_answer_meanwhile(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    pty_send(&pty, "t");
    expect(&pty, "training: step ");
    pty_send(&pty, "n");
    expect(&pty, "step 2 of ");
    pty_send(&pty, "t");
    expect(&pty, "stopped after step ");
    pty_send(&pty, "(");
    expect(&pty, "the weights after step ");
    leave(&pty);
}

static void sizes_from_one_cell_up_are_survived(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 80, 24);
    static const int SIZES[][2] = {{1, 1}, {59, 16}, {60, 15}, {2, 70}, {200, 1}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        pty_resize(&pty, SIZES[i][0], SIZES[i][1]);
        pty_settle(&pty, 30);
    }
    pty_resize(&pty, 59, 24);
    expect(&pty, "attend needs 60×16 characters; here are 59×24");
    pty_resize(&pty, 100, 30);
    expect(&pty, "src.tokens");
    leave(&pty);
}

static void a_storm_of_sizes_and_steps_ends_on_a_whole_frame(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 80, 24);
    pty_send(&pty, "t");
    for (int i = 0; i < 1000; i++) {
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
    expect(&pty, "step 1 of ");
    assert_non_null(strstr(pty_row(&pty, 0), " attend"));
    leave(&pty);
}

static void signals_put_the_terminal_back(void **state) {
    (void)state;
    static const int SIGNALS[] = {SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGABRT};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        Pty pty;
        start(&pty, 80, 24);
        assert_true(pty.is_alternate);
        kill(pty.pid, SIGNALS[i]);
        assert_int_equal(pty_end(&pty), 128 + SIGNALS[i]);
        assert_false(pty.is_alternate);
        assert_false(pty.cursor_is_off);
        assert_false(pty.has_paste);
        assert_false(pty.has_mouse);
    }
}

static void stopping_and_going_on_draws_everything_again(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 80, 24);
    kill(pty.pid, SIGTSTP);
    int status = 0;
    for (int i = 0; i < 200 && !WIFSTOPPED(status); i++) {
        pty_settle(&pty, 10);
        waitpid(pty.pid, &status, WUNTRACED | WNOHANG);
    }
    assert_true(WIFSTOPPED(status));
    assert_false(pty.is_alternate);
    assert_false(pty.has_paste);
    kill(pty.pid, SIGCONT);
    pty_settle(&pty, 200);
    expect(&pty, "step 1 of ");
    assert_true(pty.is_alternate);
    assert_true(pty.has_paste);
    leave(&pty);
}

static void a_closed_terminal_ends_the_program(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 80, 24);
    close(pty.master);
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
    start(&pty, 80, 24);
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
    expect(&pty, "step 1 of ");
    assert_in_range(pty_resident_kb(&pty), 0, before_kb + 600);
    pty_settle(&pty, 100);
    long ticks = pty_ticks(&pty);
    size_t n_bytes = pty.n_bytes;
    pty_settle(&pty, 1500);
    assert_int_equal(pty_ticks(&pty), ticks);
    assert_int_equal(pty.n_bytes, n_bytes);
    leave(&pty);
}

static void pasted_text_presses_no_keys(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 80, 24);
    pty_send(&pty, "\033[200~nnnQ\033[201~");
    pty_send(&pty, "n");
    expect(&pty, "step 2 of ");
    pty_send(&pty, ":\033[200~go loss\nQ\033[201~");
    expect(&pty, ":go loss Q");
    pty_send(&pty, "\033");
    leave(&pty);
}

static void a_click_chooses_a_step(void **state) {
    (void)state;
    Pty pty;
    start(&pty, 100, 30);
    pty_send(&pty, ":go src.embedding\r");
    expect(&pty, "step 4 of ");
    int row = -1;
    for (int y = 0; y < pty.height; y++) {
        row = strstr(pty_row(&pty, y), "positions") != NULL ? y : row;
    }
    assert_true(row > 0);
    char click[64];
    snprintf(click, sizeof click, "\033[<0;8;%dM\033[<0;8;%dm", row + 1, row + 1);
    pty_send(&pty, click);
    expect(&pty, "step 5 of ");
    leave(&pty);
}

static void every_kind_of_terminal_is_served_or_told(void **state) {
    (void)state;
    static const char *const GOOD[] = {"xterm", "vt100",        "vt220",
                                       "linux", "ansi",         "screen-256color",
                                       "tmux",  "rxvt-unicode", "xterm-direct"};
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
        Pty pty;
        pty_start(&pty, GOOD[i], 80, 24, LESSON, environment());
        expect(&pty, "step 1 of ");
        pty_send(&pty, "Q");
        assert_int_equal(pty_end(&pty), 0);
    }
    static const char *const BAD[][2] = {
        {"dumb", "TERM=dumb: this terminal cannot place its cursor"},
        {"no-such-terminal", "TERM=no-such-terminal: this kind of terminal is unknown here"},
        {"", "TERM is not set"}};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Pty pty;
        pty_start(&pty, BAD[i][0], 100, 24, LESSON, environment());
        expect(&pty, BAD[i][1]);
        assert_int_equal(pty_end(&pty), 1);
    }
}

static void without_colours_and_without_utf8_it_still_shows(void **state) {
    (void)state;
    Pty pty;
    const char *const no_colour[] = {"NO_COLOR=1", environment()[0], NULL};
    pty_start(&pty, KIND, 80, 24, LESSON, no_colour);
    expect(&pty, "step 1 of ");
    leave(&pty);
    const char *const ascii[] = {"learn", "13", "--ascii", NULL};
    pty_start(&pty, KIND, 80, 24, ascii, environment());
    expect(&pty, "step 1 of ");
    for (int y = 0; y < pty.height; y++) {
        for (const char *at = pty_row(&pty, y); *at != '\0'; at++) {
            assert_in_range((unsigned char)*at, ' ', '~');
        }
    }
    leave(&pty);
    const char *const plain_locale[] = {"LC_ALL=C", environment()[0], NULL};
    pty_start(&pty, KIND, 80, 24, LESSON, plain_locale);
    expect(&pty, "step 1 of ");
    leave(&pty);
}

static int make_state_folder(void **state) {
    (void)state;
    snprintf(state_folder, sizeof state_folder, "/tmp/attend-state-XXXXXX");
    return mkdtemp(state_folder) == NULL ? -1 : 0;
}

static int remove_state_folder(void **state) {
    (void)state;
    char path[160];
    snprintf(path, sizeof path, "%s/attend/progress", state_folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/attend", state_folder);
    rmdir(path);
    return rmdir(state_folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_go_forward_and_back),
        cmocka_unit_test(a_command_is_typed_and_completed),
        cmocka_unit_test(enter_follows_and_backspace_returns),
        cmocka_unit_test(an_edit_is_seen_and_taken_back),
        cmocka_unit_test(a_reset_an_input_and_a_decoded_token_are_taken_back),
        cmocka_unit_test(the_mask_changes_the_numbers),
        cmocka_unit_test(the_drawn_structure_follows_the_tape),
        cmocka_unit_test(sizes_are_changed_and_taken_back),
        cmocka_unit_test(a_second_run_is_trained_beside_the_first),
        cmocka_unit_test(the_cell_is_copied_through_the_terminal),
        cmocka_unit_test(training_runs_and_keys_answer_meanwhile),
        cmocka_unit_test(sizes_from_one_cell_up_are_survived),
        cmocka_unit_test(a_storm_of_sizes_and_steps_ends_on_a_whole_frame),
        cmocka_unit_test(signals_put_the_terminal_back),
        cmocka_unit_test(stopping_and_going_on_draws_everything_again),
        cmocka_unit_test(a_closed_terminal_ends_the_program),
        cmocka_unit_test(idle_wakes_nothing_and_memory_stays),
        cmocka_unit_test(pasted_text_presses_no_keys),
        cmocka_unit_test(a_click_chooses_a_step),
        cmocka_unit_test(every_kind_of_terminal_is_served_or_told),
        cmocka_unit_test(without_colours_and_without_utf8_it_still_shows),
    };
    return cmocka_run_group_tests(tests, make_state_folder, remove_state_folder);
}
