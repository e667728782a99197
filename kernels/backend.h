// backend.h - the arithmetic, as one constant table of kernels a device. No errors.
//
// Every argument is a value, an Array of the device's memory or a pointer into it. Arrays are dense
// and row-major, outermost axis first, unless a stride says otherwise. Letters: B batch, T
// position, S key position, C channels, H heads, D head width, V vocabulary. `rows` counts all
// outer axes together. An output never overlaps an input unless the comment allows it. Every kernel
// overwrites its output, gives the same bits for any number of threads, and the same bits when it
// runs twice.
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

// How alike two points are. x·z and ‖x − z‖ are over C.
typedef enum KernelKind {
    KERNEL_POLYNOMIAL, // (1 + x·z)²
    KERNEL_GAUSSIAN, // exp(−gamma ‖x − z‖²)                               Boser et al. 1992
} KernelKind;

typedef struct KernelShape {
    KernelKind kind;
    float gamma; // of KERNEL_GAUSSIAN
    int B, T, S, C;
} KernelShape;

// What may look at what. Scores are (B,H,T,S). causal: query t sees keys <= t + S - T. key_ids
// (B,S) or none: a key whose id is pad_id is seen by nobody.
typedef struct Mask {
    bool causal;
    Array key_ids;
    int32_t pad_id;
} Mask;

// The most that fused attention takes: keys, and the width of a head.
enum { ATTENTION_MAX_KEYS = (1 << 18) - 64, ATTENTION_MAX_WIDTH = 1024 };

// Fused attention over heads that lie side by side in rows: head h of q is columns h*D .. h*D+D-1
// of its row. Strides are floats from one position to the next; batches follow each other
// (T*stride_q, S*stride_k ...).
typedef struct AttentionShape {
    int B, T, S, H, D;
    int stride_q, stride_k, stride_v, stride_y; // y and the gradients of y: (B,T,H*D)
    float scale;                                // 1/sqrt(D)
    Mask mask;
} AttentionShape;

// Memory of (rows,S,C); x (B,T,width), C columns of it from column `first` on.
typedef struct CacheShape {
    int B, T, S, C;
    int first, width;
} CacheShape;

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

// What differs from one step to the next. It lies in the device's memory and is written before the
// step, so that the calls of a step are the same each time.
typedef struct StepBlock {
    float lr;
    float correction1, correction2; // AdamW's, 1 - beta^t, worked out in double
    float loss_gradient;            // d loss / d loss: which share of all labels this batch has
    int32_t drops;                  // 0: dropout leaves everything as it is
    int32_t cache_row;   // which row of kept keys and values the first row of this tape is
    uint64_t draw;       // which draw of dropout this is
    uint64_t first_item; // which item of the whole batch the first one here is: parts of it draw as
                         // the whole would
} StepBlock;

// AdamW (Loshchilov and Hutter 2019), decay first, decoupled: w -= lr*decay*w; m = beta1*m +
// (1-beta1)*g; v = beta2*v + (1-beta2)*g*g; w -= lr * (m/correction1) / (sqrt(v/correction2) +
// eps).
typedef struct AdamStep {
    float beta1, beta2, eps, decay;
} AdamStep;

// What a gradient is multiplied by: scale, and less where its norm would be more than clip (0:
// any).
typedef struct ClipScale {
    float scale, clip;
    int n_losses; // of the step: NaN or infinity in one of them stops the update, too
} ClipScale;

