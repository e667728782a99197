// cpu_pool.c - the CPU device's threads: they share out numbered tasks and sleep in between.
#include "kernels/cpu_pool.h"

#include <sched.h>
#include <assert.h>
#include <signal.h>

// Turns of the waiting loop before a thread sleeps: about 100 microseconds, longer than the gap
// between two kernels of a training step, shorter than anybody notices.
enum { SPIN_TURNS = 3000 };

enum { NO_TASK = 0x7fffffff };

static void rest(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static uint32_t job_number(uint64_t ticket) {
    return (uint32_t)(ticket >> 32);
}

static uint32_t current_job(Pool *pool) {
    return job_number(atomic_load(&pool->shares[0].ticket));
}

// Of the tasks, those of a share: from share_first(share) up to share_first(share + 1).
static int share_first(const Pool *pool, int n_tasks, int share) {
    return (int)((int64_t)n_tasks * share / pool->n_threads);
}

static int work_share(Pool *pool, int share, uint32_t job, int thread) {
    PoolTask *const task = atomic_load(&pool->task);
    void *const context = atomic_load(&pool->context);
    const int end = share_first(pool, atomic_load(&pool->n_tasks), share + 1);
    _Atomic uint64_t *const next = &pool->shares[share].ticket;
    int n_done = 0;
    uint64_t ticket = atomic_load(next);
    while (job_number(ticket) == job && (int)(uint32_t)ticket < end) {
        if (atomic_compare_exchange_weak(next, &ticket, ticket + 1)) {
            task(context, (int)(uint32_t)ticket, thread);
            n_done++;
            ticket = atomic_load(next);
        }
    }
    return n_done;
}

// Does tasks of the current job until none is left.
static void work(Pool *pool, int thread) {
    const uint32_t job = current_job(pool);
    for (int i = 0; i < pool->n_threads; i++) {
        const int n_done = work_share(pool, (thread + i) % pool->n_threads, job, thread);
        if (n_done > 0 &&
            atomic_fetch_add(&pool->n_done, n_done) + n_done == atomic_load(&pool->n_tasks) &&
            atomic_load(&pool->caller_asleep)) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->job_done);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static bool job_waits(Pool *pool, uint32_t seen) {
    return current_job(pool) != seen || atomic_load(&pool->closing);
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
        seen = current_job(pool);
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

static int threads_allowed(void) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return 1;
    }
    return CPU_COUNT(&allowed);
}

int pool_threads(int n_threads) {
    const int n = n_threads > 0 ? n_threads : threads_allowed();
    return n < POOL_MAX_THREADS ? n : POOL_MAX_THREADS;
}

void pool_init(Pool *pool, int n_threads) {
    *pool = (Pool){.n_threads = pool_threads(n_threads)};
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

bool pool_is_awake(Pool *pool) {
    return pool->n_started > 0 && atomic_load(&pool->n_asleep) == 0;
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
    const uint32_t closed = current_job(pool) + 1;
    for (int i = 0; i < pool->n_threads; i++) {
        atomic_store(&pool->shares[i].ticket, (uint64_t)closed << 32 | NO_TASK);
    }
    atomic_store(&pool->n_done, 0);
    atomic_store(&pool->n_tasks, n_tasks);
    atomic_store(&pool->task, task);
    atomic_store(&pool->context, context);
    for (int i = pool->n_threads - 1; i >= 0; i--) {
        atomic_store(&pool->shares[i].ticket,
                     (uint64_t)(closed + 1) << 32 | (uint32_t)share_first(pool, n_tasks, i));
    }
    if (atomic_load(&pool->n_asleep) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->job_came);
        pthread_mutex_unlock(&pool->mutex);
    }
    work(pool, 0);
    wait_until_done(pool, n_tasks);
}
