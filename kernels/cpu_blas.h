// cpu_blas.h - OpenBLAS, opened when a product is wide enough to deserve it.
#ifndef KERNELS_CPU_BLAS_H
#define KERNELS_CPU_BLAS_H

#include <stdbool.h>

typedef struct Blas {
    bool tried;
    void *library;
} Blas;

#endif
