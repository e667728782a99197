// cpu_product.c - y = scale * a * b + bias: which inner loops a shape deserves, and its tasks.
//
// Tasks are cut from the shape alone, so that any number of threads gives the same bits.
#include "kernels/cpu_device.h"

#include <string.h>

enum {
    THIN_ROWS = 4,        // so many rows at most wait for memory, not for arithmetic,
    THIN_FLOATS = 2048,   // unless b is this small
    THIN_COLUMNS = 256,   // of a task
    MANY_TASKS = 16,      // enough for threads to share fairly
    FEW_TASKS = 8,        // so few that panels are parted
    GROUP_COLUMNS = 192,  // a task's at least, unless there are few: whole panels
    FEWEST_ROWS = 24,     // of a task: whole groups of rows
    NARROW_COLUMNS = 256, // b up to this width is read where it is
    PACKED_COLUMNS = 384,
    BLAS_ROWS = 128, // of a tile for OpenBLAS, which packs b anew for each
    BLAS_COLUMNS = 384
};

typedef struct Job {
    Device *device;
    const Product *p;
    float *y;
    const float *a, *b, *bias;
    const float *packed;
    int n_row_tiles, tile_rows, n_groups, group_columns;
    int first_column, columns, first_term, terms; // the part of b that is packed
    bool copies_a;
} Job;

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int parts(int n, int size) {
    return (n + size - 1) / size;
}

// The size of a part when n is cut into as few parts as may be, none above most: a multiple of
// unit, which divides most.
static int equal_parts(int n, int most, int unit) {
    return parts(parts(n, parts(n, most)), unit) * unit;
}

static ProductTile tile_of(const Product *p, float *y, const float *a, const float *b,
                           const float *bias) {
    return (ProductTile){
        .a = a,
        .b = b,
        .bias = bias,
        .y = y,
        .row_a = p->transpose_a ? 1 : (size_t)p->stride_a,
        .step_a = p->transpose_a ? (size_t)p->stride_a : 1,
        .step_b = (size_t)p->stride_b,
        .panel_step_b = PRODUCT_PANEL,
        .stride_y = (size_t)p->stride_y,
        .rows = p->M,
        .columns = p->N,
        .K = p->K,
        .scale = p->scale,
    };
}

static bool is_thin(const Product *p) {
    const bool waits = p->transpose_b || (double)p->N * p->K >= THIN_FLOATS;
    return p->M <= THIN_ROWS && waits && !(p->transpose_b && p->transpose_a);
}

static bool fits_scratch(const Product *p) {
    return !p->transpose_b ||
           (size_t)parts(p->N, PRODUCT_PANEL) * PRODUCT_PANEL * p->K <= SCRATCH_FLOATS;
}

// One whole matrix of the batch in one task.
static void whole_task(void *context, int i, int thread) {
    const Job *job = context;
    const Product *p = job->p;
    const int outer = i / p->inner;
    const int inner = i % p->inner;
    ProductTile t = tile_of(p, job->y + outer * p->outer_step_y + inner * p->inner_step_y,
                            job->a + outer * p->outer_step_a + inner * p->inner_step_a,
                            job->b + outer * p->outer_step_b + inner * p->inner_step_b, job->bias);
    const CpuSimd *simd = &cpu_of(job->device)->simd;
    if (is_thin(p)) {
        if (p->transpose_b) {
            simd->product_thin_transposed(&t);
        } else {
            simd->product_thin(&t);
        }
        return;
    }
    if (p->transpose_b) {
        float *packed = device_scratch(job->device, thread);
        simd->product_pack(packed, t.b, p->stride_b, true, p->K, p->N);
        t.b = packed;
        t.step_b = PRODUCT_PANEL;
        t.panel_step_b = (size_t)p->K * PRODUCT_PANEL;
    }
    simd->product_tile(&t);
}

static void thin_task(void *context, int i, int thread) {
    (void)thread;
    const Job *job = context;
    const Product *p = job->p;
    const int first = i * THIN_COLUMNS;
    const float *bias = job->bias != NULL ? job->bias + first : NULL;
    ProductTile t = tile_of(p, job->y + first, job->a, job->b, bias);
    t.columns = smaller(p->N - first, THIN_COLUMNS);
    if (p->transpose_b) {
        t.b += (size_t)first * p->stride_b;
        cpu_of(job->device)->simd.product_thin_transposed(&t);
    } else {
        t.b += first;
        cpu_of(job->device)->simd.product_thin(&t);
    }
}

