// cpu_product.c - y = scale * a * b + bias, for every layout and a batch of matrices.
#include "kernels/cpu_device.h"

static void one_product(const Product *p, float *y, const float *a, const float *b,
                        const float *bias) {
    const size_t step_a = p->transpose_a ? (size_t)p->stride_a : 1;
    const size_t step_b = p->transpose_b ? 1 : (size_t)p->stride_b;
    for (int i = 0; i < p->M; i++) {
        for (int j = 0; j < p->N; j++) {
            const float *row = p->transpose_a ? a + i : a + (size_t)i * p->stride_a;
            const float *column = p->transpose_b ? b + (size_t)j * p->stride_b : b + j;
            double sum = 0;
            for (int k = 0; k < p->K; k++) {
                sum += (double)row[k * step_a] * column[k * step_b];
            }
            sum *= p->scale;
            y[(size_t)i * p->stride_y + j] = (float)(bias != NULL ? sum + bias[j] : sum);
        }
    }
}

void cpu_product(Device *device, const Product *p, float *y, const float *a, const float *b,
                 const float *bias) {
    (void)device;
    for (int outer = 0; outer < p->outer; outer++) {
        for (int inner = 0; inner < p->inner; inner++) {
            one_product(p, y + outer * p->outer_step_y + inner * p->inner_step_y,
                        a + outer * p->outer_step_a + inner * p->inner_step_a,
                        b + outer * p->outer_step_b + inner * p->inner_step_b, bias);
        }
    }
}
