// awkward_calls.c - the calls of the awkward device: each is kept with a copy of its arguments, and
// made on the CPU when the queue runs.
#include "tests/awkward/awkward.h"

// What is a pointer into the device's memory is checked when the call is kept.
#define CHECK(device, argument)                                                                    \
    _Generic((argument), Array: awkward_check_array, Mask: awkward_check_mask,                     \
             AttentionShape: awkward_check_attention,                                              \
             QuantizedMatrix: awkward_check_matrix, const StepBlock *: awkward_check_step,         \
             double *: awkward_check_sum, const double *: awkward_check_square,                    \
             void *: awkward_check_to, const void *: awkward_check_from, default: awkward_check_none)(device, &(argument))

#define CALL_3(op, A, B, C)                                                                        \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c);                                          \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c) {                                         \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        op##_arguments with = {a, b, c};                                                           \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

#define CALL_4(op, A, B, C, D)                                                                     \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c, with->d);                                 \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c, D d) {                                    \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        CHECK(device, d);                                                                          \
        op##_arguments with = {a, b, c, d};                                                        \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

#define CALL_5(op, A, B, C, D, E)                                                                  \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
        E e;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c, with->d, with->e);                        \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c, D d, E e) {                               \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        CHECK(device, d);                                                                          \
        CHECK(device, e);                                                                          \
        op##_arguments with = {a, b, c, d, e};                                                     \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

#define CALL_6(op, A, B, C, D, E, F)                                                               \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
        E e;                                                                                       \
        F f;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c, with->d, with->e, with->f);               \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c, D d, E e, F f) {                          \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        CHECK(device, d);                                                                          \
        CHECK(device, e);                                                                          \
        CHECK(device, f);                                                                          \
        op##_arguments with = {a, b, c, d, e, f};                                                  \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

#define CALL_7(op, A, B, C, D, E, F, G)                                                            \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
        E e;                                                                                       \
        F f;                                                                                       \
        G g;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c, with->d, with->e, with->f, with->g);      \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c, D d, E e, F f, G g) {                     \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        CHECK(device, d);                                                                          \
        CHECK(device, e);                                                                          \
        CHECK(device, f);                                                                          \
        CHECK(device, g);                                                                          \
        op##_arguments with = {a, b, c, d, e, f, g};                                               \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

#define CALL_8(op, A, B, C, D, E, F, G, H)                                                         \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
        E e;                                                                                       \
        F f;                                                                                       \
        G g;                                                                                       \
        H h;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c, with->d, with->e, with->f, with->g,       \
                         with->h);                                                                 \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c, D d, E e, F f, G g, H h) {                \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        CHECK(device, d);                                                                          \
        CHECK(device, e);                                                                          \
        CHECK(device, f);                                                                          \
        CHECK(device, g);                                                                          \
        CHECK(device, h);                                                                          \
        op##_arguments with = {a, b, c, d, e, f, g, h};                                            \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

#define CALL_9(op, A, B, C, D, E, F, G, H, I)                                                      \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
        E e;                                                                                       \
        F f;                                                                                       \
        G g;                                                                                       \
        H h;                                                                                       \
        I i;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c, with->d, with->e, with->f, with->g,       \
                         with->h, with->i);                                                        \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c, D d, E e, F f, G g, H h, I i) {           \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        CHECK(device, d);                                                                          \
        CHECK(device, e);                                                                          \
        CHECK(device, f);                                                                          \
        CHECK(device, g);                                                                          \
        CHECK(device, h);                                                                          \
        CHECK(device, i);                                                                          \
        op##_arguments with = {a, b, c, d, e, f, g, h, i};                                         \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

#define CALL_10(op, A, B, C, D, E, F, G, H, I, J)                                                  \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
        E e;                                                                                       \
        F f;                                                                                       \
        G g;                                                                                       \
        H h;                                                                                       \
        I i;                                                                                       \
        J j;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c, with->d, with->e, with->f, with->g,       \
                         with->h, with->i, with->j);                                               \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c, D d, E e, F f, G g, H h, I i, J j) {      \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        CHECK(device, d);                                                                          \
        CHECK(device, e);                                                                          \
        CHECK(device, f);                                                                          \
        CHECK(device, g);                                                                          \
        CHECK(device, h);                                                                          \
        CHECK(device, i);                                                                          \
        CHECK(device, j);                                                                          \
        op##_arguments with = {a, b, c, d, e, f, g, h, i, j};                                      \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

#define CALL_11(op, A, B, C, D, E, F, G, H, I, J, K)                                               \
    typedef struct op##_arguments {                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
        E e;                                                                                       \
        F f;                                                                                       \
        G g;                                                                                       \
        H h;                                                                                       \
        I i;                                                                                       \
        J j;                                                                                       \
        K k;                                                                                       \
    } op##_arguments;                                                                              \
    static void run_##op(Device *cpu, const void *kept) {                                          \
        const op##_arguments *with = kept;                                                         \
        cpu->backend->op(cpu, with->a, with->b, with->c, with->d, with->e, with->f, with->g,       \
                         with->h, with->i, with->j, with->k);                                      \
    }                                                                                              \
    static void keep_##op(Device *device, A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k) { \
        CHECK(device, a);                                                                          \
        CHECK(device, b);                                                                          \
        CHECK(device, c);                                                                          \
        CHECK(device, d);                                                                          \
        CHECK(device, e);                                                                          \
        CHECK(device, f);                                                                          \
        CHECK(device, g);                                                                          \
        CHECK(device, h);                                                                          \
        CHECK(device, i);                                                                          \
        CHECK(device, j);                                                                          \
        CHECK(device, k);                                                                          \
        op##_arguments with = {a, b, c, d, e, f, g, h, i, j, k};                                   \
        awkward_keep(device, run_##op, &with, sizeof with);                                        \
    }

