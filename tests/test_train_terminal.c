// test_train_terminal.c - training on a terminal that is stopped, held or gone: signals are
// answered, and what was learned is saved.
#include "tests/support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/folder.h"
#include "tests/support_job.h"

enum { PATH_BYTES = FOLDER_PATH_BYTES + 64 };
static char place[FOLDER_PATH_BYTES];
static char run[PATH_BYTES];

static const char *const ENDLESS[] = {"train",      "--preset", "toy-copy", "--steps",
                                      "1000000000", "-o",       run,        "--save-every",
                                      "100000000",  "--keep",   "1",        NULL};

static int make_place(void **state) {
    (void)state;
    folder_make(place);
    return 0;
}

static int remove_place(void **state) {
    (void)state;
    char command[PATH_BYTES];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command); // NOLINT(cert-env33-c): a folder of our own
}

static void name_run(const char *name) {
    snprintf(run, sizeof run, "%s/%s", place, name);
}

static void start(Job *job, const char *name) {
    name_run(name);
    *job = (Job){.pid = 0};
    job_start(job, "xterm", 100, 24, ENDLESS, NULL);
    pty_expect(&job->pty, "step ");
    pty_expect(&job->pty, "left"); // the progress line
}

// Another checkpoint than that of the first step, which is always saved.
static void expect_saved(void) {
    char path[PATH_BYTES + 32];
    char target[64] = "";
    snprintf(path, sizeof path, "%s/last", run);
    assert_true(readlink(path, target, sizeof target - 1) > 0);
    assert_string_not_equal(target, "step-00000001");
    snprintf(path, sizeof path, "%s/last/state.json", run);
    assert_int_equal(access(path, F_OK), 0);
}

static void expect_exit(Job *job, int number, bool reads) {
    JobNews news = job_next(job, reads);
    if (!WIFEXITED(news.status) || WEXITSTATUS(news.status) != 128 + number) {
        pty_print(&job->pty);
        fail_msg("signal %d: expected the exit status %d, got status %x", number, 128 + number,
                 (unsigned)news.status);
    }
    job_end(job, &news);
    expect_saved();
}

static void a_stopped_run_is_ended_and_saved(void **state) {
    (void)state;
    static const int STOPPING[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof STOPPING / sizeof STOPPING[0]; i++) {
        Job job;
        char name[16];
        snprintf(name, sizeof name, "stopped-%zu", i);
        start(&job, name);
        pty_send(&job.pty, "\032"); // Ctrl-Z
        JobNews news = job_next(&job, true);
        assert_true(WIFSTOPPED(news.status));
        kill(job.pid, STOPPING[i]);
        job_order(&job, JOB_BACKGROUND); // as a shell's `kill %1` does
        expect_exit(&job, STOPPING[i], true);
    }
}

static void a_held_terminal_holds_no_signal_back(void **state) {
    (void)state;
    static const int STOPPING[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < sizeof STOPPING / sizeof STOPPING[0]; i++) {
        Job job;
        char name[16];
        snprintf(name, sizeof name, "held-%zu", i);
        start(&job, name);
        pty_send(&job.pty, "\023"); // Ctrl-S
        while (pty_step(&job.pty, 300)) {
        }
        kill(job.pid, STOPPING[i]);
        expect_exit(&job, STOPPING[i], false);
    }
}

static void a_terminal_that_goes_away_saves_the_run(void **state) {
    (void)state;
    Pty pty;
    name_run("gone");
    pty_start(&pty, "xterm", 100, 24, ENDLESS, NULL);
    pty_expect(&pty, "left");
    pty_hang_up(&pty);
    int status = 0;
    pid_t done = 0;
    for (int i = 0; i < 1000 && done == 0; i++) {
        usleep(10000);
        done = waitpid(pty.pid, &status, WNOHANG);
    }
    assert_int_equal(done, pty.pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGHUP);
    expect_saved();
}

// ---- without a terminal

static pid_t start_plain(int error) {
    pid_t pid = fork();
    if (pid == 0) {
        const char *given = getenv("PROGRAM");
        const char *program = given != NULL ? given : "attend";
        char path[512];
        snprintf(path, sizeof path, "%s%s", strchr(program, '/') == NULL ? "./" : "", program);
        dup2(error, STDERR_FILENO);
        char *copies[sizeof ENDLESS / sizeof ENDLESS[0] + 1] = {path};
        for (int i = 0; ENDLESS[i] != NULL; i++) {
            copies[i + 1] = strdup(ENDLESS[i]);
        }
        setenv("ATTEND_ASSETS", ".", 1);
        execv(path, copies);
        _exit(127);
    }
    return pid;
}

static int end_of(pid_t pid) {
    int status = 0;
    pid_t done = 0;
    for (int i = 0; i < 2000 && done == 0; i++) {
        usleep(10000);
        done = waitpid(pid, &status, WNOHANG);
    }
    if (done == 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The first sentence finds no room.
static void a_pipe_that_nobody_reads_holds_no_signal_back(void **state) {
    (void)state;
    char bytes[4096] = "";
    int ends[2];
    name_run("pipe");
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], bytes, sizeof bytes) > 0) {
    }
    fcntl(ends[1], F_SETFL, 0);
    pid_t pid = start_plain(ends[1]);
    usleep(500000); // by then it is said; before, SIGTERM would end it in any case
    kill(pid, SIGTERM);
    assert_int_equal(end_of(pid), 128 + SIGTERM);
    close(ends[0]);
    close(ends[1]);
}

// `ulimit -t`: the soft limit asks to stop.
static void a_limit_on_processor_time_saves_the_run(void **state) {
    (void)state;
    name_run("limit");
    struct rlimit before;
    getrlimit(RLIMIT_CPU, &before);
    const struct rlimit second = {.rlim_cur = 1, .rlim_max = before.rlim_max};
    int nothing = open("/dev/null", O_WRONLY);
    setrlimit(RLIMIT_CPU, &second);
    pid_t pid = start_plain(nothing);
    setrlimit(RLIMIT_CPU, &before);
    assert_int_equal(end_of(pid), 128 + SIGXCPU);
    expect_saved();
    close(nothing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_run_is_ended_and_saved),
        cmocka_unit_test(a_held_terminal_holds_no_signal_back),
        cmocka_unit_test(a_terminal_that_goes_away_saves_the_run),
        cmocka_unit_test(a_pipe_that_nobody_reads_holds_no_signal_back),
        cmocka_unit_test(a_limit_on_processor_time_saves_the_run),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
