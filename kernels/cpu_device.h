// cpu_device.h - what the CPU's kernels share: the device, ranges of work, the parts of the table.
#ifndef KERNELS_CPU_DEVICE_H
#define KERNELS_CPU_DEVICE_H

#include "kernels/cpu.h"
#include "kernels/cpu_blas.h"
#include "kernels/cpu_pool.h"
#include "kernels/cpu_simd.h"

// Floats of scratch memory: each thread's own, and one block that all threads of a job read.
enum { SCRATCH_FLOATS = 1 << 18, SHARED_FLOATS = 5 << 15 };

typedef struct CpuDevice {
    Device device; // first: a pointer to one is a pointer to the other
    Pool pool;
    CpuSimd simd;
    Blas blas;
    const char *instruction_set;
    float *memory; // shared block, then n_threads scratches; pages come when they are first used
    size_t memory_bytes;
} CpuDevice;

static inline CpuDevice *cpu_of(Device *device) {
    return (CpuDevice *)(void *)device;
}

static inline float *device_shared(Device *device) {
    return cpu_of(device)->memory;
}

static inline float *device_scratch(Device *device, int thread) {
    return cpu_of(device)->memory + SHARED_FLOATS + (size_t)thread * SCRATCH_FLOATS;
}

// Runs the tasks on the pool when their work, in nanoseconds of one thread, is worth waking it;
// here and now otherwise.
void cpu_share(Device *device, PoolTask *task, void *context, int n_tasks, double work_ns);

#define PART(name, ...) void cpu_##name(Device *device, __VA_ARGS__)
PART(product, const Product *p, float *y, const float *a, const float *b, const float *bias);

PART(product_quantized, float *y, const float *x, const QuantizedMatrix *matrix, const float *bias,
     int first, int count, int rows);

PART(embedding, float *y, const float *table, const int32_t *ids, int rows, int C, float scale);
PART(embedding_grad, float *dtable, const float *dy, const int32_t *ids, int rows, int V, int C,
     float scale);
PART(sinusoid, float *y, int T, int C, int first_position);
PART(columns_read, float *y, const float *x, int rows, int C, int first, int width_x);
PART(columns_write, float *y, const float *x, int rows, int C, int first, int width_y);
PART(split_heads, float *y, const float *x, int B, int T, int H, int D, int first, int width);
PART(merge_heads, float *y, const float *x, int B, int T, int H, int D, int first, int width);
PART(mask, float *y, const float *x, int B, int H, int T, int S, Mask mask);
PART(mask_grad, float *dx, const float *dy, int B, int H, int T, int S, Mask mask);

PART(add, float *y, const float *a, const float *b, size_t n, size_t n_b);
PART(sum, float *y, const float *const *x, int n_inputs, size_t n);
PART(sum_rows, float *y, const float *x, int rows, int C);
PART(scale, float *y, const float *x, float factor, size_t n);
PART(relu, float *y, const float *x, size_t n);
PART(relu_grad, float *dx, const float *dy, const float *x, size_t n);
PART(gelu, float *y, const float *x, size_t n);
PART(gelu_grad, float *dx, const float *dy, const float *x, size_t n);
PART(dropout, float *y, const float *x, size_t n, const Dropout *dropout);

PART(softmax, float *y, const float *x, int rows, int n);
PART(softmax_grad, float *dx, const float *dy, const float *y, int rows, int n);
PART(log_softmax, float *y, const float *x, int rows, int n);
PART(log_softmax_grad, float *dx, const float *dy, const float *y, int rows, int n);
PART(layer_norm, float *y, float *statistics, const float *x, const float *weight,
     const float *bias, int rows, int C, float eps, NormKind kind);
PART(layer_norm_grad, float *dx, const float *dy, const float *x, const float *weight,
     const float *statistics, int rows, int C, float eps, NormKind kind);
PART(layer_norm_weight_grad, float *dweight, const float *dy, const float *x,
     const float *statistics, int rows, int C);

PART(loss, float *loss, const float *log_probs, const int32_t *labels, LossShape shape);
PART(loss_grad, float *dlog_probs, const float *dloss, const int32_t *labels, LossShape shape);
PART(cross_entropy, float *loss, float *row_max_and_lse, const float *logits, const int32_t *labels,
     LossShape shape);
PART(cross_entropy_grad, float *dlogits, const float *dloss, const float *logits,
     const float *row_max_and_lse, const int32_t *labels, LossShape shape);

PART(attention, float *y, float *lse, const float *q, const float *k, const float *v,
     AttentionShape shape);
PART(attention_grad, float *dq, float *dk, float *dv, const float *dy, const float *q,
     const float *k, const float *v, const float *y, const float *lse, AttentionShape shape);

PART(adamw, float *next_w, float *next_m, float *next_v, const float *w, const float *m,
     const float *v, const float *gradient, size_t n, AdamStep step);
PART(sgd, float *next_w, const float *w, const float *gradient, size_t n, float lr, float decay,
     float gradient_scale);
double cpu_square_sum(Device *device, const float *x, size_t n);

#undef PART

#endif
