// cpu_elements.c - kernels that treat each element alone, and sums.
#include "kernels/cpu_device.h"

#include <math.h>

#include "kernels/random.h"

void cpu_add(Device *device, float *y, const float *a, const float *b, size_t n, size_t n_b) {
    (void)device;
    for (size_t first = 0; first < n; first += n_b) {
        for (size_t i = 0; i < n_b; i++) {
            y[first + i] = a[first + i] + b[i];
        }
    }
}

void cpu_sum(Device *device, float *y, const float *const *x, int n_inputs, size_t n) {
    (void)device;
    for (size_t i = 0; i < n; i++) {
        float sum = n_inputs > 0 ? x[0][i] : 0;
        for (int input = 1; input < n_inputs; input++) {
            sum += x[input][i];
        }
        y[i] = sum;
    }
}

void cpu_sum_rows(Device *device, float *y, const float *x, int rows, int C) {
    (void)device;
    for (int c = 0; c < C; c++) {
        double sum = 0;
        for (int r = 0; r < rows; r++) {
            sum += x[(size_t)r * C + c];
        }
        y[c] = (float)sum;
    }
}

void cpu_scale(Device *device, float *y, const float *x, float factor, size_t n) {
    (void)device;
    for (size_t i = 0; i < n; i++) {
        y[i] = factor * x[i];
    }
}

void cpu_relu(Device *device, float *y, const float *x, size_t n) {
    (void)device;
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] > 0 ? x[i] : 0;
    }
}

void cpu_relu_grad(Device *device, float *dx, const float *dy, const float *x, size_t n) {
    (void)device;
    for (size_t i = 0; i < n; i++) {
        dx[i] = x[i] > 0 ? dy[i] : 0;
    }
}

static const double SQRT_2_OVER_PI = 0.79788456080286535588;

void cpu_gelu(Device *device, float *y, const float *x, size_t n) {
    (void)device;
    for (size_t i = 0; i < n; i++) {
        const double v = x[i];
        y[i] = (float)(0.5 * v * (1 + tanh(SQRT_2_OVER_PI * (v + 0.044715 * v * v * v))));
    }
}

void cpu_gelu_grad(Device *device, float *dx, const float *dy, const float *x, size_t n) {
    (void)device;
    for (size_t i = 0; i < n; i++) {
        const double v = x[i];
        const double t = tanh(SQRT_2_OVER_PI * (v + 0.044715 * v * v * v));
        const double slope = SQRT_2_OVER_PI * (1 + 3 * 0.044715 * v * v);
        dx[i] = (float)(dy[i] * (0.5 * (1 + t) + 0.5 * v * (1 - t * t) * slope));
    }
}

void cpu_dropout(Device *device, float *y, const float *x, size_t n, float probability,
                 uint64_t seed, uint32_t purpose, uint64_t step) {
    (void)device;
    const float factor = 1 / (1 - probability);
    for (size_t i = 0; i < n; i++) {
        y[i] = random_uniform(seed, purpose, step, i) >= probability ? x[i] * factor : 0;
    }
}
