// test_screen_room.c - what a screen of any size shows, and says where it has no room for it.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_places.h"
#include "views/canvas_text.h"

static const int SIZES[][2] = {{60, 16}, {80, 24}, {100, 30}, {140, 40}, {160, 45}, {200, 60}};
enum { N_SIZES = sizeof SIZES / sizeof SIZES[0] };

static const char SCORES[] = "13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1|go "
                             "encoder.0.self_attn.scores|cell encoder.0.self_attn.scores[0,1,2,1]"
                             "|view equation";

static void read_frame(const Canvas *canvas, char **text) {
    size_t length = 0;
    Error err = {""};
    support_require(canvas_to_text(canvas, text, &length, &err), &err);
}

static char *screen_text(const LearnOptions *options, int width, int height, CanvasCut *cut) {
    Canvas canvas = {0};
    Error err = {""};
    support_require(canvas_init(&canvas, width, height, &err), &err);
    canvas.cut = cut;
    support_require(learn_draw_place(options, &canvas, &err), &err);
    char *text = NULL;
    read_frame(&canvas, &text);
    canvas_free(&canvas);
    return text;
}

static int lines_before(const char *screen, const char *text) {
    int n = 0;
    for (const char *at = screen; at != strstr(screen, text); at++) {
        n += *at == '\n';
    }
    return n;
}

static void assert_shows(const char *screen, const char *text) {
    if (strstr(screen, text) == NULL) {
        fail_msg("\"%s\" does not show:\n%s", text, screen);
    }
}

static void where_there_is_room_more_shows_beside_the_number(void **state) {
    (void)state;
    static const char RUN[] =
        "13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1|show grad.src.embedding|"
        "show encoder.0.self_attn.scores|view tensor";
    static const int ROOMY[][2] = {{140, 40}, {160, 45}, {200, 60}};
    for (int k = 0; k < 3; k++) {
        LearnOptions options = {.state = RUN};
        char *after = screen_text(&options, ROOMY[k][0], ROOMY[k][1], NULL);
        options.state = "13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1|cell "
                        "encoder.0.self_attn.scores[0,1,2,1]|view tensor";
        char *before = screen_text(&options, ROOMY[k][0], ROOMY[k][1], NULL);
        const char *titles[] = {"─ equation", "─ map", "─ grad.encoder.0.self_attn.scores"};
        for (int i = 0; i < (k == 2 ? 3 : 2); i++) { // the last has room at 200 x 60
            assert_shows(after, titles[i]);
            assert_shows(before, titles[i]);
            assert_int_equal(lines_before(after, titles[i]), lines_before(before, titles[i]));
        }
        assert_shows(after, "Self-Attn ");
        assert_shows(after, "kᵀ 4x3");
        if (k == 2) {
            assert_shows(before, "The backward pass has not run yet.");
            assert_null(strstr(after, "The backward pass has not run yet."));
        }
        free(before);
        free(after);
    }
}

static void no_text_begins_beside_its_pane(void **state) {
    (void)state;
    for (int i = 0; i < N_SUPPORT_PLACES; i++) {
        LearnOptions options = support_place_options(&SUPPORT_PLACES[i], THEME_DARK);
        for (int k = 0; k < N_SIZES; k++) {
            CanvasCut cut = {.lines_below = 0};
            free(screen_text(&options, SIZES[k][0], SIZES[k][1], &cut));
            if (cut.texts_beside > 0) {
                fail_msg("%s at %dx%d: %d texts", SUPPORT_PLACES[i].name, SIZES[k][0], SIZES[k][1],
                         cut.texts_beside);
            }
        }
    }
}

static void a_pane_says_how_much_it_hides_and_which_key_shows_it(void **state) {
    (void)state;
    LearnOptions options = {.state = SCORES};
    char *small = screen_text(&options, 80, 24, NULL);
    assert_shows(small, " more lines: z ");
    free(small);
    options.state = "13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1|go encoder.0.norm1|view tensor";
    small = screen_text(&options, 60, 16, NULL);
    assert_shows(small, ": z ");
    free(small);
}

static void the_view_is_named_first(void **state) {
    (void)state;
    LearnOptions options = {.state = SCORES};
    for (int k = 0; k < N_SIZES; k++) {
        char *screen = screen_text(&options, SIZES[k][0], SIZES[k][1], NULL);
        assert_shows(screen, "┌ equation: ");
        assert_shows(screen, "scores  item 0  head 1 ");
        free(screen);
    }
}

