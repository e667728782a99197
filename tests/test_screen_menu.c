// test_screen_menu.c - the menu of lessons and the help: nothing in them is cut in silence, both
// are searched, and no key is without an answer.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/terminal/key.h"
#include "views/text.h"
#include "tests/support_learn.h"

static const int SIZES[][2] = {{60, 16}, {80, 24}, {100, 30}, {140, 40}, {200, 60}};
enum { N_SIZES = sizeof SIZES / sizeof SIZES[0] };

static Learn *open_menu(Language language) {
    return support_learn_open(&(LearnOptions){.lesson = NULL, .language = language});
}

static void assert_holds(Learn *learn, const int size[2], const char *text, bool is_there) {
    char *screen = support_learn_text(learn, size[0], size[1]);
    if ((strstr(screen, text) != NULL) != is_there) {
        fail_msg("%dx%d: \"%s\" %s:\n%s", size[0], size[1], text,
                 is_there ? "does not show" : "shows", screen);
    }
    free(screen);
}

// ---- the menu

// Whichever lesson is chosen: it is seen, with its minutes and everything that comes before it.
static void every_lesson_shows_what_comes_before_it(void **state) {
    (void)state;
    for (int language = 0; language < LANGUAGE_COUNT; language++) {
        Learn *learn = open_menu((Language)language);
        const Course *course = &learn->screen.course;
        assert_true(course->n >= 9);
        for (int k = 0; k < N_SIZES; k++) {
            support_learn_press(learn, KEY_CODE_HOME);
            for (int i = 0; i < course->n; i++) {
                const CourseLesson *lesson = &course->lessons[i];
                char text[128];
                assert_int_equal(learn->screen.menu_at, i);
                text_fill(text, sizeof text, text_of((Language)language, TEXT_LIST_NEEDS),
                          lesson->needs, NULL);
                assert_holds(learn, SIZES[k], lesson->needs[0] == '\0' ? "" : text, true);
                snprintf(text, sizeof text, "%d", lesson->minutes);
                assert_holds(learn, SIZES[k], text, true);
                assert_holds(learn, SIZES[k], course->missing, true);
                assert_true(lesson->parent < i); // the path leads down
                support_learn_press(learn, KEY_CODE_DOWN);
            }
        }
        support_learn_close(learn);
    }
}

static void what_the_menu_has_no_room_for_is_counted(void **state) {
    (void)state;
    Learn *learn = open_menu(LANGUAGE_EN);
    assert_holds(learn, SIZES[0], "▼", true);
    support_learn_press(learn, KEY_CODE_END);
    assert_holds(learn, SIZES[0], "▼", false);
    assert_holds(learn, SIZES[0], "▲", true);
    assert_holds(learn, SIZES[N_SIZES - 1], "▲", false);
    support_learn_press(learn, KEY_CODE_DOWN); // it stops there
    assert_int_equal(learn->screen.menu_at, learn->screen.course.n - 1);
    support_learn_close(learn);
}

// By its number, also of two digits.
static void a_number_chooses_its_lesson(void **state) {
    (void)state;
    Learn *learn = open_menu(LANGUAGE_EN);
    const int n = learn->screen.course.n;
    for (int i = 0; i < 2 * n; i++) {
        int number = learn->screen.course.lessons[i * 5 % n].number;
        char digits[16];
        snprintf(digits, sizeof digits, "%d", number);
        support_learn_press(learn, KEY_CODE_ESCAPE); // 1 and then 7 would be 17
        support_learn_type(learn, digits);
        assert_int_equal(learn->screen.course.lessons[learn->screen.menu_at].number, number);
        snprintf(digits, sizeof digits, "lesson %d.", number);
        assert_non_null(strstr(learn->reply.text, digits));
    }
    support_learn_type(learn, "0"); // no number begins with it
    assert_int_equal(learn->screen.menu_at, 0);
    const char *missing = learn->screen.course.missing;
    if (missing[0] > '1' && (missing[1] == ',' || missing[1] == '\0')) { // of one digit
        const char digit[] = {missing[0], '\0'};
        char said[64];
        support_learn_type(learn, digit);
        snprintf(said, sizeof said, "There is no lesson %s.", digit);
        assert_string_equal(learn->reply.text, said);
    }
    support_learn_press(learn, KEY_CODE_ESCAPE);
    support_learn_type(learn, "13\r");
    assert_int_equal(learn->player.lesson.number, 13);
    assert_int_equal(learn->screen.overlay, OVERLAY_NONE);
    support_learn_close(learn);
}

static void the_menu_is_searched(void **state) {
    (void)state;
    Learn *learn = open_menu(LANGUAGE_EN);
    const Course *course = &learn->screen.course;
    support_learn_type(learn, "/LOSS\r");
    assert_true(course->n_found > 0 && course->n_found < course->n);
    assert_true(course->lessons[course_find(course, 11)].is_found);
    assert_true(course->lessons[learn->screen.menu_at].is_found);
    assert_holds(learn, SIZES[1], "lessons: LOSS", true);
    assert_holds(learn, SIZES[1], " Tokens ", false);
    support_learn_type(learn, "/nosuchword\r");
    assert_string_equal(learn->reply.text, "No lesson holds \"nosuchword\".");
    assert_int_equal(course->n_found, course->n);
    support_learn_type(learn, "/softmax\r/\r"); // and all of them again
    assert_int_equal(course->n_found, course->n);
    support_learn_close(learn);
}

