// cpu_simd_update.c - inner loops over parameters: AdamW, SGD, the sum of squares.
#include "kernels/cpu_simd.h"
#include "kernels/cpu_simd_vector.h"

typedef struct AdamVectors {
    vec gradient_scale, beta1, beta2, rest1, rest2, keep, rate, correction2, eps;
} AdamVectors;

INLINE AdamVectors adam_vectors(const AdamUpdate *update) {
    const AdamStep *step = &update->step;
    return (AdamVectors){
        .gradient_scale = vec_all(update->gradient_scale),
        .beta1 = vec_all(step->beta1),
        .beta2 = vec_all(step->beta2),
        .rest1 = vec_all(1 - step->beta1),
        .rest2 = vec_all(1 - step->beta2),
        .keep = vec_all(update->lr * step->decay),
        .rate = vec_all(update->lr / update->correction1),
        .correction2 = vec_all(1 / update->correction2),
        .eps = vec_all(step->eps),
    };
}

INLINE void adam_update(const AdamVectors *s, vec *w, vec *m, vec *v, vec gradient) {
    const vec g = gradient * s->gradient_scale;
    *m = vec_fma(s->beta1, *m, s->rest1 * g);
    *v = vec_fma(s->beta2, *v, s->rest2 * g * g);
    const vec decayed = *w - s->keep * *w;
    const vec root = vec_sqrt(*v * s->correction2) + s->eps;
    *w = decayed - s->rate * *m / root;
}

static void adamw(float *next_w, float *next_m, float *next_v, const float *w, const float *m,
                  const float *v, const float *gradient, size_t n, const AdamUpdate *update) {
    const AdamVectors s = adam_vectors(update);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec wi = vec_load(w + i);
        vec mi = vec_load(m + i);
        vec vi = vec_load(v + i);
        adam_update(&s, &wi, &mi, &vi, vec_load(gradient + i));
        vec_store(next_w + i, wi);
        vec_store(next_m + i, mi);
        vec_store(next_v + i, vi);
    }
    const int rest = (int)(n - i);
    if (rest > 0) {
        vec wi = vec_load_part(w + i, rest);
        vec mi = vec_load_part(m + i, rest);
        vec vi = vec_load_part(v + i, rest);
        adam_update(&s, &wi, &mi, &vi, vec_load_part(gradient + i, rest));
        vec_store_part(next_w + i, wi, rest);
        vec_store_part(next_m + i, mi, rest);
        vec_store_part(next_v + i, vi, rest);
    }
}

INLINE vec sgd_update(vec w, vec g, vec lr, vec decay, vec gradient_scale) {
    return w - lr * vec_fma(g, gradient_scale, decay * w);
}

static void sgd(float *next_w, const float *w, const float *gradient, size_t n, float lr,
                float decay, float gradient_scale) {
    const vec r = vec_all(lr);
    const vec d = vec_all(decay);
    const vec s = vec_all(gradient_scale);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec_store(next_w + i, sgd_update(vec_load(w + i), vec_load(gradient + i), r, d, s));
    }
    const int rest = (int)(n - i);
    if (rest > 0) {
        const vec g = vec_load_part(gradient + i, rest);
        vec_store_part(next_w + i, sgd_update(vec_load_part(w + i, rest), g, r, d, s), rest);
    }
}

static double square_sum(const float *x, size_t n) {
    double lanes[2 * LANES] = {0};
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        for (int lane = 0; lane < 2 * LANES; lane++) {
            const double value = x[i + lane];
            lanes[lane] += value * value;
        }
    }
    double sum = 0;
    for (int lane = 0; lane < 2 * LANES; lane++) {
        sum += lanes[lane];
    }
    for (; i < n; i++) {
        sum += (double)x[i] * x[i];
    }
    return sum;
}

void SIMD_NAME(cpu_simd_fill_update)(CpuSimd *simd) {
    simd->adamw = adamw;
    simd->sgd = sgd;
    simd->square_sum = square_sum;
}
