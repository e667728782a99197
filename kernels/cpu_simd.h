// cpu_simd.h - the CPU's inner loops, compiled once for each instruction set: one thread, one
// range.
//
// Shapes and formulas are those of backend.h; here `rows` and `n` are the part that one task does.
#ifndef KERNELS_CPU_SIMD_H
#define KERNELS_CPU_SIMD_H

#include "kernels/backend.h"

// Part of y = scale * a * b (+ bias): rows x columns at y. a(i,k) = a[i*row_a + k*step_a].
// b(k,j) = b[(j / PRODUCT_PANEL) * panel_step_b + k*step_b + j % PRODUCT_PANEL]: as stored
// (panel_step_b = PRODUCT_PANEL) or as product_pack leaves it. copy: NULL, or PRODUCT_COPY_FLOATS
// where a part of a is brought together first; worth it for many columns.
typedef struct ProductTile {
    const float *a, *b, *bias;
    float *y, *copy;
    size_t row_a, step_a, step_b, panel_step_b, stride_y;
    int rows, columns, K;
    float scale;
    bool add; // to y, which has the bias already
} ProductTile;

// A panel is a whole number of vectors for each instruction set. Rows of a tile: whole numbers of
// its micro-kernels. Terms summed before they are added to y: the panel stays in the first cache,
// and two-step sums lose less.
enum {
    PRODUCT_PANEL = 48,
    PRODUCT_ROWS = 96,
    PRODUCT_TERMS = 384,
    PRODUCT_COPY_FLOATS = PRODUCT_ROWS * (PRODUCT_TERMS + 16)
};

// What attention reads and writes, for all batches and heads; the gradients only in the backward
// pass.
typedef struct AttentionArrays {
    const float *q, *k, *v;
    float *y, *lse;
    const float *y_in, *lse_in, *dy;
    float *dq, *dk, *dv;
} AttentionArrays;

// Keys that are treated together, so that their scores stay in the first cache; queries of a task.
// So few queries are treated row by row, if there are so many keys.
enum { ATTENTION_KEYS = 96, ATTENTION_QUERIES = 128, ATTENTION_FEW = 4, ATTENTION_FEW_KEYS = 64 };

// The most queries that are treated together: they lie side by side in vectors, in rows of this
// many floats.
enum { ATTENTION_LANES = PRODUCT_PANEL };

static inline size_t attention_scratch_floats(const AttentionShape *shape) {
    const size_t rows = 4 * (size_t)shape->D + 2 * ATTENTION_KEYS + 8;
    const size_t few = (size_t)shape->S + 64;
    return rows * ATTENTION_LANES > few ? rows * ATTENTION_LANES : few;
}

// Rows of x times `outputs` rows of the matrix, from the first-th on.
typedef struct QuantizedTile {
    const QuantizedMatrix *matrix;
    float *y;
    const float *x, *bias; // bias of this tile's outputs, or NULL
    size_t stride_y;
    int first, outputs, rows;
} QuantizedTile;

// AdamW's constants and the numbers of this step.
typedef struct AdamUpdate {
    AdamStep step;
    float lr, correction1, correction2;
    float gradient_scale;
} AdamUpdate;

