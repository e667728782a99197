// cpu_pool.h - threads that share out numbered tasks and sleep in between: the CPU device's, and
// those of work that is no arithmetic.
#ifndef KERNELS_CPU_POOL_H
#define KERNELS_CPU_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_MAX_THREADS = 256 };

// thread: 0 for the caller, 1.. for the pool's own; it picks the task's scratch memory.
typedef void PoolTask(void *context, int i, int thread);

// The tasks that a thread begins with, its own part of the row: what it wrote for one kernel it
// reads for the next, from its own cache. A thread that has done its own takes from the others'.
typedef struct PoolShare {
    // High half: the job's number; low half: its next task. One compare-and-swap takes a task, so
    // a thread that wakes late cannot take a task of a job it did not read.
    _Alignas(64) _Atomic uint64_t ticket;
} PoolShare;

// A zeroed Pool with n_threads set is ready. Jobs come from one thread at a time; a task must not
// start a job.
typedef struct Pool {
    PoolShare shares[POOL_MAX_THREADS]; // one a thread; the first is published last
    int n_threads;                      // the caller included
    int n_started;                      // threads of our own that run
    bool start_failed;                  // the system gave no more threads; what runs goes on alone
    pthread_t threads[POOL_MAX_THREADS];

    _Atomic(PoolTask *) task;
    _Atomic(void *) context;
    _Atomic int n_tasks;
    _Atomic int n_done;
    _Atomic int n_joined; // gives each thread its number
    _Atomic bool closing;

    pthread_mutex_t mutex;
    pthread_cond_t job_came;
    pthread_cond_t job_done;
    _Atomic int n_asleep;
    _Atomic bool caller_asleep;
} Pool;

// n_threads 0: as many as the process may run on. A thread starts with the first job.
void pool_init(Pool *pool, int n_threads);
int pool_threads(int n_threads); // how many those are
void pool_free(Pool *pool);      // waits for the threads

// Whether no thread of its own has to be woken for a job; false before the first one.
bool pool_is_awake(Pool *pool);

// Runs all tasks and waits. With one thread or one task nobody is woken.
void pool_run(Pool *pool, PoolTask *task, void *context, int n_tasks);

#endif
