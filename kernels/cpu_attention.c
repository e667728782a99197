// cpu_attention.c - fused attention, forward and backward, without a (T,S) matrix in memory.
#include "kernels/cpu_device.h"

#include <math.h>
#include <string.h>

static bool visible(const AttentionShape *shape, int b, int t, int s) {
    const Mask *mask = &shape->mask;
    if (mask->causal && s > t + shape->S - shape->T) {
        return false;
    }
    return mask->key_ids == NULL || mask->key_ids[(size_t)b * shape->S + s] != mask->pad_id;
}

static double dot(const float *a, const float *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

void cpu_attention(Device *device, float *y, float *lse, const float *q, const float *k,
                   const float *v, AttentionShape shape) {
    (void)device;
    for (int row = 0; row < shape.B * shape.H * shape.T; row++) {
        const int t = row % shape.T;
        const int h = row / shape.T % shape.H;
        const int b = row / shape.T / shape.H;
        const float *q_row = q + ((size_t)b * shape.T + t) * shape.stride_q + h * shape.D;
        float *y_row = y + ((size_t)b * shape.T + t) * shape.stride_y + h * shape.D;
        const float *k_head = k + (size_t)b * shape.S * shape.stride_k + h * shape.D;
        const float *v_head = v + (size_t)b * shape.S * shape.stride_v + h * shape.D;
        double max = -INFINITY;
        double sum = 0;
        for (int s = 0; s < shape.S; s++) {
            if (visible(&shape, b, t, s)) {
                max = fmax(max,
                           shape.scale * dot(q_row, k_head + (size_t)s * shape.stride_k, shape.D));
            }
        }
        memset(y_row, 0, (size_t)shape.D * sizeof *y_row);
        for (int s = 0; s < shape.S; s++) {
            if (visible(&shape, b, t, s)) {
                const double p = exp(
                    shape.scale * dot(q_row, k_head + (size_t)s * shape.stride_k, shape.D) - max);
                sum += p;
                for (int d = 0; d < shape.D; d++) {
                    y_row[d] += (float)(p * v_head[(size_t)s * shape.stride_v + d]);
                }
            }
        }
        for (int d = 0; d < shape.D && sum > 0; d++) {
            y_row[d] = (float)(y_row[d] / sum);
        }
        lse[row] = sum > 0 ? (float)(max + log(sum)) : -INFINITY;
    }
}

static void clear_rows(float *x, int rows, int stride, int width) {
    for (int r = 0; r < rows; r++) {
        memset(x + (size_t)r * stride, 0, (size_t)width * sizeof *x);
    }
}

void cpu_attention_grad(Device *device, float *dq, float *dk, float *dv, const float *dy,
                        const float *q, const float *k, const float *v, const float *y,
                        const float *lse, AttentionShape shape) {
    (void)device;
    const int width = shape.H * shape.D;
    clear_rows(dq, shape.B * shape.T, shape.stride_q, width);
    clear_rows(dk, shape.B * shape.S, shape.stride_k, width);
    clear_rows(dv, shape.B * shape.S, shape.stride_v, width);
    for (int row = 0; row < shape.B * shape.H * shape.T; row++) {
        const int t = row % shape.T;
        const int h = row / shape.T % shape.H;
        const int b = row / shape.T / shape.H;
        const size_t q_at = ((size_t)b * shape.T + t) * shape.stride_q + h * shape.D;
        const size_t y_at = ((size_t)b * shape.T + t) * shape.stride_y + h * shape.D;
        const double dy_dot_y = dot(dy + y_at, y + y_at, shape.D);
        for (int s = 0; s < shape.S; s++) {
            if (!visible(&shape, b, t, s)) {
                continue;
            }
            const size_t k_at = ((size_t)b * shape.S + s) * shape.stride_k + h * shape.D;
            const size_t v_at = ((size_t)b * shape.S + s) * shape.stride_v + h * shape.D;
            const double p = exp(shape.scale * dot(q + q_at, k + k_at, shape.D) - lse[row]);
            const double dscore = p * (dot(dy + y_at, v + v_at, shape.D) - dy_dot_y) * shape.scale;
            for (int d = 0; d < shape.D; d++) {
                dq[q_at + d] += (float)(dscore * k[k_at + d]);
                dk[k_at + d] += (float)(dscore * q[q_at + d]);
                dv[v_at + d] += (float)(p * dy[y_at + d]);
            }
        }
    }
}