// The rows of the matrix that a text speaks of, all of them, before the arithmetic.
static void a_matrix_goes_before_its_arithmetic(void **state) {
    (void)state;
    LearnOptions options = {.state = SCORES};
    for (int k = 1; k < N_SIZES; k++) {
        char *screen = screen_text(&options, SIZES[k][0], SIZES[k][1], NULL);
        const char *result = strstr(screen, "query\\key");
        assert_non_null(result);
        assert_non_null(strstr(result, "<s>"));
        assert_non_null(strstr(result, "dog"));
        assert_non_null(strstr(result, "run"));
        assert_shows(screen, "scores[0,1,2,1] run, dog = ");
        free(screen);
    }
}

// Whatever the arithmetic takes, the rows that a text speaks of show before it.
static void a_text_of_three_tokens_shows_their_rows(void **state) {
    (void)state;
    static const char *const PLACES[] = {"7@5", "10@5", "13@6"};
    for (size_t i = 0; i < sizeof PLACES / sizeof PLACES[0]; i++) {
        LearnOptions options = {.state = PLACES[i]};
        for (int k = 1; k < N_SIZES; k++) {
            char *screen = screen_text(&options, SIZES[k][0], SIZES[k][1], NULL);
            const char *view = strstr(screen, "tensor: ");
            assert_non_null(view);
            assert_non_null(strstr(view, "<s>"));
            assert_shows(view, "│ dog ");
            assert_shows(view, "│ run ");
            assert_shows(screen, k == 1 ? "more line" : "= ");
            free(screen);
        }
    }
}

// Rows of cross-attention are named by what they read where the block of an equation has room.
static void rows_that_cross_say_what_they_read_where_there_is_room(void **state) {
    (void)state;
    LearnOptions options = {.state = "13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1 --untrained|"
                                     "go decoder.0.cross_attn.weights"};
    for (int k = 3; k < N_SIZES; k++) {
        char *screen = screen_text(&options, SIZES[k][0], SIZES[k][1], NULL);
        const char *equation = strstr(screen, "─ equation");
        assert_non_null(equation);
        assert_shows(equation, "query → next\\key");
        assert_shows(equation, "<s> → dog");
        assert_shows(equation, "dog → run");
        free(screen);
    }
}

// What of a text does not show, whatever the spaces at which it is broken.
static const char *rest_of(const char *text, const char *screen) {
    size_t at = 0;
    for (; *text != '\0'; text++) {
        at += strspn(screen + at, " \n");
        if (*text != ' ' && *text != screen[at++]) {
            break;
        }
    }
    return text;
}

static void the_state_can_be_read_whole(void **state) {
    (void)state;
    for (int k = 0; k < N_SIZES; k++) {
        Learn learn;
        Canvas canvas = {0};
        Error err = {""};
        char place[4096] = "";
        strncat(place, SCORES, sizeof place - strlen(place) - 1);
        for (int i = 0; i < 6; i++) { // much that was edited makes it long
            char edit[96];
            snprintf(edit, sizeof edit, "|cell encoder.0.self_attn.v[%d,%d,%d,1]|edit 2.5", i % 2,
                     i / 2 % 2, i % 3);
            strncat(place, edit, sizeof place - strlen(place) - 1);
        }
        const LearnOptions options = {.state = place};
        support_require(learn_init(&learn, &options, &err), &err);
        while (player_has_commands(&learn.player) || learn_work(&learn, 50.0)) {
            learn_work(&learn, 50.0);
        }
        learn_execute_line(&learn, "state");
        support_require(canvas_init(&canvas, SIZES[k][0], SIZES[k][1], &err), &err);
        screen_draw(&learn.screen, &canvas);
        char *screen = NULL;
        read_frame(&canvas, &screen);
        const char *at = strstr(screen, "attend learn --at");
        assert_non_null(at);
        const char *rest = rest_of(learn.reply.text, at);
        if (*rest != '\0') {
            fail_msg("%dx%d: \"%s\" is missing:\n%s", SIZES[k][0], SIZES[k][1], rest, screen);
        }
        free(screen);
        canvas_free(&canvas);
        learn_free(&learn);
    }
}

