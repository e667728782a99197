// support_job.c - the real program as a job of a small shell.
#include "tests/support.h"

#include "tests/support_job.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"

enum { DEADLINE_MS = 10000, SHELL_SIGNAL = 128 };

// ---- in the child: a shell that knows one job

static void tell(const Job *job, pid_t pid, int status) {
    JobNews news = {.pid = pid, .status = status};
    tcgetattr(STDIN_FILENO, &news.mode);
    ssize_t written = write(job->news_out, &news, sizeof news);
    (void)written;
}

static void be_shell(const Job *job, pid_t pid) {
    int status = 0;
    setpgid(pid, pid);
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_DFL);
    tcsetpgrp(STDIN_FILENO, job->starts_in_background ? getpgrp() : pid);
    tell(job, pid, 0);
    while (waitpid(pid, &status, WUNTRACED) == pid) {
        tcsetpgrp(STDIN_FILENO, getpgrp());
        tell(job, pid, status);
        char order = 0;
        if (!WIFSTOPPED(status) || read(job->orders_in, &order, 1) != 1) {
            break;
        }
        if (order == JOB_FOREGROUND) {
            tcsetpgrp(STDIN_FILENO, pid);
        }
        kill(-pid, SIGCONT);
    }
    kill(pid, SIGKILL);
    _exit(WIFSIGNALED(status) ? SHELL_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status));
}

static void start_job(void *context) {
    Job *job = context;
    pid_t pid = fork();
    if (pid != 0) {
        close(job->news);
        close(job->orders);
        be_shell(job, pid);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    while (!job->starts_in_background && tcgetpgrp(STDIN_FILENO) != getpgrp()) {
        usleep(1000);
    }
    const int descriptors[] = {job->news, job->orders, job->news_out, job->orders_in};
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
        close(descriptors[i]);
    }
    if (job->run != NULL) {
        job->run();
        _exit(0);
    }
}

// ---- in the test

void job_start(Job *job, const char *kind, int width, int height, const char *const *arguments,
               const char *const *environment) {
    int news[2];
    int orders[2];
    assert_int_equal(pipe(news), 0);
    assert_int_equal(pipe(orders), 0);
    job->news = news[0];
    job->news_out = news[1];
    job->orders_in = orders[0];
    job->orders = orders[1];
    pty_start_after(&job->pty, kind, width, height, arguments, environment, start_job, job);
    close(job->news_out);
    close(job->orders_in);
    job->pid = job_next(job, true).pid;
}

JobNews job_next(Job *job, bool reads) {
    JobNews news = {.status = -1};
    double end_ms = clock_ms() + DEADLINE_MS;
    struct pollfd watched = {.fd = job->news, .events = POLLIN};
    while (poll(&watched, 1, 5) == 0 && clock_ms() < end_ms) {
        if (reads) {
            pty_step(&job->pty, 5);
        }
    }
    if ((watched.revents & POLLIN) == 0 || read(job->news, &news, sizeof news) != sizeof news) {
        news.status = -1;
    }
    while (pty_step(&job->pty, 0)) {
    }
    return news;
}

void job_order(const Job *job, JobOrder order) {
    char letter = (char)order;
    assert_int_equal(write(job->orders, &letter, 1), 1);
}

void job_check_modes(const Job *job, const JobNews *news) {
    int master = -1;
    int slave = -1;
    struct termios fresh;
    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    assert_int_equal(tcgetattr(slave, &fresh), 0);
    close(slave);
    close(master);
    assert_int_equal(news->mode.c_lflag, fresh.c_lflag);
    assert_int_equal(news->mode.c_iflag, fresh.c_iflag);
    assert_int_equal(news->mode.c_oflag, fresh.c_oflag);
    assert_int_equal(news->mode.c_cflag, fresh.c_cflag);
    const Pty *pty = &job->pty;
    assert_false(pty->is_alternate);
    assert_false(pty->cursor_is_off);
    assert_false(pty->has_paste);
    assert_false(pty->has_mouse);
    assert_false(pty->has_cursor_keys);
    assert_false(pty->has_keypad);
    assert_false(pty->has_pen);
}

void job_end(Job *job, const JobNews *news) {
    close(job->news);
    close(job->orders);
    pty_end(&job->pty);
    job_check_modes(job, news);
}
