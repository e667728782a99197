// cpu_update.c - the optimizers' passes over parameters, in chunks of a fixed size.
#include "kernels/cpu_device.h"

// square_sum keeps one sum a part: so many at most.
enum { CHUNK = 1 << 14, MAX_PARTS = 256 };

typedef struct Update {
    const CpuSimd *simd;
    float *next_w, *next_m, *next_v;
    const float *w, *m, *v, *gradient;
    const AdamStep *step;
    size_t n, chunk;
    float lr, decay, gradient_scale;
    double *sums;
} Update;

static size_t chunk_count(const Update *e, int i) {
    const size_t left = e->n - (size_t)i * e->chunk;
    return left < e->chunk ? left : e->chunk;
}

static void share(Device *device, PoolTask *task, Update *e, double ns_each) {
    e->simd = &cpu_of(device)->simd;
    cpu_share(device, task, e, (int)((e->n + e->chunk - 1) / e->chunk), ns_each * (double)e->n);
}

static void adamw_task(void *context, int i, int thread) {
    (void)thread;
    const Update *e = context;
    const size_t at = (size_t)i * e->chunk;
    e->simd->adamw(e->next_w + at, e->next_m + at, e->next_v + at, e->w + at, e->m + at, e->v + at,
                   e->gradient + at, chunk_count(e, i), e->step);
}

void cpu_adamw(Device *device, Array next_w, Array next_m, Array next_v, Array w, Array m, Array v,
               Array gradient, size_t n, AdamStep step) {
    Update e = {.next_w = array_floats(next_w),
                .next_m = array_floats(next_m),
                .next_v = array_floats(next_v),
                .w = array_floats(w),
                .m = array_floats(m),
                .v = array_floats(v),
                .gradient = array_floats(gradient),
                .step = &step,
                .n = n,
                .chunk = CHUNK};
    share(device, adamw_task, &e, 1);
}

static void sgd_task(void *context, int i, int thread) {
    (void)thread;
    const Update *e = context;
    const size_t at = (size_t)i * e->chunk;
    e->simd->sgd(e->next_w + at, e->w + at, e->gradient + at, chunk_count(e, i), e->lr, e->decay,
                 e->gradient_scale);
}

void cpu_sgd(Device *device, Array next_w, Array w, Array gradient, size_t n, float lr, float decay,
             float gradient_scale) {
    Update e = {.next_w = array_floats(next_w),
                .w = array_floats(w),
                .gradient = array_floats(gradient),
                .n = n,
                .chunk = CHUNK,
                .lr = lr,
                .decay = decay,
                .gradient_scale = gradient_scale};
    share(device, sgd_task, &e, 0.4);
}

static void square_sum_task(void *context, int i, int thread) {
    (void)thread;
    const Update *e = context;
    e->sums[i] = e->simd->square_sum(e->w + (size_t)i * e->chunk, chunk_count(e, i));
}

double cpu_square_sum(Device *device, Array x, size_t n) {
    double sums[MAX_PARTS];
    size_t chunk = CHUNK;
    while (n > chunk * MAX_PARTS) {
        chunk *= 2;
    }
    Update e = {.w = array_floats(x), .n = n, .chunk = chunk, .sums = sums};
    share(device, square_sum_task, &e, 0.2);
    double sum = 0;
    for (int i = 0; i < (int)((n + chunk - 1) / chunk); i++) {
        sum += sums[i];
    }
    return sum;
}
