// train_progress.c - the one line that says how a run goes, and plain lines in a pipe.
#include "app/train/train_progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/machine_speed.h"
#include "app/train/train_output.h"
#include "app/train/train_signals.h"
#include "engine/base/utf8.h"
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/shown.h"
#include "views/text.h"

enum { USUAL_COLUMNS = 80, WIDEST_SAMPLE = 100, PATIENCE_MS = 50 };
static const double TERMINAL_SECONDS = 0.1;
static const double PIPE_SECONDS = 10.0;
static const double MOST_NEWS = 10.0; // lines at once; one more each second
static const double MEASURE_SECONDS = 0.05;
static const double MEASURE_AFTER_SECONDS = 1.0; // not before: the first step has to come soon

// Waits for whoever reads, but not once a signal asks to stop.
static void write_out(const char *text) {
    size_t size = strlen(text);
    while (size > 0) {
        size_t done = train_output_within(text, size, PATIENCE_MS);
        if (done == 0 && train_signals_stop() != 0) {
            return;
        }
        text += done;
        size -= done;
    }
}

// True where a line can be written over.
static bool is_terminal(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind != NULL && kind[0] != '\0' &&
           strcmp(kind, "dumb") != 0;
}

static int terminal_columns(void) {
    struct winsize size = {.ws_col = 0};
    bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : USUAL_COLUMNS;
}

void train_progress_begin(TrainProgress *progress, int64_t n_steps, int64_t first_step,
                          bool is_quiet) {
    *progress = (TrainProgress){.n_steps = n_steps,
                                .is_terminal = is_terminal(),
                                .is_quiet = is_quiet,
                                .start = clock_seconds(),
                                .last_line = -INFINITY,
                                .lines_left = MOST_NEWS,
                                .first_step = first_step,
                                .step = first_step,
                                .loss = (double)NAN,
                                .held_out = (double)NAN,
                                .matrix_share = (double)NAN};
}

double train_progress_machine_flops(Device *device) {
    return machine_speed_flops(device, TRAIN_PROGRESS_PRODUCT_SIZE, MEASURE_SECONDS);
}

// ---- the line

typedef enum LinePart {
    PART_STEP,
    PART_LOSS,
    PART_HELD_OUT,
    PART_SPEED,
    PART_SHARE,
    PART_LEFT
} LinePart;
enum { N_PARTS = PART_LEFT + 1, PART_BYTES = 64 };

static void part_text(const TrainProgress *progress, LinePart part, bool is_short,
                      char text[PART_BYTES]) {
    char duration[TEXT_DURATION_BYTES];
    text[0] = '\0';
    switch (part) {
    case PART_STEP:
        snprintf(text, PART_BYTES, "%s%lld/%lld", is_short ? "" : "step ",
                 (long long)progress->step, (long long)progress->n_steps);
        return;
    case PART_LOSS:
        snprintf(text, PART_BYTES, "loss %.4f", progress->loss);
        return;
    case PART_HELD_OUT:
        if (!isnan(progress->held_out)) {
            snprintf(text, PART_BYTES, "held-out %.4f", progress->held_out);
        }
        return;
    case PART_SPEED:
        snprintf(text, PART_BYTES, is_short ? "%.0f tok/s" : "%.0f tokens/s",
                 progress->tokens_per_second);
        return;
    case PART_SHARE:
        if (!isnan(progress->matrix_share)) {
            snprintf(text, PART_BYTES, is_short ? "%.0f %% matrix" : "%.0f %% of matrix speed",
                     100.0 * progress->matrix_share);
        }
        return;
    case PART_LEFT:
        text_duration(progress->seconds_left, duration);
        if (is_short) { // its larger unit
            char *second = strchr(duration, ' ');
            second = second == NULL ? NULL : strchr(second + 1, ' ');
            duration[second == NULL ? strlen(duration) : (size_t)(second - duration)] = '\0';
        }
        snprintf(text, PART_BYTES, "%s left", duration);
        return;
    }
}

static void join_parts(const TrainProgress *progress, bool is_short, unsigned left_out,
                       char text[PROGRESS_LINE_BYTES]) {
    size_t length = 0;
    text[0] = '\0';
    for (int part = 0; part < N_PARTS; part++) {
        char words[PART_BYTES];
        part_text(progress, (LinePart)part, is_short, words);
        if ((left_out & 1U << part) == 0 && words[0] != '\0') {
            length += (size_t)snprintf(text + length, PROGRESS_LINE_BYTES - length, "%s%s",
                                       length == 0 ? "" : "  ", words);
        }
    }
}

