// test_learn_hostile.c - whatever is typed after a command, in whatever lesson: it works within
// bounds or is one sentence.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/learn/learn.h"

static const char *const ARGUMENTS[] = {
    "",
    "0",
    "-1",
    "1",
    "33",
    "64",
    "1000",
    "2147483648",
    "1000000000000000000",
    "1e300",
    "nan",
    "inf",
    "dog",
    "\"",
    "logits[0,0,999999999999]",
    "logits[",
    "%s%n",
    "on",
    "--ids",
    "\xff\xfe",
    "loss",
    "toy-copy --ids \"\"",
    "toy-copy --ids 9999999999",
    "a b c d e f g h",
};
enum { N_ARGUMENTS = sizeof ARGUMENTS / sizeof ARGUMENTS[0], MOST_ASKED = 4000 };

// Long work is ended after so many questions, so that the test ends too.
static bool goes_on(Progress *progress) {
    int *n_asked = progress->context;
    return ++*n_asked < MOST_ASKED;
}

static bool is_left_out(CommandId id) {
    return id == COMMAND_EXPORT || id == COMMAND_QUIT || id == COMMAND_LEAVE; // files, the end
}

static void finish_work(Learn *learn) {
    for (int i = 0; i < 3; i++) {
        learn_work(learn, 5.0);
    }
    learn->bench.playground.training.n_wanted = 0;
}

static void type(Learn *learn, CommandId id, const char *argument) {
    char line[256];
    int n_asked = 0;
    Progress progress = {.goes_on = goes_on, .context = &n_asked};
    learn->bench.playground.progress = &progress;
    learn->bench.playground.stepper.progress = &progress;
    snprintf(line, sizeof line, "%s %s", COMMANDS[id].name, argument);
    learn->reply.text[0] = '\0';
    learn_execute_line(learn, line);
    assert_null(strchr(learn->reply.text, '\n'));
    finish_work(learn);
    learn->bench.playground.progress = NULL;
    learn->bench.playground.stepper.progress = NULL;
}

static void try_lesson(const char *lesson, int part, int n_parts) {
    Error err = {""};
    Learn *learn = calloc(1, sizeof *learn);
    LearnOptions options = {.lesson = lesson, .plain = true};
    assert_non_null(learn);
    support_require(learn_init(learn, &options, &err), &err);
    for (int id = part; id < COMMAND_COUNT; id += n_parts) {
        for (int i = 0; i < N_ARGUMENTS && !is_left_out((CommandId)id); i++) {
            type(learn, (CommandId)id, ARGUMENTS[i]);
        }
    }
    learn_free(learn);
    free(learn);
}

// Lesson 3 has a tokenizer, 13 the toy, 14 decodes; nothing is open at first.
static void every_command_takes_any_argument(void **state) {
    (void)state;
    static const char *const LESSONS[] = {"3", "7", "12", "13", "14", "16"};
    for (size_t i = 0; i < sizeof LESSONS / sizeof LESSONS[0]; i++) {
        for (int part = 0; part < 3; part++) { // what one command leaves, another finds
            try_lesson(LESSONS[i], part, 3);
        }
    }
}

static void expect(Learn *learn, const char *line, const char *said) {
    learn->reply.text[0] = '\0';
    learn_execute_line(learn, line);
    if (strstr(learn->reply.text, said) == NULL) {
        fail_msg("%s: \"%s\" does not say \"%s\"", line, learn->reply.text, said);
    }
}

static void sizes_are_bounded(void **state) {
    (void)state;
    Error err = {""};
    Learn *learn = calloc(1, sizeof *learn);
    LearnOptions options = {.lesson = "13", .plain = true};
    assert_non_null(learn);
    support_require(learn_init(learn, &options, &err), &err);
    while (learn_run_queue(learn)) {
    }
    expect(learn, "layers 0", "expected a number from 1 to 64");
    expect(learn, "layers 1000000000", "expected a number from 1 to 64");
    expect(learn, "layers 33", "");
    assert_false(learn->reply.is_bad);
    assert_int_equal(learn->bench.playground.opened->named.model.config.n_layers, 33);
    expect(learn, "layers 1000000000000000000", "expected a whole number");
    expect(learn, "heads 1000", "expected a number that divides the width");
    expect(learn, "width 1025", "expected a number from 1 to 1024");
    expect(learn, "width 1024", "million weights: expected at most");
    expect(learn, "beam 17", "expected a width from 1 to 16");
    expect(learn, "top-p 1.5", "expected a number above 0, at most 1");
    expect(learn, "temperature -1", "expected a number from 0");
    learn_free(learn);
    free(learn);
}

int main(void) {
    char folder[] = "/tmp/attend-hostile-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(every_command_takes_any_argument),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
