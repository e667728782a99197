// bench.h - measurements: each a name, a value, a unit, and what it is compared with in the same
// run.
#ifndef APP_BENCH_BENCH_H
#define APP_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

typedef enum BenchFormat { BENCH_TEXT, BENCH_JSON } BenchFormat;

typedef struct BenchReport {
    BenchFormat format;
    const char *device; // that computes; NULL: the CPU
    int n_records;
    Error err; // the first thing that could not be measured
} BenchReport;

typedef struct BenchRecord {
    const char *name; // "toy: training steps"
    double value;
    const char *unit;        // "steps/s"
    const char *compared_to; // "goal", "sgemm of this machine"; NULL: nothing
    double compared;         // in the same unit
} BenchRecord;

// Prints one record. Times come from the fastest of several rounds: the machine may be shared.
void bench_record(BenchReport *report, const BenchRecord *record);

// Seconds a call takes: the fastest of n_rounds rounds of as many calls as fill a few hundredths of
// a second.
double bench_fastest(void (*call)(void *context), void *context, int n_rounds);

// Seconds that this program itself takes with these arguments (NULL at the end), standard output
// thrown away: the median of n_runs. Below 0 where it could not be run, or failed.
double bench_program(const char *const *arguments, int n_runs);

typedef struct Bench {
    const char *name;
    void (*run)(BenchReport *report);
    const char *summary;
} Bench;

void bench_toy(BenchReport *report);
void bench_tape(BenchReport *report);
void bench_trace(BenchReport *report);
void bench_heatmap(BenchReport *report);
void bench_train_tiny(BenchReport *report);
void bench_train_10m(BenchReport *report);
void bench_train_10m_long(BenchReport *report);
void bench_train_124m(BenchReport *report);
void bench_train_124m_wide(BenchReport *report);
void bench_generate_tiny(BenchReport *report);
void bench_generate_10m(BenchReport *report);
void bench_generate_124m(BenchReport *report);
void bench_tokenizer(BenchReport *report);

#endif
