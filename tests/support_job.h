// support_job.h - the real program as a job of a small shell: it can be stopped, sent on in the
// foreground or the background, and the shell says what it did and how it left the terminal.
#ifndef TESTS_SUPPORT_JOB_H
#define TESTS_SUPPORT_JOB_H

#include <termios.h>

#include "tests/support_pty.h"

typedef struct JobNews {
    pid_t pid;           // of the program
    int status;          // as waitpid gives it; -1: nothing came in 10 s
    struct termios mode; // of the terminal at that moment
} JobNews;

typedef enum JobOrder {
    JOB_FOREGROUND = 'f', // it is given the terminal and sent on
    JOB_BACKGROUND = 'b', // it is sent on without the terminal
} JobOrder;

typedef struct Job {
    Pty pty;
    pid_t pid; // of the program
    int news, orders;
    // for the child alone
    int news_out, orders_in;
    bool starts_in_background;
    void (*run)(void); // in place of the program; NULL
} Job;

// job: zeroed, but for what shall differ. Starts the program in the foreground, as pty_start does.
void job_start(Job *job, const char *kind, int width, int height, const char *const *arguments,
               const char *const *environment);

// What the program did next: stopped or ended. Its output is read meanwhile if reads.
JobNews job_next(Job *job, bool reads);

// After it has stopped.
void job_order(const Job *job, JobOrder order);

// After it has ended: the terminal has to be in all modes that a new one has.
void job_end(Job *job, const JobNews *news);
void job_check_modes(const Job *job, const JobNews *news);

#endif
