// bench.c - measurements: how they are taken and printed.
#include "app/bench/bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "app/output.h"
#include "engine/base/clock.h"

void bench_record(BenchReport *report, const BenchRecord *record) {
    if (report->format == BENCH_JSON) {
        output_print("%s\n  {\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"",
                     report->n_records == 0 ? "" : ",", record->name, record->value, record->unit);
        if (record->compared_to != NULL) {
            output_print(", \"compared_to\": \"%s\", \"compared\": %.6g, \"ratio\": %.4g",
                         record->compared_to, record->compared, record->value / record->compared);
        }
        output_print("}");
    } else {
        output_print("%-46s %12.5g %-10s", record->name, record->value, record->unit);
        if (record->compared_to != NULL) {
            output_print(" %5.2f × %s (%.5g)", record->value / record->compared,
                         record->compared_to, record->compared);
        }
        output_print("\n");
    }
    output_flush();
    report->n_records++;
}

static double time_calls(void (*call)(void *context), void *context, int n_calls) {
    double start = clock_seconds();
    for (int i = 0; i < n_calls; i++) {
        call(context);
    }
    return (clock_seconds() - start) / n_calls;
}

double bench_fastest(void (*call)(void *context), void *context, int n_rounds) {
    const double round_s = 0.03;
    const double once = time_calls(call, context, 1); // also warms up
    double fits = round_s / (once > 1e-9 ? once : 1e-9);
    int n_calls = fits < 1.0 ? 1 : fits > 1e6 ? 1000000 : (int)fits;
    double fastest = once;
    for (int i = 0; i < n_rounds; i++) {
        double time = time_calls(call, context, n_calls);
        fastest = time < fastest ? time : fastest;
    }
    return fastest;
}

static double run_once(const char *const *arguments) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    int status = -1;
    double start = clock_seconds();
    enum { MAX_ARGUMENTS = 64 };
    char *argv[MAX_ARGUMENTS] = {NULL}; // posix_spawn's array is not const
    for (int i = 0; i + 1 < MAX_ARGUMENTS && arguments[i] != NULL; i++) {
        memcpy(&argv[i], &arguments[i], sizeof argv[i]);
    }
    bool ran = posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, environ) == 0 &&
               waitpid(child, &status, 0) == child;
    double time = clock_seconds() - start;
    posix_spawn_file_actions_destroy(&actions);
    return ran && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? time : -1.0;
}

static int by_size(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;
    return left < right ? -1 : left > right;
}

double bench_program(const char *const *arguments, int n_runs) {
    enum { MAX_RUNS = 64 };
    double times[MAX_RUNS] = {0.0};
    int count = n_runs < MAX_RUNS ? n_runs : MAX_RUNS;
    if (run_once(arguments) < 0.0) { // warms up
        return -1.0;
    }
    for (int i = 0; i < count; i++) {
        times[i] = run_once(arguments);
        if (times[i] < 0.0) {
            return -1.0;
        }
    }
    qsort(times, (size_t)count, sizeof times[0], by_size);
    return times[count / 2];
}
