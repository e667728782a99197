// backend.h - the arithmetic, as one constant table of kernels a device. No errors.
//
// Every argument is a value, or an Array of the device's memory. Arrays are dense and row-major,
// outermost axis first, unless a stride says otherwise. Letters: B batch, T position, S key
// position, C channels, H heads, D head width, V vocabulary. `rows` counts all outer axes together.
// An output never overlaps an input unless the comment allows it. Every kernel overwrites its
// output, gives the same bits for any number of threads, and the same bits when it runs twice.
#ifndef KERNELS_BACKEND_H
#define KERNELS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/array.h"

typedef struct Backend Backend;

// The CPU's threads or a GPU: what a backend's own struct begins with. Opened and closed by the
// backend's own header.
typedef struct Device {
    const Backend *backend; // what it can do; its functions take the device itself
} Device;

// y[b] (M,N) = scale * a[b] (M,K) * b[b] (K,N) + bias (N). transpose_a: a is stored (K,M);
// transpose_b: b is stored (N,K). stride_*: floats from one row of the stored matrix to the next;
// step_*: from one matrix of the batch to the next. A batch of (outer, inner) matrices: inner steps
// first, so that heads can lie side by side in one row.
typedef struct Product {
    int M, N, K;
    bool transpose_a, transpose_b;
    int stride_a, stride_b, stride_y;
    int outer, inner;
    size_t outer_step_a, outer_step_b, outer_step_y;
    size_t inner_step_a, inner_step_b, inner_step_y;
    float scale;
} Product;

// What a sum adds up, in this order.
enum { TERMS_MAX = 8 };
typedef struct Terms {
    int count;
    Array items[TERMS_MAX];
} Terms;

typedef enum NormKind {
    NORM_STANDARD,  // (x - mean) / sqrt(population variance + eps)          Ba et al. 2016
    NORM_ANNOTATED, // (x - mean) / (sample deviation + eps)                 The Annotated
                    // Transformer
} NormKind;

// What may look at what. Scores are (B,H,T,S). causal: query t sees keys <= t + S - T. key_ids
// (B,S) or none: a key whose id is pad_id is seen by nobody.
typedef struct Mask {
    bool causal;
    Array key_ids;
    int32_t pad_id;
} Mask;

// Fused attention over heads that lie side by side in rows: head h of q is columns h*D .. h*D+D-1
// of its row. Strides are floats from one position to the next; batches follow each other
// (T*stride_q, S*stride_k ...).
typedef struct AttentionShape {
    int B, T, S, H, D;
    int stride_q, stride_k, stride_v, stride_y; // y and the gradients of y: (B,T,H*D)
    float scale;                                // 1/sqrt(D)
    Mask mask;
} AttentionShape;

// Labels that count and what they are compared with. smoothing e: the label keeps 1-e, the other
// tokens but padding share e: e/(V-2) each where there is a padding token (pad_id >= 0), e/(V-1)
// where there is none. A label equal to pad_id (>= 0), or below 0, counts for nothing. n_labels:
// those that count in this batch, at least 1 (the caller counts; a batch of padding alone has loss
// 0).
typedef struct LossShape {
    int rows, V;
    float smoothing;
    int32_t pad_id;
} LossShape;

// AdamW (Loshchilov and Hutter 2019), decay first, decoupled: w -= lr*decay*w; m = beta1*m +
// (1-beta1)*g; v = beta2*v + (1-beta2)*g*g; w -= lr * (m/(1-beta1^t)) / (sqrt(v/(1-beta2^t)) +
// eps). correction1 = 1-beta1^t, correction2 = 1-beta2^t, computed in double by the caller.
// gradient_scale multiplies g first (clipping, accumulation).
typedef struct AdamStep {
    float lr, beta1, beta2, eps, decay;
    float correction1, correction2;
    float gradient_scale;
} AdamStep;

// Which elements dropout takes away. x is items of item_size elements; the first is item first_item
// of the whole batch, so that its parts draw as the whole would. Element i of an item stays where
// random_uniform(seed, purpose, step, random_element(item, i)) >= probability: random.h
typedef struct Dropout {
    float probability;
    uint32_t purpose;
    uint64_t seed, step;
    uint64_t first_item;
    size_t item_size;
} Dropout;

