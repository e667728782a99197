// cpu_attention.c - fused attention: tasks of some queries of a head; backward, of a head.
#include "kernels/cpu_device.h"

#include <assert.h>

// What the tape's builder lets through has room.
_Static_assert((4 * ATTENTION_MAX_WIDTH + 2 * ATTENTION_KEYS + 8) * ATTENTION_LANES <=
                       SCRATCH_FLOATS &&
                   ATTENTION_MAX_KEYS + 64 <= SCRATCH_FLOATS,
               "the scratch of a thread holds the largest attention");

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

void cpu_attention(Device *device, Array y, Array lse, Array q, Array k, Array v,
                   AttentionShape shape) {
    assert(attention_scratch_floats(&shape) <= SCRATCH_FLOATS);
    Attention e = {.device = device,
                   .arrays = {.q = array_floats(q),
                              .k = array_floats(k),
                              .v = array_floats(v),
                              .y = array_floats(y),
                              .lse = array_floats(lse)},
                   .shape = shape,
                   .n_blocks = (shape.T + ATTENTION_QUERIES - 1) / ATTENTION_QUERIES};
    cpu_share(device, forward_task, &e, shape.B * shape.H * e.n_blocks, work_ns(&shape, 0.04));
}

static void backward_task(void *context, int i, int thread) {
    const Attention *e = context;
    cpu_of(e->device)->simd.attention_grad(&e->arrays, &e->shape, i / e->shape.H, i % e->shape.H,
                                           device_scratch(e->device, thread));
}

void cpu_attention_grad(Device *device, Array dq, Array dk, Array dv, Array dy, Array q, Array k,
                        Array v, Array y, Array lse, AttentionShape shape) {
    assert(attention_scratch_floats(&shape) <= SCRATCH_FLOATS);
    Attention e = {.device = device,
                   .arrays = {.q = array_floats(q),
                              .k = array_floats(k),
                              .v = array_floats(v),
                              .y_in = array_floats(y),
                              .lse_in = array_floats(lse),
                              .dy = array_floats(dy),
                              .dq = array_floats(dq),
                              .dk = array_floats(dk),
                              .dv = array_floats(dv)},
                   .shape = shape};
    cpu_share(device, backward_task, &e, shape.B * shape.H, work_ns(&shape, 0.1));
}

void cpu_cache_write(Device *device, Array memory, Array x, Array positions, CacheShape shape,
                     const StepBlock *now) {
    const size_t C = (size_t)shape.C;
    for (int row = 0; row < shape.B * shape.T; row++) {
        const int item = now->cache_row + row / shape.T;
        const size_t at = (size_t)item * shape.S + (size_t)array_ids(positions)[row];
        cpu_copy(device, array_floats(memory) + at * C,
                 array_floats(x) + (size_t)row * shape.width + shape.first, C * sizeof(float));
    }
}

void cpu_cache_read(Device *device, Array y, Array first, int n_first, Array memory,
                    Array positions, CacheShape shape, const StepBlock *now) {
    const size_t C = (size_t)shape.C;
    for (int b = 0; b < shape.B; b++) {
        const int position = array_ids(positions)[b];
        const size_t at = (size_t)(now->cache_row + b) * shape.S + (size_t)position;
        const float *from = position == 0 ? array_floats(first) + (size_t)(b % n_first) * C
                                          : array_floats(memory) + (at - 1) * C;
        cpu_copy(device, array_floats(y) + b * C, from, C * sizeof(float));
    }
}

// Each item has its own number of keys: one call an item.
void cpu_attention_kept(Device *device, Array y, Array lse, Array q, Array k, Array v,
                        Array positions, AttentionShape shape, const StepBlock *now) {
    const size_t T = (size_t)shape.T;
    AttentionShape item = shape;
    item.B = 1;
    item.mask = (Mask){.causal = true};
    for (int b = 0; b < shape.B; b++) {
        const size_t first_key = (size_t)(now->cache_row + b) * shape.S;
        item.S = array_ids(positions)[(size_t)b * T + T - 1] + 1;
        cpu_attention(device, array_at(y, b * T * shape.stride_y),
                      array_at(lse, (size_t)b * shape.H * T), array_at(q, b * T * shape.stride_q),
                      array_at(k, first_key * shape.stride_k),
                      array_at(v, first_key * shape.stride_v), item);
    }
}