CALL_3(fill, Array, float, size_t)
CALL_3(copy, void *, const void *, size_t)

typedef struct product_arguments {
    Product p;
    Array y, a, b, bias;
} product_arguments;

static void run_product(Device *cpu, const void *kept) {
    const product_arguments *with = kept;
    cpu->backend->product(cpu, &with->p, with->y, with->a, with->b, with->bias);
}

static void keep_product(Device *device, const Product *p, Array y, Array a, Array b, Array bias) {
    CHECK(device, y);
    CHECK(device, a);
    CHECK(device, b);
    CHECK(device, bias);
    product_arguments with = {*p, y, a, b, bias};
    awkward_keep(device, run_product, &with, sizeof with);
}

typedef struct sum_arguments {
    Array y;
    Terms terms;
    size_t n;
} sum_arguments;

static void run_sum(Device *cpu, const void *kept) {
    const sum_arguments *with = kept;
    cpu->backend->sum(cpu, with->y, &with->terms, with->n);
}

static void keep_sum(Device *device, Array y, const Terms *terms, size_t n) {
    CHECK(device, y);
    awkward_check_terms(device, terms);
    sum_arguments with = {.y = y, .terms = {.count = terms->count}, .n = n};
    for (int i = 0; i < terms->count; i++) {
        with.terms.items[i] = terms->items[i];
    }
    awkward_keep(device, run_sum, &with, sizeof with);
}

CALL_6(embedding, Array, Array, Array, int, int, float)
CALL_7(embedding_grad, Array, Array, Array, int, int, int, float)
CALL_4(sinusoid, Array, int, int, int)
CALL_5(grid, Array, Array, int, int, int)
CALL_3(feature_map, Array, Array, int)
CALL_4(kernel_function, Array, Array, Array, KernelShape)
CALL_5(add, Array, Array, Array, size_t, size_t)
CALL_4(sum_rows, Array, Array, int, int)
CALL_4(scale, Array, Array, float, size_t)
CALL_6(columns_read, Array, Array, int, int, int, int)
CALL_6(columns_write, Array, Array, int, int, int, int)
CALL_7(last_read, Array, Array, Array, int, int, int, int32_t)
CALL_7(last_write, Array, Array, Array, int, int, int, int32_t)
CALL_8(split_heads, Array, Array, int, int, int, int, int, int)
CALL_8(merge_heads, Array, Array, int, int, int, int, int, int)
CALL_7(mask, Array, Array, int, int, int, int, Mask)
CALL_7(mask_grad, Array, Array, int, int, int, int, Mask)
CALL_4(softmax, Array, Array, int, int)
CALL_5(softmax_grad, Array, Array, Array, int, int)
CALL_4(log_softmax, Array, Array, int, int)
CALL_5(log_softmax_grad, Array, Array, Array, int, int)
CALL_9(layer_norm, Array, Array, Array, Array, Array, int, int, float, NormKind)
CALL_9(layer_norm_grad, Array, Array, Array, Array, Array, int, int, float, NormKind)
CALL_6(layer_norm_weight_grad, Array, Array, Array, Array, int, int)
CALL_3(relu, Array, Array, size_t)
CALL_4(relu_grad, Array, Array, Array, size_t)
CALL_3(gelu, Array, Array, size_t)
CALL_4(gelu_grad, Array, Array, Array, size_t)
CALL_3(tanh, Array, Array, size_t)
CALL_4(tanh_grad, Array, Array, Array, size_t)
CALL_3(sigmoid, Array, Array, size_t)
CALL_4(sigmoid_grad, Array, Array, Array, size_t)
CALL_4(multiply, Array, Array, Array, size_t)
CALL_5(dropout, Array, Array, size_t, Dropout, const StepBlock *)
CALL_4(loss, Array, Array, Array, LossShape)
CALL_4(loss_grad, Array, Array, Array, LossShape)
CALL_5(cross_entropy, Array, Array, Array, Array, LossShape)
CALL_6(cross_entropy_grad, Array, Array, Array, Array, Array, LossShape)
CALL_6(attention, Array, Array, Array, Array, Array, AttentionShape)
CALL_10(attention_grad, Array, Array, Array, Array, Array, Array, Array, Array, Array,
        AttentionShape)