// How a weight of a product is kept: as it is, rounded to 16 bits, or as integers of -127 to 127
// with one scale for each QUANTIZED_GROUP of them along K.
typedef enum WeightFormat { WEIGHT_F32, WEIGHT_BF16, WEIGHT_INT8 } WeightFormat;

enum { QUANTIZED_GROUP = 64 };

// (N,K), rows of `stride` numbers: whole groups, zeros behind the K-th.
typedef struct QuantizedMatrix {
    WeightFormat format;
    int N, K, stride;
    const void *values;  // float, bf16 bits in uint16_t, or int8_t
    const float *scales; // of WEIGHT_INT8: (N, stride / QUANTIZED_GROUP)
} QuantizedMatrix;

struct Backend {
    const char *name;

    // Whether the memory is the host's own and a call's work is done when it returns: then pointers
    // into it may be followed at once. Elsewhere calls are queued, and run in their order.
    bool is_host;

    // ---- memory

    // Aligned to 64 bytes, with anything in it; NULL where there is none left.
    void *(*allocate)(Device *device, size_t size_bytes);
    void (*free)(Device *device, void *memory); // takes NULL
    // y = value, n times
    void (*fill)(Device *device, Array y, float value, size_t n);
    // Within the device; the two places do not overlap.
    void (*copy)(Device *device, void *to, const void *from, size_t size_bytes);
    // From the host, whose numbers may change as soon as the call returns.
    void (*write)(Device *device, void *to, const void *from, size_t size_bytes);
    // To the host: waits for all that was called before. NULL, or a sentence about the first thing
    // that failed (the device's own; every later read says it again); then `to` is as it was.
    const char *(*read)(Device *device, void *to, const void *from, size_t size_bytes);
    void (*close)(Device *device);

    // ---- arithmetic

    // bias (N) or none
    void (*product)(Device *device, Product p, Array y, Array a, Array b, Array bias);

    // y[r,c] = scale * table[ids[r],c]; dtable (V,C) = scale * sum over rows with that id of dy
    void (*embedding)(Device *device, Array y, Array table, Array ids, int rows, int C,
                      float scale);
    void (*embedding_grad)(Device *device, Array dtable, Array dy, Array ids, int rows, int V,
                           int C, float scale);
    // y (T,C): even columns sin(t / 10000^(c/C)), odd columns cos(t / 10000^((c-1)/C));
    // first_position is added to t
    void (*sinusoid)(Device *device, Array y, int T, int C, int first_position);

    // y[i] = a[i] + b[i % n_b]; n a multiple of n_b
    void (*add)(Device *device, Array y, Array a, Array b, size_t n, size_t n_b);
    // y = x0 + x1 + …, each of n numbers, in that order; y may be one of them
    void (*sum)(Device *device, Array y, Terms terms, size_t n);
    // y[c] = sum over rows of x[r,c]
    void (*sum_rows)(Device *device, Array y, Array x, int rows, int C);
    void (*scale)(Device *device, Array y, Array x, float factor, size_t n);

    // Rows of n_from floats: y[r, 0..C) = x[r, first..first+C), and back: y[r, first..first+C) =
    // x[r, 0..C)
    void (*columns_read)(Device *device, Array y, Array x, int rows, int C, int first, int width_x);
    void (*columns_write)(Device *device, Array y, Array x, int rows, int C, int first,
                          int width_y);
    // x (B,T,width) columns first.. first+H*D  ->  y (B,H,T,D), and back into columns of y
    // (B,T,width)
    void (*split_heads)(Device *device, Array y, Array x, int B, int T, int H, int D, int first,
                        int width);
    void (*merge_heads)(Device *device, Array y, Array x, int B, int T, int H, int D, int first,
                        int width);

    // y = masked ? -inf : x; its gradient is masked ? 0 : dy. x and y (B,H,T,S)
    void (*mask)(Device *device, Array y, Array x, int B, int H, int T, int S, Mask mask);
    void (*mask_grad)(Device *device, Array dx, Array dy, int B, int H, int T, int S, Mask mask);
    // A row of -inf alone gives 0 everywhere. dx = y * (dy - sum(y*dy))
    void (*softmax)(Device *device, Array y, Array x, int rows, int n);
    void (*softmax_grad)(Device *device, Array dx, Array dy, Array y, int rows, int n);
    // y = x - log(sum(exp(x))); dx = dy - exp(y) * sum(dy)
    void (*log_softmax)(Device *device, Array y, Array x, int rows, int n);
    void (*log_softmax_grad)(Device *device, Array dx, Array dy, Array y, int rows, int n);

