// cpu_simd_softmax.c - inner loops over rows of scores: softmax, its logarithm, cross-entropy.
#include "kernels/cpu_simd.h"
#include "kernels/cpu_simd_vector.h"

// Vectors whose sum is closed before the next: long sums of floats lose less in two steps.
enum { SUM_BLOCK = 32 * LANES };

INLINE float row_max(const float *x, int n) {
    const vec lowest = vec_all(-INFINITY);
    vec max = lowest;
    for (int i = 0; i < n; i += LANES) {
        max = vec_max(max, vec_load_row_over(lowest, x, i, n));
    }
    return vec_greatest(max);
}

INLINE int block_end(int first, int n) {
    return n - first > SUM_BLOCK ? first + SUM_BLOCK : n;
}

// Sum of exp(x - max), the terms kept in y unless it is NULL.
INLINE float row_exp(float *y, const float *x, int n, float max) {
    const vec lowest = vec_all(-INFINITY);
    const vec m = vec_all(max);
    vec total = vec_zero();
    for (int first = 0; first < n; first += SUM_BLOCK) {
        vec sum = vec_zero();
        for (int i = first; i < block_end(first, n); i += LANES) {
            const vec e = vec_exp(vec_load_row_over(lowest, x, i, n) - m);
            sum += e;
            if (y != NULL) {
                vec_store_row(y, e, i, n);
            }
        }
        total += sum;
    }
    return vec_sum(total);
}

INLINE void row_scale(float *y, int n, float factor) {
    const vec f = vec_all(factor);
    for (int i = 0; i < n; i += LANES) {
        vec_store_row(y, vec_load_row(y, i, n) * f, i, n);
    }
}

static void softmax(float *y, const float *x, int rows, int n) {
    for (int r = 0; r < rows; r++, x += n, y += n) {
        const float max = row_max(x, n);
        if (max == -INFINITY) {
            for (int i = 0; i < n; i++) { // a maximum passes over NaN, which must stay seen
                y[i] = x[i] == -INFINITY ? 0 : x[i];
            }
            continue;
        }
        row_scale(y, n, 1 / row_exp(y, x, n, max));
    }
}

INLINE float row_dot(const float *a, const float *b, int n) {
    vec total = vec_zero();
    for (int first = 0; first < n; first += SUM_BLOCK) {
        vec sum = vec_zero();
        for (int i = first; i < block_end(first, n); i += LANES) {
            sum = vec_fma(vec_load_row(a, i, n), vec_load_row(b, i, n), sum);
        }
        total += sum;
    }
    return vec_sum(total);
}

INLINE float row_sum(const float *x, int n) {
    vec total = vec_zero();
    for (int first = 0; first < n; first += SUM_BLOCK) {
        vec sum = vec_zero();
        for (int i = first; i < block_end(first, n); i += LANES) {
            sum += vec_load_row(x, i, n);
        }
        total += sum;
    }
    return vec_sum(total);
}

static void softmax_grad(float *dx, const float *dy, const float *y, int rows, int n) {
    for (int r = 0; r < rows; r++, dx += n, dy += n, y += n) {
        const vec dot = vec_all(row_dot(y, dy, n));
        for (int i = 0; i < n; i += LANES) {
            const vec p = vec_load_row(y, i, n);
            vec_store_row(dx, p * (vec_load_row(dy, i, n) - dot), i, n);
        }
    }
}

static void row_max_and_lse(float *statistics, const float *x, int rows, int n) {
    for (int r = 0; r < rows; r++, x += n, statistics += 2) {
        const float max = row_max(x, n);
        statistics[0] = max;
        statistics[1] = max == -INFINITY ? 0 : (float)log((double)row_exp(NULL, x, n, max));
    }
}

static void log_softmax(float *y, const float *x, int rows, int n) {
    for (int r = 0; r < rows; r++, x += n, y += n) {
        float statistics[2];
        row_max_and_lse(statistics, x, 1, n);
        const bool empty = statistics[0] == -INFINITY;
        const vec max = vec_all(empty ? 0 : statistics[0]);
        const vec lse = vec_all(statistics[1]);
        for (int i = 0; i < n; i += LANES) {
            vec_store_row(y, vec_load_row(x, i, n) - max - lse, i, n);
        }
    }
}

static void log_softmax_grad(float *dx, const float *dy, const float *y, int rows, int n) {
    for (int r = 0; r < rows; r++, dx += n, dy += n, y += n) {
        const vec sum = vec_all(row_sum(dy, n));
        for (int i = 0; i < n; i += LANES) {
            const vec p = vec_exp(vec_load_row(y, i, n));
            vec_store_row(dx, vec_load_row(dy, i, n) - p * sum, i, n);
        }
    }
}

static void cross_entropy_grad(float *y, const float *x, const float *statistics, int n,
                               float share, float factor) {
    const vec max = vec_all(statistics[0]);
    const vec lse = vec_all(statistics[1]);
    const vec f = vec_all(factor);
    const vec s = vec_all(share);
    for (int i = 0; i < n; i += LANES) {
        const vec p = vec_exp(vec_load_row(x, i, n) - max - lse);
        vec_store_row(y, f * (p - s), i, n);
    }
}

static double sum_of(const float *x, int n) {
    double sum = 0;
    for (int first = 0; first < n; first += SUM_BLOCK) {
        sum += (double)row_sum(x + first, block_end(first, n) - first);
    }
    return sum;
}

void SIMD_NAME(cpu_simd_fill_softmax)(CpuSimd *simd) {
    simd->softmax = softmax;
    simd->softmax_grad = softmax_grad;
    simd->log_softmax = log_softmax;
    simd->log_softmax_grad = log_softmax_grad;
    simd->row_max_and_lse = row_max_and_lse;
    simd->cross_entropy_grad = cross_entropy_grad;
    simd->sum_of = sum_of;
}
