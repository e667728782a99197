// cpu_simd_thin.c - inner loops of products with few rows, which wait for memory: b is read once,
// in the order it is stored.
#include "kernels/cpu_simd.h"
#include "kernels/cpu_simd_vector.h"

// Rows of b that are summed before their sum goes to y: so many streams the hardware follows.
enum { TERMS = 8 };

INLINE void add_terms(const ProductTile *t, int row, int k, const int terms) {
    const float *a = t->a + row * t->row_a + k * t->step_a;
    const float *b = t->b + k * t->step_b;
    float *y = t->y + row * t->stride_y;
    vec factors[TERMS];
    UNROLL
    for (int i = 0; i < terms; i++) {
        factors[i] = vec_all(a[i * t->step_a]);
    }
    for (int j = 0; j < t->columns; j += LANES) {
        vec sum = factors[0] * vec_load_row(b, j, t->columns);
        UNROLL
        for (int i = 1; i < terms; i++) {
            sum = vec_fma(factors[i], vec_load_row(b + i * t->step_b, j, t->columns), sum);
        }
        if (k > 0) {
            sum += vec_load_row(y, j, t->columns);
        }
        vec_store_row(y, sum, j, t->columns);
    }
}

static void finish(const ProductTile *t, int row) {
    float *y = t->y + row * t->stride_y;
    const vec scale = vec_all(t->scale);
    for (int j = 0; j < t->columns; j += LANES) {
        const vec sum = t->K > 0 ? vec_load_row(y, j, t->columns) : vec_zero();
        const vec bias = t->bias != NULL ? vec_load_row(t->bias, j, t->columns) : vec_zero();
        vec_store_row(y, vec_fma(sum, scale, bias), j, t->columns);
    }
}

void SIMD_NAME(cpu_simd_product_thin)(const ProductTile *t) {
    int k = 0;
    for (; k + TERMS <= t->K; k += TERMS) {
        for (int row = 0; row < t->rows; row++) {
            add_terms(t, row, k, TERMS);
        }
    }
    for (; k < t->K; k++) {
        for (int row = 0; row < t->rows; row++) {
            add_terms(t, row, k, 1);
        }
    }
    if (t->bias != NULL || t->scale != 1 || t->K == 0) {
        for (int row = 0; row < t->rows; row++) {
            finish(t, row);
        }
    }
}

// Dot products of one row of a with several rows of b.
INLINE void dots(float *y, const float *a, const float *b, size_t stride, int K, const int n) {
    vec sums[4] = {vec_zero(), vec_zero(), vec_zero(), vec_zero()};
    int k = 0;
    for (; k + LANES <= K; k += LANES) {
        const vec x = vec_load(a + k);
        UNROLL
        for (int i = 0; i < n; i++) {
            sums[i] = vec_fma(x, vec_load(b + i * stride + k), sums[i]);
        }
    }
    if (k < K) {
        const vec x = vec_load_part(a + k, K - k);
        UNROLL
        for (int i = 0; i < n; i++) {
            sums[i] = vec_fma(x, vec_load_part(b + i * stride + k, K - k), sums[i]);
        }
    }
    UNROLL
    for (int i = 0; i < n; i++) {
        y[i] = vec_sum(sums[i]);
    }
}

INLINE void dots_of_rows(const ProductTile *t, int j, const int n) {
    for (int row = 0; row < t->rows; row++) {
        float sums[4];
        dots(sums, t->a + row * t->row_a, t->b + j * t->step_b, t->step_b, t->K, n);
        for (int i = 0; i < n; i++) {
            const float bias = t->bias != NULL ? t->bias[j + i] : 0;
            t->y[row * t->stride_y + j + i] = t->scale * sums[i] + bias;
        }
    }
}

void SIMD_NAME(cpu_simd_product_thin_transposed)(const ProductTile *t) {
    int j = 0;
    for (; j + 4 <= t->columns; j += 4) {
        dots_of_rows(t, j, 4);
    }
    for (; j < t->columns; j++) {
        dots_of_rows(t, j, 1);
    }
}

void SIMD_NAME(cpu_simd_fill_thin)(CpuSimd *simd) {
    simd->product_thin = SIMD_NAME(cpu_simd_product_thin);
    simd->product_thin_transposed = SIMD_NAME(cpu_simd_product_thin_transposed);
}