    // statistics (rows,2): mean and 1/deviation as it divides, kept for the gradient. n =
    // (x-mean)*inverse; y = weight*n + bias. dx from dy, x, weight and statistics; dweight = sum
    // over rows of dy*n.
    void (*layer_norm)(Device *device, Array y, Array statistics, Array x, Array weight, Array bias,
                       int rows, int C, float eps, NormKind kind);
    void (*layer_norm_grad)(Device *device, Array dx, Array dy, Array x, Array weight,
                            Array statistics, int rows, int C, float eps, NormKind kind);
    void (*layer_norm_weight_grad)(Device *device, Array dweight, Array dy, Array x,
                                   Array statistics, int rows, int C);

    // max(x,0); GELU in its tanh form: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) Hendrycks
    // and Gimpel 2016. dx may be dy itself.
    void (*relu)(Device *device, Array y, Array x, size_t n);
    void (*relu_grad)(Device *device, Array dx, Array dy, Array x, size_t n);
    void (*gelu)(Device *device, Array y, Array x, size_t n);
    void (*gelu_grad)(Device *device, Array dx, Array dy, Array x, size_t n);
    // tanh(x); 1 / (1 + exp(-x)); their gradients from y: dy (1 - y^2), dy y (1 - y). dx may be dy.
    void (*tanh)(Device *device, Array y, Array x, size_t n);
    void (*tanh_grad)(Device *device, Array dx, Array dy, Array y, size_t n);
    void (*sigmoid)(Device *device, Array y, Array x, size_t n);
    void (*sigmoid_grad)(Device *device, Array dx, Array dy, Array y, size_t n);
    // y[i] = a[i] * b[i]
    void (*multiply)(Device *device, Array y, Array a, Array b, size_t n);

    // y = stays ? x / (1-probability) : 0; n a multiple of item_size
    void (*dropout)(Device *device, Array y, Array x, size_t n, Dropout dropout);

    // losses[r] = sum_c target*(log target - log_probs) (KL, the cross-entropy when smoothing is 0;
    // 0*log 0 = 0); *loss = sum / n_labels, 0 when no label counts. dlog_probs = -target * *dloss /
    // n_labels.
    void (*loss)(Device *device, Array loss, Array log_probs, Array labels, LossShape shape);
    void (*loss_grad)(Device *device, Array dlog_probs, Array dloss, Array labels, LossShape shape);
    // The two above and log_softmax in one, without log_probs: row_max_and_lse (rows,2) is kept for
    // the gradient; dlogits may be logits itself. dlogits = (softmax - target) * *dloss / n_labels
    void (*cross_entropy)(Device *device, Array loss, Array row_max_and_lse, Array logits,
                          Array labels, LossShape shape);
    void (*cross_entropy_grad)(Device *device, Array dlogits, Array dloss, Array logits,
                               Array row_max_and_lse, Array labels, LossShape shape);

    // y (B,T,H*D), lse (B,H,T): log of the row's sum of exp(score); -inf and y = 0 where all keys
    // are masked.
    void (*attention)(Device *device, Array y, Array lse, Array q, Array k, Array v,
                      AttentionShape shape);
    // dq, dk, dv with the strides of q, k, v. y is the forward output.
    void (*attention_grad)(Device *device, Array dq, Array dk, Array dv, Array dy, Array q, Array k,
                           Array v, Array y, Array lse, AttentionShape shape);

    // next_* may be the same arrays as w, m, v (the trainer's in-place update).
    void (*adamw)(Device *device, Array next_w, Array next_m, Array next_v, Array w, Array m,
                  Array v, Array gradient, size_t n, AdamStep step);
    void (*sgd)(Device *device, Array next_w, Array w, Array gradient, size_t n, float lr,
                float decay, float gradient_scale);
    // y (rows,count) = x (rows,K) * rows first.. first+count of matrix, transposed, + bias (count)
    // or none. A row of y has the same bits whatever the other rows are.
    void (*product_quantized)(Device *device, Array y, Array x, QuantizedMatrix matrix, Array bias,
                              int first, int count, int rows);
    // Sum of squares, in double, in a fixed order.
    double (*square_sum)(Device *device, Array x, size_t n);
};

#endif
