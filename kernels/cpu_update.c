// cpu_update.c - the optimizers' passes over parameters, in chunks of a fixed size.
#include "kernels/cpu_device.h"

#include <math.h>

// square_sum keeps one sum a part: so many at most.
enum { CHUNK = 1 << 14, MAX_PARTS = 256 };

typedef struct Update {
    const CpuSimd *simd;
    float *next_w, *next_m, *next_v;
    const float *w, *m, *v, *gradient;
    const AdamUpdate *update;
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
                   e->gradient + at, chunk_count(e, i), e->update);
}

// Without a finite factor the next numbers are the ones that were.
static void keep(Device *device, Array next, Array now, size_t n) {
    if (next.data != now.data) {
        cpu_copy(device, next.data, now.data, n * format_bytes(now.format));
    }
}

static float factor_of(Array factor) {
    return factor.data == NULL ? 1 : *array_floats(factor);
}

void cpu_adamw(Device *device, Array next_w, Array next_m, Array next_v, Array w, Array m, Array v,
               Array gradient, size_t n, AdamStep step, const StepBlock *now, Array factor) {
    const AdamUpdate update = {step, now->lr, now->correction1, now->correction2,
                               factor_of(factor)};
    if (!isfinite(update.gradient_scale)) {
        keep(device, next_w, w, n);
        keep(device, next_m, m, n);
        keep(device, next_v, v, n);
        return;
    }
    Update e = {.next_w = array_floats(next_w),
                .next_m = array_floats(next_m),
                .next_v = array_floats(next_v),
                .w = array_floats(w),
                .m = array_floats(m),
                .v = array_floats(v),
                .gradient = array_floats(gradient),
                .update = &update,
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

void cpu_sgd(Device *device, Array next_w, Array w, Array gradient, size_t n, float decay,
             const StepBlock *now, Array factor) {
    Update e = {.next_w = array_floats(next_w),
                .w = array_floats(w),
                .gradient = array_floats(gradient),
                .n = n,
                .chunk = CHUNK,
                .lr = now->lr,
                .decay = decay,
                .gradient_scale = factor_of(factor)};
    if (!isfinite(e.gradient_scale)) {
        keep(device, next_w, w, n);
        return;
    }
    share(device, sgd_task, &e, 0.4);
}

static void square_sum_task(void *context, int i, int thread) {
    (void)thread;
    const Update *e = context;
    e->sums[i] = e->simd->square_sum(e->w + (size_t)i * e->chunk, chunk_count(e, i));
}

void cpu_square_sum(Device *device, double *sum, Array x, size_t n, bool adds) {
    double sums[MAX_PARTS];
    size_t chunk = CHUNK;
    while (n > chunk * MAX_PARTS) {
        chunk *= 2;
    }
    Update e = {.w = array_floats(x), .n = n, .chunk = chunk, .sums = sums};
    share(device, square_sum_task, &e, 0.2);
    double all = 0;
    for (int i = 0; i < (int)((n + chunk - 1) / chunk); i++) {
        all += sums[i];
    }
    *sum = adds ? *sum + all : all;
}

void cpu_clip_scale(Device *device, Array factor, const double *square, Array losses,
                    ClipScale clip) {
    (void)device;
    const double norm = (double)clip.scale * sqrt(*square);
    bool is_finite = isfinite(norm);
    for (int i = 0; losses.data != NULL && i < clip.n_losses; i++) {
        is_finite = is_finite && isfinite(array_floats(losses)[i]);
    }
    const bool is_long = clip.clip > 0 && norm > (double)clip.clip;
    const float shortened = (float)((double)clip.scale * (double)clip.clip / norm);
    *array_floats(factor) = !is_finite ? NAN : is_long ? shortened : clip.scale;
}
