// cpu.c - the CPU as a device: opening, closing, the table of kernels.
#include "kernels/cpu.h"

#include <sched.h>
#include <stdlib.h>

#include "kernels/cpu_device.h"

static int threads_allowed(void) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return 1;
    }
    return CPU_COUNT(&allowed);
}

Device *cpu_open(int n_threads) {
    Device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        return NULL;
    }
    device->n_threads = n_threads > 0 ? n_threads : threads_allowed();
    return device;
}

void cpu_close(Device *device) {
    free(device);
}

int cpu_threads(const Device *device) {
    return device->n_threads;
}

const char *cpu_instruction_set(const Device *device) {
    (void)device;
    return "baseline";
}

void cpu_run(Device *device, void (*task)(void *context, int i), void *context, int n_tasks) {
    (void)device;
    for (int i = 0; i < n_tasks; i++) {
        task(context, i);
    }
}

const Backend CPU_BACKEND = {
    .name = "cpu",
    .product = cpu_product,
    .embedding = cpu_embedding,
    .embedding_grad = cpu_embedding_grad,
    .sinusoid = cpu_sinusoid,
    .add = cpu_add,
    .sum = cpu_sum,
    .sum_rows = cpu_sum_rows,
    .scale = cpu_scale,
    .columns_read = cpu_columns_read,
    .columns_write = cpu_columns_write,
    .split_heads = cpu_split_heads,
    .merge_heads = cpu_merge_heads,
    .mask = cpu_mask,
    .mask_grad = cpu_mask_grad,
    .softmax = cpu_softmax,
    .softmax_grad = cpu_softmax_grad,
    .log_softmax = cpu_log_softmax,
    .log_softmax_grad = cpu_log_softmax_grad,
    .layer_norm = cpu_layer_norm,
    .layer_norm_grad = cpu_layer_norm_grad,
    .layer_norm_weight_grad = cpu_layer_norm_weight_grad,
    .relu = cpu_relu,
    .relu_grad = cpu_relu_grad,
    .gelu = cpu_gelu,
    .gelu_grad = cpu_gelu_grad,
    .dropout = cpu_dropout,
    .loss = cpu_loss,
    .loss_grad = cpu_loss_grad,
    .cross_entropy = cpu_cross_entropy,
    .cross_entropy_grad = cpu_cross_entropy_grad,
    .attention = cpu_attention,
    .attention_grad = cpu_attention_grad,
    .adamw = cpu_adamw,
    .sgd = cpu_sgd,
    .square_sum = cpu_square_sum,
};
