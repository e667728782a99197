// group.c - several processes by MPI: sums in the order of the ranks, while the caller works.
//
// A sum of n numbers goes in two steps, each without waiting: every process gets its slice of
// everybody's numbers (all-to-all) and adds them, rank 0 first; then all give their sums to all.
// MPI's own reduction may add in any order, which changes the last bits from run to run.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "engine/training/group.h"

enum { MAX_SUMS = 4096 };

typedef struct Sum {
    MPI_Request request;
    float *values; // the caller's
    float *parts;  // this process' slice, of every process; kept for the next step
    int *counts;   // four rows of one number a process: sent and received counts and places
    size_t n;      // that parts has room for
} Sum;

// Collective calls on one communicator have to come in one order everywhere. Parts and results have
// one each, so that a result is begun as soon as its parts are there.
typedef struct State {
    MPI_Comm world;
    MPI_Comm results;
    Sum sums[MAX_SUMS];
    int n_sums;
    int n_added; // sums whose parts came and whose results are on their way
    double *doubles;
    size_t n_doubles;
} State;

static bool fail(int code, Error *err) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return error_set(err, "MPI: %.300s", text);
}

// Slices differ by one number at most.
static void cut(Sum *sum, size_t n, int size, int rank) {
    int *slices = sum->counts;
    int *places = sum->counts + size;
    int *own = sum->counts + (ptrdiff_t)2 * size;
    int *own_places = sum->counts + (ptrdiff_t)3 * size;
    size_t first = 0;
    for (int i = 0; i < size; i++) {
        size_t end = n * ((size_t)i + 1) / (size_t)size;
        slices[i] = (int)(end - first);
        places[i] = (int)first;
        first = end;
    }
    for (int i = 0; i < size; i++) {
        own[i] = slices[rank];
        own_places[i] = i * slices[rank];
    }
}

static bool prepare(Sum *sum, float *values, size_t n, int size, int rank, Error *err) {
    sum->values = values;
    if (sum->n != n) {
        free(sum->counts);
        free(sum->parts);
        sum->counts = malloc(4 * (size_t)size * sizeof *sum->counts);
        sum->parts = malloc((n + (size_t)size) * sizeof *sum->parts);
        sum->n = n;
    }
    if (sum->counts == NULL || sum->parts == NULL) {
        sum->n = 0;
        return error_set(err, "not enough memory to sum %zu numbers over processes", n);
    }
    cut(sum, n, size, rank);
    return true;
}

static bool sum_begin(Group *group, float *values, size_t n, Error *err) {
    State *state = group->state;
    int size = group->size;
    if (state->n_sums == MAX_SUMS || n > 0x7fffffff / (size_t)size) {
        return error_set(err, "MPI: %d sums at a time, expected fewer", state->n_sums);
    }
    Sum *sum = &state->sums[state->n_sums];
    if (!prepare(sum, values, n, size, group->rank, err)) {
        return false;
    }
    state->n_sums++;
    int *counts = sum->counts;
    int code = MPI_Ialltoallv(values, counts, counts + size, MPI_FLOAT, sum->parts,
                              counts + (ptrdiff_t)2 * size, counts + (ptrdiff_t)3 * size, MPI_FLOAT,
                              state->world, &sum->request);
    return code == MPI_SUCCESS || fail(code, err);
}

static void add_parts(const Group *group, const Sum *sum) {
    int n = sum->counts[group->rank];
    float *values = sum->values + sum->counts[group->size + group->rank];
    memcpy(values, sum->parts, (size_t)n * sizeof *values);
    for (int rank = 1; rank < group->size; rank++) {
        const float *part = sum->parts + (size_t)rank * (size_t)n;
        for (int i = 0; i < n; i++) {
            values[i] += part[i];
        }
    }
}

static bool begin_result(const Group *group, Sum *sum, Error *err) {
    const State *state = group->state;
    add_parts(group, sum);
    int code = MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sum->values, sum->counts,
                               sum->counts + group->size, MPI_FLOAT, state->results, &sum->request);
    return code == MPI_SUCCESS || fail(code, err);
}

static bool sum_poll(Group *group, Error *err) {
    State *state = group->state;
    int done = 1;
    while (done && state->n_added < state->n_sums) {
        Sum *sum = &state->sums[state->n_added];
        int code = MPI_Test(&sum->request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            return fail(code, err);
        }
        if (done && !begin_result(group, sum, err)) {
            return false;
        }
        state->n_added += done;
    }
    return true;
}

