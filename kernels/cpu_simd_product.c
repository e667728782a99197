// cpu_simd_product.c - inner loops of products: micro-kernels that keep their sums in registers.
//
// A micro-kernel holds rows x vectors sums; each step loads the vectors of a row of b and
// multiplies them with one broadcast element of a after the other (Goto and van de Geijn 2008). Its
// sizes are constants where it is called, so that the compiler unrolls it and keeps the sums in
// registers.
#include "kernels/cpu_simd.h"

#include <assert.h>

#include "kernels/cpu_simd_transpose.h"
#include "kernels/cpu_simd_vector.h"

#if defined(__AVX512F__)
enum { MAX_VECTORS = 3, MAX_ROWS = 12 };
static const int ROWS_AT_ONCE[MAX_VECTORS] = {12, 12, 8};
#else
enum { MAX_VECTORS = 2, MAX_ROWS = 6 };
static const int ROWS_AT_ONCE[MAX_VECTORS] = {6, 6};
#endif

// A multiple of each micro-kernel's rows, which divides PRODUCT_ROWS.
enum { ROW_GROUP = 24 };

typedef struct Micro {
    const float *a, *b, *bias;
    float *y;
    size_t row_a, step_a, step_b, stride_y;
    size_t group_step; // from ROW_GROUP rows of a to the next; 0: all rows are row_a apart
    int K;
    int last; // columns of the last vector
    float scale;
    bool add;
} Micro;

INLINE vec load_last(const float *p, bool is_part, int last) {
    return is_part ? vec_load_part(p, last) : vec_load(p);
}

typedef enum Finish { FINISH_PLAIN, FINISH_BIAS, FINISH_ADD } Finish;

INLINE void store_sums(const Micro *m, vec sums[][MAX_VECTORS], const int rows, const int vectors,
                       const bool part, const Finish finish) {
    const vec scale = vec_all(m->scale);
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int j = 0; j < vectors; j++) {
            const bool is_part = part && j == vectors - 1;
            float *y = m->y + i * m->stride_y + j * LANES;
            vec value = sums[i][j] * scale;
            if (finish == FINISH_ADD) {
                value += load_last(y, is_part, m->last);
            } else if (finish == FINISH_BIAS) {
                value += load_last(m->bias + j * LANES, is_part, m->last);
            }
            if (is_part) {
                vec_store_part(y, value, m->last);
            } else {
                vec_store(y, value);
            }
        }
    }
}

INLINE void micro(const Micro *m, const int rows, const int vectors, const bool part) {
    vec sums[MAX_ROWS][MAX_VECTORS];
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int j = 0; j < vectors; j++) {
            sums[i][j] = vec_zero();
        }
    }
    // Rows in threes: addresses are one pointer and 0, 1 or 2 times row_a.
    const float *a0 = m->a;
    const float *a3 = m->a + 3 * m->row_a;
    const float *a6 = m->a + 6 * m->row_a;
    const float *a9 = m->a + 9 * m->row_a;
    const float *b = m->b;
    for (int k = 0; k < m->K; k++) {
        vec column[MAX_VECTORS];
        UNROLL
        for (int j = 0; j < vectors; j++) {
            column[j] = load_last(b + j * LANES, part && j == vectors - 1, m->last);
        }
        UNROLL
        for (int i = 0; i < rows; i++) {
            const float *const three = i < 3 ? a0 : i < 6 ? a3 : i < 9 ? a6 : a9;
            const vec element = vec_all(three[(size_t)(i % 3) * m->row_a]);
            UNROLL
            for (int j = 0; j < vectors; j++) {
                sums[i][j] = vec_fma(element, column[j], sums[i][j]);
            }
        }
        a0 += m->step_a;
        a3 += m->step_a;
        a6 += m->step_a;
        a9 += m->step_a;
        b += m->step_b;
    }
    if (m->add) {
        store_sums(m, sums, rows, vectors, part, FINISH_ADD);
    } else if (m->bias != NULL) {
        store_sums(m, sums, rows, vectors, part, FINISH_BIAS);
    } else {
        store_sums(m, sums, rows, vectors, part, FINISH_PLAIN);
    }
}

