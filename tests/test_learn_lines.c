// test_learn_lines.c - lines that are typed or pasted: as long as they are, or refused with a
// sentence, and no character is cut in two.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "app/terminal/key.h"
#include "tests/support_learn.h"
#include "views/text.h"

static bool is_whole(const char *text) {
    utf8proc_int32_t code = 0;
    while (*text != '\0') {
        utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &code);
        if (length <= 0) {
            return false;
        }
        text += length;
    }
    return true;
}

// "SIGN" n times with `before` in front; to be freed.
static char *many(const char *before, const char *sign, int n) {
    char *text = malloc(strlen(before) + (size_t)n * strlen(sign) + 1);
    assert_non_null(text);
    char *at = stpcpy(text, before);
    for (int i = 0; i < n; i++) {
        at = stpcpy(at, sign);
    }
    return text;
}

static void a_copy_holds_whole_characters(void **state) {
    (void)state;
    static const char *const SIGNS[] = {"a", "é", "中", "🁢"};
    char out[32];
    for (size_t sign = 0; sign < 4; sign++) {
        for (int n = 0; n < 40; n++) {
            for (size_t size = 4; size <= sizeof out; size++) {
                char *text = many("", SIGNS[sign], n);
                text_copy(out, size, text);
                assert_true(is_whole(out) && strlen(out) < size);
                bool fits = strlen(text) < size;
                assert_true(fits ? strcmp(out, text) == 0 : strstr(out, "…") != NULL);
                free(text);
            }
        }
    }
}

static void a_long_line_is_one_command(void **state) {
    (void)state;
    Learn *learn = support_learn_open(&(LearnOptions){.lesson = NULL});
    char *line = many("search ", "中", 1200);
    learn_execute_line(learn, line);
    assert_string_equal(learn->bench.cursor.sought, line + strlen("search "));
    assert_true(is_whole(learn->reply.text) && strstr(learn->reply.text, "...") != NULL);
    free(line);
    line = many("search ", "中", 4000);
    learn_execute_line(learn, line);
    assert_non_null(strstr(learn->reply.text, "search: expected less than"));
    free(line);
    line = many("theme dark", " ", 5000);
    learn_execute_line(learn, line);
    assert_false(learn->reply.is_bad);
    free(line);
    support_learn_close(learn);
}

static void the_prompt_refuses_what_does_not_fit(void **state) {
    (void)state;
    static const int KEYS[] = {'a', 0xE9, 0x4E2D, 0x1F062};
    for (size_t i = 0; i < 4; i++) {
        Prompt *prompt = calloc(1, sizeof *prompt);
        assert_non_null(prompt);
        static const Reply REPLY = {.language = LANGUAGE_EN};
        prompt_begin(prompt, "", true);
        for (int n = 0; n < PROMPT_BYTES + 10; n++) {
            prompt_key(prompt, &REPLY, KEYS[i]);
            assert_true(prompt->hint[0] == '\0' || n >= PROMPT_BYTES / 4 - 1);
        }
        assert_true(is_whole(prompt->text));
        assert_int_equal(prompt->length, strlen(prompt->text));
        assert_true(prompt->length >= PROMPT_BYTES - 4);
        assert_non_null(strstr(prompt->hint, "4095 bytes"));
        prompt_key(prompt, &REPLY, KEY_CODE_BACKSPACE);
        assert_true(is_whole(prompt->text));
        assert_string_equal(prompt->hint, "");
        free(prompt);
    }
}

static void a_paste_is_taken_whole_or_not_at_all(void **state) {
    (void)state;
    Prompt *prompt = calloc(1, sizeof *prompt);
    assert_non_null(prompt);
    static const Reply REPLY = {.language = LANGUAGE_EN};
    prompt_begin(prompt, "", true);
    char *text = many("", "中", 1300);
    prompt_paste(prompt, &REPLY, text);
    assert_string_equal(prompt->text, text);
    prompt_paste(prompt, &REPLY, text);
    assert_string_equal(prompt->text, text);
    assert_non_null(strstr(prompt->hint, "4095 bytes"));
    free(text);
    prompt_begin(prompt, "", true);
    static const char STEERS[] = {'a', '\n',   'b',    '\x1b', '[', '3',    '1', 'm',
                                  'c', '\xe2', '\x80', '\xae', 'd', '\x80', 'e', '\0'};
    prompt_paste(prompt, &REPLY, STEERS); // among them a sign that turns the order of letters round
    assert_string_equal(prompt->text, "a b [31mc d e");
    free(prompt);
}

