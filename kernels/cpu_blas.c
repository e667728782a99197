// cpu_blas.c - OpenBLAS, opened when a product is wide enough to deserve it.
#include "kernels/cpu_blas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MAJOR = 101, AS_STORED = 111, TRANSPOSED = 112 };

void blas_tile(const Blas *blas, const Product *p, const ProductTile *tile) {
    for (int i = 0; i < tile->rows && tile->bias != NULL; i++) {
        memcpy(tile->y + i * tile->stride_y, tile->bias, (size_t)tile->columns * sizeof *tile->y);
    }
    blas->product(ROW_MAJOR, p->transpose_a ? TRANSPOSED : AS_STORED,
                  p->transpose_b ? TRANSPOSED : AS_STORED, tile->rows, tile->columns, tile->K,
                  tile->scale, tile->a, p->stride_a, tile->b, p->stride_b,
                  tile->bias != NULL ? 1 : 0, tile->y, p->stride_y);
}

// Small integers: their products and sums are exact in any order.
static void fill(float *x, int n, int step) {
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i * step % 17 - 8);
    }
}

static bool computes_right(const Blas *blas, const CpuSimd *simd, float *scratch, bool transpose_a,
                           bool transpose_b) {
    enum { M = 131, N = 149, K = 160, N_PACKED = (N / PRODUCT_PANEL + 1) * PRODUCT_PANEL };
    float *a = scratch;
    float *b = a + M * K;
    float *packed = b + N * K;
    float *ours = packed + N_PACKED * K;
    float *theirs = ours + M * N;
    const Product p = {.M = M,
                       .N = N,
                       .K = K,
                       .transpose_a = transpose_a,
                       .transpose_b = transpose_b,
                       .stride_a = transpose_a ? M : K,
                       .stride_b = transpose_b ? K : N,
                       .stride_y = N};
    ProductTile tile = {.a = a,
                        .b = b,
                        .y = theirs,
                        .row_a = transpose_a ? 1 : K,
                        .step_a = transpose_a ? M : 1,
                        .stride_y = N,
                        .rows = M,
                        .columns = N,
                        .K = K,
                        .scale = 1};
    fill(a, M * K, 7);
    fill(b, N * K, 5);
    blas_tile(blas, &p, &tile);
    simd->product_pack(packed, b, p.stride_b, transpose_b, K, N);
    tile.b = packed;
    tile.step_b = PRODUCT_PANEL;
    tile.panel_step_b = (size_t)K * PRODUCT_PANEL;
    tile.y = ours;
    simd->product_tile(&tile);
    for (int i = 0; i < M * N; i++) {
        if (ours[i] != theirs[i]) {
            return false;
        }
    }
    return true;
}

static bool passes_check(const Blas *blas, const CpuSimd *simd, float *scratch) {
    for (int layout = 0; layout < 4; layout++) {
        if (!computes_right(blas, simd, scratch, (layout & 1) != 0, (layout & 2) != 0)) {
            return false;
        }
    }
    return true;
}

BlasUse blas_choose_use(const char *instruction_set) {
    const char *wanted = getenv("ATTEND_PRODUCTS");
    if (wanted != NULL && strcmp(wanted, "own") == 0) {
        return BLAS_FOR_NOTHING;
    }
    if (wanted != NULL && strcmp(wanted, "openblas") == 0) {
        return BLAS_FOR_ALL;
    }
    if (strcmp(instruction_set, "avx512") == 0) {
        return BLAS_FOR_NOTHING;
    }
    return strcmp(instruction_set, "avx2") == 0 ? BLAS_FOR_TRANSPOSED : BLAS_FOR_ALL;
}

// The library stays open for good: other devices may use it too.
void blas_open(Blas *blas, const CpuSimd *simd, float *scratch) {
    blas->tried = true;
    blas->product = NULL;
    setenv("OPENBLAS_NUM_THREADS", "1", 0); // or it starts threads while it loads
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return;
    }
    void (*set_threads)(int) = NULL;
    // A function's address comes as a void pointer: POSIX says that both look alike.
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    *(void **)&blas->product = dlsym(library, "cblas_sgemm");
    if (set_threads == NULL || blas->product == NULL) {
        blas->product = NULL;
        return;
    }
    set_threads(1);
    if (!passes_check(blas, simd, scratch)) {
        blas->product = NULL;
    }
}
