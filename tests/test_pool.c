// test_pool.c - the pool runs every task once, however many threads it has and whoever comes late.
#include "tests/support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/cpu.h"
#include "kernels/cpu_pool.h"

enum { MOST_TASKS = 300 };

typedef struct Counts {
    _Atomic int done[MOST_TASKS];
    _Atomic int all;
} Counts;

static void count_task(void *context, int i, int thread) {
    (void)thread;
    Counts *counts = context;
    atomic_fetch_add(&counts->done[i], 1);
    atomic_fetch_add(&counts->all, 1);
}

static void run_many_jobs(int n_threads, int n_jobs, bool rests) {
    Pool pool;
    pool_init(&pool, n_threads);
    assert_int_equal(pool.n_threads, n_threads);
    for (int job = 0; job < n_jobs; job++) {
        Counts counts = {0};
        const int n_tasks = job % MOST_TASKS;
        pool_run(&pool, count_task, &counts, n_tasks);
        assert_int_equal(atomic_load(&counts.all), n_tasks);
        for (int i = 0; i < n_tasks; i++) {
            assert_int_equal(atomic_load(&counts.done[i]), 1);
        }
        if (rests && job % 8 == 0) {
            const struct timespec pause = {.tv_nsec = 300000}; // longer than threads spin
            nanosleep(&pause, NULL);
        }
    }
    pool_free(&pool);
}

static void every_task_runs_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads++) {
        run_many_jobs(threads, 600, false);
    }
}

static void sleeping_threads_wake(void **state) {
    (void)state;
    run_many_jobs(2, 300, true);
    run_many_jobs(8, 300, true);
}

static void a_device_without_work_opens_and_closes(void **state) {
    (void)state;
    for (int threads = 0; threads < 5; threads++) {
        Device *device = cpu_open(threads);
        assert_true(cpu_threads(device) >= 1);
        cpu_close(device);
    }
    cpu_close(NULL);
}

static void the_environment_chooses_the_instruction_set(void **state) {
    (void)state;
    setenv("ATTEND_INSTRUCTION_SET", "baseline", 1);
    Device *device = cpu_open(1);
    assert_string_equal(cpu_instruction_set(device), "baseline");
    cpu_close(device);
    unsetenv("ATTEND_INSTRUCTION_SET");
    device = cpu_open(1);
    const char *best = cpu_instruction_set(device);
    cpu_close(device);
    setenv("ATTEND_INSTRUCTION_SET", "no such set", 1);
    device = cpu_open(1);
    assert_string_equal(cpu_instruction_set(device), best);
    cpu_close(device);
    unsetenv("ATTEND_INSTRUCTION_SET");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(sleeping_threads_wake),
        cmocka_unit_test(a_device_without_work_opens_and_closes),
        cmocka_unit_test(the_environment_chooses_the_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
