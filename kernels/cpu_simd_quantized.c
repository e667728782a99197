// cpu_simd_quantized.c - inner loops of products with weights in fewer bits: y = x Wᵀ + b.
//
// W (N,K) is read once, in the order it is stored, and widened on the way; sums are float32. Each
// row of x is summed in the same order however many rows there are.
#include "kernels/cpu_simd.h"
#include "kernels/cpu_simd_vector.h"

#if defined(__AVX512F__)
INLINE vec vec_load_int8(const int8_t *p) {
    return _mm512_cvtepi32_ps(
        _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}
INLINE vec vec_load_bf16(const uint16_t *p) {
    const __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
#elif defined(__AVX2__)
INLINE vec vec_load_int8(const int8_t *p) {
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)));
}
INLINE vec vec_load_bf16(const uint16_t *p) {
    const __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)p);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
#else
INLINE vec vec_load_int8(const int8_t *p) {
    return (vec){p[0], p[1], p[2], p[3]};
}
INLINE vec vec_load_bf16(const uint16_t *p) {
    uvec bits = {p[0], p[1], p[2], p[3]};
    return (vec)(bits << 16);
}
#endif

// The sums of four vectors, and the bias that is added, or NULL.
#if defined(__AVX2__)
INLINE __m256 half_sum(vec x) {
#if defined(__AVX512F__)
    return _mm256_add_ps(_mm512_castps512_ps256(x),
                         _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1)));
#else
    return x;
#endif
}
INLINE void vec_sum_four(float *y, const vec *x, const float *bias) {
    const __m256 pairs = _mm256_hadd_ps(_mm256_hadd_ps(half_sum(x[0]), half_sum(x[1])),
                                        _mm256_hadd_ps(half_sum(x[2]), half_sum(x[3])));
    const __m128 sums = _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
    _mm_storeu_ps(y, bias != NULL ? _mm_add_ps(sums, _mm_loadu_ps(bias)) : sums);
}
#else
INLINE void vec_sum_four(float *y, const vec *x, const float *bias) {
    for (int i = 0; i < 4; i++) {
        y[i] = vec_sum(x[i]) + (bias != NULL ? bias[i] : 0);
    }
}
#endif

// Outputs that are summed side by side: so many streams of memory the hardware follows.
enum { SIDE_BY_SIDE = 4 };

// Asks memory for what the next n outputs read at this place: a row is too short for the hardware
// to see in time where it goes on. Asking for what lies behind the matrix does no harm.
INLINE void fetch_ahead(const void *from, size_t row_bytes, const int n) {
#pragma GCC unroll 4
    for (int i = n; i < 2 * n; i++) {
        __builtin_prefetch((const char *)from + i * row_bytes);
    }
}

INLINE void add_vector(vec *parts, vec numbers, const int8_t *values, size_t stride, const int n) {
#pragma GCC unroll 4
    for (int i = 0; i < n; i++) {
        parts[i] = vec_fma(numbers, vec_load_int8(values + (size_t)i * stride), parts[i]);
    }
}

// One group's part of n sums: x times the weights as integers. `whole`: none of it is past K.
INLINE void add_group(vec *sums, const QuantizedTile *t, const float *x, size_t at, int k,
                      const int n, const bool whole) {
    const QuantizedMatrix *w = t->matrix;
    const int8_t *values = (const int8_t *)w->values + at + k;
    const int left = w->K - k;
    const int end = whole ? QUANTIZED_GROUP : left / LANES * LANES;
    vec parts[SIDE_BY_SIDE] = {vec_zero(), vec_zero(), vec_zero(), vec_zero()};
    fetch_ahead(values, (size_t)w->stride, n);
    for (int j = 0; j < end; j += LANES) {
        add_vector(parts, vec_load(x + k + j), values + j, (size_t)w->stride, n);
    }
    if (!whole && end < left) {
        add_vector(parts, vec_load_part(x + k + end, left - end), values + end, (size_t)w->stride,
                   n);
    }
    const float *scales = w->scales + (at + k) / QUANTIZED_GROUP;
    const size_t step = (size_t)w->stride / QUANTIZED_GROUP;
#pragma GCC unroll 4
    for (int i = 0; i < n; i++) {
        sums[i] = vec_fma(parts[i], vec_all(scales[i * step]), sums[i]);
    }
}

