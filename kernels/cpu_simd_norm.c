// cpu_simd_norm.c - inner loops of layer norm and of sums over rows.
#include "kernels/cpu_simd.h"
#include "kernels/cpu_simd_vector.h"

INLINE float row_mean(const float *x, int C) {
    vec sum0 = vec_zero();
    vec sum1 = vec_zero();
    int c = 0;
    for (; c + 2 * LANES <= C; c += 2 * LANES) {
        sum0 += vec_load(x + c);
        sum1 += vec_load(x + c + LANES);
    }
    for (; c < C; c += LANES) {
        sum0 += vec_load_row(x, c, C);
    }
    return vec_sum(sum0 + sum1) / (float)C;
}

INLINE float square_deviations(const float *x, int C, float mean) {
    const vec m = vec_all(mean);
    vec sum0 = vec_zero();
    vec sum1 = vec_zero();
    int c = 0;
    for (; c + 2 * LANES <= C; c += 2 * LANES) {
        const vec d0 = vec_load(x + c) - m;
        const vec d1 = vec_load(x + c + LANES) - m;
        sum0 = vec_fma(d0, d0, sum0);
        sum1 = vec_fma(d1, d1, sum1);
    }
    for (; c < C; c += LANES) {
        const int n = C - c < LANES ? C - c : LANES;
        const vec d = vec_load_part_over(m, x + c, n) - m;
        sum0 = vec_fma(d, d, sum0);
    }
    return vec_sum(sum0 + sum1);
}

INLINE float sample_deviation(float squares, int C) {
    return sqrtf(squares / (float)(C > 1 ? C - 1 : 1));
}

static void layer_norm(float *y, float *statistics, const float *x, const float *weight,
                       const float *bias, int rows, int C, float eps, NormKind kind) {
    for (int r = 0; r < rows; r++, x += C, y += C, statistics += 2) {
        const float mean = row_mean(x, C);
        const float squares = square_deviations(x, C, mean);
        const float inverse = kind == NORM_STANDARD ? 1 / sqrtf(squares / (float)C + eps)
                                                    : 1 / (sample_deviation(squares, C) + eps);
        statistics[0] = mean;
        statistics[1] = inverse;
        const vec m = vec_all(mean);
        const vec s = vec_all(inverse);
        for (int c = 0; c < C; c += LANES) {
            const vec n = (vec_load_row(x, c, C) - m) * s;
            vec_store_row(y, vec_fma(vec_load_row(weight, c, C), n, vec_load_row(bias, c, C)), c,
                          C);
        }
    }
}

// With g = dy * weight and n = (x - mean) / deviation: dx = (g - mean(g) - n * slope), slope =
// mean(g n) for the standard form; the annotated one divides by C - 1 and by the deviation without
// eps once.
static void layer_norm_grad(float *dx, const float *dy, const float *x, const float *weight,
                            const float *statistics, int rows, int C, NormKind kind) {
    for (int r = 0; r < rows; r++, x += C, dy += C, dx += C, statistics += 2) {
        const float inverse = statistics[1];
        const vec m = vec_all(statistics[0]);
        vec sum = vec_zero();
        vec dot = vec_zero();
        for (int c = 0; c < C; c += LANES) {
            const vec g = vec_load_row(dy, c, C) * vec_load_row(weight, c, C);
            sum += g;
            dot = vec_fma(g, vec_load_row(x, c, C) - m, dot);
        }
        float slope = inverse * inverse / (float)C;
        if (kind == NORM_ANNOTATED) {
            const float deviation = sample_deviation(square_deviations(x, C, statistics[0]), C);
            slope = deviation > 0 ? inverse / ((float)(C > 1 ? C - 1 : 1) * deviation) : 0;
        }
        const vec shift = vec_all(vec_sum(sum) / (float)C);
        const vec pull = vec_all(vec_sum(dot) * slope);
        const vec s = vec_all(inverse);
        for (int c = 0; c < C; c += LANES) {
            const vec g = vec_load_row(dy, c, C) * vec_load_row(weight, c, C);
            const vec n = vec_load_row(x, c, C) - m;
            vec_store_row(dx, s * (g - shift - n * pull), c, C);
        }
    }
}

// Rows whose sum is closed before the next: long sums of floats lose less in two steps. Vectors of
// a row that are read one after the other: whole cache lines, which the hardware fetches ahead.
enum { ROW_BLOCK = 64, WIDE = 4 };

// Sums of one factor, or of the product of two, over rows first.. end, for `vectors` vectors of
// columns from c on; statistics NULL: of x alone.
INLINE void add_rows_to(vec *total, const float *x, const float *dy, const float *statistics,
                        int first, int end, int c, int n, size_t stride, const int vectors) {
    vec sum[WIDE] = {vec_zero(), vec_zero(), vec_zero(), vec_zero()};
    for (int r = first; r < end; r++) {
        UNROLL
        for (int j = 0; j < vectors; j++) {
            const vec value = vec_load_row(x + r * stride, c + j * LANES, n);
            if (statistics == NULL) {
                sum[j] += value;
            } else {
                const vec mean = vec_all(statistics[2 * (size_t)r]);
                const vec inverse = vec_all(statistics[2 * (size_t)r + 1]);
                const vec gradient = vec_load_row(dy + r * stride, c + j * LANES, n);
                sum[j] = vec_fma(gradient, (value - mean) * inverse, sum[j]);
            }
        }
    }
    UNROLL
    for (int j = 0; j < vectors; j++) {
        total[j] += sum[j];
    }
}

INLINE void sum_columns(float *y, const float *x, const float *dy, const float *statistics,
                        int rows, int c, int n, size_t stride, const int vectors) {
    vec total[WIDE] = {vec_zero(), vec_zero(), vec_zero(), vec_zero()};
    for (int first = 0; first < rows; first += ROW_BLOCK) {
        const int end = rows - first < ROW_BLOCK ? rows : first + ROW_BLOCK;
        add_rows_to(total, x, dy, statistics, first, end, c, n, stride, vectors);
    }
    UNROLL
    for (int j = 0; j < vectors; j++) {
        vec_store_row(y, total[j], c + j * LANES, n);
    }
}

INLINE void sum_all_columns(float *y, const float *x, const float *dy, const float *statistics,
                            int rows, int n, size_t stride) {
    int c = 0;
    for (; c + WIDE * LANES <= n; c += WIDE * LANES) {
        sum_columns(y, x, dy, statistics, rows, c, n, stride, WIDE);
    }
    for (; c < n; c += LANES) {
        sum_columns(y, x, dy, statistics, rows, c, n, stride, 1);
    }
}

static void sum_rows(float *y, const float *x, int rows, int n, size_t stride) {
    sum_all_columns(y, x, NULL, NULL, rows, n, stride);
}

static void layer_norm_weight_grad(float *dweight, const float *dy, const float *x,
                                   const float *statistics, int rows, int n, size_t stride) {
    sum_all_columns(dweight, x, dy, statistics, rows, n, stride);
}

void SIMD_NAME(cpu_simd_fill_norm)(CpuSimd *simd) {
    simd->layer_norm = layer_norm;
    simd->layer_norm_grad = layer_norm_grad;
    simd->sum_rows = sum_rows;
    simd->layer_norm_weight_grad = layer_norm_weight_grad;
}
