// test_signals.c - every signal that can be caught, while the screen is drawn, while the program is
// stopped and while its output stands still: what it does, and what the terminal is like then.
#include "tests/support.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/terminal/terminal.h"
#include "app/terminal/terminal_guard.h"
#include "engine/base/clock.h"
#include "tests/support_job.h"
#include "tests/support_screen.h"

static void start(Job *job) {
    *job = (Job){.pid = 0};
    job_start(job, SCREEN_KIND, 80, 24, SCREEN_LESSON, screen_environment());
    screen_expect(&job->pty, "src.tokens");
}

static JobNews expect_end(Job *job, int number, bool reads) {
    JobNews news = job_next(job, reads);
    if (!WIFSIGNALED(news.status) || WTERMSIG(news.status) != number) {
        pty_print(&job->pty);
        fail_msg("signal %d: expected that it ends the program, got status %x", number,
                 (unsigned)news.status);
    }
    job_end(job, &news);
    return news;
}

static void expect_stop(Job *job, int number) {
    JobNews news = job_next(job, true);
    if (!WIFSTOPPED(news.status) || WSTOPSIG(news.status) != number) {
        pty_print(&job->pty);
        fail_msg("signal %d: expected that it stops the program, got status %x", number,
                 (unsigned)news.status);
    }
    job_check_modes(job, &news);
}

static void expect_screen(Job *job) {
    screen_expect(&job->pty, "step 1 of ");
    assert_true(job->pty.is_alternate);
    assert_true(job->pty.has_paste);
    assert_true(job->pty.has_mouse);
    assert_true(job->pty.has_cursor_keys);
    assert_true(job->pty.cursor_is_off);
}

static void leave(Job *job) {
    pty_send(&job->pty, "Q");
    JobNews news = job_next(job, true);
    assert_true(WIFEXITED(news.status));
    assert_int_equal(WEXITSTATUS(news.status), 0);
    job_end(job, &news);
    assert_int_equal(job->pty.n_unknown, 0);
}

static void every_signal_does_what_the_table_says(void **state) {
    (void)state;
    for (int number = 1; number <= SIGRTMAX; number++) {
        bool is_ours = number < SIGRTMIN && number > 31; // of the C library's threads
        bool is_between = number > SIGRTMIN && number < SIGRTMAX;
        if (is_ours || is_between || number == SIGKILL || number == SIGSTOP) {
            continue;
        }
        Job job;
        start(&job);
        kill(job.pid, number);
        switch (guard_deed(number)) {
        case SIGNAL_ENDS:
        case SIGNAL_FAULT:
            expect_end(&job, number, true);
            break;
        case SIGNAL_STOPS:
            expect_stop(&job, number);
            job_order(&job, JOB_FOREGROUND);
            expect_screen(&job);
            leave(&job);
            break;
        case SIGNAL_CONTINUES:
        case SIGNAL_RESIZES:
        case SIGNAL_IGNORED:
        case SIGNAL_KEPT:
            pty_send(&job.pty, "n");
            screen_expect(&job.pty, "step 2 of ");
            leave(&job);
            break;
        }
    }
}

static void a_signal_that_ends_reaches_a_stopped_program(void **state) {
    (void)state;
    static const int ENDING[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGXCPU, SIGSEGV};
    for (size_t i = 0; i < sizeof ENDING / sizeof ENDING[0]; i++) {
        Job job;
        start(&job);
        pty_send(&job.pty, "\032"); // Ctrl-Z
        expect_stop(&job, SIGTSTP);
        size_t n_bytes = job.pty.n_bytes;
        kill(job.pid, ENDING[i]);
        job_order(&job, JOB_BACKGROUND); // as a shell's `kill %1` does
        expect_end(&job, ENDING[i], true);
        assert_int_equal(job.pty.n_bytes, n_bytes); // the terminal is another's
    }
}

