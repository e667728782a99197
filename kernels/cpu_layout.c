// cpu_layout.c - kernels that move rows: embeddings, columns, heads, masks, positions.
#include "kernels/cpu_device.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Elements a task moves at least; parts of a table, each of which one task sums up.
enum { TASK_ELEMENTS = 1 << 14, TABLE_PARTS = 16 };

typedef struct Layout {
    const CpuSimd *simd;
    float *y;
    const float *x;
    const int32_t *ids;
    size_t step_y, step_x;             // from row to row
    size_t group_step_y, group_step_x; // from group to group: a head
    size_t outer_step_y, outer_step_x; // from n_groups groups to the next: a batch
    int rows, C;                       // of a group
    int n_groups, rows_each;
    int parts; // of a group, or of the table
    int V;
    int n_ids; // or the first position
    float scale;
} Layout;

static int smaller(int a, int b) {
    return a < b ? a : b;
}

// Cuts each group into tasks of rows_each rows.
static void share_rows(Device *device, PoolTask *task, Layout *e, int n_groups_all) {
    if (e->rows == 0 || e->C == 0) {
        return;
    }
    e->simd = &cpu_of(device)->simd;
    e->rows_each = e->C < TASK_ELEMENTS ? TASK_ELEMENTS / e->C : 1;
    e->parts = (e->rows + e->rows_each - 1) / e->rows_each;
    const double elements = (double)n_groups_all * e->rows * e->C;
    cpu_share(device, task, e, e->parts * n_groups_all, 0.3 * elements);
}

static void embedding_task(void *context, int i, int thread) {
    (void)thread;
    const Layout *e = context;
    const int end = smaller((i + 1) * e->rows_each, e->rows);
    for (int r = i * e->rows_each; r < end; r++) {
        assert(e->ids[r] >= 0);
        e->simd->scale(e->y + (size_t)r * e->C, e->x + (size_t)e->ids[r] * e->C, e->scale,
                       (size_t)e->C);
    }
}

void cpu_embedding(Device *device, Array y, Array table, Array ids, int rows, int C, float scale) {
    Layout e = {.y = array_floats(y),
                .x = array_floats(table),
                .ids = array_ids(ids),
                .rows = rows,
                .C = C,
                .scale = scale};
    share_rows(device, embedding_task, &e, 1);
}

// Each task owns some tokens and goes through all ids: a token's sum has the order of the rows.
static void embedding_grad_task(void *context, int i, int thread) {
    (void)thread;
    const Layout *e = context;
    const int first = (int)((int64_t)e->V * i / e->parts);
    const int end = (int)((int64_t)e->V * (i + 1) / e->parts);
    memset(e->y + (size_t)first * e->C, 0, (size_t)(end - first) * e->C * sizeof *e->y);
    for (int r = 0; r < e->n_ids; r++) {
        assert(e->ids[r] >= 0 && e->ids[r] < e->V);
        if (e->ids[r] >= first && e->ids[r] < end) {
            e->simd->add_scaled(e->y + (size_t)e->ids[r] * e->C, e->x + (size_t)r * e->C, e->scale,
                                (size_t)e->C);
        }
    }
}

void cpu_embedding_grad(Device *device, Array dtable, Array dy, Array ids, int rows, int V, int C,
                        float scale) {
    const double elements = (double)V * C + (double)rows * C;
    Layout e = {.simd = &cpu_of(device)->simd,
                .y = array_floats(dtable),
                .x = array_floats(dy),
                .ids = array_ids(ids),
                .n_ids = rows,
                .V = V,
                .C = C,
                .parts = elements > TASK_ELEMENTS ? TABLE_PARTS : 1,
                .scale = scale};
    cpu_share(device, embedding_grad_task, &e, e.parts, 0.3 * elements);
}

// One column pair at a time: its angle per position is the same for all positions.
static void sinusoid_task(void *context, int i, int thread) {
    (void)thread;
    const Layout *e = context;
    const int c = 2 * i;
    const double slowness = pow(10000.0, (double)c / e->C);
    for (int t = 0; t < e->rows; t++) {
        float *row = e->y + (size_t)t * e->C;
        double sine = 0;
        double cosine = 0;
        sincos((t + e->n_ids) / slowness, &sine, &cosine);
        row[c] = (float)sine;
        if (c + 1 < e->C) {
            row[c + 1] = (float)cosine;
        }
    }
}

void cpu_sinusoid(Device *device, Array y, int T, int C, int first_position) {
    Layout e = {.y = array_floats(y), .rows = T, .C = C, .n_ids = first_position};
    cpu_share(device, sinusoid_task, &e, (C + 1) / 2, 15.0 * T * C);
}

static void copy_task(void *context, int i, int thread) {
    (void)thread;
    const Layout *e = context;
    const int first = i % e->parts * e->rows_each;
    const int group = i / e->parts;
    const int outer = group / e->n_groups;
    const int inner = group % e->n_groups;
    const int n = smaller(e->rows - first, e->rows_each);
    float *y = e->y + outer * e->outer_step_y + inner * e->group_step_y + (size_t)first * e->step_y;
    const float *x =
        e->x + outer * e->outer_step_x + inner * e->group_step_x + (size_t)first * e->step_x;
    for (int r = 0; r < n; r++) {
        memcpy(y, x, (size_t)e->C * sizeof *y);
        y += e->step_y;
        x += e->step_x;
    }
}

