// cpu_simd_attention_grad.c - inner loops of fused attention, backward: one head of one batch.
//
// With p = exp(score - lse): dv = p^T dy; dp = dy v^T; ds = p * (dp - sum(dy * y));
// dq = scale * ds k; dk = scale * ds^T q (Dao et al. 2022, appendix B).
#include "kernels/cpu_simd_attention.h"

// Parts of the scratch memory, each (rows, ATTENTION_LANES).
typedef struct Workspace {
    float *q_lanes, *dy_lanes, *dq_lanes; // (D, lanes)
    float *weights, *slopes;              // (keys, lanes): p, then dp and ds
    float lse[QUERIES], dots[QUERIES];
} Workspace;

static void clear_rows(float *x, int rows, int stride, int D) {
    for (int r = 0; r < rows; r++) {
        memset(x + (size_t)r * stride, 0, (size_t)D * sizeof *x);
    }
}

INLINE float dot(const float *a, const float *b, int n) {
    vec sum = vec_zero();
    for (int i = 0; i < n; i += LANES) {
        sum = vec_fma(vec_load_row(a, i, n), vec_load_row(b, i, n), sum);
    }
    return vec_sum(sum);
}

// A query that sees nothing gets 0 for lse: its scores are all -inf, their exp is 0. Lanes behind
// the last query get +inf, for the same end.
static void read_queries(Workspace *work, const AttentionArrays *arrays,
                         const AttentionShape *shape, const QueryBlock *block) {
    const int D = shape->D;
    const size_t y_at = row_at(block->b, shape->T, block->first, shape->stride_y, block->h, D);
    const size_t q_at = row_at(block->b, shape->T, block->first, shape->stride_q, block->h, D);
    const float *lse =
        arrays->lse_in + ((size_t)block->b * shape->H + block->h) * shape->T + block->first;
    queries_to_lanes(work->q_lanes, arrays->q + q_at, (size_t)shape->stride_q, block, D);
    queries_to_lanes(work->dy_lanes, arrays->dy + y_at, (size_t)shape->stride_y, block, D);
    for (int i = 0; i < QUERIES; i++) {
        const bool used = i < block->n;
        const size_t row = y_at + (size_t)i * shape->stride_y;
        work->lse[i] = used ? lse[i] : INFINITY;
        work->lse[i] = work->lse[i] == -INFINITY ? 0 : work->lse[i];
        work->dots[i] = used ? dot(arrays->dy + row, arrays->y_in + row, D) : 0;
    }
}

INLINE void take_slopes(Workspace *work, int n_keys, int lanes) {
    for (int j = 0; j < lanes; j += LANES) {
        const vec lse = vec_load(work->lse + j);
        const vec dots = vec_load(work->dots + j);
        for (int i = 0; i < n_keys; i++) {
            float *weights = work->weights + (size_t)i * ATTENTION_LANES + j;
            float *slopes = work->slopes + (size_t)i * ATTENTION_LANES + j;
            // No weight is above 1; scores of 1e9 are not told from lse closely enough to know.
            const vec below = vec_load(weights) - lse;
            const vec p = vec_exp(vec_where_below(vec_zero(), below, vec_zero(), below));
            vec_store(weights, p);
            vec_store(slopes, p * (vec_load(slopes) - dots));
        }
    }
}

// rows (keys, D) += scale * factors (keys, queries) * x (queries, D)
INLINE void add_over_queries(float *rows, int stride, const float *factors, const float *x,
                             int stride_x, int n_keys, int n_queries, int D, float scale) {
    const ProductTile tile = {.a = factors,
                              .b = x,
                              .y = rows,
                              .row_a = ATTENTION_LANES,
                              .step_a = 1,
                              .step_b = (size_t)stride_x,
                              .panel_step_b = PRODUCT_PANEL,
                              .stride_y = (size_t)stride,
                              .rows = n_keys,
                              .columns = D,
                              .K = n_queries,
                              .scale = scale,
                              .add = true};
    SIMD_NAME(cpu_simd_product_tile)(&tile);
}

static void grad_keys(Workspace *work, const AttentionArrays *arrays, const AttentionShape *shape,
                      const QueryBlock *block, int key, int n_keys) {
    const int D = shape->D;
    const size_t k_at = row_at(block->b, shape->S, key, shape->stride_k, block->h, D);
    const size_t v_at = row_at(block->b, shape->S, key, shape->stride_v, block->h, D);
    const size_t q_at = row_at(block->b, shape->T, block->first, shape->stride_q, block->h, D);
    const size_t y_at = row_at(block->b, shape->T, block->first, shape->stride_y, block->h, D);
    block_products(work->weights, arrays->k + k_at, shape->stride_k, work->q_lanes, n_keys,
                   block->lanes, D, shape->scale);
    hide_keys(work->weights, shape, block, key, n_keys);
    block_products(work->slopes, arrays->v + v_at, shape->stride_v, work->dy_lanes, n_keys,
                   block->lanes, D, 1);
    take_slopes(work, n_keys, block->lanes);
    sum_over_keys(work->dq_lanes, arrays->k + k_at, shape->stride_k, work->slopes, n_keys,
                  block->lanes, D, shape->scale, key > 0);
    add_over_queries(arrays->dk + k_at, shape->stride_k, work->slopes, arrays->q + q_at,
                     shape->stride_q, n_keys, block->n, D, shape->scale);
    add_over_queries(arrays->dv + v_at, shape->stride_v, work->weights, arrays->dy + y_at,
                     shape->stride_y, n_keys, block->n, D, 1);
}

static void attention_grad(const AttentionArrays *arrays, const AttentionShape *shape, int b, int h,
                           float *scratch) {
    const int D = shape->D;
    const size_t lanes_floats = (size_t)D * ATTENTION_LANES;
    Workspace work = {.q_lanes = scratch,
                      .dy_lanes = scratch + lanes_floats,
                      .dq_lanes = scratch + 2 * lanes_floats,
                      .weights = scratch + 3 * lanes_floats};
    work.slopes = work.weights + (size_t)ATTENTION_KEYS * ATTENTION_LANES;
    clear_rows(arrays->dk + row_at(b, shape->S, 0, shape->stride_k, h, D), shape->S,
               shape->stride_k, D);
    clear_rows(arrays->dv + row_at(b, shape->S, 0, shape->stride_v, h, D), shape->S,
               shape->stride_v, D);
    for (int query = 0; query < shape->T; query += QUERIES) {
        const int n = shape->T - query < QUERIES ? shape->T - query : QUERIES;
        const QueryBlock block = query_block(shape, b, h, query, n);
        float *dq = arrays->dq + row_at(b, shape->T, query, shape->stride_q, h, D);
        read_queries(&work, arrays, shape, &block);
        for (int key = 0; key < block.last_key; key += ATTENTION_KEYS) {
            const int left = block.last_key - key;
            grad_keys(&work, arrays, shape, &block, key,
                      left < ATTENTION_KEYS ? left : ATTENTION_KEYS);
        }
        if (block.last_key > 0) {
            transpose(dq, (size_t)shape->stride_q, work.dq_lanes, ATTENTION_LANES, D, n);
        } else {
            clear_rows(dq, n, shape->stride_q, D);
        }
    }
}

void SIMD_NAME(cpu_simd_fill_attention_grad)(CpuSimd *simd) {
    simd->attention_grad = attention_grad;
}