static void tile_task(void *context, int i, int thread) {
    const Job *job = context;
    const Product *p = job->p;
    const int row = i % job->n_row_tiles * job->tile_rows;
    const int column = i / job->n_row_tiles * job->group_columns;
    const int first = job->first_column + column;
    ProductTile t = tile_of(p, job->y + (size_t)row * p->stride_y + first, job->a, NULL,
                            job->bias != NULL ? job->bias + first : NULL);
    t.a += row * t.row_a + job->first_term * t.step_a;
    t.rows = smaller(p->M - row, job->tile_rows);
    t.columns = smaller(job->columns - column, job->group_columns);
    t.K = job->terms;
    t.add = job->first_term > 0;
    if (job->packed != NULL) {
        t.step_b = PRODUCT_PANEL;
        t.panel_step_b = (size_t)job->terms * PRODUCT_PANEL;
        t.b = job->packed + (size_t)(column / PRODUCT_PANEL) * t.panel_step_b;
    } else {
        t.b = job->b + first;
    }
    if (job->copies_a) {
        t.copy = device_scratch(job->device, thread);
    }
    cpu_of(job->device)->simd.product_tile(&t);
}

static void pack_task(void *context, int i, int thread) {
    (void)thread;
    const Job *job = context;
    const Product *p = job->p;
    const int column = i * PRODUCT_PANEL;
    const size_t first = (size_t)job->first_column + column;
    const size_t term = (size_t)job->first_term;
    const float *b =
        p->transpose_b ? job->b + first * p->stride_b + term : job->b + term * p->stride_b + first;
    cpu_of(job->device)
        ->simd.product_pack(device_shared(job->device) + (size_t)column * (size_t)job->terms, b,
                            p->stride_b, p->transpose_b, job->terms,
                            smaller(job->columns - column, PRODUCT_PANEL));
}

static double product_ns(double M, double N, double K) {
    return 0.04 * M * N * K;
}

// Cuts columns, then rows, so that there are tasks enough, each large enough.
static void cut_tiles(Job *job) {
    job->tile_rows = PRODUCT_ROWS;
    job->n_row_tiles = parts(job->p->M, job->tile_rows);
    const int wanted = parts(MANY_TASKS, job->n_row_tiles);
    const int each = parts(parts(job->columns, wanted), PRODUCT_PANEL) * PRODUCT_PANEL;
    job->group_columns = each > GROUP_COLUMNS ? each : GROUP_COLUMNS;
    job->n_groups = parts(job->columns, job->group_columns);
    while (job->n_row_tiles * job->n_groups < MANY_TASKS && job->tile_rows > FEWEST_ROWS) {
        job->tile_rows /= 2;
        job->n_row_tiles = parts(job->p->M, job->tile_rows);
    }
    if (job->n_row_tiles * job->n_groups < FEW_TASKS) {
        job->group_columns = PRODUCT_PANEL;
        job->n_groups = parts(job->columns, PRODUCT_PANEL);
    }
}

static void run_tiles(Job *job) {
    cut_tiles(job);
    cpu_share(job->device, tile_task, job, job->n_row_tiles * job->n_groups,
              product_ns(job->p->M, job->columns, job->terms));
}

// Packs a part of b that the second cache holds, multiplies, and goes on to the next part. The
// parts are about equal: a small rest would leave threads without work.
static void run_packed(Job *job) {
    const Product *p = job->p;
    const int columns = equal_parts(p->N, PACKED_COLUMNS, PRODUCT_PANEL);
    const int fitting = SHARED_FLOATS / columns;
    // A tile adds up PRODUCT_TERMS at a time: a little more would be two short halves.
    const int terms = equal_parts(p->K, fitting / PRODUCT_TERMS * PRODUCT_TERMS, 1);
    job->packed = device_shared(job->device);
    for (job->first_column = 0; job->first_column < p->N; job->first_column += columns) {
        job->columns = smaller(p->N - job->first_column, columns);
        for (job->first_term = 0; job->first_term < p->K; job->first_term += terms) {
            job->terms = smaller(p->K - job->first_term, terms);
            cpu_share(job->device, pack_task, job, parts(job->columns, PRODUCT_PANEL),
                      (double)job->columns * job->terms / 3);
            run_tiles(job);
        }
    }
}

