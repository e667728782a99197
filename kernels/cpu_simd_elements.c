// cpu_simd_elements.c - inner loops over single elements: sums, activations, dropout.
#include "kernels/cpu_simd.h"
#include "kernels/cpu_simd_vector.h"

#include "kernels/random.h"

static void add_rows(float *y, const float *a, const float *b, size_t rows, size_t n) {
    for (size_t row = 0; row < rows; row++, y += n, a += n) {
        size_t i = 0;
        for (; i + LANES <= n; i += LANES) {
            vec_store(y + i, vec_load(a + i) + vec_load(b + i));
        }
        const int rest = (int)(n - i);
        if (rest > 0) {
            vec_store_part(y + i, vec_load_part(a + i, rest) + vec_load_part(b + i, rest), rest);
        }
    }
}

static void sum(float *y, const float *const *x, int n_inputs, size_t first, size_t n) {
    const size_t end = first + n;
    size_t i = first;
    for (; i + LANES <= end; i += LANES) {
        vec total = n_inputs > 0 ? vec_load(x[0] + i) : vec_zero();
        for (int input = 1; input < n_inputs; input++) {
            total += vec_load(x[input] + i);
        }
        vec_store(y + i, total);
    }
    const int rest = (int)(end - i);
    if (rest > 0) {
        vec total = n_inputs > 0 ? vec_load_part(x[0] + i, rest) : vec_zero();
        for (int input = 1; input < n_inputs; input++) {
            total += vec_load_part(x[input] + i, rest);
        }
        vec_store_part(y + i, total, rest);
    }
}

// Applies expression, an inline function of one or two vectors, to n elements.
#define MAP_1(function, y, x, n)                                                                   \
    do {                                                                                           \
        size_t i_ = 0;                                                                             \
        for (; i_ + LANES <= (n); i_ += LANES) {                                                   \
            vec_store((y) + i_, function(vec_load((x) + i_)));                                     \
        }                                                                                          \
        const int rest_ = (int)((n)-i_);                                                           \
        if (rest_ > 0) {                                                                           \
            vec_store_part((y) + i_, function(vec_load_part((x) + i_, rest_)), rest_);             \
        }                                                                                          \
    } while (0)
#define MAP_2(function, y, a, b, n)                                                                \
    do {                                                                                           \
        size_t i_ = 0;                                                                             \
        for (; i_ + LANES <= (n); i_ += LANES) {                                                   \
            vec_store((y) + i_, function(vec_load((a) + i_), vec_load((b) + i_)));                 \
        }                                                                                          \
        const int rest_ = (int)((n)-i_);                                                           \
        if (rest_ > 0) {                                                                           \
            vec_store_part(                                                                        \
                (y) + i_,                                                                          \
                function(vec_load_part((a) + i_, rest_), vec_load_part((b) + i_, rest_)), rest_);  \
        }                                                                                          \
    } while (0)

static void scale(float *y, const float *x, float factor, size_t n) {
    const vec f = vec_all(factor);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec_store(y + i, f * vec_load(x + i));
    }
    const int rest = (int)(n - i);
    if (rest > 0) {
        vec_store_part(y + i, f * vec_load_part(x + i, rest), rest);
    }
}

static void add_scaled(float *y, const float *x, float factor, size_t n) {
    const vec f = vec_all(factor);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec_store(y + i, vec_fma(f, vec_load(x + i), vec_load(y + i)));
    }
    const int rest = (int)(n - i);
    if (rest > 0) {
        const vec added = vec_fma(f, vec_load_part(x + i, rest), vec_load_part(y + i, rest));
        vec_store_part(y + i, added, rest);
    }
}

INLINE vec relu_of(vec x) {
    return vec_where_below(vec_zero(), x, x, vec_zero());
}

static void relu(float *y, const float *x, size_t n) {
    MAP_1(relu_of, y, x, n);
}

INLINE vec relu_grad_of(vec dy, vec x) {
    return vec_where_below(vec_zero(), x, dy, vec_zero());
}

static void relu_grad(float *dx, const float *dy, const float *x, size_t n) {
    MAP_2(relu_grad_of, dx, dy, x, n);
}

// exp(-2u), u = sqrt(2/pi) (x + 0.044715 x^3), cut at exp(80): GELU is then x / (1 + exp(-2u)),
// which loses nothing to cancellation where tanh is near -1.
INLINE vec gelu_exp(vec x) {
    const vec slope = vec_fma(x * x, vec_all(-0.0713548162726F), vec_all(-1.59576912161F));
    const vec exponent = slope * x;
    const vec limit = vec_all(80);
    return vec_exp(vec_where_below(limit, exponent, limit, exponent));
}

INLINE vec gelu_of(vec x) {
    return x / (vec_all(1) + gelu_exp(x));
}

static void gelu(float *y, const float *x, size_t n) {
    MAP_1(gelu_of, y, x, n);
}

// s = 1 / (1 + e): y = x s, dy/dx = s + x s (1 - s) 2u', where 1 - s = e s.
INLINE vec gelu_grad_of(vec dy, vec x) {
    const vec e = gelu_exp(x);
    const vec s = vec_all(1) / (vec_all(1) + e);
    const vec slope = vec_fma(x * x, vec_all(0.2140644488178F), vec_all(1.59576912161F));
    return dy * vec_fma(x * slope, (e * s) * s, s);
}

