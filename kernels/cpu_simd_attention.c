// cpu_simd_attention.c - inner loops of fused attention, forward.
//
// Keys come in blocks; each query keeps its greatest score so far and the sum of exp(score - that),
// and what it has is scaled down when a greater one comes (Milakov and Gimelshein 2018; Dao et al.
// 2022).
#include "kernels/cpu_simd_attention.h"

typedef struct Progress {
    float *output; // (D, lanes)
    vec max[2];
    vec sum[2];
    bool started;
} Progress;

// scores become exp(score - max); the output so far is scaled to the new maximum.
INLINE void take_exponentials(Progress *progress, float *scores, int n_keys, int lanes, int D) {
    for (int j = 0; j < lanes / LANES; j++) {
        vec max = progress->max[j];
        for (int i = 0; i < n_keys; i++) {
            max = vec_max(max, vec_load(scores + (size_t)i * ATTENTION_LANES + j * LANES));
        }
        // A query that saw only hidden keys has no maximum yet; 0 keeps -inf - -inf away.
        const vec lowest = vec_all(-3e38F);
        const vec base = vec_where_below(max, lowest, vec_zero(), max);
        vec sum = vec_zero();
        for (int i = 0; i < n_keys; i++) {
            float *row = scores + (size_t)i * ATTENTION_LANES + j * LANES;
            const vec e = vec_exp(vec_load(row) - base);
            sum += e;
            vec_store(row, e);
        }
        if (progress->started) {
            const vec keep = vec_exp(progress->max[j] - base);
            sum = vec_fma(progress->sum[j], keep, sum);
            for (int d = 0; d < D; d++) {
                float *row = progress->output + (size_t)d * ATTENTION_LANES + j * LANES;
                vec_store(row, vec_load(row) * keep);
            }
        }
        progress->sum[j] = sum;
        progress->max[j] = max;
    }
}

static void write_output(const Progress *progress, const AttentionArrays *arrays,
                         const AttentionShape *shape, const QueryBlock *block) {
    float *y =
        arrays->y + row_at(block->b, shape->T, block->first, shape->stride_y, block->h, shape->D);
    float *lse = arrays->lse + ((size_t)block->b * shape->H + block->h) * shape->T + block->first;
    if (!progress->started) {
        for (int i = 0; i < block->n; i++) {
            memset(y + (size_t)i * shape->stride_y, 0, (size_t)shape->D * sizeof *y);
            lse[i] = -INFINITY;
        }
        return;
    }
    float sums[QUERIES] = {0};
    float maxima[QUERIES] = {0};
    for (int j = 0; j < block->lanes / LANES; j++) {
        const vec tiny = vec_all(1e-37F);
        const vec factor =
            vec_where_below(progress->sum[j], tiny, vec_zero(), vec_all(1) / progress->sum[j]);
        for (int d = 0; d < shape->D; d++) {
            float *row = progress->output + (size_t)d * ATTENTION_LANES + j * LANES;
            vec_store(row, vec_load(row) * factor);
        }
        vec_store(sums + j * LANES, progress->sum[j]);
        vec_store(maxima + j * LANES, progress->max[j]);
    }
    transpose(y, (size_t)shape->stride_y, progress->output, ATTENTION_LANES, shape->D, block->n);
    for (int i = 0; i < block->n; i++) {
        lse[i] = sums[i] > 0 ? (float)((double)maxima[i] + log((double)sums[i])) : -INFINITY;
    }
}

