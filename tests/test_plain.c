// test_plain.c - lessons as lines of text, as somebody hears them who has no screen.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

#include "app/learn/lesson_files.h"
#include "app/learn/command.h"
#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "tests/folder.h"
#include "views/text.h"

enum { MOST_LESSONS = 99 };

static char lessons[MOST_LESSONS][16]; // all there are
static int n_lessons;
static const char *const LANGUAGES[] = {"en", "zh"};
static char folder[FOLDER_PATH_BYTES];

// What the program says when these lines are typed; to be freed.
static char *hear(const char *typed, const char *arguments) {
    char in[FOLDER_PATH_BYTES];
    char out[FOLDER_PATH_BYTES];
    char line[2048];
    FileBytes bytes = {0};
    Error err = {""};
    folder_path(folder, "in", in);
    folder_path(folder, "out", out);
    support_require(file_save(in, typed, strlen(typed), &err), &err);
    const char *given = getenv("PROGRAM");
    const char *program = given != NULL ? given : "attend";
    snprintf(line, sizeof line, "XDG_STATE_HOME=%s %s%s learn %s < %s > %s", folder,
             program[0] == '/' ? "" : "./", program, arguments, in, out);
    assert_int_equal(system(line), 0); // NOLINT(cert-env33-c): the program itself
    support_require(file_read(&bytes, out, 0, &err), &err);
    return (char *)bytes.memory;
}

static char *play(const char *lesson, const char *language, const char *options) {
    char arguments[128];
    char typed[121];
    memset(typed, '\n', 120);
    typed[120] = '\0';
    snprintf(arguments, sizeof arguments, "%.15s --plain --lang %s %s", lesson, language, options);
    return hear(typed, arguments);
}

// What a lesson says at the usual width, played once for all tests; to be freed.
static char *played(int lesson, int language) {
    static char *texts[MOST_LESSONS][2];
    char **text = &texts[lesson][language];
    if (*text == NULL) {
        *text = play(lessons[lesson], LANGUAGES[language], "");
    }
    return strdup(*text);
}

static void assert_width(char *text, int width) {
    for (char *line = strsep(&text, "\n"); line != NULL; line = strsep(&text, "\n")) {
        if (text_columns(line) > width) {
            fail_msg("%d columns, expected %d: %s", text_columns(line), width, line);
        }
    }
}

static void no_line_is_wider_than_the_page(void **state) {
    (void)state;
    for (int i = 0; i < n_lessons * 2; i++) {
        char *text = played(i % n_lessons, i / n_lessons);
        assert_width(text, 80);
        free(text);
        // Narrow in one language, wide in the other, by turns.
        char options[32];
        int width = (i % n_lessons + i / n_lessons) % 2 == 0 ? 40 : 132;
        snprintf(options, sizeof options, "--width %d", width);
        text = play(lessons[i % n_lessons], LANGUAGES[i / n_lessons], options);
        assert_width(text, width);
        free(text);
    }
}

static void no_text_names_a_key(void **state) {
    (void)state;
    static const char *const KEYS[] = {"Space",      "Enter ",   "Backspace", "Esc ", "Tab ",
                                       "arrow keys", "press ",   "PgUp",      "按 ",  "方向键",
                                       "退格",       "空格继续", "数字键"};
    for (int i = 0; i < n_lessons * 2; i++) {
        char *text = played(i % n_lessons, i / n_lessons);
        for (size_t k = 0; k < sizeof KEYS / sizeof KEYS[0]; k++) {
            const char *at = strstr(text, KEYS[k]);
            if (at != NULL) {
                fail_msg("lesson %s, %s: \"%.60s\"", lessons[i % n_lessons],
                         LANGUAGES[i / n_lessons], at);
            }
        }
        free(text);
    }
}