// One merge a line, each at its place in the list; the newest shows, and the pair is marked.
static void merges_are_a_list_that_can_be_watched(void **state) {
    (void)state;
    for (int k = 1; k < N_SIZES; k++) {
        char place[256] = "3@1|open story-single-head --seed 1|tokens \"running\"|view tokens";
        LearnOptions options = {.state = place};
        char *first = screen_text(&options, SIZES[k][0], SIZES[k][1], NULL);
        assert_shows(first, "▸ 1/");
        assert_shows(first, " of the list ");
        assert_shows(first, "[");
        strncat(place, "|next|next|next|next|next|next|next", sizeof place - strlen(place) - 1);
        char *last = screen_text(&options, SIZES[k][0], SIZES[k][1], NULL);
        assert_shows(last, "all merged: ");
        assert_shows(last, "▸");
        assert_int_equal(
            lines_before(last, "all merged: ") - lines_before(last, " of the list ") > 0, 1);
        free(first);
        free(last);
    }
}

// "2.1925 → 2.2396": a number before each arrow of the two, and one after it that is not cut.
static void assert_whole_numbers(const char *screen) {
    for (int i = 0; i < 2; i++) {
        const char *arrow = strstr(screen, " → ");
        assert_non_null(arrow);
        const char *number = arrow + strlen(" → ");
        size_t length = strspn(number, "-.0123456789");
        if (length == 0 || number[length] != ' ') {
            fail_msg("no whole number after the arrow: %.40s", arrow);
        }
        screen = number;
    }
}

// What a change did stays on the screen, whatever is looked at after it.
static void a_change_shows_its_effect(void **state) {
    (void)state;
    static const char *const CHANGES[] = {"|mask off", "|scale off",
                                          "|cell encoder.0.self_attn.scores[0,1,2,1]|edit 2.5"};
    for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        char place[512];
        snprintf(place, sizeof place, "%s%s|cell decoder.0.self_attn.weights[0,1,0,1]|heat linear",
                 "13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1 --untrained", CHANGES[i]);
        LearnOptions options = {.state = place};
        for (int k = 1; k < N_SIZES; k++) {
            char *screen = screen_text(&options, SIZES[k][0], SIZES[k][1], NULL);
            assert_shows(screen, "loss 2.");
            assert_shows(screen, "number ");
            assert_whole_numbers(strstr(screen, "loss 2."));
            free(screen);
        }
    }
}

static void the_map_says_how_many_layers_there_are_in_whole_numbers(void **state) {
    (void)state;
    static const char *const NUMBERS[] = {"2", "12", "33", "64"};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        char place[256];
        char number[16];
        snprintf(place, sizeof place,
                 "13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1 --untrained|layers %s|view map",
                 NUMBERS[i]);
        snprintf(number, sizeof number, "%s×", NUMBERS[i]);
        LearnOptions options = {.state = place};
        for (int k = 1; k < N_SIZES; k++) {
            char *screen = screen_text(&options, SIZES[k][0], SIZES[k][1], NULL);
            assert_shows(screen, number);
            assert_shows(strstr(screen, number) + 1, number);
            free(screen);
        }
    }
}

static void lines_name_the_tokens_that_show_where_not_all_do(void **state) {
    (void)state;
    static const char PLACE[] =
        "17@1|open story-gpt2 --input \"Lily had a flute. Tom had a kite. She dropped her\"|"
        "go h.2.attn.weights|view %s|cell h.2.attn.weights[0,3,12,3]";
    static const char *const NAMES[] = {"lines", "attention"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char place[256];
        snprintf(place, sizeof place, PLACE, NAMES[i]);
        LearnOptions options = {.state = place};
        char *screen = screen_text(&options, 80, 24, NULL);
        assert_shows(screen, "rows ");
        assert_shows(screen, "-12/13");
        assert_shows(screen, "▁her");
        assert_shows(screen, "▁flute");
        free(screen);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_there_is_room_more_shows_beside_the_number),
        cmocka_unit_test(no_text_begins_beside_its_pane),
        cmocka_unit_test(a_pane_says_how_much_it_hides_and_which_key_shows_it),
        cmocka_unit_test(the_view_is_named_first),
        cmocka_unit_test(a_matrix_goes_before_its_arithmetic),
        cmocka_unit_test(merges_are_a_list_that_can_be_watched),
        cmocka_unit_test(a_text_of_three_tokens_shows_their_rows),
        cmocka_unit_test(rows_that_cross_say_what_they_read_where_there_is_room),
        cmocka_unit_test(a_change_shows_its_effect),
        cmocka_unit_test(the_map_says_how_many_layers_there_are_in_whole_numbers),
        cmocka_unit_test(lines_name_the_tokens_that_show_where_not_all_do),
        cmocka_unit_test(the_state_can_be_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
