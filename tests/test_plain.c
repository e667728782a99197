// test_plain.c - lessons as lines of text, as somebody hears them who has no screen.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

#include "app/learn/command.h"
#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "tests/folder.h"
#include "views/text.h"

static const char *const LESSONS[] = {"3", "7", "12", "13", "14", "16", "8", "19"};
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
    snprintf(arguments, sizeof arguments, "%s --plain --lang %s %s", lesson, language, options);
    return hear(typed, arguments);
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
    static const int WIDTHS[] = {80, 40, 132};
    for (size_t i = 0; i < 5 * 2 * 3; i++) {
        char options[32] = "";
        int width = WIDTHS[i / 10];
        if (width != 80) {
            snprintf(options, sizeof options, "--width %d", width);
        }
        char *text = play(LESSONS[i % 5], LANGUAGES[i / 5 % 2], options);
        assert_width(text, width);
        free(text);
    }
}

static void no_text_names_a_key(void **state) {
    (void)state;
    static const char *const KEYS[] = {"Space",  "Enter ",   "Backspace", "Esc ", "Tab ",
                                       "arrows", "press ",   "PgUp",      "按 ",  "方向键",
                                       "退格",   "空格继续", "数字键"};
    for (size_t i = 0; i < 10; i++) {
        char *text = play(LESSONS[i % 5], LANGUAGES[i / 5], "");
        for (size_t k = 0; k < sizeof KEYS / sizeof KEYS[0]; k++) {
            const char *at = strstr(text, KEYS[k]);
            if (at != NULL) {
                fail_msg("lesson %s, %s: \"%.60s\"", LESSONS[i % 5], LANGUAGES[i / 5], at);
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
    for (size_t i = 3; i < 5; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "%s --plain --lang en", LESSONS[i]);
        char *text = hear("\n\nquit\n", arguments);
        assert_int_equal(times(text, ": open "), 1);
        assert_int_equal(times(text, "\nsrc.tokens  (") + times(text, "\nmemory  ("),
                         i == 3 ? 1 : 2);
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
    for (size_t i = 1; i < 5; i++) { // lesson 3 is about other signs
        char *text = play(LESSONS[i], "en", "--ascii");
        for (const char *at = text; *at != '\0'; at++) {
            if ((unsigned char)*at >= 0x80) {
                fail_msg("lesson %s: \"%.20s\"", LESSONS[i], at);
            }
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
    };
    return cmocka_run_group_tests(tests, begin, end);
}