// Which elements dropout takes away. x is items of item_size elements. Element i of an item stays
// where random_uniform(seed, purpose, draw, random_element(item, i)) >= probability: random.h
typedef struct Dropout {
    float probability;
    uint32_t purpose;
    uint64_t seed;
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
    // What it is, in words, for `attend devices`.
    void (*describe)(Device *device, char *text, size_t size);

    // ---- arithmetic

    // What comes by pointer is read before the call returns: a device that queues its work keeps a
    // copy. (By value it was written in small pieces and copied in large ones, which stalls.)

    // bias (N) or none
    void (*product)(Device *device, const Product *p, Array y, Array a, Array b, Array bias);

    // y[r,c] = scale * table[ids[r],c]; dtable (V,C) = scale * sum over rows with that id of dy
    void (*embedding)(Device *device, Array y, Array table, Array ids, int rows, int C,
                      float scale);
    void (*embedding_grad)(Device *device, Array dtable, Array dy, Array ids, int rows, int V,
                           int C, float scale);
    // y (T,C): even columns sin(t / 10000^(c/C)), odd columns cos(t / 10000^((c-1)/C));
    // first_position is added to t
    void (*sinusoid)(Device *device, Array y, int T, int C, int first_position);

    // Ids from `first` on are the places of a grid of side × side, row by row. y (rows,2): column
    // and row of each, as 2 (place − m) / m with m = (side − 1) / 2, which is −2 to 2
    void (*grid)(Device *device, Array y, Array ids, int rows, int first, int side);
    // y (rows,6) = 1, √2 x1, √2 x2, x1², x2², √2 x1 x2 of x (rows,2)
    void (*feature_map)(Device *device, Array y, Array x, int rows);
    // y (B,T,S) = k(x[b,t], z[b,s]); x (B,T,C), z (B,S,C)
    void (*kernel_function)(Device *device, Array y, Array x, Array z, KernelShape shape);

    // y[i] = a[i] + b[i % n_b]; n a multiple of n_b
    void (*add)(Device *device, Array y, Array a, Array b, size_t n, size_t n_b);
    // y = x0 + x1 + …, each of n numbers, in that order; y may be one of them
    void (*sum)(Device *device, Array y, const Terms *terms, size_t n);
    // y[c] = sum over rows of x[r,c]
    void (*sum_rows)(Device *device, Array y, Array x, int rows, int C);
    void (*scale)(Device *device, Array y, Array x, float factor, size_t n);

    // Rows of n_from floats: y[r, 0..C) = x[r, first..first+C), and back: y[r, first..first+C) =
    // x[r, 0..C)
    void (*columns_read)(Device *device, Array y, Array x, int rows, int C, int first, int width_x);
    void (*columns_write)(Device *device, Array y, Array x, int rows, int C, int first,
                          int width_y);
    // y (B,C) = the row of x (B,T,C) at each item's last id that is not pad_id, its first where all
    // are; and back: dx (B,T,C) = dy there, 0 elsewhere. ids (B,T)
    void (*last_read)(Device *device, Array y, Array x, Array ids, int B, int T, int C,
                      int32_t pad_id);
    void (*last_write)(Device *device, Array dx, Array dy, Array ids, int B, int T, int C,
                       int32_t pad_id);
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
    void (*dropout)(Device *device, Array y, Array x, size_t n, Dropout dropout,
                    const StepBlock *now);

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

    // next_* may be the same arrays as w, m, v (the trainer's in-place update). factor: one number
    // that multiplies the gradient first, or none. Where it is not finite, next_* become w, m, v.
    void (*adamw)(Device *device, Array next_w, Array next_m, Array next_v, Array w, Array m,
                  Array v, Array gradient, size_t n, AdamStep step, const StepBlock *now,
                  Array factor);
    // next_w = w - lr*(factor*g + decay*w)
    void (*sgd)(Device *device, Array next_w, Array w, Array gradient, size_t n, float decay,
                const StepBlock *now, Array factor);
    // *sum = the sum of squares, or that added to it; in double, in a fixed order
    void (*square_sum)(Device *device, double *sum, Array x, size_t n, bool adds);
    // factor: one number, from the sum of the gradient's squares; NaN where that or one of losses
    // is not finite. losses: n_losses, or none.
    void (*clip_scale)(Device *device, Array factor, const double *square, Array losses,
                       ClipScale clip);

    // Keys or values kept from run to run: row (b,t) of x, from column `first` on, goes to position
    // positions[b,t] of row now->cache_row + b of memory; the others stay as they are.
    void (*cache_write)(Device *device, Array memory, Array x, Array positions, CacheShape shape,
                        const StepBlock *now);
    // What the position before left: y (B,C) = row positions[b] - 1 of row now->cache_row + b of
    // memory (shape.B,shape.S,shape.C); at position 0 row b of first, which has shape.B rows, or 1
    // for all of them.
    void (*cache_read)(Device *device, Array y, Array first, int n_first, Array memory,
                       Array positions, CacheShape shape, const StepBlock *now);
    // As attention, over kept keys and values of shape.S positions a row, rows beginning at
    // now->cache_row. The queries of an item are at consecutive positions, the last at its last of
    // positions (B,T), and each sees the keys up to its own.
    void (*attention_kept)(Device *device, Array y, Array lse, Array q, Array k, Array v,
                           Array positions, AttentionShape shape, const StepBlock *now);
    // y (rows,count) = x (rows,K) * rows first.. first+count of matrix, transposed, + bias (count)
    // or none. A row of y has the same bits whatever the other rows are.
    void (*product_quantized)(Device *device, Array y, Array x, QuantizedMatrix matrix, Array bias,
                              int first, int count, int rows);
};

#endif
