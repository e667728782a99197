// test_screen_panes.c - the list of steps folds, and every pane turns its pages up to its ends.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/terminal/key.h"
#include "tests/support_learn.h"

enum { WIDTH = 100, HEIGHT = 30, MOST_PRESSES = 400 };

static Learn *open_place(const char *state, Language language) {
    Learn *learn = support_learn_open(&(LearnOptions){.state = state, .language = language});
    Error err = {""};
    support_learn_finish(learn);
    support_require(canvas_init(&learn->screen.canvas, WIDTH, HEIGHT, &err), &err);
    return learn;
}

static bool shows(Learn *learn, const char *text) {
    char *screen = support_learn_text(learn, WIDTH, HEIGHT);
    bool is_there = strstr(screen, text) != NULL;
    free(screen);
    return is_there;
}

// ---- folding

static void enter_folds_the_scope_of_a_step_and_unfolds_it(void **state) {
    (void)state;
    Learn *learn = open_place("|open toy-copy --ids \"1,5,4\" --seed 1|go "
                              "encoder.0.self_attn.scores",
                              LANGUAGE_EN);
    const Stepper *stepper = &learn->bench.playground.stepper;
    int at = stepper->at;
    support_learn_press(learn, KEY_CODE_TAB); // from the view
    learn->screen.focus = PANE_TAPE;
    assert_true(shows(learn, "▾ self_attn"));
    assert_true(shows(learn, "· scores"));
    support_learn_press(learn, KEY_CODE_ENTER);
    assert_int_equal(stepper->at, at); // the step stays
    assert_true(shows(learn, "▸    ▸ self_attn"));
    assert_false(shows(learn, "· scores "));
    support_learn_press(learn, KEY_CODE_ENTER);
    assert_true(shows(learn, "▾ self_attn"));
    assert_true(shows(learn, "· scores"));
    support_learn_press(learn, KEY_CODE_ENTER);
    support_learn_press(learn, KEY_CODE_BACKSPACE); // what is around it too
    assert_false(shows(learn, "self_attn "));
    support_learn_press(learn, KEY_CODE_BACKSPACE);
    assert_true(shows(learn, "▸▸ encoder"));
    support_learn_press(learn, KEY_CODE_DOWN); // over all that is folded
    assert_string_equal(stepper_node(stepper)->stage, "memory");
    support_learn_press(learn, KEY_CODE_ENTER);
    assert_true(shows(learn, text_of(LANGUAGE_EN, TEXT_NO_FOLD)));
    support_learn_press(learn, KEY_CODE_UP);
    assert_true(shows(learn, "▾ encoder")); // it was left
    support_learn_close(learn);
}

static void what_was_folded_is_forgotten_with_its_tape(void **state) {
    (void)state;
    Learn *learn = open_place("|open toy-copy --ids \"1,5,4\" --seed 1|go "
                              "decoder.0.ffn.hidden",
                              LANGUAGE_EN);
    static const char *const COMMANDS_GIVEN[] = {"layers 2", "input cat", "reset", "undo",
                                                 "heads 1"};
    for (size_t i = 0; i < sizeof COMMANDS_GIVEN / sizeof COMMANDS_GIVEN[0]; i++) {
        learn_execute_line(learn, "go decoder.0.ffn.hidden");
        learn->screen.focus = PANE_TAPE;
        support_learn_press(learn, KEY_CODE_ENTER);
        learn_execute_line(learn, COMMANDS_GIVEN[i]);
        support_learn_finish(learn);
        free(support_learn_text(learn, WIDTH, HEIGHT));
    }
    support_learn_close(learn);
}

// ---- pages

// A key moves in a pane until the end, where it says so and nothing moves any more.
static void check_end(Learn *learn, int key, TextId end, const char *what) {
    for (int i = 0; i < MOST_PRESSES; i++) {
        char *before = support_learn_text(learn, WIDTH, HEIGHT);
        support_learn_press(learn, key);
        support_learn_finish(learn);
        bool is_end = strcmp(learn->reply.text, reply_text(&learn->reply, end)) == 0;
        learn->reply.text[0] = '\0';
        char *after = support_learn_text(learn, WIDTH, HEIGHT);
        if (is_end != (strcmp(before, after) == 0)) {
            fail_msg("%s: %s\n%s\n%s", what, is_end ? "moved at the end" : "nothing moved", before,
                     after);
        }
        free(before);
        free(after);
        if (is_end) {
            return;
        }
    }
    fail_msg("%s: no end", what);
}

