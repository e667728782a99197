// cpu_blas.h - OpenBLAS, opened when a product is wide enough to deserve it.
#ifndef KERNELS_CPU_BLAS_H
#define KERNELS_CPU_BLAS_H

#include <stdbool.h>

#include "kernels/cpu_simd.h"

typedef void BlasProduct(int order, int transpose_a, int transpose_b, int M, int N, int K,
                         float scale, const float *a, int stride_a, const float *b, int stride_b,
                         float keep, float *y, int stride_y);

// Which wide products it computes, measured: on tiles of fixed size, for which it packs anew each
// time, it is slower than our AVX-512 kernels, faster than our AVX2 kernels for weight gradients
// (a transposed), and knows processors for which we have no kernels.
typedef enum BlasUse { BLAS_FOR_NOTHING, BLAS_FOR_TRANSPOSED, BLAS_FOR_ALL } BlasUse;

// tried: looked for.
typedef struct Blas {
    BlasUse use;
    bool tried;
    BlasProduct *product; // NULL: our own kernels do everything
} Blas;

// ATTEND_PRODUCTS=own or openblas in the environment overrides what was measured.
BlasUse blas_choose_use(const char *instruction_set);

// Looks for libopenblas.so.0, makes it use one thread, and lets it compute products of every layout
// next to our own kernels: old versions are wrong on some newer processors. scratch holds
// BLAS_CHECK_FLOATS.
enum { BLAS_CHECK_FLOATS = 1 << 17 };
void blas_open(Blas *blas, const CpuSimd *simd, float *scratch);

// Rows x columns of one product: y = scale * a * b + bias. tile: as for our own kernels, but b as
// it is stored with stride_b.
void blas_tile(const Blas *blas, const Product *p, const ProductTile *tile);

#endif