CALL_11(adamw, Array, Array, Array, Array, Array, Array, Array, size_t, AdamStep, const StepBlock *,
        Array)
CALL_7(sgd, Array, Array, Array, size_t, float, const StepBlock *, Array)
CALL_4(square_sum, double *, Array, size_t, bool)
CALL_4(clip_scale, Array, const double *, Array, ClipScale)
CALL_7(cache_read, Array, Array, int, Array, Array, CacheShape, const StepBlock *)
CALL_5(cache_write, Array, Array, Array, CacheShape, const StepBlock *)
CALL_8(attention_kept, Array, Array, Array, Array, Array, Array, AttentionShape, const StepBlock *)
CALL_7(product_quantized, Array, Array, QuantizedMatrix, Array, int, int, int)

void awkward_fill_table(Backend *table) {
    table->fill = keep_fill;
    table->copy = keep_copy;
    table->product = keep_product;
    table->embedding = keep_embedding;
    table->embedding_grad = keep_embedding_grad;
    table->sinusoid = keep_sinusoid;
    table->grid = keep_grid;
    table->feature_map = keep_feature_map;
    table->kernel_function = keep_kernel_function;
    table->add = keep_add;
    table->sum = keep_sum;
    table->sum_rows = keep_sum_rows;
    table->scale = keep_scale;
    table->columns_read = keep_columns_read;
    table->columns_write = keep_columns_write;
    table->last_read = keep_last_read;
    table->last_write = keep_last_write;
    table->split_heads = keep_split_heads;
    table->merge_heads = keep_merge_heads;
    table->mask = keep_mask;
    table->mask_grad = keep_mask_grad;
    table->softmax = keep_softmax;
    table->softmax_grad = keep_softmax_grad;
    table->log_softmax = keep_log_softmax;
    table->log_softmax_grad = keep_log_softmax_grad;
    table->layer_norm = keep_layer_norm;
    table->layer_norm_grad = keep_layer_norm_grad;
    table->layer_norm_weight_grad = keep_layer_norm_weight_grad;
    table->relu = keep_relu;
    table->relu_grad = keep_relu_grad;
    table->gelu = keep_gelu;
    table->gelu_grad = keep_gelu_grad;
    table->tanh = keep_tanh;
    table->tanh_grad = keep_tanh_grad;
    table->sigmoid = keep_sigmoid;
    table->sigmoid_grad = keep_sigmoid_grad;
    table->multiply = keep_multiply;
    table->dropout = keep_dropout;
    table->loss = keep_loss;
    table->loss_grad = keep_loss_grad;
    table->cross_entropy = keep_cross_entropy;
    table->cross_entropy_grad = keep_cross_entropy_grad;
    table->attention = keep_attention;
    table->attention_grad = keep_attention_grad;
    table->adamw = keep_adamw;
    table->sgd = keep_sgd;
    table->square_sum = keep_square_sum;
    table->clip_scale = keep_clip_scale;
    table->cache_read = keep_cache_read;
    table->cache_write = keep_cache_write;
    table->attention_kept = keep_attention_kept;
    table->product_quantized = keep_product_quantized;
}