// The command that was typed, as it is echoed, and whether something was said of it.
static void assert_all_answered(const char *text) {
    int n = 0;
    for (const char *at = strstr(text, "\n> "); at != NULL; n++) {
        const char *said = strchr(at + 1, '\n');
        const char *next = strstr(at + 1, "\n> ");
        if (said != NULL && next != NULL && strspn(said, "\n ") >= (size_t)(next - said)) {
            fail_msg("nothing is said of \"%.40s\"", at + 3);
        }
        at = next;
    }
    assert_true(n > 60);
}

static void every_command_says_something(void **state) {
    (void)state;
    static const char *const RESTS[] = {"", " 1", " on", " cat", " src.input[0,1,2]"};
    for (size_t i = 0; i < 2 * sizeof RESTS / sizeof RESTS[0]; i++) {
        char typed[8192] = "";
        size_t used = 0;
        for (int id = 0; id < COMMAND_COUNT; id++) {
            bool leaves = id == COMMAND_QUIT || id == COMMAND_LEAVE || id == COMMAND_CONTINUE;
            bool writes = id == COMMAND_EXPORT;
            if (!leaves && !writes) {
                used += (size_t)snprintf(typed + used, sizeof typed - used, "%s%s\n",
                                         COMMANDS[id].name, RESTS[i / 2]);
            }
        }
        char arguments[64];
        snprintf(typed + used, sizeof typed - used, "quit\n");
        snprintf(arguments, sizeof arguments, "13 --plain --lang %s", LANGUAGES[i % 2]);
        char *text = hear(typed, arguments);
        assert_all_answered(text);
        free(text);
    }
}

static int times(const char *text, const char *part) {
    int n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void the_first_model_is_told_once(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "%s --plain --lang en", i == 0 ? "13" : "14");
        char *text = hear("\n\nquit\n", arguments);
        assert_int_equal(times(text, ": open "), 1);
        assert_int_equal(times(text, "\nsrc.tokens  (") + times(text, "\nmemory  ("),
                         i == 0 ? 1 : 2);
        free(text);
    }
}

static void rows_and_columns_have_their_numbers(void **state) {
    (void)state;
    char *text = hear("go src.positions\ncell src.embedding[1,2,7]\nshow loss\nquit\n",
                      "13 --plain --lang en");
    assert_non_null(strstr(text, "                    0          1          2\n"
                                 "    item 0      1 <s>      5 dog      4 run\n"
                                 "    item 1      1 <s>      3 cat    6 sleep\n"));
    assert_non_null(strstr(text, "  [columns 0 to 5]\n"));
    assert_non_null(strstr(text, "  [columns 6 to 7]\n"
                                 "               6          7\n"
                                 "    0          0          1\n"
                                 "    1      0.001          1\n"));
    assert_non_null(strstr(text, "  [item 1, columns 6 to 7]\n"));
    assert_non_null(strstr(text, "    2 sleep     0.6932   -0.61427\n"));
    free(text);
}

static void a_state_is_one_line_that_leads_back(void **state) {
    (void)state;
    char *text = hear("cell encoder.0.self_attn.scores[0,1,2,1]\nmask off\nstate\nquit\n",
                      "13 --plain --lang en");
    char *line = strstr(text, "\nattend learn --at '");
    assert_non_null(line);
    line += strlen("\nattend learn ");
    line[strcspn(line, "\n")] = '\0';
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "--plain --lang en %s", line);
    char *again = hear("change\nquit\n", arguments);
    assert_non_null(strstr(again, "encoder.0.self_attn.scores[0,1,2,1] = "));
    assert_non_null(strstr(again, "mask off"));
    free(again);
    free(text);
}

static void signs_are_spelled_with_ascii(void **state) {
    (void)state;
    for (int i = 0; i < n_lessons; i++) { // lesson 3 is about other signs
        char *text = play(lessons[i], "en", "--ascii");
        for (const char *at = text; *at != '\0';) {
            int32_t code = 0;
            size_t length = utf8_character(at, &code);
            utf8proc_category_t category = utf8proc_category(code);
            // Letters are of the words that a lesson or its model writes; those may hold such a
            // mark.
            bool is_letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
            if (code >= 0x80 && !is_letter && strncmp(at, "™", length) != 0) {
                fail_msg("lesson %s: \"%.20s\"", lessons[i], at);
            }
            at += length;
        }
        free(text);
    }
}

