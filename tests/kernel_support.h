// kernel_support.h - runs a kernel on every instruction set and number of threads and compares.
#ifndef TESTS_KERNEL_SUPPORT_H
#define TESTS_KERNEL_SUPPORT_H

#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "kernels/random.h"

// What is tested: run fills n floats; expected says what each of them should be, computed in
// double. With expected NULL only the bits are compared.
typedef struct KernelCase {
    void (*run)(Device *device, const void *context, float *out);
    void (*expected)(const void *context, double *out);
    const void *context;
    size_t n;
    double tolerance; // allowed: tolerance * (1 + |expected|)
} KernelCase;

enum { KERNEL_GUARD = 64, KERNEL_MAX_THREADS = 8 };

// A test's own numbers as what a kernel takes; those that it only reads may be constant.
static inline Array kernel_array(const float *values) {
    Array array = array_none();
    memcpy(&array.data, &values, sizeof values);
    return array;
}

static inline Array kernel_ids(const int32_t *ids) {
    Array array = array_of_ids(NULL);
    memcpy(&array.data, &ids, sizeof ids);
    return array;
}

static inline float *kernel_floats(size_t n) {
    float *x = malloc((n + 1) * sizeof *x);
    assert_non_null(x);
    return x;
}

// Normal-like numbers, a pure function of seed.
static inline float *kernel_draw(size_t n, uint64_t seed, float size) {
    float *x = kernel_floats(n);
    for (size_t i = 0; i < n; i++) {
        float sum = -2;
        for (uint32_t draw = 0; draw < 4; draw++) {
            sum += random_uniform(seed, draw, 0, i);
        }
        x[i] = size * sum;
    }
    return x;
}

static inline float *kernel_poisoned(size_t n) {
    float *x = kernel_floats(n + KERNEL_GUARD);
    for (size_t i = 0; i < n + KERNEL_GUARD; i++) {
        x[i] = -77777.0F;
    }
    return x;
}

static inline void kernel_check_guard(const float *x, size_t n) {
    for (size_t i = n; i < n + KERNEL_GUARD; i++) {
        assert_true(x[i] == -77777.0F);
    }
}

static inline void kernel_check_close(const KernelCase *test, const float *out,
                                      const double *expected, const char *set) {
    for (size_t i = 0; i < test->n; i++) {
        const double want = expected[i];
        const double allowed = test->tolerance * (1 + fabs(want));
        const bool same_infinity = isinf(want) && (double)out[i] == want;
        if (!same_infinity && !(fabs(out[i] - want) <= allowed)) {
            fail_msg("%s: element %zu is %.9g, expected %.9g", set, i, (double)out[i], want);
        }
    }
}

static inline void kernel_check_set(const KernelCase *test, const char *set,
                                    const double *expected) {
    setenv("ATTEND_INSTRUCTION_SET", set, 1);
    float *first = kernel_poisoned(test->n);
    for (int threads = 1; threads <= KERNEL_MAX_THREADS; threads++) {
        if (threads > 4 && threads < KERNEL_MAX_THREADS) {
            continue;
        }
        Device *device = cpu_open(threads);
        assert_non_null(device);
        for (int run = 0; run < 2; run++) {
            float *out = kernel_poisoned(test->n);
            test->run(device, test->context, out);
            kernel_check_guard(out, test->n);
            if (threads == 1 && run == 0) {
                memcpy(first, out, test->n * sizeof *out);
                if (expected != NULL) {
                    kernel_check_close(test, out, expected, set);
                }
            }
            if (memcmp(first, out, test->n * sizeof *out) != 0) {
                fail_msg("%s: %d threads, run %d give other bits", set, threads, run);
            }
            free(out);
        }
        cpu_close(device);
    }
    free(first);
    unsetenv("ATTEND_INSTRUCTION_SET");
}

// Right on each instruction set, the same bits for 1 to 8 threads and when it runs again, nothing
// written behind the output.
static inline void kernel_check(const KernelCase *test) {
    static const char *const SETS[] = {"baseline", "avx2", "avx512"};
    double *expected = NULL;
    if (test->expected != NULL) {
        expected = malloc((test->n + 1) * sizeof *expected);
        assert_non_null(expected);
        test->expected(test->context, expected);
    }
    for (size_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++) {
        kernel_check_set(test, SETS[i], expected);
    }
    free(expected);
}

#endif