typedef struct CpuSimd {
    // cpu_simd_elements.c
    void (*add_rows)(float *y, const float *a, const float *b, size_t rows, size_t n);
    void (*sum)(float *y, const float *const *x, int n_inputs, size_t first, size_t n);
    void (*scale)(float *y, const float *x, float factor, size_t n);
    void (*add_scaled)(float *y, const float *x, float factor, size_t n); // y += factor * x
    void (*relu)(float *y, const float *x, size_t n);
    void (*relu_grad)(float *dx, const float *dy, const float *x, size_t n);
    void (*gelu)(float *y, const float *x, size_t n);
    void (*gelu_grad)(float *dx, const float *dy, const float *x, size_t n);
    void (*tanh)(float *y, const float *x, size_t n);
    void (*tanh_grad)(float *dx, const float *dy, const float *y, size_t n);
    void (*sigmoid)(float *y, const float *x, size_t n);
    void (*sigmoid_grad)(float *dx, const float *dy, const float *y, size_t n);
    void (*multiply)(float *y, const float *a, const float *b, size_t n);
    // Elements first .. first + n - 1 of one item, at y and x; first is a multiple of 64.
    void (*dropout)(float *y, const float *x, uint64_t item, size_t first, size_t n,
                    const Dropout *dropout, uint64_t step);

    // cpu_simd_update.c
    void (*adamw)(float *next_w, float *next_m, float *next_v, const float *w, const float *m,
                  const float *v, const float *gradient, size_t n, const AdamUpdate *update);
    void (*sgd)(float *next_w, const float *w, const float *gradient, size_t n, float lr,
                float decay, float gradient_scale);
    double (*square_sum)(const float *x, size_t n);

    // cpu_simd_softmax.c
    void (*softmax)(float *y, const float *x, int rows, int n);
    void (*softmax_grad)(float *dx, const float *dy, const float *y, int rows, int n);
    void (*log_softmax)(float *y, const float *x, int rows, int n);
    void (*log_softmax_grad)(float *dx, const float *dy, const float *y, int rows, int n);
    // max and log(sum(exp(x - max))) of each row
    void (*row_max_and_lse)(float *statistics, const float *x, int rows, int n);
    // y = factor * (exp(x - max - lse) - share), one row
    void (*cross_entropy_grad)(float *y, const float *x, const float *statistics, int n,
                               float share, float factor);
    double (*sum_of)(const float *x, int n);

    // cpu_simd_norm.c
    void (*layer_norm)(float *y, float *statistics, const float *x, const float *weight,
                       const float *bias, int rows, int C, float eps, NormKind kind);
    void (*layer_norm_grad)(float *dx, const float *dy, const float *x, const float *weight,
                            const float *statistics, int rows, int C, NormKind kind);
    // y[c] = sum over all rows, for n columns from the first; stride floats from row to row
    void (*sum_rows)(float *y, const float *x, int rows, int n, size_t stride);
    void (*layer_norm_weight_grad)(float *dweight, const float *dy, const float *x,
                                   const float *statistics, int rows, int n, size_t stride);

    // cpu_simd_product.c
    void (*product_tile)(const ProductTile *tile);
    // Columns first.. first+columns of b (K,N) as panels of (K, PRODUCT_PANEL), the last padded
    // with zeros. stride: of the stored matrix; first is a multiple of PRODUCT_PANEL.
    void (*product_pack)(float *packed, const float *b, int stride, bool transpose_b, int K,
                         int columns);
    // Few rows of a: y (rows,N) = scale * a * b + bias, reading b once as it is stored.
    void (*product_thin)(const ProductTile *tile);            // b (K,N), step_b its stride
    void (*product_thin_transposed)(const ProductTile *tile); // b (N,K), step_b its stride

    // cpu_simd_quantized.c
    void (*product_quantized)(const QuantizedTile *tile);

    // cpu_simd_attention.c and cpu_simd_attention_grad.c: head h of batch b. scratch holds
    // attention_scratch_floats(shape).
    void (*attention)(const AttentionArrays *arrays, const AttentionShape *shape, int b, int h,
                      int first_query, int n_queries, float *scratch);
    void (*attention_grad)(const AttentionArrays *arrays, const AttentionShape *shape, int b, int h,
                           float *scratch);
} CpuSimd;

// What kernels/cpu_simd*.c define, each with the instruction set at the end of its name.
#define SIMD_PASTE(name, level) name##_##level
#define SIMD_PASTE_EXPANDED(name, level) SIMD_PASTE(name, level)
#define SIMD_NAME(name) SIMD_PASTE_EXPANDED(name, SIMD_LEVEL)

#define SIMD_DECLARE(level)                                                                        \
    void cpu_simd_fill_##level(CpuSimd *simd);                                                     \
    void cpu_simd_fill_elements_##level(CpuSimd *simd);                                            \
    void cpu_simd_fill_update_##level(CpuSimd *simd);                                              \
    void cpu_simd_fill_softmax_##level(CpuSimd *simd);                                             \
    void cpu_simd_fill_norm_##level(CpuSimd *simd);                                                \
    void cpu_simd_fill_product_##level(CpuSimd *simd);                                             \
    void cpu_simd_fill_quantized_##level(CpuSimd *simd);                                           \
    void cpu_simd_fill_thin_##level(CpuSimd *simd);                                                \
    void cpu_simd_fill_attention_##level(CpuSimd *simd);                                           \
    void cpu_simd_fill_attention_grad_##level(CpuSimd *simd);                                      \
    void cpu_simd_product_tile_##level(const ProductTile *tile);                                   \
    void cpu_simd_product_thin_##level(const ProductTile *tile);                                   \
    void cpu_simd_product_thin_transposed_##level(const ProductTile *tile);
SIMD_DECLARE(baseline)
SIMD_DECLARE(avx2)
SIMD_DECLARE(avx512)
#undef SIMD_DECLARE

#endif