static void gelu_grad(float *dx, const float *dy, const float *x, size_t n) {
    MAP_2(gelu_grad_of, dx, dy, x, n);
}

// exp(-x), cut at exp(80).
INLINE vec exp_minus(vec x) {
    const vec limit = vec_all(80);
    return vec_exp(vec_where_below(limit, -x, limit, -x));
}

// (1 - e) / (1 + e), e = exp(-2|x|), with the sign of x; near 0, where the difference would cancel,
// x - x^3/3 + 2x^5/15 - 17x^7/315.
INLINE vec tanh_of(vec x) {
    const vec size = vec_where_below(x, vec_zero(), -x, x);
    const vec e = exp_minus(size + size);
    const vec far = (vec_all(1) - e) / (vec_all(1) + e);
    const vec square = x * x;
    const vec fifth = vec_fma(square, vec_all(-0.0539682539683F), vec_all(0.133333333333F));
    const vec third = vec_fma(square, fifth, vec_all(-0.333333333333F));
    const vec near = vec_fma(x * square, third, x);
    return vec_where_below(size, vec_all(0.2F), near, vec_where_below(x, vec_zero(), -far, far));
}

static void tanh_all(float *y, const float *x, size_t n) {
    MAP_1(tanh_of, y, x, n);
}

INLINE vec tanh_grad_of(vec dy, vec y) {
    return dy * (vec_all(1) - y * y);
}

static void tanh_grad(float *dx, const float *dy, const float *y, size_t n) {
    MAP_2(tanh_grad_of, dx, dy, y, n);
}

INLINE vec sigmoid_of(vec x) {
    return vec_all(1) / (vec_all(1) + exp_minus(x));
}

static void sigmoid(float *y, const float *x, size_t n) {
    MAP_1(sigmoid_of, y, x, n);
}

INLINE vec sigmoid_grad_of(vec dy, vec y) {
    return dy * (y * (vec_all(1) - y));
}

static void sigmoid_grad(float *dx, const float *dy, const float *y, size_t n) {
    MAP_2(sigmoid_grad_of, dx, dy, y, n);
}

INLINE vec product_of(vec a, vec b) {
    return a * b;
}

static void multiply(float *y, const float *a, const float *b, size_t n) {
    MAP_2(product_of, y, a, b, n);
}

// One Philox block gives the draws of four neighbours; sixteen blocks at a time fill the vectors,
// eight where no more are left.
enum { DRAWS = 64 };

// As random_block draws them.
INLINE void draw(float *uniform, uint32_t n_blocks, uint64_t item, size_t first,
                 const Dropout *dropout, uint64_t step) {
    const uint32_t purpose = dropout->purpose;
    for (uint32_t block = 0; block < n_blocks; block++) {
        const uint32_t counter[4] = {(uint32_t)(first / 4) + block,
                                     (uint32_t)item ^ (purpose * 0x9E3779B1U), (uint32_t)step,
                                     (uint32_t)(step >> 32) ^ purpose};
        uint32_t out[4];
        random_philox(dropout->seed, counter, out);
        for (int i = 0; i < 4; i++) {
            uniform[block * 4 + i] = (float)(int32_t)(out[i] >> 8) * 0x1p-24F;
        }
    }
}

static void dropout(float *y, const float *x, uint64_t item, size_t first, size_t n,
                    const Dropout *dropout, uint64_t step) {
    const vec limit = vec_all(dropout->probability);
    const vec factor = vec_all(1 / (1 - dropout->probability));
    for (size_t done = 0; done < n; done += DRAWS) {
        float uniform[DRAWS];
        size_t end = n - done;
        if (end > DRAWS) {
            end = DRAWS;
        }
        if (end > DRAWS / 2) {
            draw(uniform, DRAWS / 4, item, first + done, dropout, step);
        } else {
            draw(uniform, DRAWS / 8, item, first + done, dropout, step);
        }
        size_t i = 0;
        for (; i + LANES <= end; i += LANES) {
            const vec kept = factor * vec_load(x + done + i);
            vec_store(y + done + i,
                      vec_where_below(vec_load(uniform + i), limit, vec_zero(), kept));
        }
        if (i < end) {
            const int rest = (int)(end - i);
            const vec kept = factor * vec_load_part(x + done + i, rest);
            vec_store_part(y + done + i,
                           vec_where_below(vec_load(uniform + i), limit, vec_zero(), kept), rest);
        }
    }
}

void SIMD_NAME(cpu_simd_fill_elements)(CpuSimd *simd) {
    simd->add_rows = add_rows;
    simd->sum = sum;
    simd->scale = scale;
    simd->add_scaled = add_scaled;
    simd->relu = relu;
    simd->relu_grad = relu_grad;
    simd->gelu = gelu;
    simd->gelu_grad = gelu_grad;
    simd->tanh = tanh_all;
    simd->tanh_grad = tanh_grad;
    simd->sigmoid = sigmoid;
    simd->sigmoid_grad = sigmoid_grad;
    simd->multiply = multiply;
    simd->dropout = dropout;
}