static void a_long_line_is_one_command(void **state) {
    (void)state;
    char typed[700];
    memset(typed, 'x', sizeof typed);
    snprintf(typed + 600, sizeof typed - 600, "\nquit\n");
    for (int i = 0; i < 7; i++) {
        typed[i] = "search "[i];
    }
    char *text = hear(typed, "13 --plain --lang en");
    assert_int_equal(times(text, "is not in the steps or the lesson"), 0);
    assert_int_equal(times(text, "\n> "), 2);
    assert_int_equal(times(text, "\n! "), 1);
    free(text);
}

// A number answers, and a key's name is the command that it stands for.
static void a_number_answers_and_a_key_is_known(void **state) {
    (void)state;
    char *text = hear("n\n\n\n\n\n\n2\nquit\n", "13 --plain --lang en");
    assert_non_null(strstr(text, "\n> n\nstep 2 of 232\n"));
    assert_non_null(strstr(text, "\n> 2\n- Right.\n"));
    free(text);
}

static void a_lesson_of_ones_own_sends_no_control_code(void **state) {
    (void)state;
    static const char TEXT[] = "# t\x1b]52;c;aGk=\x07\n\nred \x1b[31m, link \x1b]8;;http://x\x07, "
                               "csi \xc2\x9b"
                               "2J, turned \xe2\x80\xae, lost \xff\n\n"
                               "```attend\nopen toy-copy --ids \"1,5,4\"\n```\n\n"
                               "```question\n\x1b[1mwhich?\n- [ ] a\x1b[2J\n- [x] b\x7f\n```\n";
    char path[FOLDER_PATH_BYTES];
    char arguments[FOLDER_PATH_BYTES + 64];
    Error err = {""};
    folder_path(folder, "own.md", path);
    support_require(file_save(path, TEXT, sizeof TEXT - 1, &err), &err);
    snprintf(arguments, sizeof arguments, "%s --plain --lang en", path);
    char *text = hear("\n\nsearch \x1b[31m\nstate\n\xc2\x9b\n\n", arguments);
    const char *at = text;
    while (*at != '\0') {
        int32_t code = 0;
        size_t length = utf8_character(at, &code);
        if (code != '\n' && utf8_is_hidden(code)) {
            fail_msg("a control code: %02x before \"%.20s\"", (unsigned)(unsigned char)*at, at + 1);
        }
        at += length;
    }
    assert_non_null(strstr(text, "red \\x1b[31m"));
    free(text);
}

static int begin(void **state) {
    (void)state;
    folder_make(folder);
    return 0;
}

static int end(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

// Numbers that a stop tells are told once: the same stage twice, with nothing between them but
// commands and what they say, is a repetition.
static void no_stop_tells_the_same_numbers_twice(void **state) {
    (void)state;
    for (int i = 0; i < n_lessons; i++) {
        char *text = played(i, 0);
        char before[2048] = "";
        char *rest = text;
        bool was_step = false;
        for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
            if (was_step && strcmp(line, before) == 0) {
                fail_msg("lesson %s tells %s twice", lessons[i], line);
            }
            if (was_step) {
                snprintf(before, sizeof before, "%s", line);
            }
            was_step = strncmp(line, "step ", 5) == 0;
            bool is_between = line[0] == ':' || line[0] == '-' || line[0] == ' ' ||
                              line[0] == '\0' || was_step || strcmp(line, before) == 0;
            bool is_other = strncmp(line, ": train", 7) == 0; // then the numbers are others
            if (!is_between || is_other) {
                before[0] = '\0'; // prose, or a prompt
            }
        }
        free(text);
    }
}

