// cpu_rows.c - kernels that treat each row alone: softmax and layer norm.
#include "kernels/cpu_device.h"

#include <math.h>

static float row_max(const float *x, int n) {
    float max = -INFINITY;
    for (int i = 0; i < n; i++) {
        max = x[i] > max ? x[i] : max;
    }
    return max;
}

static double row_sum_exp(const float *x, int n, float max) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += exp((double)x[i] - max);
    }
    return sum;
}

void cpu_softmax(Device *device, float *y, const float *x, int rows, int n) {
    (void)device;
    for (int r = 0; r < rows; r++, x += n, y += n) {
        const float max = row_max(x, n);
        const bool empty = max == -INFINITY;
        const double sum = empty ? 1 : row_sum_exp(x, n, max);
        for (int i = 0; i < n; i++) {
            y[i] = empty ? 0 : (float)(exp((double)x[i] - max) / sum);
        }
    }
}

void cpu_softmax_grad(Device *device, float *dx, const float *dy, const float *y, int rows, int n) {
    (void)device;
    for (int r = 0; r < rows; r++, dx += n, dy += n, y += n) {
        double dot = 0;
        for (int i = 0; i < n; i++) {
            dot += (double)y[i] * dy[i];
        }
        for (int i = 0; i < n; i++) {
            dx[i] = (float)(y[i] * (dy[i] - dot));
        }
    }
}

void cpu_log_softmax(Device *device, float *y, const float *x, int rows, int n) {
    (void)device;
    for (int r = 0; r < rows; r++, x += n, y += n) {
        const float max = row_max(x, n);
        const bool empty = max == -INFINITY;
        const double lse = empty ? 0 : max + log(row_sum_exp(x, n, max));
        for (int i = 0; i < n; i++) {
            y[i] = empty ? -INFINITY : (float)(x[i] - lse);
        }
    }
}

void cpu_log_softmax_grad(Device *device, float *dx, const float *dy, const float *y, int rows,
                          int n) {
    (void)device;
    for (int r = 0; r < rows; r++, dx += n, dy += n, y += n) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += dy[i];
        }
        for (int i = 0; i < n; i++) {
            dx[i] = (float)(dy[i] - exp((double)y[i]) * sum);
        }
    }
}

static double square_deviations(const float *x, int C, double mean) {
    double sum = 0;
    for (int c = 0; c < C; c++) {
        sum += (x[c] - mean) * (x[c] - mean);
    }
    return sum;
}

static double sample_deviation(const float *x, int C, double mean) {
    return sqrt(square_deviations(x, C, mean) / (C > 1 ? C - 1 : 1));
}

void cpu_layer_norm(Device *device, float *y, float *statistics, const float *x,
                    const float *weight, const float *bias, int rows, int C, float eps,
                    NormKind kind) {
    (void)device;
    for (int r = 0; r < rows; r++, x += C, y += C, statistics += 2) {
        double mean = 0;
        for (int c = 0; c < C; c++) {
            mean += x[c];
        }
        mean /= C;
        const double inverse = kind == NORM_STANDARD
                                   ? 1 / sqrt(square_deviations(x, C, mean) / C + eps)
                                   : 1 / (sample_deviation(x, C, mean) + eps);
        statistics[0] = (float)mean;
        statistics[1] = (float)inverse;
        for (int c = 0; c < C; c++) {
            y[c] = (float)(weight[c] * ((x[c] - mean) * inverse) + bias[c]);
        }
    }
}

void cpu_layer_norm_grad(Device *device, float *dx, const float *dy, const float *x,
                         const float *weight, const float *statistics, int rows, int C, float eps,
                         NormKind kind) {
    (void)device;
    (void)eps;
    for (int r = 0; r < rows; r++, x += C, dy += C, dx += C, statistics += 2) {
        const double mean = statistics[0];
        const double inverse = statistics[1];
        double sum = 0;
        double dot = 0; // of dn and x - mean
        for (int c = 0; c < C; c++) {
            const double dn = (double)dy[c] * weight[c];
            sum += dn;
            dot += dn * (x[c] - mean);
        }
        const double deviation = sample_deviation(x, C, mean);
        const double annotated = deviation > 0 ? inverse / ((C > 1 ? C - 1 : 1) * deviation) : 0;
        const double slope = kind == NORM_STANDARD ? inverse * inverse / C : annotated;
        for (int c = 0; c < C; c++) {
            const double dn = (double)dy[c] * weight[c];
            dx[c] = (float)(inverse * (dn - sum / C - (x[c] - mean) * dot * slope));
        }
    }
}

void cpu_layer_norm_weight_grad(Device *device, float *dweight, const float *dy, const float *x,
                                const float *statistics, int rows, int C) {
    (void)device;
    for (int c = 0; c < C; c++) {
        double sum = 0;
        for (int r = 0; r < rows; r++) {
            const size_t i = (size_t)r * C + c;
            sum += (double)dy[i] * (x[i] - statistics[2 * r]) * statistics[2 * r + 1];
        }
        dweight[c] = (float)sum;
    }
}
