// cpu_attention.c - fused attention: tasks of some queries of a head; backward, of a head.
#include "kernels/cpu_device.h"

#include <assert.h>

typedef struct Attention {
    Device *device;
    AttentionArrays arrays;
    AttentionShape shape;
    int n_blocks;
} Attention;

static double work_ns(const AttentionShape *shape, double ns_each) {
    const double pairs = (double)shape->T * shape->S * (shape->mask.causal ? 0.6 : 1);
    return pairs * shape->B * shape->H * (shape->D + 16) * ns_each;
}

static void forward_task(void *context, int i, int thread) {
    const Attention *e = context;
    const int head = i / e->n_blocks;
    const int first = i % e->n_blocks * ATTENTION_QUERIES;
    const int left = e->shape.T - first;
    cpu_of(e->device)->simd.attention(&e->arrays, &e->shape, head / e->shape.H, head % e->shape.H,
                                      first, left < ATTENTION_QUERIES ? left : ATTENTION_QUERIES,
                                      device_scratch(e->device, thread));
}

void cpu_attention(Device *device, float *y, float *lse, const float *q, const float *k,
                   const float *v, AttentionShape shape) {
    assert(attention_scratch_floats(&shape) <= SCRATCH_FLOATS);
    Attention e = {.device = device,
                   .arrays = {.q = q, .k = k, .v = v, .y = y, .lse = lse},
                   .shape = shape,
                   .n_blocks = (shape.T + ATTENTION_QUERIES - 1) / ATTENTION_QUERIES};
    cpu_share(device, forward_task, &e, shape.B * shape.H * e.n_blocks, work_ns(&shape, 0.04));
}

static void backward_task(void *context, int i, int thread) {
    const Attention *e = context;
    cpu_of(e->device)->simd.attention_grad(&e->arrays, &e->shape, i / e->shape.H, i % e->shape.H,
                                           device_scratch(e->device, thread));
}

void cpu_attention_grad(Device *device, float *dq, float *dk, float *dv, const float *dy,
                        const float *q, const float *k, const float *v, const float *y,
                        const float *lse, AttentionShape shape) {
    assert(attention_scratch_floats(&shape) <= SCRATCH_FLOATS);
    Attention e = {.device = device,
                   .arrays = {.q = q,
                              .k = k,
                              .v = v,
                              .y_in = y,
                              .lse_in = lse,
                              .dy = dy,
                              .dq = dq,
                              .dk = dk,
                              .dv = dv},
                   .shape = shape};
    cpu_share(device, backward_task, &e, shape.B * shape.H, work_ns(&shape, 0.1));
}
