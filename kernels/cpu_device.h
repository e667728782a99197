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

// cpu_memory.c
void *cpu_allocate(Device *device, size_t size_bytes);
void cpu_free(Device *device, void *memory);
void cpu_fill(Device *device, Array y, float value, size_t n);
void cpu_copy(Device *device, void *to, const void *from, size_t size_bytes);
const char *cpu_read(Device *device, void *to, const void *from, size_t size_bytes);

#define PART(name, ...) void cpu_##name(Device *device, __VA_ARGS__)
PART(product, const Product *p, Array y, Array a, Array b, Array bias);

PART(product_quantized, Array y, Array x, QuantizedMatrix matrix, Array bias, int first, int count,
     int rows);

PART(embedding, Array y, Array table, Array ids, int rows, int C, float scale);
PART(embedding_grad, Array dtable, Array dy, Array ids, int rows, int V, int C, float scale);
PART(sinusoid, Array y, int T, int C, int first_position);
PART(columns_read, Array y, Array x, int rows, int C, int first, int width_x);
PART(columns_write, Array y, Array x, int rows, int C, int first, int width_y);
PART(last_read, Array y, Array x, Array ids, int B, int T, int C, int32_t pad_id);
PART(last_write, Array dx, Array dy, Array ids, int B, int T, int C, int32_t pad_id);
PART(split_heads, Array y, Array x, int B, int T, int H, int D, int first, int width);
PART(merge_heads, Array y, Array x, int B, int T, int H, int D, int first, int width);
PART(mask, Array y, Array x, int B, int H, int T, int S, Mask mask);
PART(mask_grad, Array dx, Array dy, int B, int H, int T, int S, Mask mask);

PART(grid, Array y, Array ids, int rows, int first, int side);
PART(feature_map, Array y, Array x, int rows);
PART(kernel_function, Array y, Array x, Array z, KernelShape shape);

PART(add, Array y, Array a, Array b, size_t n, size_t n_b);
PART(sum, Array y, const Terms *terms, size_t n);
PART(sum_rows, Array y, Array x, int rows, int C);
PART(scale, Array y, Array x, float factor, size_t n);
PART(relu, Array y, Array x, size_t n);
PART(relu_grad, Array dx, Array dy, Array x, size_t n);
PART(gelu, Array y, Array x, size_t n);
PART(gelu_grad, Array dx, Array dy, Array x, size_t n);
PART(tanh, Array y, Array x, size_t n);
PART(tanh_grad, Array dx, Array dy, Array y, size_t n);
PART(sigmoid, Array y, Array x, size_t n);
PART(sigmoid_grad, Array dx, Array dy, Array y, size_t n);
PART(multiply, Array y, Array a, Array b, size_t n);
PART(dropout, Array y, Array x, size_t n, Dropout dropout, const StepBlock *now);

PART(softmax, Array y, Array x, int rows, int n);
PART(softmax_grad, Array dx, Array dy, Array y, int rows, int n);
PART(log_softmax, Array y, Array x, int rows, int n);
PART(log_softmax_grad, Array dx, Array dy, Array y, int rows, int n);
PART(layer_norm, Array y, Array statistics, Array x, Array weight, Array bias, int rows, int C,
     float eps, NormKind kind);
PART(layer_norm_grad, Array dx, Array dy, Array x, Array weight, Array statistics, int rows, int C,
     float eps, NormKind kind);
PART(layer_norm_weight_grad, Array dweight, Array dy, Array x, Array statistics, int rows, int C);

PART(loss, Array loss, Array log_probs, Array labels, LossShape shape);
PART(loss_grad, Array dlog_probs, Array dloss, Array labels, LossShape shape);
PART(cross_entropy, Array loss, Array row_max_and_lse, Array logits, Array labels, LossShape shape);
PART(cross_entropy_grad, Array dlogits, Array dloss, Array logits, Array row_max_and_lse,
     Array labels, LossShape shape);

PART(attention, Array y, Array lse, Array q, Array k, Array v, AttentionShape shape);
PART(attention_grad, Array dq, Array dk, Array dv, Array dy, Array q, Array k, Array v, Array y,
     Array lse, AttentionShape shape);

PART(adamw, Array next_w, Array next_m, Array next_v, Array w, Array m, Array v, Array gradient,
     size_t n, AdamStep step, const StepBlock *now, Array factor);
PART(sgd, Array next_w, Array w, Array gradient, size_t n, float decay, const StepBlock *now,
     Array factor);
PART(square_sum, double *sum, Array x, size_t n, bool adds);
PART(clip_scale, Array factor, const double *square, Array losses, ClipScale clip);
PART(cache_read, Array y, Array first, int n_first, Array memory, Array positions, CacheShape shape,
     const StepBlock *now);
PART(cache_write, Array memory, Array x, Array positions, CacheShape shape, const StepBlock *now);
PART(attention_kept, Array y, Array lse, Array q, Array k, Array v, Array positions,
     AttentionShape shape, const StepBlock *now);

#undef PART

#endif