void train_progress_line(const TrainProgress *progress, int columns,
                         char text[PROGRESS_LINE_BYTES]) {
    static const LinePart LEAST_FIRST[] = {PART_SHARE, PART_SPEED, PART_HELD_OUT, PART_LEFT};
    enum { N_LEAST = sizeof LEAST_FIRST / sizeof LEAST_FIRST[0] };
    unsigned left_out = 0;
    join_parts(progress, false, left_out, text);
    for (int i = 0; i <= N_LEAST && (int)strlen(text) > columns; i++) {
        join_parts(progress, true, left_out, text);
        left_out |= i < N_LEAST ? 1U << LEAST_FIRST[i] : 0;
    }
    text[columns < 0 ? 0 : (columns < PROGRESS_LINE_BYTES ? columns : PROGRESS_LINE_BYTES - 1)] =
        '\0';
}

static void measure(TrainProgress *progress, const TrainerReport *report, Device *device) {
    double now = clock_seconds();
    if (progress->machine_flops == 0.0 && now - progress->start > MEASURE_AFTER_SECONDS) {
        progress->machine_flops = train_progress_machine_flops(device);
        progress->start += clock_seconds() - now; // it is no part of the training
        now = clock_seconds();
    }
    double passed = fmax(now - progress->start, 1e-9);
    int64_t done = report->step - progress->first_step;
    double of_steps = fmax(progress->steps_seconds, 1e-9);
    progress->tokens_per_second = (double)progress->tokens / of_steps;
    progress->seconds_left =
        passed / fmax((double)done, 1.0) * (double)(progress->n_steps - report->step);
    if (progress->machine_flops > 0.0) {
        progress->matrix_share = progress->flops / of_steps / progress->machine_flops;
    }
}

static bool is_line_due(TrainProgress *progress, ProgressNews news, double now) {
    double waited = now - progress->last_line;
    double lines_left = fmin(MOST_NEWS, progress->lines_left + waited);
    bool is_news = news == PROGRESS_NEWS && lines_left >= 1.0;
    double wait = progress->is_terminal ? TERMINAL_SECONDS : PIPE_SECONDS;
    if (news != PROGRESS_MUST && !is_news && waited < wait) {
        return false;
    }
    progress->lines_left = is_news ? lines_left - 1.0 : lines_left;
    progress->last_line = now;
    return true;
}

void train_progress_step(TrainProgress *progress, const TrainerReport *report, ProgressNews news,
                         Device *device) {
    progress->step = report->step;
    progress->tokens += report->n_tokens;
    progress->flops += report->flops;
    progress->steps_seconds += report->seconds;
    progress->loss =
        isnan(progress->loss) ? report->loss : 0.9 * progress->loss + 0.1 * report->loss;
    if (progress->is_quiet) {
        return;
    }
    measure(progress, report, device);
    if (!is_line_due(progress, news, clock_seconds())) {
        return;
    }
    char text[PROGRESS_LINE_BYTES];
    if (progress->is_terminal) {
        // The last column stays free: a cursor behind it would wrap.
        train_progress_line(progress, terminal_columns() - 1, text);
        train_progress_over(progress, text);
    } else {
        train_progress_line(progress, PROGRESS_LINE_BYTES - 1, text);
        train_progress_say(progress, "%s", text);
    }
}

// ---- what is said between

void train_progress_over(TrainProgress *progress, const char *text) {
    char line[PROGRESS_LINE_BYTES + 8];
    snprintf(line, sizeof line, "\r%s\033[K", text);
    write_out(line);
    progress->line_open = true;
}

void train_progress_say(TrainProgress *progress, const char *format, ...) {
    if (progress->is_quiet) {
        return;
    }
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    char *shown = length >= 0 ? shown_line(text) : NULL;
    char *line = NULL;
    const char *start = progress->line_open ? "\r\033[K" : "";
    if (shown != NULL && asprintf(&line, "%s%s\n", start, shown) >= 0) {
        write_out(line); // at once, so that nothing of other processes comes between
        progress->line_open = false;
    }
    free(line);
    free(shown);
    free(length >= 0 ? text : NULL);
}

// One line of a sample, cut where it is too long for the screen.
static void say_wrapped(TrainProgress *progress, const char *line, int columns) {
    const char *next = line;
    do {
        size_t length = text_wrap(line, columns, &next);
        train_progress_say(progress, "  | %.*s", (int)length, line);
        line = next;
    } while (*line != '\0');
}

void train_progress_sample(TrainProgress *progress, const char *text) {
    int width = progress->is_terminal ? terminal_columns() - 5 : WIDEST_SAMPLE;
    width = width < 10 ? 10 : (width < WIDEST_SAMPLE ? width : WIDEST_SAMPLE);
    char *copy = strdup(text);
    size_t size = 4 * strlen(text) + FILE_NAME_TEXT_BYTES; // each byte may become \xNN
    char *shown = malloc(size);
    train_progress_say(progress, "sample after step %lld:", (long long)progress->step);
    for (char *line = copy; line != NULL && shown != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        say_wrapped(progress, utf8_shown(line, shown, size), width);
        line = end == NULL ? NULL : end + 1;
    }
    free(shown);
    free(copy);
}

void train_progress_end(TrainProgress *progress) {
    if (progress->line_open) {
        write_out("\n");
        progress->line_open = false;
    }
}
