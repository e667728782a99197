// test_screen_work.c - work that takes long says so, ends by Esc or Ctrl-C, and leaves what was
// open.
#include "tests/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/folder.h"
#include "tests/support_screen.h"

// Nobody could wait for so many tokens.
static void decoding_without_end_is_ended(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":open story-single-small --ids \"1,2,3\"\r");
    screen_expect(&pty, "src.tokens");
    pty_send(&pty, ":decode 1000000000\r");
    screen_expect(&pty, "decode: 0 % done. Esc or Ctrl-C stops it.");
    pty_send(&pty, "\033");
    screen_expect(&pty, "decode was stopped.");
    pty_send(&pty, ":decode 1000000000\r");
    screen_expect(&pty, "decode: 0 % done.");
    kill(pty.pid, SIGINT);
    screen_expect(&pty, "decode was stopped.");
    pty_send(&pty, ":go logits\r"); // and all goes on
    screen_expect(&pty, "logits");
    screen_leave(&pty);
}

// Drawing 124 million weights takes seconds; the toy stays open, and keys that were pressed
// meanwhile are not lost.
static void a_large_model_is_not_waited_for(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":open gpt2-124m --ids \"1,2,3\" --untrained\r");
    screen_expect(&pty, "Esc or Ctrl-C stops it.");
    pty_send(&pty, "\033");
    screen_expect(&pty, "open was stopped. What was open before is still open.");
    pty_send(&pty, ":go encoder.0.self_attn.scores\r");
    screen_expect(&pty, "scores[0,0,0,0]");
    screen_leave(&pty);
}

static void a_signal_ends_the_program_while_it_works(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":open story-single-small --ids \"1,2,3\"\r:decode 1000000000\r");
    screen_expect(&pty, "Esc or Ctrl-C stops it.");
    kill(pty.pid, SIGTERM);
    assert_int_equal(pty_end(&pty), 128 + SIGTERM);
}

// What runs between keys ends by Esc as well.
static void training_is_ended_by_escape(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, "t");
    screen_expect(&pty, "training: step");
    pty_send(&pty, "\033");
    screen_expect(&pty, "stopped after step");
    pty_send(&pty, "t");
    screen_expect(&pty, "training: step");
    kill(pty.pid, SIGINT);
    screen_expect(&pty, "stopped after step");
    screen_leave(&pty);
}

static void open_large(Pty *pty) {
    screen_start(pty, 100, 30);
    pty_send(pty, ":open transformer-base --untrained --ids \"1,2,3\"\r");
    screen_expect(pty, "src.tokens");
    screen_expect(pty, "37000");
}

// The axes of 2,048 points of 512 numbers take hundreds of products.
static void a_scatter_plot_is_computed_between_keys(void **state) {
    (void)state;
    Pty pty;
    open_large(&pty);
    pty_send(&pty, ":show src_embed.weight\r:view embeddings\r");
    screen_expect(&pty, "of the scatter plot is computed. Esc or Ctrl-C stops it.");
    pty_send(&pty, "\033");
    screen_expect(&pty, "Stopped: ");
    pty_settle(&pty, 200);
    long sleeps = pty_sleeps(&pty);
    pty_settle(&pty, 200);
    assert_int_equal(pty_sleeps(&pty), sleeps); // nothing goes on
    pty_send(&pty, ":view embeddings\r");
    screen_expect(&pty, "axis 1: ");
    screen_expect(&pty, "nearest to 0");
    pty_send(&pty, ":edit 3\r"); // all anew
    screen_expect(&pty, "of the scatter plot is computed. Esc or Ctrl-C stops it.");
    kill(pty.pid, SIGINT);
    screen_expect(&pty, "Stopped: ");
    screen_leave(&pty);
}

static void end_export(Pty *pty, const char *name) {
    char path[FOLDER_PATH_BYTES];
    char line[FOLDER_PATH_BYTES + 32];
    pty_settle(pty, 100); // the whole frame, without the sentence of the one before
    folder_path(screen_folder(), name, path);
    snprintf(line, sizeof line, ":export %s\r\033", path); // Esc waits until it is asked for
    pty_send(pty, line);
    screen_expect(pty, "export was stopped.");
    assert_int_not_equal(access(path, F_OK), 0);
}

// Millions of numbers.
static void writing_a_large_file_is_ended(void **state) {
    (void)state;
    Pty pty;
    open_large(&pty);
    pty_send(&pty, ":show encoder.layers.0.linear1.weight\r");
    screen_expect(&pty, "linear1.weight");
    end_export(&pty, "large.svg");
    pty_send(&pty, ":show src_embed.weight\r");
    screen_expect(&pty, "src_embed.weight");
    end_export(&pty, "large.csv");
    screen_leave(&pty);
}

// The means of 63 million weights are memory that is slow to touch.
static void training_that_makes_ready_is_ended(void **state) {
    (void)state;
    Pty pty;
    open_large(&pty);
    pty_send(&pty, "t");
    screen_expect(&pty, "train: ");
    pty_send(&pty, "\033");
    screen_expect(&pty, "train was stopped.");
    screen_leave(&pty);
}

static const char *const PLAIN[] = {"learn", "13", "--plain", NULL};

// Without a screen Ctrl-C ends what is at work; where nothing is, the program.
static void lines_of_text_live_on(void **state) {
    (void)state;
    Pty pty;
    pty_start(&pty, SCREEN_KIND, 100, 30, PLAIN, screen_environment());
    screen_expect(&pty, "The view \"map\" is a picture");
    pty_send(&pty, "open gpt2-124m --untrained\r");
    screen_expect(&pty, "open is at work. Ctrl-C stops it.");
    pty_send(&pty, "\003");
    screen_expect(&pty, "open was stopped. What was open before is still open.");
    pty_send(&pty, "train 1000000000\r");
    screen_expect(&pty, "train is at work. Ctrl-C stops it.");
    pty_send(&pty, "\003");
    screen_expect(&pty, "- stopped after step ");
    pty_send(&pty, "cell logits[0,0,1]\r");
    screen_expect(&pty, "logits[0,0,1] = ");
    pty_send(&pty, "\003");
    assert_int_equal(pty_end(&pty), 128 + SIGINT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_without_end_is_ended),
        cmocka_unit_test(a_large_model_is_not_waited_for),
        cmocka_unit_test(a_signal_ends_the_program_while_it_works),
        cmocka_unit_test(training_is_ended_by_escape),
        cmocka_unit_test(a_scatter_plot_is_computed_between_keys),
        cmocka_unit_test(writing_a_large_file_is_ended),
        cmocka_unit_test(training_that_makes_ready_is_ended),
        cmocka_unit_test(lines_of_text_live_on),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
