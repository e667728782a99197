// distances.c - the distances between points, computed in several ways and timed.
#include "engine/playground/distances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/devices/device.h"

enum { SMALLEST = 8, K = DISTANCE_NUMBERS, TRIES = 3 };

typedef struct Work {
    float *points;   // (n,K)
    float *norms;    // (n)
    float *expected; // (n,n), by the loop
    float *found;    // (n,n)
    int n;
    Device *devices[DISTANCE_WAYS]; // NULL: it is not there; the loop needs none
    float *memory[DISTANCE_WAYS];   // of that device
} Work;

// One number after the other: a compiler that knows how may not take several at once.
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("no-tree-vectorize")))
#endif
static float
distance(const float *x, const float *z) {
    float sum = 0.0F;
#ifdef __clang__
#pragma clang loop vectorize(disable) interleave(disable)
#endif
    for (int c = 0; c < K; c++) {
        float difference = x[c] - z[c];
        sum += difference * difference;
    }
    return sum;
}

static bool by_loop(Work *work, Progress *progress, Error *err) {
    enum { PIECE = 128 }; // rows, of which all take some milliseconds
    const size_t n = (size_t)work->n;
    for (size_t i = 0; i < n; i++) {
        if (i % PIECE == PIECE - 1 && !progress_at(progress, i, n, err)) {
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            work->expected[i * n + k] = distance(work->points + i * K, work->points + k * K);
        }
    }
    return true;
}

// On a device's memory: the points, one product of all pairs, and its result back.
static bool by_product(Work *work, Device *device, float *memory, Error *err) {
    const Backend *backend = device->backend;
    const size_t n = (size_t)work->n;
    const Array x = array_of(memory);
    const Array norms = array_at(x, n * K);
    const Array y = array_at(norms, n);
    const Product product = {.M = work->n,
                             .N = work->n,
                             .K = K,
                             .transpose_b = true,
                             .stride_a = K,
                             .stride_b = K,
                             .stride_y = work->n,
                             .outer = 1,
                             .inner = 1,
                             .scale = -2.0F};
    for (size_t i = 0; i < n; i++) {
        float sum = 0.0F;
        for (size_t c = 0; c < K; c++) {
            sum += work->points[i * K + c] * work->points[i * K + c];
        }
        work->norms[i] = sum;
    }
    backend->write(device, memory, work->points, n * K * sizeof(float));
    backend->write(device, memory + n * K, work->norms, n * sizeof(float));
    backend->product(device, &product, y, x, x, norms);
    if (!device_read(device, work->found, memory + n * K + n, n * n * sizeof(float), err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            work->found[i * n + k] += work->norms[i];
        }
    }
    return true;
}

static double largest_difference(const Work *work) {
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)work->n * (size_t)work->n; i++) {
        largest = fmax(largest, fabs((double)work->expected[i] - (double)work->found[i]));
    }
    return largest;
}

// Of small whole numbers, the same in every run.
static void choose_points(Work *work) {
    for (int i = 0; i < work->n * K; i++) {
        work->points[i] = (float)((i * 37 + i / K * 11) % 9 - 4);
    }
}

// A way at one size; the best of a few tries, as what else runs only makes it slower.
static bool measure_way(Distances *distances, DistanceWay way, int i, Work *work,
                        Progress *progress, Error *err) {
    Device *device = work->devices[way];
    double best = INFINITY;
    bool ok = true;
    for (int k = 0; ok && k < TRIES; k++) {
        const double start = clock_seconds();
        ok = way == DISTANCE_LOOP ? by_loop(work, progress, err)
                                  : by_product(work, device, work->memory[way], err);
        best = fmin(best, clock_seconds() - start);
    }
    distances->seconds[way][i] = best;
    if (ok && way != DISTANCE_LOOP) {
        distances->difference = fmax(distances->difference, largest_difference(work));
    }
    return ok;
}