static void sent_on_in_the_background_it_waits_for_the_terminal(void **state) {
    (void)state;
    Job job;
    start(&job);
    pty_send(&job.pty, "n");
    screen_expect(&job.pty, "step 2 of ");
    pty_send(&job.pty, "\032");
    expect_stop(&job, SIGTSTP);
    for (int i = 0; i < 3; i++) {
        job_order(&job, JOB_BACKGROUND);
        expect_stop(&job, SIGTTOU);
    }
    job_order(&job, JOB_FOREGROUND);
    screen_expect(&job.pty, "step 2 of ");
    pty_send(&job.pty, "p");
    expect_screen(&job);
    kill(job.pid, SIGSTOP); // nothing can be done before this one
    JobNews news = job_next(&job, true);
    assert_int_equal(WSTOPSIG(news.status), SIGSTOP);
    assert_true(job.pty.is_alternate);
    job_order(&job, JOB_FOREGROUND);
    pty_send(&job.pty, "n");
    screen_expect(&job.pty, "step 2 of ");
    leave(&job);
}

static void started_in_the_background_it_waits_too(void **state) {
    (void)state;
    Job job = {.starts_in_background = true};
    job_start(&job, SCREEN_KIND, 80, 24, SCREEN_LESSON, screen_environment());
    JobNews news = job_next(&job, true);
    assert_true(WIFSTOPPED(news.status));
    assert_int_equal(WSTOPSIG(news.status), SIGTTOU);
    assert_int_equal(job.pty.n_bytes, 0);
    job_order(&job, JOB_FOREGROUND);
    expect_screen(&job);
    leave(&job);
}

// The first process of a session, as under `script`, `ssh -t host attend` or in a container: nobody
// could send it on.
static void without_a_shell_nothing_stops_it(void **state) {
    (void)state;
    Pty pty;
    screen_start(&pty, 80, 24);
    static const int STOPS[] = {SIGTSTP, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < sizeof STOPS / sizeof STOPS[0]; i++) {
        kill(pty.pid, STOPS[i]);
        pty_send(&pty, i % 2 == 0 ? "n" : "p");
        screen_expect(&pty, i % 2 == 0 ? "step 2 of " : "step 1 of ");
    }
    pty_send(&pty, "\032p");
    screen_expect(&pty, "step 1 of ");
    assert_true(pty.is_alternate);
    assert_true(pty.has_mouse);
    screen_leave(&pty);
}

