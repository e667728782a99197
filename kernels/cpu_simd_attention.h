// cpu_simd_attention.h - what attention's forward and backward inner loops share.
//
// Blocks of scores lie with their queries side by side in vectors, one row a key: maxima and sums
// over keys then need no sum across lanes, and k and v are read where they are.
#ifndef KERNELS_CPU_SIMD_ATTENTION_H
#define KERNELS_CPU_SIMD_ATTENTION_H

#include "kernels/cpu_simd.h"
#include "kernels/cpu_simd_transpose.h"
#include "kernels/cpu_simd_vector.h"

// Queries treated together: two vectors.
enum { QUERIES = 2 * LANES };

// n queries from the first; as whole vectors `lanes`. Those behind n compute on zeros.
typedef struct QueryBlock {
    int b, h, first, n, lanes;
    int last_key; // keys from here on are seen by none of them
} QueryBlock;

INLINE int keys_seen(const AttentionShape *shape, int query) {
    const int seen = shape->mask.causal ? query + shape->S - shape->T + 1 : shape->S;
    return seen < 0 ? 0 : seen;
}

INLINE QueryBlock query_block(const AttentionShape *shape, int b, int h, int first, int n) {
    return (QueryBlock){.b = b,
                        .h = h,
                        .first = first,
                        .n = n,
                        .lanes = (n + LANES - 1) / LANES * LANES,
                        .last_key = keys_seen(shape, first + n - 1)};
}

INLINE size_t row_at(int b, int length, int row, int stride, int h, int D) {
    return ((size_t)b * length + row) * stride + (size_t)h * D;
}

// Rows of width D to (D, ATTENTION_LANES), zeros behind the last.
INLINE void queries_to_lanes(float *to, const float *rows, size_t stride, const QueryBlock *block,
                             int D) {
    transpose(to, ATTENTION_LANES, rows, stride, block->n, D);
    for (int d = 0; d < D && block->n < block->lanes; d++) {
        for (int i = block->n; i < block->lanes; i++) {
            to[(size_t)d * ATTENTION_LANES + i] = 0;
        }
    }
}

// scores (keys, lanes) = scale * k q; -inf where a query must not look. k: row of the first key.
INLINE void block_products(float *scores, const float *k, int stride_k, const float *q_lanes,
                           int n_keys, int lanes, int D, float scale) {
    const ProductTile tile = {.a = k,
                              .b = q_lanes,
                              .y = scores,
                              .row_a = (size_t)stride_k,
                              .step_a = 1,
                              .step_b = ATTENTION_LANES,
                              .stride_y = ATTENTION_LANES,
                              .rows = n_keys,
                              .columns = lanes,
                              .K = D,
                              .scale = scale};
    SIMD_NAME(cpu_simd_product_tile)(&tile);
}

INLINE void hide_keys(float *scores, const AttentionShape *shape, const QueryBlock *block,
                      int first_key, int n_keys) {
    const int32_t *ids = array_ids(shape->mask.key_ids);
    for (int i = 0; i < n_keys; i++) {
        float *row = scores + (size_t)i * ATTENTION_LANES;
        const int key = first_key + i;
        const bool padding =
            ids != NULL && ids[(size_t)block->b * shape->S + key] == shape->mask.pad_id;
        // Queries before this one come too early to see the key.
        int hidden = padding ? block->lanes : 0;
        if (!padding && shape->mask.causal) {
            hidden = key - (shape->S - shape->T) - block->first;
        }
        for (int lane = 0; lane < hidden && lane < block->lanes; lane++) {
            row[lane] = -INFINITY;
        }
    }
}

// y (D, lanes) = scale * sum over keys of x[key][d] * weights[key][lane], added to y or not.
INLINE void sum_over_keys(float *y, const float *x, int stride_x, const float *weights, int n_keys,
                          int lanes, int D, float scale, bool add) {
    const ProductTile tile = {.a = x,
                              .b = weights,
                              .y = y,
                              .row_a = 1,
                              .step_a = (size_t)stride_x,
                              .step_b = ATTENTION_LANES,
                              .stride_y = ATTENTION_LANES,
                              .rows = D,
                              .columns = lanes,
                              .K = n_keys,
                              .scale = scale,
                              .add = add};
    SIMD_NAME(cpu_simd_product_tile)(&tile);
}

#endif
