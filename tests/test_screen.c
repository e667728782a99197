// test_screen.c - the learning screen, driven through a pty against the real program.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_screen.h"

static void steps_go_forward_and_back(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    screen_expect(&pty, "step 1 of ");
    pty_send(&pty, "n");
    screen_expect(&pty, "step 2 of ");
    screen_expect(&pty, "tgt.tokens");
    pty_send(&pty, "nnn");
    screen_expect(&pty, "src.positions");
    pty_send(&pty, "p");
    screen_expect(&pty, "step 4 of ");
    pty_send(&pty, "$");
    screen_expect(&pty, "update");
    pty_send(&pty, "L");
    screen_expect(&pty, "loss");
    pty_send(&pty, "0");
    screen_expect(&pty, "step 1 of ");
    screen_leave(&pty);
}

static void a_command_is_typed_and_completed(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":go encoder.0.self_attn.sc\t\r");
    screen_expect(&pty, "encoder.0.self_attn.scores");
    pty_send(&pty, ":cell encoder.0.self_attn.scores[0,1,2,1]\r");
    screen_expect(&pty, "head 1");
    screen_expect(&pty, "scores[0,1,2,1] run, dog = ");
    pty_send(&pty, ":dance\r");
    screen_expect(&pty, "there is no command \"dance\"");
    screen_leave(&pty);
}

static void enter_follows_and_backspace_returns(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":go src.input\r");
    screen_expect(&pty, "input[0,0,0] <s> = ");
    pty_send(&pty, "\r");
    screen_expect(&pty, "embedding[0,0,0] <s> = ");
    pty_send(&pty, "\r");
    screen_expect(&pty, "weight[1,0] <s> = ");
    pty_send(&pty, "\r");
    screen_expect(&pty, "This number is an input or a parameter");
    pty_send(&pty, "\177\177");
    screen_expect(&pty, "input[0,0,0] <s> = ");
    screen_leave(&pty);
}

static void an_edit_is_seen_and_taken_back(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":go src.input\r");
    screen_expect(&pty, "input[0,0,0] <s> = ");
    pty_send(&pty, ":edit 7.25\r");
    screen_expect(&pty, "src.input[0,0,0] is now 7.25");
    screen_expect(&pty, " 7.25");
    pty_send(&pty, "u");
    screen_expect(&pty, "Undone: edit 7.25");
    pty_settle(&pty, 50);
    assert_false(pty_shows(&pty, "7.2500"));
    pty_send(&pty, "U");
    screen_expect(&pty, "7.2500");
    pty_send(&pty, "r");
    screen_expect(&pty, "Everything is as it was when it was opened; u undoes this.");
    assert_false(pty_shows(&pty, "changes "));
    pty_send(&pty, "u");
    screen_expect(&pty, "Undone: reset");
    screen_expect(&pty, "changes 1");
    screen_expect(&pty, "7.2500");
    screen_leave(&pty);
}

// Training, its curve and its snapshots too.
static void a_reset_an_input_and_a_decoded_token_are_taken_back(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 120, 40);
    pty_send(&pty, ":train 30\r");
    screen_expect(&pty, "trained 30");
    pty_send(&pty, ":beam 2\r");
    screen_expect(&pty, "dropped: its rank");
    pty_send(&pty, "r");
    screen_expect(&pty, "Everything is as it was when it was opened");
    assert_false(pty_shows(&pty, "trained "));
    assert_false(pty_shows(&pty, "dropped: its rank")); // that was of other weights
    pty_send(&pty, "u");
    screen_expect(&pty, "Undone: reset");
    screen_expect(&pty, "trained 30");
    pty_send(&pty, "(");
    screen_expect(&pty, "These are the weights after step 29");
    pty_send(&pty, ":width 16\r");
    screen_expect(&pty, "tensors have a new shape");
    assert_false(pty_shows(&pty, "trained "));
    pty_send(&pty, "u");
    screen_expect(&pty, "Undone: width 16");
    screen_expect(&pty, "trained 29");
    pty_send(&pty, ":input cat\r:go src.input\r");
    screen_expect(&pty, "(1,2,8)");
    pty_send(&pty, "g");
    screen_expect(&pty, "next token: ");
    pty_send(&pty, "u");
    screen_expect(&pty, "Undone: decode");
    pty_send(&pty, "u");
    screen_expect(&pty, "Undone: input cat");
    pty_send(&pty, ":go src.input\r");
    screen_expect(&pty, "(2,3,8)");
    screen_expect(&pty, "trained 29");
    screen_leave(&pty);
}