static void pages_stop_at_the_ends_of_every_pane_and_view(void **state) {
    (void)state;
    static const char *const PLACES[] = {
        "13@1|open toy-copy --ids \"1,5,4;1,3,6\" --seed 1|go grad.decoder.0.norm1",
        "3@1|open story-single-head --seed 1|tokens The cat sat on the mat and ran|view tokens",
        "13@1|open toy-copy --ids \"1,5,4\" --seed 1|beam 2|view beam",
        "13@1|open story-single-head --seed 1|show token_embedding.weight|view tensor",
        "13@1|open toy-copy --ids \"1,5,4;1,3,6\" --seed 1|go logits|view map",
        "13@1|open toy-copy --ids \"1,5,4\" --seed 1|go loss|view loss",
    };
    for (size_t i = 0; i < sizeof PLACES / sizeof PLACES[0]; i++) {
        Learn *learn = open_place(PLACES[i], i % 2 == 0 ? LANGUAGE_EN : LANGUAGE_ZH);
        for (int n = 0; learn->bench.merges.n > 0 && n < 60; n++) {
            learn_execute_line(learn, "next");
        }
        for (int pane = 0; pane < PANE_COUNT; pane++) {
            learn->screen.focus = (Pane)pane;
            learn->reply.text[0] = '\0';
            check_end(learn, KEY_CODE_PAGE_DOWN, TEXT_AT_END, PLACES[i]);
            check_end(learn, KEY_CODE_PAGE_UP, TEXT_AT_START, PLACES[i]);
            check_end(learn, KEY_CODE_PAGE_DOWN, TEXT_AT_END, PLACES[i]);
        }
        support_learn_close(learn);
    }
}

// ---- views

// A view that does not fit says what it needs, and shows as soon as that is there.
static void a_view_with_nothing_to_show_says_what_it_needs(void **state) {
    (void)state;
    for (int language = 0; language < LANGUAGE_COUNT; language++) {
        Learn *learn = open_place("|open toy-copy --ids \"1,5,4\" --seed 1", (Language)language);
        int n_later = 0;
        for (int i = 0; VIEWS[i] != NULL; i++) {
            const char *needs = VIEWS[i]->needs[language];
            char line[64];
            ViewTraining training;
            ViewState seen = screen_view_state(&learn->screen, &training);
            bool fits = VIEWS[i]->fits(&seen);
            assert_non_null(needs);
            snprintf(line, sizeof line, "view %s", VIEWS[i]->name);
            learn->reply.text[0] = '\0';
            learn_execute_line(learn, line);
            assert_int_equal(strstr(learn->reply.text, needs) == NULL, fits);
            n_later += !fits;
        }
        assert_true(n_later >= 4);
        learn_execute_line(learn, "view beam");
        learn_execute_line(learn, "beam 2");
        support_learn_finish(learn);
        assert_true(shows(learn, "beam: "));
        support_learn_close(learn);
    }
}

static void what_a_line_means_is_told_whole(void **state) {
    (void)state;
    Learn *learn = open_place("|open toy-copy --ids \"1,5,4\" --seed 1|go "
                              "encoder.0.self_attn.weights|view lines",
                              LANGUAGE_EN);
    static const int SIZES[][2] = {{80, 24}, {100, 30}, {140, 40}, {200, 60}};
    for (size_t i = 0; i < 4; i++) {
        char *screen = support_learn_text(learn, SIZES[i][0], SIZES[i][1]);
        if (strstr(screen, "none < 0.05") == NULL) {
            fail_msg("the legend is cut:\n%s", screen);
        }
        free(screen);
    }
    support_learn_close(learn);
}

// What is offered for a number is that number: taken as it is, it changes nothing.
static void an_edit_offers_the_whole_number(void **state) {
    (void)state;
    Learn *learn = open_place("13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1 --untrained|"
                              "go encoder.0.self_attn.q_proj|view tensor",
                              LANGUAGE_EN);
    const Cursor *cursor = &learn->bench.cursor;
    for (int i = 0; i < 8; i++) {
        double before = cursor_value(cursor, cursor->place.node, cursor_element(cursor));
        int n_changes = learn->bench.playground.n_changes;
        support_learn_type(learn, "e");
        support_learn_press(learn, KEY_CODE_ENTER);
        support_learn_finish(learn);
        double after = cursor_value(cursor, cursor->place.node, cursor_element(cursor));
        assert_int_equal(learn->bench.playground.n_changes, n_changes + 1);
        assert_true(before == after);
        support_learn_type(learn, "l");
    }
    support_learn_close(learn);
}

int main(void) {
    setenv("ATTEND_ASSETS", ".", 0);
    setenv("XDG_STATE_HOME", "/dev/null/none", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edit_offers_the_whole_number),
        cmocka_unit_test(enter_folds_the_scope_of_a_step_and_unfolds_it),
        cmocka_unit_test(what_was_folded_is_forgotten_with_its_tape),
        cmocka_unit_test(pages_stop_at_the_ends_of_every_pane_and_view),
        cmocka_unit_test(a_view_with_nothing_to_show_says_what_it_needs),
        cmocka_unit_test(what_a_line_means_is_told_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
