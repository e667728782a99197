// test_screen_work.c - work that takes long says so, ends by Esc or Ctrl-C, and leaves what was
// open.
#include "tests/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_without_end_is_ended),
        cmocka_unit_test(a_large_model_is_not_waited_for),
        cmocka_unit_test(a_signal_ends_the_program_while_it_works),
        cmocka_unit_test(training_is_ended_by_escape),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