INLINE void sum_int8(vec *sums, const QuantizedTile *t, const float *x, size_t at, const int n) {
    int k = 0;
    for (; k + QUANTIZED_GROUP <= t->matrix->K; k += QUANTIZED_GROUP) {
        add_group(sums, t, x, at, k, n, true);
    }
    if (k < t->matrix->K) {
        add_group(sums, t, x, at, k, n, false);
    }
}

INLINE void sum_bf16(vec *sums, const QuantizedTile *t, const float *x, size_t at, const int n) {
    const QuantizedMatrix *w = t->matrix;
    const uint16_t *values = (const uint16_t *)w->values + at;
    for (int k = 0; k < w->K; k += LANES) {
        const vec numbers = vec_load_row(x, k, w->K);
        fetch_ahead(values + k, w->stride * sizeof *values, n);
#pragma GCC unroll 4
        for (int i = 0; i < n; i++) {
            sums[i] = vec_fma(numbers, vec_load_bf16(values + (size_t)i * w->stride + k), sums[i]);
        }
    }
}

INLINE void sum_float(vec *sums, const QuantizedTile *t, const float *x, size_t at, const int n) {
    const QuantizedMatrix *w = t->matrix;
    const float *values = (const float *)w->values + at;
    for (int k = 0; k < w->K; k += LANES) {
        const vec numbers = vec_load_row(x, k, w->K);
        fetch_ahead(values + k, w->stride * sizeof *values, n);
#pragma GCC unroll 4
        for (int i = 0; i < n; i++) {
            sums[i] = vec_fma(numbers, vec_load(values + (size_t)i * w->stride + k), sums[i]);
        }
    }
}

// n outputs from the j-th on, for every row of x.
INLINE void outputs(const QuantizedTile *t, int j, const WeightFormat format, const int n) {
    const size_t at = (size_t)(t->first + j) * t->matrix->stride;
    for (int row = 0; row < t->rows; row++) {
        const float *x = t->x + (size_t)row * t->matrix->K;
        vec sums[SIDE_BY_SIDE] = {vec_zero(), vec_zero(), vec_zero(), vec_zero()};
        if (format == WEIGHT_INT8) {
            sum_int8(sums, t, x, at, n);
        } else if (format == WEIGHT_BF16) {
            sum_bf16(sums, t, x, at, n);
        } else {
            sum_float(sums, t, x, at, n);
        }
        float *y = t->y + row * t->stride_y + j;
        if (n == SIDE_BY_SIDE) {
            vec_sum_four(y, sums, t->bias != NULL ? t->bias + j : NULL);
        } else {
            y[0] = vec_sum(sums[0]) + (t->bias != NULL ? t->bias[j] : 0);
        }
    }
}

INLINE void all_outputs(const QuantizedTile *t, const WeightFormat format) {
    int j = 0;
    for (; j + SIDE_BY_SIDE <= t->outputs; j += SIDE_BY_SIDE) {
        outputs(t, j, format, SIDE_BY_SIDE);
    }
    for (; j < t->outputs; j++) {
        outputs(t, j, format, 1);
    }
}

static void product_quantized(const QuantizedTile *tile) {
    const QuantizedMatrix matrix = *tile->matrix; // no store to y can change these copies, so that
    QuantizedTile t = *tile;                      // they stay in registers
    t.matrix = &matrix;
    switch (matrix.format) {
    case WEIGHT_INT8:
        all_outputs(&t, WEIGHT_INT8);
        return;
    case WEIGHT_BF16:
        all_outputs(&t, WEIGHT_BF16);
        return;
    case WEIGHT_F32:
        all_outputs(&t, WEIGHT_F32);
        return;
    }
}

void SIMD_NAME(cpu_simd_fill_quantized)(CpuSimd *simd) {
    simd->product_quantized = product_quantized;
}
