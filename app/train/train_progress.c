// train_progress.c - the one line that says how a run goes, and plain lines in a pipe.
#include "app/train/train_progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 256 };
static const double TERMINAL_SECONDS = 0.1;
static const double PIPE_SECONDS = 10.0;
static const double MEASURE_AFTER_SECONDS = 1.0; // not before: the first step has to come soon

double train_progress_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void train_progress_begin(TrainProgress *progress, int64_t n_steps, int64_t first_step,
                          bool is_quiet) {
    double now = train_progress_now();
    *progress = (TrainProgress){.n_steps = n_steps,
                                .is_terminal = isatty(STDERR_FILENO) == 1,
                                .is_quiet = is_quiet,
                                .held_out = (double)NAN,
                                .start = now,
                                .last_line = -INFINITY,
                                .first_step = first_step,
                                .recent_loss = (double)NAN};
}

double train_progress_machine_flops(const Backend *backend, Device *device) {
    enum { SIZE = TRAIN_PROGRESS_PRODUCT_SIZE, TRIES = 3 };
    size_t count = (size_t)SIZE * SIZE;
    float *matrices = malloc(3 * count * sizeof *matrices);
    if (matrices == NULL) {
        return 0.0;
    }
    for (size_t i = 0; i < 2 * count; i++) {
        matrices[i] = (float)(i % 7) * 0.125F;
    }
    Product product = {.M = SIZE,
                       .N = SIZE,
                       .K = SIZE,
                       .stride_a = SIZE,
                       .stride_b = SIZE,
                       .stride_y = SIZE,
                       .outer = 1,
                       .inner = 1,
                       .scale = 1.0F};
    double best = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        double start = train_progress_now();
        backend->product(device, &product, matrices + 2 * count, matrices, matrices + count, NULL);
        best = fmin(best, train_progress_now() - start);
    }
    free(matrices);
    return 2.0 * SIZE * SIZE * SIZE / fmax(best, 1e-9);
}

static const char *duration_text(double seconds, char text[32]) {
    long left = lround(seconds);
    if (left >= 3600) {
        snprintf(text, 32, "%ld h %02ld min", left / 3600, left / 60 % 60);
    } else if (left >= 60) {
        snprintf(text, 32, "%ld min %02ld s", left / 60, left % 60);
    } else {
        snprintf(text, 32, "%ld s", left);
    }
    return text;
}

static void line_text(const TrainProgress *progress, const TrainerReport *report, char *text) {
    double passed = train_progress_now() - progress->start;
    int64_t done = report->step - progress->first_step;
    double left = passed / fmax((double)done, 1.0) * (double)(progress->n_steps - report->step);
    char held[40] = "";
    char share[40] = "";
    char remaining[32];
    if (!isnan(progress->held_out)) {
        snprintf(held, sizeof held, "  held-out %.4f", progress->held_out);
    }
    if (progress->machine_flops > 0.0) {
        snprintf(share, sizeof share, "  %.0f %% of matrix speed",
                 100.0 * progress->flops / passed / progress->machine_flops);
    }
    snprintf(text, TEXT_BYTES, "step %lld/%lld  loss %.4f%s  %.0f tokens/s%s  %s left",
             (long long)report->step, (long long)progress->n_steps, progress->recent_loss, held,
             progress->tokens_per_second, share, duration_text(left, remaining));
}

void train_progress_step(TrainProgress *progress, const TrainerReport *report, bool has_news,
                         const Backend *backend, Device *device) {
    double now = train_progress_now();
    progress->tokens += report->n_tokens;
    progress->flops += report->flops;
    progress->tokens_per_second = (double)progress->tokens / fmax(now - progress->start, 1e-9);
    progress->recent_loss = isnan(progress->recent_loss)
                                ? report->loss
                                : 0.9 * progress->recent_loss + 0.1 * report->loss;
    if (progress->is_quiet) {
        return;
    }
    if (progress->machine_flops == 0.0 && now - progress->start > MEASURE_AFTER_SECONDS) {
        progress->machine_flops = train_progress_machine_flops(backend, device);
        progress->start += train_progress_now() - now; // it is no part of the training
    }
    double wait = progress->is_terminal ? TERMINAL_SECONDS : PIPE_SECONDS;
    if (!has_news && now - progress->last_line < wait) {
        return;
    }
    progress->last_line = now;
    char text[TEXT_BYTES];
    line_text(progress, report, text);
    if (progress->is_terminal) {
        fprintf(stderr, "\r%s\033[K", text);
        progress->line_open = true;
    } else {
        fprintf(stderr, "%s\n", text);
    }
    fflush(stderr);
}

void train_progress_say(TrainProgress *progress, const char *format, ...) {
    if (progress->is_quiet) {
        return;
    }
    if (progress->line_open) {
        fputs("\r\033[K", stderr);
        progress->line_open = false;
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void train_progress_end(TrainProgress *progress) {
    if (progress->line_open) {
        fputc('\n', stderr);
        progress->line_open = false;
    }
}
