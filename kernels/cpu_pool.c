// cpu_pool.c - the CPU device's threads: they share out numbered tasks and sleep in between.
#include "kernels/cpu_pool.h"

#include <assert.h>
#include <signal.h>

// Turns of the waiting loop before a thread sleeps: about 50 microseconds, longer than the gap
// between two kernels of a training step, shorter than anybody notices.
enum { SPIN_TURNS = 1500 };

enum { NO_TASK = 0x7fffffff };

static void rest(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static uint32_t job_number(uint64_t ticket) {
    return (uint32_t)(ticket >> 32);
}

// Does tasks of the current job until none is left.
static void work(Pool *pool, int thread) {
    uint64_t ticket = atomic_load(&pool->ticket);
    const uint32_t job = job_number(ticket);
    PoolTask *const task = atomic_load(&pool->task);
    void *const context = atomic_load(&pool->context);
    const int n_tasks = atomic_load(&pool->n_tasks);
    while (job_number(ticket) == job && (int)(uint32_t)ticket < n_tasks) {
        if (!atomic_compare_exchange_weak(&pool->ticket, &ticket, ticket + 1)) {
            continue;
        }
        task(context, (int)(uint32_t)ticket, thread);
        if (atomic_fetch_add(&pool->n_done, 1) + 1 == n_tasks &&
            atomic_load(&pool->caller_asleep)) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->job_done);
            pthread_mutex_unlock(&pool->mutex);
        }
        ticket = atomic_load(&pool->ticket);
    }
}

static bool job_waits(Pool *pool, uint32_t seen) {
    return job_number(atomic_load(&pool->ticket)) != seen || atomic_load(&pool->closing);
}

static void wait_for_job(Pool *pool, uint32_t seen) {
    for (int turn = 0; turn < SPIN_TURNS; turn++) {
        if (job_waits(pool, seen)) {
            return;
        }
        rest();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->n_asleep, 1);
    while (!job_waits(pool, seen)) {
        pthread_cond_wait(&pool->job_came, &pool->mutex);
    }
    atomic_fetch_sub(&pool->n_asleep, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *thread_main(void *argument) {
    Pool *pool = argument;
    const int thread = atomic_fetch_add(&pool->n_joined, 1) + 1;
    uint32_t seen = 0;
    while (!atomic_load(&pool->closing)) {
        wait_for_job(pool, seen);
        seen = job_number(atomic_load(&pool->ticket));
        work(pool, thread);
    }
    return NULL;
}

// Signals stay with the program's own threads.
static void start_threads(Pool *pool) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->n_started < pool->n_threads - 1 && !pool->start_failed) {
        if (pthread_create(&pool->threads[pool->n_started], NULL, thread_main, pool) != 0) {
            pool->start_failed = true;
        } else {
            pool->n_started++;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pool_init(Pool *pool, int n_threads) {
    *pool = (Pool){.n_threads = n_threads < POOL_MAX_THREADS ? n_threads : POOL_MAX_THREADS};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->job_came, NULL);
    pthread_cond_init(&pool->job_done, NULL);
}

void pool_free(Pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->closing, true);
    pthread_cond_broadcast(&pool->job_came);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->n_started; i++) {
        pthread_join(pool->threads[i], NULL);
    }
    pthread_cond_destroy(&pool->job_done);
    pthread_cond_destroy(&pool->job_came);
    pthread_mutex_destroy(&pool->mutex);
}

static bool all_done(Pool *pool, int n_tasks) {
    return atomic_load(&pool->n_done) == n_tasks;
}

static void wait_until_done(Pool *pool, int n_tasks) {
    for (int turn = 0; turn < SPIN_TURNS; turn++) {
        if (all_done(pool, n_tasks)) {
            return;
        }
        rest();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->caller_asleep, true);
    while (!all_done(pool, n_tasks)) {
        pthread_cond_wait(&pool->job_done, &pool->mutex);
    }
    atomic_store(&pool->caller_asleep, false);
    pthread_mutex_unlock(&pool->mutex);
}

void pool_run(Pool *pool, PoolTask *task, void *context, int n_tasks) {
    if (pool->n_threads <= 1 || n_tasks <= 1) {
        for (int i = 0; i < n_tasks; i++) {
            task(context, i, 0);
        }
        return;
    }
    if (pool->n_started < pool->n_threads - 1 && !pool->start_failed) {
        start_threads(pool);
    }
    // A number without tasks first: a thread that still looks at the last job must not take one of
    // its tasks with half of the new job's description.
    const uint32_t closed = job_number(atomic_load(&pool->ticket)) + 1;
    atomic_store(&pool->ticket, (uint64_t)closed << 32 | NO_TASK);
    atomic_store(&pool->n_done, 0);
    atomic_store(&pool->n_tasks, n_tasks);
    atomic_store(&pool->task, task);
    atomic_store(&pool->context, context);
    atomic_store(&pool->ticket, (uint64_t)(closed + 1) << 32);
    if (atomic_load(&pool->n_asleep) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->job_came);
        pthread_mutex_unlock(&pool->mutex);
    }
    work(pool, 0);
    wait_until_done(pool, n_tasks);
}
