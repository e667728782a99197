// cpu_simd_transpose.h - rows to columns, four by four.
#ifndef KERNELS_CPU_SIMD_TRANSPOSE_H
#define KERNELS_CPU_SIMD_TRANSPOSE_H

#include <stddef.h>

#include "kernels/cpu_simd_vector.h"

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

INLINE void transpose_four(float *to, size_t stride_to, const float *from, size_t stride) {
    const four r0 = *(const four *)from;
    const four r1 = *(const four *)(from + stride);
    const four r2 = *(const four *)(from + 2 * stride);
    const four r3 = *(const four *)(from + 3 * stride);
    const four low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    const four low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    const four high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    const four high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    *(four *)to = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    *(four *)(to + stride_to) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    *(four *)(to + 2 * stride_to) = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    *(four *)(to + 3 * stride_to) = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

// Columns first.. end of rows in fours, the rest one by one.
INLINE void transpose_columns(float *to, size_t stride_to, const float *from, size_t stride_from,
                              int rows, int first, int end) {
    int r = 0;
    for (; r + 4 <= rows; r += 4) {
        const float *row = from + (size_t)r * stride_from;
        int c = first;
        for (; c + 4 <= end; c += 4) {
            transpose_four(to + (size_t)c * stride_to + r, stride_to, row + c, stride_from);
        }
        for (; c < end; c++) {
            for (int i = 0; i < 4; i++) {
                to[(size_t)c * stride_to + r + i] = row[(size_t)i * stride_from + c];
            }
        }
    }
    for (; r < rows; r++) {
        for (int c = first; c < end; c++) {
            to[(size_t)c * stride_to + r] = from[(size_t)r * stride_from + c];
        }
    }
}

// to[c * stride_to + r] = from[r * stride_from + c], a cache line of each row at a time, so that
// lines on both sides are finished while they are in the first cache.
INLINE void transpose(float *to, size_t stride_to, const float *from, size_t stride_from, int rows,
                      int columns) {
    enum { LINE = 16 };
    for (int first = 0; first < columns; first += LINE) {
        const int end = columns - first < LINE ? columns : first + LINE;
        transpose_columns(to, stride_to, from, stride_from, rows, first, end);
    }
}

#endif
