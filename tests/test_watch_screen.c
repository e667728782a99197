// test_watch_screen.c - `attend train --watch` on a terminal: a run that somebody trains meanwhile,
// one that has ended, and what is no run.
#include "tests/support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/folder.h"
#include "tests/support_pty.h"
#include "tests/support_pty_screen.h"

enum { PATH_BYTES = FOLDER_PATH_BYTES + 32 };
static const char KIND[] = "xterm-256color";
static char place[FOLDER_PATH_BYTES];

static const char *in_place(const char *name, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s/%s", place, name);
    return path;
}

static void write_text(const char *name, const char *text) {
    char path[PATH_BYTES];
    FILE *file = fopen(in_place(name, path), "a");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_run(const char *name) {
    char path[PATH_BYTES];
    assert_int_equal(mkdir(in_place(name, path), 0700), 0);
}

static int make_place(void **state) {
    (void)state;
    folder_make(place);
    for (int i = 0; i < 60; i++) {
        write_text("text.txt", "the cat sees the dog. the bird likes the house. the fish finds the "
                               "tree. the boat hides the ball.\n<|endoftext|>\n");
    }
    write_text("config.json", "{\"family\": \"gpt2\", \"vocab_size\": 60, \"n_positions\": 32, "
                              "\"n_embd\": 16, \"n_head\": 2, \"n_layer\": 1}");
    return 0;
}

static int remove_place(void **state) {
    (void)state;
    char command[PATH_BYTES];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command); // NOLINT(cert-env33-c): a folder of our own
}

// A run of many steps in the background, which says nothing.
static pid_t train(const char *name, const char *const *more) {
    char run[PATH_BYTES];
    char data[PATH_BYTES];
    char config[PATH_BYTES];
    in_place(name, run);
    in_place("text.txt", data);
    in_place("config.json", config);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves nothing running
        const char *given = getenv("PROGRAM");
        char program[PATH_BYTES];
        snprintf(program, sizeof program, "./%s", given != NULL ? given : "attend");
        const char *arguments[24] = {program, "train", "-o", run, "--threads", "1"};
        int n = 6;
        for (; *more != NULL; more++) {
            arguments[n++] = *more;
        }
        if (strcmp(arguments[n - 1], "--resume") != 0) {
            const char *const fresh[] = {"--config", config, "--data",       data, "--batch", "2",
                                         "--length", "16",   "--eval-every", "20"};
            memcpy(arguments + n, fresh, sizeof fresh);
        }
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDERR_FILENO);
        execvp(program, (char *const *)(void *)arguments);
        _exit(127);
    }
    return pid;
}