static void a_change_tells_what_it_did(void **state) {
    (void)state;
    static const char *const CHANGES[] = {"scale off", "mask off", "norm pre", "residual off",
                                          "edit 2.5"};
    for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        char typed[256];
        snprintf(typed, sizeof typed,
                 "open toy-copy --ids \"1,5,4;1,3,6\" --seed 1 --untrained\n"
                 "go encoder.0.self_attn.scores\n%s\n",
                 CHANGES[i]);
        char *text = hear(typed, "13 --plain --lang en");
        const char *loss = strstr(text, "loss 2.");
        if (loss == NULL || strstr(loss, " → ") == NULL || strstr(loss, "number ") == NULL) {
            fail_msg("%s tells no effect: %s", CHANGES[i], text);
        }
        free(text);
    }
}

// Each matrix stands by itself, whole, and no view tells more than can be listened to.
static void a_view_is_told_matrix_by_matrix_and_bounded(void **state) {
    (void)state;
    static const char *const VIEWS_TOLD[] = {"equation", "attention", "heads", "big", "tensor"};
    for (int i = 0; i < 2 * 5; i++) {
        char typed[256];
        char arguments[64];
        snprintf(typed, sizeof typed,
                 "open gpt2-grid --ids \"%s\"\ngo h.0.attn.%s\nview %s\nquit\n",
                 i < 5 ? "1,2,3" : "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
                 i % 5 == 0 ? "scores" : "weights", VIEWS_TOLD[i % 5]);
        snprintf(arguments, sizeof arguments, "13 --plain --lang %s", LANGUAGES[i % 2]);
        char *text = hear(typed, arguments);
        char title[64];
        snprintf(title, sizeof title, "%s%s\n", i % 2 == 0 ? "view: " : "视图：",
                 VIEWS_TOLD[i % 5]);
        const char *told = strstr(text, title);
        if (told == NULL) {
            fail_msg("\"%s\" is not told:\n%s", title, text);
            continue;
        }
        int n_lines = times(told, "\n");
        if (n_lines > 160) {
            fail_msg("view %s tells %d lines:\n%s", VIEWS_TOLD[i % 5], n_lines, told);
        }
        if (i % 5 == 0) { // queries, keys, then the scores
            const char *q = strstr(told, "h.0.attn.q  (");
            const char *k = strstr(told, "h.0.attn.k  (");
            const char *scores = strstr(told, "h.0.attn.scores  (");
            assert_true(q != NULL && k != NULL && scores != NULL && q < k && k < scores);
        }
        free(text);
    }
}

static void add_lesson(void *context, const char *file) {
    (void)context;
    assert_true(n_lessons < MOST_LESSONS);
    snprintf(lessons[n_lessons++], sizeof lessons[0], "%ld", strtol(file, NULL, 10));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_wider_than_the_page),
        cmocka_unit_test(no_text_names_a_key),
        cmocka_unit_test(every_command_says_something),
        cmocka_unit_test(the_first_model_is_told_once),
        cmocka_unit_test(rows_and_columns_have_their_numbers),
        cmocka_unit_test(a_state_is_one_line_that_leads_back),
        cmocka_unit_test(signs_are_spelled_with_ascii),
        cmocka_unit_test(a_long_line_is_one_command),
        cmocka_unit_test(a_number_answers_and_a_key_is_known),
        cmocka_unit_test(a_lesson_of_ones_own_sends_no_control_code),
        cmocka_unit_test(no_stop_tells_the_same_numbers_twice),
        cmocka_unit_test(a_change_tells_what_it_did),
        cmocka_unit_test(a_view_is_told_matrix_by_matrix_and_bounded),
    };
    setenv("ATTEND_ASSETS", ".", 0);
    lesson_files_list(add_lesson, NULL);
    return cmocka_run_group_tests(tests, begin, end);
}