static void no_key_of_the_menu_is_dead(void **state) {
    (void)state;
    Learn *learn = open_menu(LANGUAGE_EN);
    for (int key = ' '; key < 127; key++) {
        learn->screen.menu_at = learn->screen.course.n / 2;
        char *before = support_learn_frame(learn, 100, 30);
        support_learn_press(learn, key_of_character(key));
        if (learn->is_over || learn->player.has_lesson) { // it leaves, or opens one
            learn->is_over = false;
            player_leave(&learn->player);
            screen_open_menu(&learn->screen, "");
            free(before);
            continue;
        }
        char *after = support_learn_frame(learn, 100, 30);
        if (strcmp(before, after) == 0) {
            fail_msg("%c does nothing\n%s", key, after);
        }
        free(before);
        free(after);
        support_learn_press(learn, KEY_CODE_ESCAPE);
        support_learn_press(learn, KEY_CODE_ESCAPE);
        assert_int_equal(learn->screen.overlay, OVERLAY_MENU);
    }
    support_learn_close(learn);
}

static void the_menu_lies_over_a_lesson_that_is_open(void **state) {
    (void)state;
    Learn *learn = support_learn_open(&(LearnOptions){.lesson = "13"});
    support_learn_finish(learn);
    char *before = support_learn_frame(learn, 100, 30);
    support_learn_type(learn, ":lessons\r");
    assert_int_equal(learn->screen.overlay, OVERLAY_MENU);
    assert_int_equal(learn->screen.course.lessons[learn->screen.menu_at].number, 13);
    support_learn_type(learn, "?");
    assert_int_equal(learn->screen.overlay, OVERLAY_HELP);
    support_learn_type(learn, "?");
    assert_int_equal(learn->screen.overlay, OVERLAY_MENU);
    support_learn_press(learn, KEY_CODE_ESCAPE);
    char *after = support_learn_frame(learn, 100, 30);
    assert_string_equal(before, after);
    free(before);
    free(after);
    support_learn_close(learn);
}

// ---- the help

static void the_help_stops_at_its_ends_and_counts_what_is_beyond(void **state) {
    (void)state;
    for (int k = 0; k < N_SIZES; k++) {
        Learn *learn = support_learn_open(&(LearnOptions){.lesson = "13"});
        support_learn_press(learn, KEY_CODE_F1);
        assert_holds(learn, SIZES[k], "▲", false);
        int last = learn->screen.overlay_lines - learn->screen.overlay_rows;
        char beyond[32];
        snprintf(beyond, sizeof beyond, " ▼ %d ", last);
        assert_holds(learn, SIZES[k], last > 0 ? beyond : "", true);
        for (int i = 0; i < 200; i++) {
            support_learn_press(learn, i % 2 == 0 ? KEY_CODE_PAGE_DOWN : KEY_CODE_DOWN);
        }
        assert_int_equal(learn->screen.overlay_scroll, last > 0 ? last : 0);
        assert_string_equal(learn->reply.text, text_of(LANGUAGE_EN, TEXT_AT_END));
        assert_holds(learn, SIZES[k], "Ctrl-Y", true); // in the last line
        support_learn_press(learn, KEY_CODE_HOME);
        assert_int_equal(learn->screen.overlay_scroll, 0);
        support_learn_close(learn);
    }
}

// Every command is found by its name and by a word of its help, in both languages.
static void the_help_is_searched(void **state) {
    (void)state;
    for (int language = 0; language < LANGUAGE_COUNT; language++) {
        Learn *learn =
            support_learn_open(&(LearnOptions){.lesson = "13", .language = (Language)language});
        for (int id = 0; id < COMMAND_COUNT; id++) {
            const char *const words[] = {COMMANDS[id].name,
                                         text_help((Language)language, (CommandId)id)};
            for (int i = 0; i < 2; i++) {
                char line[256];
                snprintf(line, sizeof line, "help %.50s", words[i]);
                text_trim(line);
                learn_execute_line(learn, line);
                assert_string_equal(learn->reply.text, "");
                assert_holds(learn, SIZES[2], COMMANDS[id].name, true);
            }
        }
        learn_execute_line(learn, "help nosuchword");
        assert_true(learn->reply.is_bad && strstr(learn->reply.text, "nosuchword") != NULL);
        support_learn_press(learn, KEY_CODE_ESCAPE);
        support_learn_type(learn, "?/temp\r");
        assert_holds(learn, SIZES[0], "temperature", true);
        assert_holds(learn, SIZES[0], "one cell up", false);
        support_learn_close(learn);
    }
}

int main(void) {
    setenv("ATTEND_ASSETS", ".", 0);
    setenv("XDG_STATE_HOME", "/dev/null/none", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lesson_shows_what_comes_before_it),
        cmocka_unit_test(what_the_menu_has_no_room_for_is_counted),
        cmocka_unit_test(a_number_chooses_its_lesson),
        cmocka_unit_test(the_menu_is_searched),
        cmocka_unit_test(no_key_of_the_menu_is_dead),
        cmocka_unit_test(the_menu_lies_over_a_lesson_that_is_open),
        cmocka_unit_test(the_help_stops_at_its_ends_and_counts_what_is_beyond),
        cmocka_unit_test(the_help_is_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