static int end_training(pid_t pid, int number) {
    int status = 0;
    if (number != 0) {
        kill(pid, number);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void watch(Pty *pty, int width, int height, const char *name, const char *const *more) {
    char run[PATH_BYTES];
    const char *arguments[12] = {"train", "--watch", "-o", in_place(name, run)};
    for (int n = 4; more != NULL && *more != NULL; more++) {
        arguments[n++] = *more;
    }
    pty_start(pty, KIND, width, height, arguments, NULL);
}

static void leave(Pty *pty) {
    pty_send(pty, "q");
    assert_int_equal(pty_end(pty), 0);
    assert_false(pty->is_alternate);
    assert_false(pty->cursor_is_off);
    assert_int_equal(pty->n_unknown, 0);
}

static void wait_for_file(const char *name) {
    char path[PATH_BYTES];
    struct stat status = {0};
    in_place(name, path);
    for (int i = 0; i < 2000 && (stat(path, &status) != 0 || status.st_size == 0); i++) {
        usleep(5000);
    }
    assert_true(status.st_size > 0);
}

// The number behind "step " in the first line.
static long shown_step(const Pty *pty) {
    const char *at = strstr(pty_row(pty, 0), "step ");
    return at == NULL ? -1 : strtol(at + 5, NULL, 10);
}

static void a_live_run_is_watched_resized_and_left(void **state) {
    (void)state;
    Pty pty;
    static const char *const OPTIONS[] = {"--steps", "100000000", "--sample-every", "50", NULL};
    pid_t trainer = train("live", OPTIONS);
    wait_for_file("live/log.jsonl");
    watch(&pty, 100, 30, "live", NULL);
    pty_expect(&pty, "running");
    pty_expect(&pty, "of 100000000");
    pty_expect(&pty, "held-out");
    pty_expect(&pty, "time left");
    pty_expect(&pty, "sample after step");
    long step = shown_step(&pty);
    for (int i = 0; i < 100 && shown_step(&pty) <= step; i++) {
        pty_step(&pty, 100);
    }
    assert_true(shown_step(&pty) > step);
    static const int SIZES[][2] = {{60, 20}, {1, 1}, {200, 60}, {30, 8}, {80, 24}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        pty_resize(&pty, SIZES[i][0], SIZES[i][1]);
        pty_settle(&pty, 30);
    }
    pty_expect(&pty, "whole run");
    pty_expect(&pty, "q leave");
    assert_int_equal(end_training(trainer, SIGTERM), 143);
    pty_expect(&pty, "stopped");
    pty_expect(&pty, "No training is running here");
    leave(&pty);
}

static void a_run_that_ends_stays_on_the_screen(void **state) {
    (void)state;
    Pty pty;
    static const char *const OPTIONS[] = {"--steps", "60", NULL};
    pid_t trainer = train("ended", OPTIONS);
    wait_for_file("ended/log.jsonl");
    watch(&pty, 80, 24, "ended", NULL);
    pty_expect(&pty, "step 60 of 60");
    assert_int_equal(end_training(trainer, 0), 0);
    pty_expect(&pty, "finished");
    pty_expect(&pty, "step 60"); // the checkpoint
    pty_settle(&pty, 1500);
    assert_true(pty_shows(&pty, "finished"));
    // Taken up again while it is looked at.
    static const char *const AGAIN[] = {"--steps", "90", "--resume", NULL};
    trainer = train("ended", AGAIN);
    assert_int_equal(end_training(trainer, 0), 0);
    pty_expect(&pty, "step 90 of 90");
    pty_send(&pty, "\033");
    assert_int_equal(pty_end(&pty), 0);
}

static void write_made_run(const char *name, int n_steps) {
    char log[PATH_BYTES];
    make_run(name);
    snprintf(log, sizeof log, "%s/log.jsonl", name);
    for (int step = 1; step <= n_steps; step++) {
        char line[256];
        snprintf(line, sizeof line,
                 "{\"step\":%d,\"loss\":%g%s,\"lr\":0.001,\"norm\":1,\"tokens_per_second\":500,"
                 "\"seconds\":%d%s}\n",
                 step, 1.0 + 5.0 / step, step == n_steps ? ",\"held_out_loss\":1.75" : "", step,
                 step == 1 ? ",\"steps\":700" : "");
        write_text(log, line);
    }
}

static void keys_zoom_change_the_axis_and_compare(void **state) {
    (void)state;
    Pty pty;
    char other[PATH_BYTES];
    write_made_run("a", 700);
    write_made_run("b", 300);
    const char *const with[] = {"--with", in_place("b", other), NULL};
    watch(&pty, 100, 30, "a", with);
    pty_expect(&pty, "whole run");
    pty_expect(&pty, "loss  from 0");
    pty_expect(&pty, "step 300 of 700"); // of the other
    static const char GARBAGE[] = "\033[2J\033[5;5Hgarbage";
    pty_screen_feed(&pty, GARBAGE, sizeof GARBAGE - 1);
    pty_send(&pty, "\f"); // Ctrl-L puts back what was written over
    pty_expect(&pty, "whole run");
    pty_expect(&pty, "step 300 of 700");
    assert_false(pty_shows(&pty, "garbage"));
    pty_send(&pty, "+");
    pty_expect(&pty, "last 500 steps");
    pty_expect(&pty, "201 ");
    pty_send(&pty, "++");
    pty_expect(&pty, "last 100 steps");
    pty_send(&pty, "-");
    pty_expect(&pty, "last 200 steps");
    pty_send(&pty, "0");
    pty_expect(&pty, "whole run");
    pty_send(&pty, "a");
    pty_expect(&pty, "loss  fitted");
    pty_send(&pty, "a");
    pty_expect(&pty, "loss  logarithmic");
    pty_send(&pty, "c");
    pty_settle(&pty, 100);
    assert_false(pty_shows(&pty, "step 300 of 700"));
    pty_send(&pty, "c?");
    pty_expect(&pty, "Shows or hides the run of --with.");
    pty_send(&pty, " ");
    pty_send(&pty, "q"); // away from the help
    pty_expect(&pty, "step 300 of 700");
    pty_send(&pty, "w");
    pty_expect(&pty, "全程");
    pty_send(&pty, "wd");
    pty_expect(&pty, "whole run");
    leave(&pty);
}

static void faults_of_a_log_are_told_and_survived(void **state) {
    (void)state;
    Pty pty;
    make_run("empty");
    write_text("empty/log.jsonl", "");
    watch(&pty, 80, 24, "empty", NULL);
    pty_expect(&pty, "No step was finished, and no training is running here.");
    leave(&pty);
    make_run("broken");
    write_text("broken/log.jsonl", "{\"step\":1,\"loss\":3.5}\n{\"step\":2,\"lo\n\001\033[31m\n"
                                   "{\"step\":3,\"loss\":2.5,\"sample\":\"a\\u001b[31mb\"}\n{\"st");
    watch(&pty, 80, 24, "broken", NULL);
    pty_expect(&pty, "2 lines cannot be");
    pty_expect(&pty, "the first is line 2.");
    pty_expect(&pty, "2.5");
    write_text("broken/log.jsonl", "ep\":4,\"loss\":1.25}\n"); // the rest of the last line
    pty_expect(&pty, "1.25");
    leave(&pty);
}

static void what_is_no_run_is_one_sentence(void **state) {
    (void)state;
    Pty pty;
    make_run("nothing");
    watch(&pty, 200, 24, "nothing", NULL);
    pty_expect(&pty, "holds no run: expected log.jsonl in it");
    assert_int_equal(pty_end(&pty), 1);
    assert_int_equal(pty.n_bytes > 0 && !pty.is_alternate, 1);
    watch(&pty, 200, 24, "text.txt", NULL);
    pty_expect(&pty, "expected the folder of a run, found a file");
    assert_int_equal(pty_end(&pty), 1);
    const char *const wrong[] = {"--theme", "pink", NULL};
    watch(&pty, 200, 24, "nothing", wrong);
    pty_expect(&pty, "pink");
    assert_int_equal(pty_end(&pty), 2);
}

static void signals_put_the_terminal_back(void **state) {
    (void)state;
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGSEGV};
    write_made_run("signals", 20);
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        Pty pty;
        watch(&pty, 80, 24, "signals", NULL);
        pty_expect(&pty, "whole run");
        kill(pty.pid, SIGNALS[i]);
        assert_int_equal(pty_end(&pty), 128 + SIGNALS[i]);
        assert_false(pty.is_alternate);
        assert_false(pty.cursor_is_off);
        assert_false(pty.has_paste);
    }
    Pty pty;
    watch(&pty, 80, 24, "signals", NULL);
    pty_expect(&pty, "whole run");
    pty_send(&pty, "\003"); // Ctrl-C
    assert_int_equal(pty_end(&pty), 130);
}

