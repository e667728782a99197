// cpu_blas.h - OpenBLAS, opened when a product is wide enough to deserve it.
#ifndef KERNELS_CPU_BLAS_H
#define KERNELS_CPU_BLAS_H

#include <stdbool.h>

#include "kernels/cpu_simd.h"

typedef void BlasProduct(int order, int transpose_a, int transpose_b, int M, int N, int K,
                         float scale, const float *a, int stride_a, const float *b, int stride_b,
                         float keep, float *y, int stride_y);

// Zeroed: not looked for yet.
typedef struct Blas {
    bool tried;
    BlasProduct *product; // NULL: our own kernels do everything
} Blas;

// Looks for libopenblas.so.0, makes it use one thread, and lets it compute products of every layout
// next to our own kernels: old versions are wrong on some newer processors. ATTEND_PRODUCTS=own
// in the environment leaves it alone. scratch holds BLAS_CHECK_FLOATS.
enum { BLAS_CHECK_FLOATS = 1 << 17 };
void blas_open(Blas *blas, const CpuSimd *simd, float *scratch);

// Rows x columns of one product: y = scale * a * b + bias. tile: as for our own kernels, but b as
// it is stored with stride_b.
void blas_tile(const Blas *blas, const Product *p, const ProductTile *tile);

#endif