// What is not there is left out.
static void open_ways(Distances *distances, Work *work) {
    const size_t n = (size_t)distances->sizes[DISTANCE_SIZES - 1];
    for (int way = DISTANCE_PRODUCT; way < DISTANCE_WAYS; way++) {
        bool is_one = way == DISTANCE_PRODUCT || way == DISTANCE_BLAS;
        bool is_blas = way == DISTANCE_BLAS || way == DISTANCE_BLAS_ALL;
        Device *device =
            device_open(way == DISTANCE_GPU ? "cuda" : "cpu", is_one ? 1 : 0, NULL, NULL);
        work->devices[way] = device;
        if (device != NULL && (!is_blas || device_use_blas(device))) {
            work->memory[way] = device->backend->allocate(device, n * (K + 1 + n) * sizeof(float));
        }
        distances->is_there[way] = work->memory[way] != NULL;
    }
}

static void close_ways(Work *work) {
    for (int way = DISTANCE_PRODUCT; way < DISTANCE_WAYS; way++) {
        Device *device = work->devices[way];
        if (device != NULL) {
            device->backend->free(device, work->memory[way]);
        }
        device_close(device);
    }
}

static bool measure_all(Distances *distances, Work *work, Progress *progress, Error *err) {
    bool ok = true;
    open_ways(distances, work);
    for (int i = 0; ok && i < DISTANCE_SIZES; i++) {
        work->n = distances->sizes[i];
        choose_points(work);
        progress_piece(progress, (size_t)i, DISTANCE_SIZES);
        ok = measure_way(distances, DISTANCE_LOOP, i, work, progress, err);
        for (int way = DISTANCE_PRODUCT; ok && way < DISTANCE_WAYS; way++) {
            ok = progress_at(progress, (size_t)way, DISTANCE_WAYS, err) &&
                 (!distances->is_there[way] ||
                  measure_way(distances, (DistanceWay)way, i, work, progress, err));
        }
    }
    progress_piece(progress, 0, 0);
    close_ways(work);
    distances->is_there[DISTANCE_LOOP] = ok;
    return ok;
}

bool distances_measure(Distances *distances, Progress *progress, Error *err) {
    *distances = (Distances){.difference = 0.0};
    for (int i = 0; i < DISTANCE_SIZES; i++) {
        distances->sizes[i] = SMALLEST << i;
    }
    const size_t n = (size_t)distances->sizes[DISTANCE_SIZES - 1];
    float *numbers = calloc(n * (K + 1 + 2 * n), sizeof *numbers);
    if (numbers == NULL) {
        return error_set(err, "out of memory");
    }
    Work work = {.points = numbers,
                 .norms = numbers + n * K,
                 .expected = numbers + n * (K + 1),
                 .found = numbers + n * (K + 1 + n)};
    bool ok = measure_all(distances, &work, progress, err);
    free(numbers);
    return ok;
}

int distances_overtaken(const Distances *distances, DistanceWay way) {
    int before = (int)way - 1;
    while (before >= 0 && !distances->is_there[before]) {
        before--;
    }
    int from = 0;
    for (int i = DISTANCE_SIZES - 1; before >= 0 && distances->is_there[way] && i >= 0; i--) {
        if (distances->seconds[way][i] >= distances->seconds[before][i]) {
            break;
        }
        from = distances->sizes[i];
    }
    return from;
}

bool distances_find(const Distances *distances, const char *name, double *value, Error *err) {
    if (!distances->is_there[DISTANCE_LOOP]) {
        return error_set(err,
                         "distances(%s): nothing was measured: expected the command "
                         "`distances` before",
                         name);
    }
    if (strcmp(name, "difference") == 0) {
        *value = distances->difference;
        return true;
    }
    if (strcmp(name, "points") == 0) {
        *value = distances->sizes[DISTANCE_SIZES - 1];
        return true;
    }
    *value = DISTANCE_NUMBERS;
    return strcmp(name, "numbers") == 0 ||
           error_set(err, "distances(%s): expected difference, points or numbers", name);
}
