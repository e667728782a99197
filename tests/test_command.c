// test_command.c - the vocabulary of keys, prompt and lessons.
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

#include "app/learn/command.h"
#include "app/learn/texts.h"
#include "app/terminal/key.h"

static bool parse(Command *command, const char *text, Error *err) {
    static char line[200];
    snprintf(line, sizeof line, "%s", text);
    return command_parse(command, line, err);
}

static void every_key_has_a_name_and_one_command(void **state) {
    (void)state;
    for (int id = 0; id < COMMAND_COUNT; id++) {
        const char *keys = COMMANDS[id].keys;
        while (*keys != '\0') {
            size_t size = strcspn(keys, " ");
            int key = 0;
            assert_true(key_find(&key, keys, size));
            assert_int_equal(command_of_key(key), id);
            keys += size;
            keys += strspn(keys, " ");
        }
    }
    assert_int_equal(command_of_key('~'), COMMAND_COUNT);
}

static void every_command_is_found_by_its_name(void **state) {
    (void)state;
    for (int id = 0; id < COMMAND_COUNT; id++) {
        Command command;
        Error err = {""};
        parse(&command, COMMANDS[id].name, &err);
        assert_int_equal(command.id, id);
    }
}

static void a_line_is_taken_apart(void **state) {
    (void)state;
    Command command;
    Error err = {""};
    support_require(parse(&command, "  cell  logits[0,1,5] \n", &err), &err);
    assert_int_equal(command.id, COMMAND_CELL);
    assert_string_equal(command.rest, "logits[0,1,5]");
    support_require(parse(&command, "train 200", &err), &err);
    assert_int_equal(command_count(&command, 1), 200);
    support_require(parse(&command, "mask off", &err), &err);
    assert_int_equal(command_switch(&command), 0);
}

static void a_wrong_line_is_refused_with_what_was_expected(void **state) {
    (void)state;
    static const char *const CASES[][2] = {
        {"dance", "there is no command \"dance\"; `help` lists them"},
        {"mask maybe", "mask: expected on or off, found \"maybe\""},
        {"next x", "next: expected a whole number, found \"x\""},
        {"loss 3", "loss: expected nothing after it, found \"3\""},
        {"go", "go: expected a stage, such as encoder.0.self_attn.q after it"},
        {"edit one", "edit: expected a number, found \"one\""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Command command;
        Error err = {""};
        assert_false(parse(&command, CASES[i][0], &err));
        assert_string_equal(err.text, CASES[i][1]);
    }
}

static void names_are_completed(void **state) {
    (void)state;
    const char *names[4];
    assert_int_equal(command_complete("scru", names, 4), 3);
    assert_string_equal(names[0], "scrub-back");
    assert_int_equal(command_complete("", names, 4), COMMAND_COUNT);
}

static void keys_are_called_as_a_person_reads_them(void **state) {
    (void)state;
    char name[KEY_NAME_BYTES];
    key_label(KEY_CODE_UP, false, name);
    assert_string_equal(name, "↑");
    key_label(KEY_CODE_UP, true, name);
    assert_string_equal(name, "Up");
    key_label(12, false, name);
    assert_string_equal(name, "Ctrl-L");
}

// Each place of the line of keys has commands with keys, and one of them the word for it.
static void every_hint_is_complete(void **state) {
    (void)state;
    int n_with_hints = 0;
    for (int language = 0; language < LANGUAGE_COUNT; language++) {
        int n_places = 0;
        for (int n_here = 1; n_here > 0; n_places++) {
            int n_words = 0;
            n_here = 0;
            for (int id = 0; id < COMMAND_COUNT; id++) {
                bool is_here = COMMANDS[id].hint == n_places + 1;
                n_here += is_here;
                n_words += is_here && text_hint((Language)language, (CommandId)id) != NULL;
                assert_true(!is_here || COMMANDS[id].keys[0] != '\0');
            }
            assert_int_equal(n_words, n_here > 0);
            n_with_hints += n_here;
        }
        assert_true(n_places > 10);
    }
    for (int id = 0; id < COMMAND_COUNT; id++) {
        n_with_hints -= LANGUAGE_COUNT * (COMMANDS[id].hint != 0);
    }
    assert_int_equal(n_with_hints, 0); // no place is left out
}

static void what_looks_at_a_model_needs_one(void **state) {
    (void)state;
    static const CommandId WITHOUT[] = {COMMAND_CONTINUE, COMMAND_SEARCH, COMMAND_VIEW,
                                        COMMAND_OPEN,     COMMAND_CHANGE, COMMAND_QUIT};
    static const CommandId WITH[] = {COMMAND_NEXT, COMMAND_CELL,  COMMAND_EDIT,
                                     COMMAND_MASK, COMMAND_INPUT, COMMAND_TOKENS};
    for (size_t i = 0; i < sizeof WITHOUT / sizeof WITHOUT[0]; i++) {
        assert_int_equal(COMMANDS[WITHOUT[i]].needs, COMMAND_NEEDS_NOTHING);
    }
    for (size_t i = 0; i < sizeof WITH / sizeof WITH[0]; i++) {
        assert_int_equal(COMMANDS[WITH[i]].needs, COMMAND_NEEDS_MODEL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_has_a_name_and_one_command),
        cmocka_unit_test(every_command_is_found_by_its_name),
        cmocka_unit_test(a_line_is_taken_apart),
        cmocka_unit_test(a_wrong_line_is_refused_with_what_was_expected),
        cmocka_unit_test(names_are_completed),
        cmocka_unit_test(keys_are_called_as_a_person_reads_them),
        cmocka_unit_test(every_hint_is_complete),
        cmocka_unit_test(what_looks_at_a_model_needs_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