static void terminals_of_other_kinds_are_served_or_told(void **state) {
    (void)state;
    char run[PATH_BYTES];
    write_made_run("kinds", 20);
    const char *const arguments[] = {"train", "--watch", "-o", in_place("kinds", run), NULL};
    static const char *const NO_COLOUR[] = {"NO_COLOR=1", NULL};
    Pty pty;
    pty_start(&pty, "vt100", 80, 24, arguments, NO_COLOUR);
    pty_expect(&pty, "whole run");
    leave(&pty);
    pty_start(&pty, "dumb", 120, 24, arguments, NULL);
    pty_expect(&pty, "`attend train --watch -o FOLDER | cat` needs no terminal");
    assert_int_equal(pty_end(&pty), 1);
    static const char *const ASCII[] = {"--ascii", NULL};
    watch(&pty, 80, 24, "kinds", ASCII);
    pty_expect(&pty, "whole run");
    pty_settle(&pty, 50);
    for (int y = 0; y < pty.height; y++) {
        for (const char *at = pty_row(&pty, y); *at != '\0'; at++) {
            assert_in_range((unsigned char)*at, ' ', '~');
        }
    }
    leave(&pty);
}

// What is not trained any more costs nothing to look at: a look a second, where a live one has
// four.
static void an_ended_run_is_looked_at_for_nothing(void **state) {
    (void)state;
    Pty pty;
    write_made_run("idle", 300);
    watch(&pty, 80, 24, "idle", NULL);
    pty_expect(&pty, "whole run");
    pty_settle(&pty, 100);
    long kb = pty_resident_kb(&pty);
    long n_sleeps = pty_sleeps(&pty);
    size_t n_bytes = pty.n_bytes;
    pty_settle(&pty, 2500);
    assert_in_range(pty_sleeps(&pty), n_sleeps, n_sleeps + 5);
    assert_int_equal(pty.n_bytes, n_bytes);
    assert_in_range(pty_resident_kb(&pty), 0, kb + 100);
    leave(&pty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_live_run_is_watched_resized_and_left),
        cmocka_unit_test(a_run_that_ends_stays_on_the_screen),
        cmocka_unit_test(keys_zoom_change_the_axis_and_compare),
        cmocka_unit_test(faults_of_a_log_are_told_and_survived),
        cmocka_unit_test(what_is_no_run_is_one_sentence),
        cmocka_unit_test(signals_put_the_terminal_back),
        cmocka_unit_test(terminals_of_other_kinds_are_served_or_told),
        cmocka_unit_test(an_ended_run_is_looked_at_for_nothing),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