static void blas_task(void *context, int i, int thread) {
    (void)thread;
    const Job *job = context;
    const Product *p = job->p;
    const int row = i % job->n_row_tiles * BLAS_ROWS;
    const int column = i / job->n_row_tiles * job->group_columns;
    ProductTile t = tile_of(p, job->y + (size_t)row * p->stride_y + column, job->a, job->b,
                            job->bias != NULL ? job->bias + column : NULL);
    t.a += row * t.row_a;
    t.b += p->transpose_b ? (size_t)column * p->stride_b : (size_t)column;
    t.rows = smaller(p->M - row, BLAS_ROWS);
    t.columns = smaller(p->N - column, job->group_columns);
    blas_tile(&cpu_of(job->device)->blas, p, &t);
}

static bool deserves_blas(Device *device, const Product *p) {
    const BlasUse use = cpu_of(device)->blas.use;
    if (use == BLAS_FOR_NOTHING || (use == BLAS_FOR_TRANSPOSED && !p->transpose_a)) {
        return false;
    }
    return p->M >= BLAS_ROWS && p->N >= BLAS_COLUMNS && p->K >= BLAS_ROWS &&
           strcmp(cpu_products_by(device), "OpenBLAS") == 0;
}

static void run_blas(Job *job) {
    const Product *p = job->p;
    job->n_row_tiles = parts(p->M, BLAS_ROWS);
    const int wanted = parts(MANY_TASKS, job->n_row_tiles);
    job->group_columns = parts(p->N, wanted);
    if (job->group_columns < BLAS_COLUMNS) {
        job->group_columns = BLAS_COLUMNS;
    }
    job->n_groups = parts(p->N, job->group_columns);
    cpu_share(job->device, blas_task, job, job->n_row_tiles * job->n_groups,
              product_ns(p->M, p->N, p->K));
}

static void one_product(Device *device, const Product *p, float *y, const float *a, const float *b,
                        const float *bias) {
    Job job = {.device = device, .p = p, .y = y, .a = a, .b = b, .bias = bias, .terms = p->K};
    if (is_thin(p)) {
        cpu_share(device, thin_task, &job, parts(p->N, THIN_COLUMNS), (double)p->N * p->K / 3);
        return;
    }
    if (deserves_blas(device, p)) {
        run_blas(&job);
        return;
    }
    // Rows whose distance is a power of two compete for few lines of the first cache.
    const bool lines_collide = p->stride_a % 1024 == 0;
    job.copies_a = p->N > NARROW_COLUMNS && (p->transpose_a || lines_collide);
    job.columns = p->N;
    if (!p->transpose_b && p->N <= NARROW_COLUMNS) {
        run_tiles(&job);
    } else {
        run_packed(&job);
    }
}

void cpu_product(Device *device, const Product *p, Array y, Array a, Array b, Array bias) {
    if (p->M <= 0 || p->N <= 0) {
        return;
    }
    const int batch = p->outer * p->inner;
    const double work_ns = product_ns(p->M, p->N, p->K);
    if (fits_scratch(p) && (batch >= MANY_TASKS || work_ns < 4000)) {
        Job job = {.device = device,
                   .p = p,
                   .y = array_floats(y),
                   .a = array_floats(a),
                   .b = array_floats(b),
                   .bias = array_floats(bias)};
        cpu_share(device, whole_task, &job, batch, work_ns * batch);
        return;
    }
    for (int i = 0; i < batch; i++) {
        const int outer = i / p->inner;
        const int inner = i % p->inner;
        one_product(device, p, array_floats(y) + outer * p->outer_step_y + inner * p->inner_step_y,
                    array_floats(a) + outer * p->outer_step_a + inner * p->inner_step_a,
                    array_floats(b) + outer * p->outer_step_b + inner * p->inner_step_b,
                    array_floats(bias));
    }
}