static void the_mask_changes_the_numbers(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":cell decoder.0.self_attn.masked[0,0,0,1]\r");
    screen_expect(&pty, "= -inf");
    pty_send(&pty, "m");
    screen_expect(&pty, "causal mask: off");
    screen_expect(&pty, "number -inf → "); // what it was is said beside what it is now
    pty_settle(&pty, 50);
    assert_false(pty_shows(&pty, "= -inf"));
    pty_send(&pty, "m");
    screen_expect(&pty, "= -inf");
    screen_leave(&pty);
}

static void the_drawn_structure_follows_the_tape(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 120, 40);
    pty_send(&pty, ":view map\r");
    screen_expect(&pty, "post-norm");
    screen_expect(&pty, "Masked Self-Attention");
    pty_send(&pty, ":norm pre\r");
    screen_expect(&pty, "pre-norm");
    pty_send(&pty, ":norm annotated\r");
    screen_expect(&pty, ": pre, annotated");
    pty_send(&pty, "p:residual off\r");
    screen_expect(&pty, "residual connections: off");
    pty_settle(&pty, 50);
    assert_false(pty_shows(&pty, "Add & Norm"));
    screen_leave(&pty);
}

static void sizes_are_changed_and_taken_back(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":go encoder.0.self_attn.q\r");
    screen_expect(&pty, "(2,2,3,4)");
    pty_send(&pty, ":heads 4\r");
    screen_expect(&pty, "(2,4,3,2)");
    pty_send(&pty, ":width 16\r");
    screen_expect(&pty, "tensors have a new shape");
    screen_expect(&pty, "(2,4,3,4)");
    pty_send(&pty, "uu");
    screen_expect(&pty, "(2,2,3,4)");
    pty_send(&pty, ":heads 3\r");
    screen_expect(&pty, "3 heads: expected a number that divides the width, 8");
    pty_send(&pty, ":input cat\r");
    screen_expect(&pty, "(1,2,2,4)");
    pty_send(&pty, ":input bird\r");
    screen_expect(&pty, "bird");
    screen_leave(&pty);
}

static void a_second_run_is_trained_beside_the_first(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 120, 40);
    pty_send(&pty, ":train 30\r");
    screen_expect(&pty, "trained 30");
    pty_send(&pty, "c");
    screen_expect(&pty, "This run is kept.");
    pty_send(&pty, "m");
    pty_send(&pty, ":train 30\r");
    screen_expect(&pty, "trained 30");
    pty_send(&pty, ":view training\r");
    screen_expect(&pty, "this run");
    screen_leave(&pty);
}

// "src.tokens[0,0] = 1" in base 64, on its way to the clipboard.
static void the_cell_is_copied_through_the_terminal(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, "y");
    screen_expect(&pty, "Copied: src.tokens[0,0] = 1");
    assert_string_equal(pty.copied, "c3JjLnRva2Vuc1swLDBdID0gMQ==");
    screen_leave(&pty);
}

// Waits until training has left a moment to go back to: its first frame may say step 0.
static void wait_for_steps(Pty *pty) {
    static const char SAID[] = "training: step ";
    long step = 0;
    for (int i = 0; i < 200 && step < 2; i++) {
        pty_step(pty, 50);
        for (int y = 0; y < 30 && step < 2; y++) {
            const char *at = strstr(pty_row(pty, y), SAID);
            step = at == NULL ? 0 : strtol(at + sizeof SAID - 1, NULL, 10);
        }
    }
    assert_true(step >= 2);
}

static void training_runs_and_keys_answer_meanwhile(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, "t");
    screen_expect(&pty, "training: step ");
    wait_for_steps(&pty);
    pty_send(&pty, "n");
    screen_expect(&pty, "step 2 of ");
    pty_send(&pty, "t");
    screen_expect(&pty, "stopped after step ");
    pty_send(&pty, "(");
    screen_expect(&pty, "These are the weights after step ");
    screen_leave(&pty);
}

static void a_click_chooses_a_step(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, ":go src.embedding\r");
    screen_expect(&pty, "step 4 of ");
    int row = -1;
    for (int y = 0; y < pty.height; y++) {
        row = strstr(pty_row(&pty, y), "positions") != NULL ? y : row;
    }
    assert_true(row > 0);
    char click[64];
    snprintf(click, sizeof click, "\033[<0;8;%dM\033[<0;8;%dm", row + 1, row + 1);
    pty_send(&pty, click);
    screen_expect(&pty, "step 5 of ");
    screen_leave(&pty);
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
        cmocka_unit_test(a_click_chooses_a_step),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
