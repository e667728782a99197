// cpu_simd_vector.h - one vector type with the same few operations for each instruction set.
//
// Included by kernels/cpu_simd*.c alone, which are compiled once for each set. vec holds LANES
// floats; + - * / work on it. *_part takes the first n lanes, 0 <= n <= LANES: what lies behind
// them is neither read nor written, and reads as 0 (vec_load_part_over: as the lane of `rest`).
#ifndef KERNELS_CPU_SIMD_VECTOR_H
#define KERNELS_CPU_SIMD_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline, unused))

// Before a loop whose count is a constant once its function is inlined: arrays that it indexes can
// then live in registers.
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(__AVX512F__)
#include <immintrin.h>
enum { LANES = 16 };
typedef __m512 vec;

INLINE vec vec_load(const float *p) {
    return _mm512_loadu_ps(p);
}
INLINE void vec_store(float *p, vec x) {
    _mm512_storeu_ps(p, x);
}
INLINE vec vec_load_part(const float *p, int n) {
    return _mm512_maskz_loadu_ps((__mmask16)((1U << n) - 1), p);
}
INLINE vec vec_load_part_over(vec rest, const float *p, int n) {
    return _mm512_mask_loadu_ps(rest, (__mmask16)((1U << n) - 1), p);
}
INLINE void vec_store_part(float *p, vec x, int n) {
    _mm512_mask_storeu_ps(p, (__mmask16)((1U << n) - 1), x);
}
INLINE vec vec_all(float x) {
    return _mm512_set1_ps(x);
}
INLINE vec vec_fma(vec a, vec b, vec c) {
    return _mm512_fmadd_ps(a, b, c);
}
// The second where either is not a number.
INLINE vec vec_max(vec a, vec b) {
    return _mm512_max_ps(a, b);
}
INLINE vec vec_sqrt(vec x) {
    return _mm512_sqrt_ps(x);
}
INLINE vec vec_where_below(vec x, vec limit, vec yes, vec no) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, limit, _CMP_LT_OQ), no, yes);
}
INLINE vec vec_add_exponent(vec x, vec shifted) {
    const __m512i bits = _mm512_slli_epi32(_mm512_castps_si512(shifted), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(x), bits));
}
INLINE float vec_sum(vec x) {
    return _mm512_reduce_add_ps(x);
}
INLINE float vec_greatest(vec x) {
    return _mm512_reduce_max_ps(x);
}

#elif defined(__AVX2__)
#include <immintrin.h>
enum { LANES = 8 };
typedef __m256 vec;

static const int32_t VEC_PART_MASK[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

INLINE __m256i vec_part_mask(int n) {
    return _mm256_loadu_si256((const __m256i *)(const void *)(VEC_PART_MASK + 8 - n));
}
INLINE vec vec_load(const float *p) {
    return _mm256_loadu_ps(p);
}
INLINE void vec_store(float *p, vec x) {
    _mm256_storeu_ps(p, x);
}
INLINE vec vec_load_part(const float *p, int n) {
    return _mm256_maskload_ps(p, vec_part_mask(n));
}
INLINE vec vec_load_part_over(vec rest, const float *p, int n) {
    const __m256i mask = vec_part_mask(n);
    return _mm256_blendv_ps(rest, _mm256_maskload_ps(p, mask), _mm256_castsi256_ps(mask));
}
INLINE void vec_store_part(float *p, vec x, int n) {
    _mm256_maskstore_ps(p, vec_part_mask(n), x);
}
INLINE vec vec_all(float x) {
    return _mm256_set1_ps(x);
}
INLINE vec vec_fma(vec a, vec b, vec c) {
    return _mm256_fmadd_ps(a, b, c);
}
INLINE vec vec_max(vec a, vec b) {
    return _mm256_max_ps(a, b);
}
INLINE vec vec_sqrt(vec x) {
    return _mm256_sqrt_ps(x);
}
INLINE vec vec_where_below(vec x, vec limit, vec yes, vec no) {
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(x, limit, _CMP_LT_OQ));
}
INLINE vec vec_add_exponent(vec x, vec shifted) {
    const __m256i bits = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), bits));
}
INLINE float vec_sum(vec x) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
INLINE float vec_greatest(vec x) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

