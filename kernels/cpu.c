// cpu.c - the CPU as a device: opening, closing, the table of kernels.
#include "kernels/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/cpu_device.h"

// A kernel shorter than this is not shared: telling threads that wait costs a microsecond, waking
// those that sleep many.
static const double SHARED_WORK_NS = 4000;
static const double WAKING_WORK_NS = 15000;

typedef struct InstructionSet {
    const char *name;
    void (*fill)(CpuSimd *simd);
    bool supported;
} InstructionSet;

enum { N_INSTRUCTION_SETS = 3 };

static void list_instruction_sets(InstructionSet sets[N_INSTRUCTION_SETS]) {
    sets[0] = (InstructionSet){"baseline", cpu_simd_fill_baseline, true};
    sets[1] = (InstructionSet){"avx2", cpu_simd_fill_avx2, false};
    sets[2] = (InstructionSet){"avx512", cpu_simd_fill_avx512, false};
#if defined(__x86_64__)
    __builtin_cpu_init();
    sets[1].supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi2");
    sets[2].supported = sets[1].supported && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
#endif
}

// The newest that the machine has, or the one the environment asks for where the machine has it.
static void choose_instruction_set(CpuDevice *device) {
    InstructionSet sets[N_INSTRUCTION_SETS];
    list_instruction_sets(sets);
    const char *wanted = getenv("ATTEND_INSTRUCTION_SET");
    const InstructionSet *chosen = &sets[0];
    for (int i = 0; i < N_INSTRUCTION_SETS; i++) {
        const bool asked_for = wanted != NULL && strcmp(wanted, sets[i].name) == 0;
        if (sets[i].supported) {
            chosen = &sets[i];
            if (asked_for) {
                break;
            }
        }
    }
    chosen->fill(&device->simd);
    device->instruction_set = chosen->name;
    device->blas.use = blas_choose_use(chosen->name);
}

bool cpu_use_blas(Device *device) {
    Blas *blas = &cpu_of(device)->blas;
    if (!blas->tried) {
        blas_open(blas, &cpu_of(device)->simd, device_shared(device));
    }
    blas->use = blas->product != NULL ? BLAS_FOR_ALL : blas->use;
    return blas->product != NULL;
}

const char *cpu_products_by(Device *device) {
    if (!cpu_of(device)->blas.tried && cpu_of(device)->blas.use != BLAS_FOR_NOTHING) {
        blas_open(&cpu_of(device)->blas, &cpu_of(device)->simd, device_shared(device));
    }
    return cpu_of(device)->blas.product != NULL ? "OpenBLAS" : "own kernels";
}

static void cpu_describe(Device *device, char *text, size_t size) {
    const int n_threads = cpu_threads(device);
    snprintf(text, size, "%d thread%s, %s, products by %s", n_threads, n_threads == 1 ? "" : "s",
             cpu_instruction_set(device), cpu_products_by(device));
}

static const Backend CPU_BACKEND = {
    .name = "cpu",
    .is_host = true,
    .allocate = cpu_allocate,
    .free = cpu_free,
    .fill = cpu_fill,
    .copy = cpu_copy,
    .write = cpu_copy,
    .read = cpu_read,
    .close = cpu_close,
    .describe = cpu_describe,
    .product = cpu_product,
    .embedding = cpu_embedding,
    .embedding_grad = cpu_embedding_grad,
    .sinusoid = cpu_sinusoid,
    .grid = cpu_grid,
    .feature_map = cpu_feature_map,
    .kernel_function = cpu_kernel_function,
    .add = cpu_add,
    .sum = cpu_sum,
    .sum_rows = cpu_sum_rows,
    .scale = cpu_scale,
    .columns_read = cpu_columns_read,
    .columns_write = cpu_columns_write,
    .last_read = cpu_last_read,
    .last_write = cpu_last_write,
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
    .tanh = cpu_tanh,
    .tanh_grad = cpu_tanh_grad,
    .sigmoid = cpu_sigmoid,
    .sigmoid_grad = cpu_sigmoid_grad,
    .multiply = cpu_multiply,
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
    .clip_scale = cpu_clip_scale,
    .cache_read = cpu_cache_read,
    .cache_write = cpu_cache_write,
    .attention_kept = cpu_attention_kept,
    .product_quantized = cpu_product_quantized,
};

Device *cpu_open(int n_threads) {
    // The pool's tickets lie on lines of their own.
    CpuDevice *device = aligned_alloc(_Alignof(CpuDevice), sizeof *device);
    if (device == NULL) {
        return NULL;
    }
    memset(device, 0, sizeof *device);
    device->device.backend = &CPU_BACKEND;
    pool_init(&device->pool, n_threads);
    const size_t floats = SHARED_FLOATS + (size_t)device->pool.n_threads * SCRATCH_FLOATS;
    device->memory_bytes = floats * sizeof(float);
    void *memory = mmap(NULL, device->memory_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        pool_free(&device->pool);
        free(device);
        return NULL;
    }
    device->memory = memory;
    choose_instruction_set(device);
    return &device->device;
}

void cpu_close(Device *device) {
    if (device == NULL) {
        return;
    }
    CpuDevice *cpu = cpu_of(device);
    pool_free(&cpu->pool);
    munmap(cpu->memory, cpu->memory_bytes);
    free(cpu);
}

int cpu_threads(Device *device) {
    return cpu_of(device)->pool.n_threads;
}

const char *cpu_instruction_set(Device *device) {
    return cpu_of(device)->instruction_set;
}

void cpu_share(Device *device, PoolTask *task, void *context, int n_tasks, double work_ns) {
    Pool *pool = &cpu_of(device)->pool;
    if (work_ns >= SHARED_WORK_NS && (work_ns >= WAKING_WORK_NS || pool_is_awake(pool))) {
        pool_run(pool, task, context, n_tasks);
        return;
    }
    for (int i = 0; i < n_tasks; i++) {
        task(context, i, 0);
    }
}