static void attend_block(const AttentionArrays *arrays, const AttentionShape *shape,
                         const QueryBlock *block, float *scratch) {
    const int D = shape->D;
    float *q_lanes = scratch;
    float *scores = q_lanes + (size_t)D * ATTENTION_LANES;
    Progress progress = {.output = scores + (size_t)ATTENTION_KEYS * ATTENTION_LANES,
                         .max = {vec_all(-INFINITY), vec_all(-INFINITY)}};
    queries_to_lanes(
        q_lanes, arrays->q + row_at(block->b, shape->T, block->first, shape->stride_q, block->h, D),
        (size_t)shape->stride_q, block, D);
    for (int key = 0; key < block->last_key; key += ATTENTION_KEYS) {
        const int left = block->last_key - key;
        const int n_keys = left < ATTENTION_KEYS ? left : ATTENTION_KEYS;
        const float *k = arrays->k + row_at(block->b, shape->S, key, shape->stride_k, block->h, D);
        const float *v = arrays->v + row_at(block->b, shape->S, key, shape->stride_v, block->h, D);
        block_products(scores, k, shape->stride_k, q_lanes, n_keys, block->lanes, D, shape->scale);
        hide_keys(scores, shape, block, key, n_keys);
        take_exponentials(&progress, scores, n_keys, block->lanes, D);
        sum_over_keys(progress.output, v, shape->stride_v, scores, n_keys, block->lanes, D, 1,
                      progress.started);
        progress.started = true;
    }
    write_output(&progress, arrays, shape, block);
}

// One query: its scores lie side by side.
static void attend_row(const AttentionArrays *arrays, const AttentionShape *shape, int b, int h,
                       int query, float *scores) {
    const int D = shape->D;
    const int n_keys = keys_seen(shape, query);
    const ProductTile look = {.a = arrays->q + row_at(b, shape->T, query, shape->stride_q, h, D),
                              .b = arrays->k + row_at(b, shape->S, 0, shape->stride_k, h, D),
                              .y = scores,
                              .step_b = (size_t)shape->stride_k,
                              .rows = 1,
                              .columns = n_keys,
                              .K = D,
                              .scale = shape->scale};
    SIMD_NAME(cpu_simd_product_thin_transposed)(&look);
    vec max = vec_all(-INFINITY);
    const int32_t *ids = array_ids(shape->mask.key_ids);
    for (int s = 0; ids != NULL && s < n_keys; s++) {
        if (ids[(size_t)b * shape->S + s] == shape->mask.pad_id) {
            scores[s] = -INFINITY;
        }
    }
    for (int s = 0; s < n_keys; s += LANES) {
        max = vec_max(max, vec_load_row_over(max, scores, s, n_keys));
    }
    const float greatest = vec_greatest(max);
    const bool empty = greatest == -INFINITY;
    const vec base = vec_all(empty ? 0 : greatest);
    vec sums = vec_zero();
    for (int s = 0; s < n_keys; s += LANES) {
        const vec e = vec_exp(vec_load_row_over(vec_all(-INFINITY), scores, s, n_keys) - base);
        sums += e;
        vec_store_row(scores, e, s, n_keys);
    }
    const float sum = vec_sum(sums);
    arrays->lse[((size_t)b * shape->H + h) * shape->T + query] =
        empty ? -INFINITY : (float)((double)greatest + log((double)sum));
    const ProductTile gather = {.a = scores,
                                .b = arrays->v + row_at(b, shape->S, 0, shape->stride_v, h, D),
                                .y = arrays->y + row_at(b, shape->T, query, shape->stride_y, h, D),
                                .step_a = 1,
                                .step_b = (size_t)shape->stride_v,
                                .rows = 1,
                                .columns = D,
                                .K = n_keys,
                                .scale = empty ? 0 : 1 / sum};
    SIMD_NAME(cpu_simd_product_thin)(&gather);
}

static void attention(const AttentionArrays *arrays, const AttentionShape *shape, int b, int h,
                      int first_query, int n_queries, float *scratch) {
    const int end = first_query + n_queries;
    if (shape->T == 1 || (shape->T <= ATTENTION_FEW && shape->S >= ATTENTION_FEW_KEYS)) {
        for (int query = first_query; query < end; query++) {
            attend_row(arrays, shape, b, h, query, scratch);
        }
        return;
    }
    for (int query = first_query; query < end; query += QUERIES) {
        const int n = end - query < QUERIES ? end - query : QUERIES;
        const QueryBlock block = query_block(shape, b, h, query, n);
        attend_block(arrays, shape, &block, scratch);
    }
}

void SIMD_NAME(cpu_simd_fill_attention)(CpuSimd *simd) {
    simd->attention = attention;
}