#else
enum { LANES = 4 };
typedef float vec __attribute__((vector_size(16)));
typedef int32_t ivec __attribute__((vector_size(16)));
typedef uint32_t uvec __attribute__((vector_size(16)));

INLINE vec vec_load(const float *p) {
    vec x;
    memcpy(&x, p, sizeof x);
    return x;
}
INLINE void vec_store(float *p, vec x) {
    memcpy(p, &x, sizeof x);
}
INLINE vec vec_load_part(const float *p, int n) {
    vec x = {0};
    for (int i = 0; i < n; i++) {
        x[i] = p[i];
    }
    return x;
}
INLINE vec vec_load_part_over(vec rest, const float *p, int n) {
    for (int i = 0; i < n; i++) {
        rest[i] = p[i];
    }
    return rest;
}
INLINE void vec_store_part(float *p, vec x, int n) {
    for (int i = 0; i < n; i++) {
        p[i] = x[i];
    }
}
INLINE vec vec_all(float x) {
    return (vec){x, x, x, x};
}
INLINE vec vec_fma(vec a, vec b, vec c) {
    return a * b + c;
}
INLINE vec vec_where_below(vec x, vec limit, vec yes, vec no) {
    const ivec below = x < limit;
    return (vec)(((ivec)yes & below) | ((ivec)no & ~below));
}
INLINE vec vec_max(vec a, vec b) {
    return vec_where_below(b, a, a, b);
}
INLINE vec vec_sqrt(vec x) {
    return (vec){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
}
INLINE vec vec_add_exponent(vec x, vec shifted) {
    return (vec)((uvec)x + ((uvec)shifted << 23));
}
INLINE float vec_sum(vec x) {
    return (x[0] + x[2]) + (x[1] + x[3]);
}
INLINE float vec_greatest(vec x) {
    const float a = x[0] > x[1] ? x[0] : x[1];
    const float b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
}
#endif

INLINE vec vec_zero(void) {
    return vec_all(0);
}

// LANES elements from the i-th of a row of n, fewer at its end.
INLINE vec vec_load_row(const float *row, int i, int n) {
    return i + LANES <= n ? vec_load(row + i) : vec_load_part(row + i, n - i);
}
INLINE vec vec_load_row_over(vec rest, const float *row, int i, int n) {
    return i + LANES <= n ? vec_load(row + i) : vec_load_part_over(rest, row + i, n - i);
}
INLINE void vec_store_row(float *row, vec x, int i, int n) {
    if (i + LANES <= n) {
        vec_store(row + i, x);
    } else {
        vec_store_part(row + i, x, n - i);
    }
}

// exp within 1.5 units in the last place; 0 below -87.3, -inf included; not a number stays so.
// x = n ln 2 + r, |r| <= ln 2 / 2: a polynomial for exp(r) (fitted at Chebyshev's points, relative
// error 1e-8), n added to its exponent. Adding 1.5 * 2^23 rounds x / ln 2 to n and leaves n in the
// low bits.
INLINE vec vec_exp(vec x) {
    const vec lowest = vec_all(-87.3365F);
    const vec highest = vec_all(88.7228F);
    const vec magic = vec_all(12582912.0F);
    const vec shifted = vec_fma(x, vec_all(1.44269504F), magic);
    const vec n = shifted - magic;
    vec r = vec_fma(n, vec_all(-0.693145751953125F), x);
    r = vec_fma(n, vec_all(-1.42860677e-6F), r);
    vec p = vec_all(0x1.6d4366p-10F);
    p = vec_fma(p, r, vec_all(0x1.120ba6p-7F));
    p = vec_fma(p, r, vec_all(0x1.5554e8p-5F));
    p = vec_fma(p, r, vec_all(0x1.5554dcp-3F));
    p = vec_fma(p, r, vec_all(0.5F));
    p = vec_fma(p * r, r, r) + vec_all(1);
    p = vec_add_exponent(p, shifted);
    p = vec_where_below(highest, x, vec_all(INFINITY), p);
    return vec_where_below(x, lowest, vec_zero(), p);
}

#endif