static void what_was_ignored_at_the_start_stays_ignored(void **state) {
    (void)state;
    static const int IGNORED[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    for (size_t i = 0; i < sizeof IGNORED / sizeof IGNORED[0]; i++) {
        signal(IGNORED[i], SIG_IGN);
        Pty pty;
        screen_start(&pty, 80, 24);
        signal(IGNORED[i], SIG_DFL);
        kill(pty.pid, IGNORED[i]);
        pty_send(&pty, "n");
        screen_expect(&pty, "step 2 of ");
        screen_leave(&pty);
    }
}

// ---- output that stands still

static void stop_output_by_key(Job *job) {
    pty_send(&job->pty, "\023"); // Ctrl-S
    pty_send(&job->pty, "nnnn");
    while (pty_step(&job->pty, 50)) {
    }
}

// Nobody reads: the terminal's buffer fills up.
static void fill_output(Job *job) {
    enum { FULL = 4000, MOST_SIZES = 2000, MORE_SIZES = 100 };
    int n_waiting = 0;
    int n_more = 0;
    for (int i = 0; i < MOST_SIZES && n_more < MORE_SIZES; i++) {
        pty_resize(&job->pty, 60 + i % 30, 24);
        usleep(3000);
        ioctl(job->pty.master, FIONREAD, &n_waiting);
        n_more += n_waiting >= FULL;
    }
    assert_in_range(n_waiting, FULL, 1 << 20);
}

static void a_signal_that_ends_does_not_wait_for_output(void **state) {
    (void)state;
    static const int ENDING[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR2, SIGALRM, SIGABRT};
    double longest_ms = 0.0;
    for (size_t i = 0; i < sizeof ENDING / sizeof ENDING[0]; i++) {
        for (int is_full = 0; is_full < 2; is_full++) {
            Job job;
            start(&job);
            (is_full ? fill_output : stop_output_by_key)(&job);
            double begin_ms = clock_ms();
            kill(job.pid, ENDING[i]);
            expect_end(&job, ENDING[i], false);
            longest_ms = fmax(longest_ms, clock_ms() - begin_ms);
        }
    }
    print_message("the longest of them took %.0f ms\n", longest_ms);
}

static void a_stop_does_not_wait_for_output_either(void **state) {
    (void)state;
    Job job;
    start(&job);
    stop_output_by_key(&job);
    kill(job.pid, SIGTSTP);
    expect_stop(&job, SIGTSTP);
    kill(job.pid, SIGTERM);
    job_order(&job, JOB_BACKGROUND);
    expect_end(&job, SIGTERM, true);
    start(&job);
    stop_output_by_key(&job);
    kill(job.pid, SIGTSTP);
    expect_stop(&job, SIGTSTP);
    job_order(&job, JOB_FOREGROUND);
    screen_expect(&job.pty, "step 5 of ");
    leave(&job);
}

// ---- faults

static void take_screen(void) {
    Error err = {""};
    Terminal *terminal = terminal_open(&(TerminalOptions){.instead = "none"}, &err);
    Canvas canvas = {.cells = NULL};
    if (terminal == NULL || !canvas_init(&canvas, 80, 24, &err)) {
        _exit(3);
    }
    terminal_show(terminal, &canvas, 3, 3);
}

static void fail_by_assertion(void) {
    take_screen();
    fputs("a library complains\n", stderr);
    // That of assert.h, not cmocka's: its sentence is what this is about.
    __assert_fail("n_heads > 0", "a_file.c", 17,
                  "a_function"); // NOLINT(bugprone-reserved-identifier)
}

// A page that cannot be read: a sanitizer does not see it before the machine does.
static void fail_by_address(void) {
    take_screen();
    const volatile char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    _exit(page[0]);
}

static void work_for_ever(void) {
    take_screen();
    for (volatile unsigned long n = 0;; n++) {
    }
}

// Ctrl-C breaks something off twice, and the program goes on; the third one ends it.
static void stay_twice(void) {
    Error err = {""};
    Terminal *terminal = terminal_open(&(TerminalOptions){.instead = "none"}, &err);
    Canvas canvas = {.cells = NULL};
    if (terminal == NULL || !canvas_init(&canvas, 80, 24, &err)) {
        _exit(3);
    }
    for (int n = 0; n < 3;) {
        char text[32];
        snprintf(text, sizeof text, "count %d", n);
        canvas_text(&canvas, 0, n, STYLE_TEXT, text);
        terminal_show(terminal, &canvas, -1, -1);
        Event event;
        terminal_wait(terminal, -1, &event);
        if (event.kind == EVENT_SIGNAL && ++n < 3) {
            terminal_stay(terminal);
            usleep(1000000 + 200000); // longer than an end may take
        }
    }
    terminal_close(terminal);
    _exit(terminal_end_by(SIGINT));
}

static void a_signal_can_be_answered_in_another_way(void **state) {
    (void)state;
    Job job = {.run = stay_twice};
    job_start(&job, SCREEN_KIND, 80, 24, SCREEN_LESSON, screen_environment());
    for (int n = 0; n < 3; n++) {
        char text[32];
        snprintf(text, sizeof text, "count %d", n);
        pty_expect(&job.pty, text);
        pty_send(&job.pty, "\003"); // Ctrl-C
    }
    expect_end(&job, SIGINT, true);
}

// As under nohup: the end of the terminal itself ends the program.
static void a_terminal_that_goes_away_ends_the_program(void **state) {
    (void)state;
    for (int ignores = 0; ignores < 2; ignores++) {
        signal(SIGHUP, ignores ? SIG_IGN : SIG_DFL);
        Pty pty;
        screen_start(&pty, 80, 24);
        signal(SIGHUP, SIG_DFL);
        pty_hang_up(&pty);
        int status = 0;
        pid_t done = 0;
        for (int i = 0; i < 1000 && done == 0; i++) {
            usleep(10000);
            done = waitpid(pty.pid, &status, WNOHANG);
        }
        assert_int_equal(done, pty.pid);
        assert_int_equal(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                         128 + SIGHUP);
    }
}

// `train --watch` has the same terminal.
static void watching_a_run_answers_the_same(void **state) {
    (void)state;
    char folder[512];
    char path[600];
    snprintf(folder, sizeof folder, "%s/run", screen_folder());
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    FILE *log = fopen(path, "w");
    assert_non_null(log);
    for (int step = 1; step <= 20; step++) {
        fprintf(log, "{\"step\":%d,\"loss\":%g}\n", step, 1.0 + 1.0 / step);
    }
    fclose(log);
    const char *const arguments[] = {"train", "--watch", "-o", folder, NULL};
    for (int way = 0; way < 3; way++) {
        Job job = {.pid = 0};
        job_start(&job, SCREEN_KIND, 80, 24, arguments, screen_environment());
        pty_expect(&job.pty, "whole run");
        if (way == 1) {
            pty_send(&job.pty, "\032");
            expect_stop(&job, SIGTSTP);
        } else if (way == 2) {
            pty_send(&job.pty, "\023dddd"); // Ctrl-S, then themes
            while (pty_step(&job.pty, 50)) {
            }
        }
        kill(job.pid, SIGTERM);
        if (way == 1) {
            job_order(&job, JOB_BACKGROUND);
        }
        expect_end(&job, SIGTERM, false);
    }
    unlink(path);
    rmdir(folder);
}

static void a_fault_says_what_it_was_after_the_terminal_is_back(void **state) {
    (void)state;
    Job job = {.run = fail_by_assertion};
    job_start(&job, SCREEN_KIND, 80, 24, SCREEN_LESSON, screen_environment());
    JobNews news = expect_end(&job, SIGABRT, true);
    assert_true(WIFSIGNALED(news.status));
    assert_true(pty_shows(&job.pty, "a library complains"));
    assert_true(pty_shows(&job.pty, "a_file.c:17: a_function: Assertion `n_heads > 0' failed."));
    assert_true(pty_shows(&job.pty, "attend: this is a fault of the program"));
    job = (Job){.run = fail_by_address};
    job_start(&job, SCREEN_KIND, 80, 24, SCREEN_LESSON, screen_environment());
    expect_end(&job, SIGSEGV, true);
    assert_true(pty_shows(&job.pty, "attend: this is a fault of the program"));
}

static void a_signal_that_ends_does_not_wait_for_work(void **state) {
    (void)state;
    static const int ENDING[] = {SIGTERM, SIGINT, SIGALRM};
    for (size_t i = 0; i < sizeof ENDING / sizeof ENDING[0]; i++) {
        Job job = {.run = work_for_ever};
        job_start(&job, SCREEN_KIND, 80, 24, SCREEN_LESSON, screen_environment());
        while (!job.pty.has_paste) {
            pty_step(&job.pty, 20);
        }
        kill(job.pid, ENDING[i]);
        expect_end(&job, ENDING[i], true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_signal_does_what_the_table_says),
        cmocka_unit_test(a_signal_that_ends_reaches_a_stopped_program),
        cmocka_unit_test(sent_on_in_the_background_it_waits_for_the_terminal),
        cmocka_unit_test(started_in_the_background_it_waits_too),
        cmocka_unit_test(without_a_shell_nothing_stops_it),
        cmocka_unit_test(what_was_ignored_at_the_start_stays_ignored),
        cmocka_unit_test(a_signal_that_ends_does_not_wait_for_output),
        cmocka_unit_test(a_stop_does_not_wait_for_output_either),
        cmocka_unit_test(a_signal_can_be_answered_in_another_way),
        cmocka_unit_test(a_terminal_that_goes_away_ends_the_program),
        cmocka_unit_test(watching_a_run_answers_the_same),
        cmocka_unit_test(a_fault_says_what_it_was_after_the_terminal_is_back),
        cmocka_unit_test(a_signal_that_ends_does_not_wait_for_work),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
