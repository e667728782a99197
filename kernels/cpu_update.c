// cpu_update.c - the optimizers' passes over parameters.
#include "kernels/cpu_device.h"

#include <math.h>

void cpu_adamw(Device *device, float *next_w, float *next_m, float *next_v, const float *w,
               const float *m, const float *v, const float *gradient, size_t n, AdamStep step) {
    (void)device;
    for (size_t i = 0; i < n; i++) {
        const float g = gradient[i] * step.gradient_scale;
        const float mean = step.beta1 * m[i] + (1 - step.beta1) * g;
        const float square = step.beta2 * v[i] + (1 - step.beta2) * g * g;
        const float decayed = w[i] - step.lr * step.decay * w[i];
        const float root = sqrtf(square / step.correction2) + step.eps;
        next_w[i] = decayed - step.lr * (mean / step.correction1) / root;
        next_m[i] = mean;
        next_v[i] = square;
    }
}

void cpu_sgd(Device *device, float *next_w, const float *w, const float *gradient, size_t n,
             float lr, float decay, float gradient_scale) {
    (void)device;
    for (size_t i = 0; i < n; i++) {
        next_w[i] = w[i] - lr * (gradient[i] * gradient_scale + decay * w[i]);
    }
}

double cpu_square_sum(Device *device, const float *x, size_t n) {
    (void)device;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * x[i];
    }
    return sum;
}