void cpu_columns_read(Device *device, Array y, Array x, int rows, int C, int first, int width_x) {
    Layout e = {.y = array_floats(y),
                .x = array_floats(x) + first,
                .step_y = (size_t)C,
                .step_x = (size_t)width_x,
                .rows = rows,
                .C = C,
                .n_groups = 1};
    share_rows(device, copy_task, &e, 1);
}

void cpu_columns_write(Device *device, Array y, Array x, int rows, int C, int first, int width_y) {
    Layout e = {.y = array_floats(y) + first,
                .x = array_floats(x),
                .step_y = (size_t)width_y,
                .step_x = (size_t)C,
                .rows = rows,
                .C = C,
                .n_groups = 1};
    share_rows(device, copy_task, &e, 1);
}

// Where the last id stands that is no padding.
static int last_of(const int32_t *ids, int T, int32_t pad_id) {
    int last = T - 1;
    while (last > 0 && ids[last] == pad_id) {
        last--;
    }
    return last;
}

void cpu_last_read(Device *device, Array y, Array x, Array ids, int B, int T, int C,
                   int32_t pad_id) {
    (void)device;
    for (int b = 0; b < B; b++) {
        const size_t row =
            (size_t)b * T + (size_t)last_of(array_ids(ids) + (size_t)b * T, T, pad_id);
        memcpy(array_floats(y) + (size_t)b * C, array_floats(x) + row * C, C * sizeof(float));
    }
}

void cpu_last_write(Device *device, Array dx, Array dy, Array ids, int B, int T, int C,
                    int32_t pad_id) {
    (void)device;
    memset(array_floats(dx), 0, (size_t)B * T * C * sizeof(float));
    for (int b = 0; b < B; b++) {
        const size_t row =
            (size_t)b * T + (size_t)last_of(array_ids(ids) + (size_t)b * T, T, pad_id);
        memcpy(array_floats(dx) + row * C, array_floats(dy) + (size_t)b * C, C * sizeof(float));
    }
}

void cpu_split_heads(Device *device, Array y, Array x, int B, int T, int H, int D, int first,
                     int width) {
    Layout e = {.y = array_floats(y),
                .x = array_floats(x) + first,
                .step_y = (size_t)D,
                .step_x = (size_t)width,
                .group_step_y = (size_t)T * D,
                .group_step_x = (size_t)D,
                .outer_step_y = (size_t)H * T * D,
                .outer_step_x = (size_t)T * width,
                .rows = T,
                .C = D,
                .n_groups = H};
    share_rows(device, copy_task, &e, B * H);
}

void cpu_merge_heads(Device *device, Array y, Array x, int B, int T, int H, int D, int first,
                     int width) {
    Layout e = {.y = array_floats(y) + first,
                .x = array_floats(x),
                .step_y = (size_t)width,
                .step_x = (size_t)D,
                .group_step_y = (size_t)D,
                .group_step_x = (size_t)T * D,
                .outer_step_y = (size_t)T * width,
                .outer_step_x = (size_t)H * T * D,
                .rows = T,
                .C = D,
                .n_groups = H};
    share_rows(device, copy_task, &e, B * H);
}

typedef struct Masking {
    float *y;
    const float *x;
    int T, S, H, rows_each;
    size_t rows;
    Mask mask;
    float hidden;
} Masking;

static void mask_row(const Masking *e, size_t row) {
    const int t = (int)(row % (size_t)e->T);
    const float *x = e->x + row * e->S;
    float *y = e->y + row * e->S;
    int seen = e->mask.causal ? smaller(t + e->S - e->T + 1, e->S) : e->S;
    seen = seen > 0 ? seen : 0;
    memcpy(y, x, (size_t)seen * sizeof *y);
    for (int s = seen; s < e->S; s++) {
        y[s] = e->hidden;
    }
    if (e->mask.key_ids.data != NULL) {
        const int32_t *ids = array_ids(e->mask.key_ids) + row / ((size_t)e->H * e->T) * e->S;
        for (int s = 0; s < seen; s++) {
            y[s] = ids[s] == e->mask.pad_id ? e->hidden : y[s];
        }
    }
}

static void mask_task(void *context, int i, int thread) {
    (void)thread;
    const Masking *e = context;
    const size_t first = (size_t)i * e->rows_each;
    for (size_t row = first; row < e->rows && row < first + e->rows_each; row++) {
        mask_row(e, row);
    }
}

static void share_mask(Device *device, Masking *e) {
    if (e->rows == 0 || e->S == 0) {
        return;
    }
    e->rows_each = e->S < TASK_ELEMENTS ? TASK_ELEMENTS / e->S : 1;
    cpu_share(device, mask_task, e, (int)((e->rows + e->rows_each - 1) / e->rows_each),
              0.4 * (double)e->rows * e->S);
}

void cpu_mask(Device *device, Array y, Array x, int B, int H, int T, int S, Mask mask) {
    Masking e = {.y = array_floats(y),
                 .x = array_floats(x),
                 .T = T,
                 .S = S,
                 .H = H,
                 .rows = (size_t)B * H * T,
                 .mask = mask,
                 .hidden = -INFINITY};
    share_mask(device, &e);
}

void cpu_mask_grad(Device *device, Array dx, Array dy, int B, int H, int T, int S, Mask mask) {
    Masking e = {.y = array_floats(dx),
                 .x = array_floats(dy),
                 .T = T,
                 .S = S,
                 .H = H,
                 .rows = (size_t)B * H * T,
                 .mask = mask};
    share_mask(device, &e);
}