static bool sum_wait(Group *group, Error *err) {
    State *state = group->state;
    for (; state->n_added < state->n_sums; state->n_added++) {
        Sum *sum = &state->sums[state->n_added];
        // Begun in sum_begin. NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker)
        int code = MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            return fail(code, err);
        }
        if (!begin_result(group, sum, err)) {
            return false;
        }
    }
    for (int i = 0; i < state->n_sums; i++) {
        // Begun in begin_result. NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker)
        int code = MPI_Wait(&state->sums[i].request, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            return fail(code, err);
        }
    }
    state->n_sums = 0;
    state->n_added = 0;
    return true;
}

static bool sum_doubles(Group *group, double *values, int n, Error *err) {
    State *state = group->state;
    size_t needed = (size_t)n * (size_t)group->size;
    if (needed > state->n_doubles) {
        double *larger = realloc(state->doubles, needed * sizeof *larger);
        if (larger == NULL) {
            return error_set(err, "not enough memory to sum %d numbers over processes", n);
        }
        state->doubles = larger;
        state->n_doubles = needed;
    }
    int code = MPI_Allgather(values, n, MPI_DOUBLE, state->doubles, n, MPI_DOUBLE, state->world);
    if (code != MPI_SUCCESS) {
        return fail(code, err);
    }
    for (int i = 0; i < n; i++) {
        values[i] = 0.0;
        for (int rank = 0; rank < group->size; rank++) {
            values[i] += state->doubles[(size_t)rank * (size_t)n + (size_t)i];
        }
    }
    return true;
}

static bool first_claim(Group *group, bool claims, int *rank, Error *err) {
    const State *state = group->state;
    int own = claims ? group->rank : group->size;
    int code = MPI_Allreduce(&own, rank, 1, MPI_INT, MPI_MIN, state->world);
    return code == MPI_SUCCESS || fail(code, err);
}

static void group_abort(Group *group, int status) {
    const State *state = group->state;
    MPI_Abort(state->world, status);
}

static void group_close(Group *group) {
    State *state = group->state;
    if (state == NULL) {
        return;
    }
    for (int i = 0; i < MAX_SUMS; i++) {
        free(state->sums[i].parts);
        free(state->sums[i].counts);
    }
    MPI_Comm_free(&state->world);
    MPI_Comm_free(&state->results);
    MPI_Finalize();
    free(state->doubles);
    free(state);
    *group = (Group){.size = 1};
}

// A communicator of our own for all processes. Where one of them could not be set up (for want of
// memory, say), Open MPI waits for it without end; we do not.
static bool join(MPI_Comm *world, Error *err) {
    static const double LIMIT_SECONDS = 60.0;
    MPI_Request request;
    int is_done = 0;
    const double start = MPI_Wtime();
    int code = MPI_Comm_idup(MPI_COMM_WORLD, world, &request);
    while (code == MPI_SUCCESS && !is_done) {
        code = MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done && MPI_Wtime() - start > LIMIT_SECONDS) {
            return error_set(err,
                             "the processes did not find each other within %.0f seconds: one "
                             "of them may lack memory",
                             LIMIT_SECONDS);
        }
    }
    return code == MPI_SUCCESS || fail(code, err);
}

__attribute__((visibility("default"))) bool attend_group_open(Group *group, Error *err);

bool attend_group_open(Group *group, Error *err) {
    State *state = calloc(1, sizeof *state);
    int provided = 0;
    *group = (Group){.size = 1};
    if (state == NULL) {
        return error_set(err, "not enough memory to join the other processes");
    }
    // The pool's threads do not call MPI.
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if ((code != MPI_SUCCESS && !fail(code, err)) || !join(&state->world, err) ||
        !join(&state->results, err)) {
        free(state);
        return false;
    }
    MPI_Comm_set_errhandler(state->world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(state->results, MPI_ERRORS_RETURN);
    MPI_Comm_rank(state->world, &group->rank);
    MPI_Comm_size(state->world, &group->size);
    group->state = state;
    group->sum_begin = sum_begin;
    group->sum_poll = sum_poll;
    group->sum_wait = sum_wait;
    group->sum_doubles = sum_doubles;
    group->first = first_claim;
    group->abort = group_abort;
    group->close = group_close;
    return true;
}