// What a line holds and where its cursor stands after these keys, names with spaces between.
static void assert_edits(const char *start, const char *keys, const char *text, size_t cursor) {
    static const Reply REPLY = {.language = LANGUAGE_EN};
    Prompt *prompt = calloc(1, sizeof *prompt);
    assert_non_null(prompt);
    prompt_begin(prompt, start, true);
    while (*keys != '\0') {
        int key = 0;
        size_t length = strcspn(keys, " ");
        assert_true(key_find(&key, keys, length));
        assert_int_equal(prompt_key(prompt, &REPLY, key), PROMPT_WANTS_NOTHING);
        keys += length + strspn(keys + length, " ");
    }
    if (strcmp(prompt->text, text) != 0 || prompt->cursor != cursor) {
        fail_msg("\"%s\" at %zu, expected \"%s\" at %zu", prompt->text, prompt->cursor, text,
                 cursor);
    }
    free(prompt);
}

static void a_line_is_edited_as_readline_does(void **state) {
    (void)state;
    static const char LINE[] = "cell encoder.0.q[0,1] 中";
    static const size_t END = sizeof LINE - 1;
    assert_edits(LINE, "Ctrl-a", LINE, 0);
    assert_edits(LINE, "Ctrl-a Ctrl-e", LINE, END);
    assert_edits(LINE, "Ctrl-b", LINE, END - 3);
    assert_edits(LINE, "Ctrl-a Ctrl-f Ctrl-f", LINE, 2);
    assert_edits(LINE, "Alt-b", LINE, END - 3);
    assert_edits(LINE, "Alt-b Alt-b", LINE, 19);
    assert_edits(LINE, "Alt-b Alt-b Alt-b Alt-b", LINE, 15);
    assert_edits(LINE, "Ctrl-Left Ctrl-Left", LINE, 19);
    assert_edits(LINE, "Ctrl-a Alt-f", LINE, 4);
    assert_edits(LINE, "Ctrl-a Alt-f Alt-f", LINE, 12);
    assert_edits(LINE, "Home Ctrl-Right", LINE, 4);
    assert_edits(LINE, "Ctrl-w", "cell encoder.0.q[0,1] ", 22);
    assert_edits(LINE, "Ctrl-w Ctrl-w", "cell ", 5);
    assert_edits(LINE, "Alt-b Alt-Bksp", "cell encoder.0.q[0,中", 19);
    assert_edits(LINE, "Ctrl-a Alt-d", " encoder.0.q[0,1] 中", 0);
    assert_edits(LINE, "Ctrl-a Alt-f Ctrl-k", "cell", 4);
    assert_edits(LINE, "Ctrl-u", "", 0);
    assert_edits(LINE, "Ctrl-a Ctrl-d", "ell encoder.0.q[0,1] 中", 0);
    assert_edits("a b", "Ctrl-w Ctrl-a Ctrl-y", "ba ", 1);
}

static void the_first_character_typed_replaces_a_proposal(void **state) {
    (void)state;
    static const Reply REPLY = {.language = LANGUAGE_EN};
    static const struct {
        int key;
        const char *text;
    } CASES[] = {{'5', "edit 5"},
                 {'-', "edit -"},
                 {KEY_CODE_BACKSPACE, "edit -0.55667"},
                 {KEY_CODE_LEFT, "edit -0.556673"},
                 {21, ""}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Prompt *prompt = calloc(1, sizeof *prompt);
        assert_non_null(prompt);
        prompt_begin(prompt, "edit -0.556673", true);
        prompt_propose(prompt, 5);
        prompt_key(prompt, &REPLY, CASES[i].key);
        assert_string_equal(prompt->text, CASES[i].text);
        size_t length = strlen(prompt->text);
        prompt_key(prompt, &REPLY, '7'); // the second one never does
        assert_int_equal(strlen(prompt->text), length + 1);
        free(prompt);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_holds_whole_characters),
        cmocka_unit_test(a_long_line_is_one_command),
        cmocka_unit_test(the_prompt_refuses_what_does_not_fit),
        cmocka_unit_test(a_line_is_edited_as_readline_does),
        cmocka_unit_test(the_first_character_typed_replaces_a_proposal),
        cmocka_unit_test(a_paste_is_taken_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