typedef void Kernel(const Micro *m);

#define KERNEL(rows, vectors)                                                                      \
    static void kernel_##rows##_##vectors(const Micro *m) {                                        \
        micro(m, rows, vectors, false);                                                            \
    }                                                                                              \
    static void kernel_part_##rows##_##vectors(const Micro *m) {                                   \
        micro(m, rows, vectors, true);                                                             \
    }
#define KERNELS(vectors)                                                                           \
    KERNEL(1, vectors)                                                                             \
    KERNEL(2, vectors)                                                                             \
    KERNEL(3, vectors) KERNEL(4, vectors) KERNEL(6, vectors)
#define ENTRY(rows, vectors)                                                                       \
    { kernel_##rows##_##vectors, kernel_part_##rows##_##vectors }
#define ENTRIES(vectors)                                                                           \
    [1] = ENTRY(1, vectors), [2] = ENTRY(2, vectors), [3] = ENTRY(3, vectors),                     \
    [4] = ENTRY(4, vectors), [5] = ENTRY(4, vectors), [6] = ENTRY(6, vectors)

KERNELS(1)
KERNELS(2)
#if defined(__AVX512F__)
KERNELS(3)
KERNEL(8, 1)
KERNEL(8, 2)
KERNEL(8, 3)
KERNEL(12, 1)
KERNEL(12, 2)
// The largest kernel for so many rows.
static Kernel *const KERNEL_TABLE[MAX_VECTORS][MAX_ROWS + 1][2] = {
    {ENTRIES(1), [7] = ENTRY(6, 1), [8] = ENTRY(8, 1), [9] = ENTRY(8, 1), [10] = ENTRY(8, 1),
     [11] = ENTRY(8, 1), [12] = ENTRY(12, 1)},
    {ENTRIES(2), [7] = ENTRY(6, 2), [8] = ENTRY(8, 2), [9] = ENTRY(8, 2), [10] = ENTRY(8, 2),
     [11] = ENTRY(8, 2), [12] = ENTRY(12, 2)},
    {ENTRIES(3), [7] = ENTRY(6, 3), [8] = ENTRY(8, 3)},
};
static const int KERNEL_ROWS[MAX_ROWS + 1] = {0, 1, 2, 3, 4, 4, 6, 6, 8, 8, 8, 8, 12};
#else
static Kernel *const KERNEL_TABLE[MAX_VECTORS][MAX_ROWS + 1][2] = {{ENTRIES(1)}, {ENTRIES(2)}};
static const int KERNEL_ROWS[MAX_ROWS + 1] = {0, 1, 2, 3, 4, 4, 6};
#endif

// All rows of a tile against one group of vectors.
INLINE void run_rows(Micro *m, int rows, int columns) {
    const int vectors = (columns + LANES - 1) / LANES;
    const bool part = columns % LANES != 0;
    assert(vectors >= 1 && vectors <= MAX_VECTORS);
    m->last = columns - (vectors - 1) * LANES;
    const int most = ROWS_AT_ONCE[vectors - 1];
    const float *const a = m->a;
    int row = 0;
    while (row < rows) {
        const int at_once = rows - row < most ? rows - row : most;
        KERNEL_TABLE[vectors - 1][at_once][part](m);
        const int done = KERNEL_ROWS[at_once];
        row += done;
        m->y += (size_t)done * m->stride_y;
        m->a += (size_t)done * m->row_a;
        if (m->group_step != 0 && row % ROW_GROUP == 0) {
            m->a = a + (size_t)(row / ROW_GROUP) * m->group_step;
        }
    }
}

static void run_columns(const ProductTile *t, const Micro *start) {
    enum { GROUP = MAX_VECTORS * LANES };
    for (int first = 0; first < t->columns; first += GROUP) {
        const int left = t->columns - first;
        Micro m = *start;
        m.b += (size_t)(first / PRODUCT_PANEL) * t->panel_step_b + first % PRODUCT_PANEL;
        m.y += first;
        m.bias = m.bias != NULL ? m.bias + first : NULL;
        run_rows(&m, t->rows, left < GROUP ? left : GROUP);
    }
}

static void copy_line(float *to, const float *from, int n) {
    for (int i = 0; i < n; i += LANES) {
        vec_store_row(to + i, vec_load_row(from, i, n), 0, n - i);
    }
}

// Brings K terms of all rows together. Where a row's terms lie side by side they stay so; where a
// term's rows do, in groups of rows, so that a micro-kernel uses up the cache lines it loads.
static void copy_a(const ProductTile *t, Micro *m) {
    if (t->row_a != 1) {
        enum { STRIDE = PRODUCT_TERMS + 16 };
        for (int row = 0; row < t->rows; row++) {
            copy_line(t->copy + row * STRIDE, m->a + row * t->row_a, m->K);
        }
        m->row_a = STRIDE;
        m->step_a = 1;
    } else {
        m->group_step = (size_t)m->K * ROW_GROUP;
        for (int k = 0; k < m->K; k++) {
            for (int row = 0; row < t->rows; row += ROW_GROUP) {
                const int n = t->rows - row < ROW_GROUP ? t->rows - row : ROW_GROUP;
                copy_line(t->copy + (size_t)(row / ROW_GROUP) * m->group_step +
                              (size_t)k * ROW_GROUP,
                          m->a + k * t->step_a + row, n);
            }
        }
        m->step_a = ROW_GROUP;
    }
    m->a = t->copy;
}

void SIMD_NAME(cpu_simd_product_tile)(const ProductTile *t) {
    const int n_blocks = t->K > PRODUCT_TERMS ? (t->K + PRODUCT_TERMS - 1) / PRODUCT_TERMS : 1;
    const int terms = (t->K + n_blocks - 1) / n_blocks;
    int k = 0;
    do {
        Micro m = {.a = t->a + k * t->step_a,
                   .b = t->b + k * t->step_b,
                   .bias = t->bias,
                   .y = t->y,
                   .row_a = t->row_a,
                   .step_a = t->step_a,
                   .step_b = t->step_b,
                   .stride_y = t->stride_y,
                   .K = t->K - k < terms ? t->K - k : terms,
                   .scale = t->scale,
                   .add = t->add || k > 0};
        if (t->copy != NULL) {
            copy_a(t, &m);
        }
        run_columns(t, &m);
        k += terms;
    } while (k < t->K);
}

static void pack_rows(float *panel, const float *b, int stride, int K, int columns) {
    for (int k = 0; k < K; k++) {
        for (int j = 0; j < columns; j += LANES) {
            vec_store(panel + j, vec_load_row(b, j, columns));
        }
        b += stride;
        panel += PRODUCT_PANEL;
    }
}

static void pack_columns(float *panel, const float *b, int stride, int K, int columns) {
    transpose(panel, PRODUCT_PANEL, b, (size_t)stride, columns, K);
    const int padded = (columns + LANES - 1) / LANES * LANES;
    for (int k = 0; k < K && padded > columns; k++) {
        for (int j = columns; j < padded; j++) {
            panel[(size_t)k * PRODUCT_PANEL + j] = 0;
        }
    }
}

static void product_pack(float *packed, const float *b, int stride, bool transpose_b, int K,
                         int columns) {
    for (int first = 0; first < columns; first += PRODUCT_PANEL) {
        const int width = columns - first < PRODUCT_PANEL ? columns - first : PRODUCT_PANEL;
        if (transpose_b) {
            pack_columns(packed, b + (size_t)first * stride, stride, K, width);
        } else {
            pack_rows(packed, b + first, stride, K, width);
        }
        packed += (size_t)K * PRODUCT_PANEL;
    }
}

void SIMD_NAME(cpu_simd_fill_product)(CpuSimd *simd) {
    simd->product_tile = SIMD_NAME(cpu_simd_product_tile);
    simd->product_pack = product_pack;
}
