// cpu_layout.c - kernels that move rows: embeddings, columns, heads, masks, positions.
#include "kernels/cpu_device.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void cpu_embedding(Device *device, float *y, const float *table, const int32_t *ids, int rows,
                   int C, float scale) {
    (void)device;
    for (int r = 0; r < rows; r++) {
        assert(ids[r] >= 0);
        const float *row = table + (size_t)ids[r] * C;
        for (int c = 0; c < C; c++) {
            y[(size_t)r * C + c] = scale * row[c];
        }
    }
}

void cpu_embedding_grad(Device *device, float *dtable, const float *dy, const int32_t *ids,
                        int rows, int V, int C, float scale) {
    (void)device;
    memset(dtable, 0, (size_t)V * C * sizeof *dtable);
    for (int r = 0; r < rows; r++) {
        assert(ids[r] >= 0 && ids[r] < V);
        float *row = dtable + (size_t)ids[r] * C;
        for (int c = 0; c < C; c++) {
            row[c] += dy[(size_t)r * C + c];
        }
    }
    for (size_t i = 0; i < (size_t)V * C; i++) {
        dtable[i] *= scale;
    }
}

void cpu_sinusoid(Device *device, float *y, int T, int C, int first_position) {
    (void)device;
    for (int t = 0; t < T; t++) {
        for (int c = 0; c < C; c++) {
            const int even = c - c % 2;
            const double angle = (t + first_position) / pow(10000.0, (double)even / C);
            y[(size_t)t * C + c] = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
}

static void copy_rows(float *y, size_t width_y, const float *x, size_t width_x, int rows, int C) {
    for (int r = 0; r < rows; r++) {
        memcpy(y + r * width_y, x + r * width_x, (size_t)C * sizeof *y);
    }
}

void cpu_columns_read(Device *device, float *y, const float *x, int rows, int C, int first,
                      int width_x) {
    (void)device;
    copy_rows(y, (size_t)C, x + first, (size_t)width_x, rows, C);
}

void cpu_columns_write(Device *device, float *y, const float *x, int rows, int C, int first,
                       int width_y) {
    (void)device;
    copy_rows(y + first, (size_t)width_y, x, (size_t)C, rows, C);
}

void cpu_split_heads(Device *device, float *y, const float *x, int B, int T, int H, int D,
                     int first, int width) {
    (void)device;
    for (int head = 0; head < B * H; head++) {
        const int b = head / H;
        const int h = head % H;
        copy_rows(y + (size_t)head * T * D, (size_t)D,
                  x + (size_t)b * T * width + first + (size_t)h * D, (size_t)width, T, D);
    }
}

void cpu_merge_heads(Device *device, float *y, const float *x, int B, int T, int H, int D,
                     int first, int width) {
    (void)device;
    for (int head = 0; head < B * H; head++) {
        const int b = head / H;
        const int h = head % H;
        copy_rows(y + (size_t)b * T * width + first + (size_t)h * D, (size_t)width,
                  x + (size_t)head * T * D, (size_t)D, T, D);
    }
}

static void mask_rows(float *y, const float *x, int B, int H, int T, int S, const Mask *mask,
                      float hidden) {
    for (size_t row = 0; row < (size_t)B * H * T; row++) {
        const int t = (int)(row % (size_t)T);
        const size_t b = row / ((size_t)H * T);
        for (int s = 0; s < S; s++) {
            const bool future = mask->causal && s > t + S - T;
            const bool padding =
                mask->key_ids != NULL && mask->key_ids[b * (size_t)S + s] == mask->pad_id;
            y[row * S + s] = future || padding ? hidden : x[row * S + s];
        }
    }
}

void cpu_mask(Device *device, float *y, const float *x, int B, int H, int T, int S, Mask mask) {
    (void)device;
    mask_rows(y, x, B, H, T, S, &mask, -INFINITY);
}

void cpu_mask_grad(Device *device, float *dx, const float *dy, int B, int H, int T, int S,
                   Mask mask) {
    (void)device;
    mask_rows(dx, dy, B, H, T, S, &mask, 0);
}
