// op_kind.h - the ops a node can be, and the arguments each takes.
#ifndef ENGINE_TAPE_OP_KIND_H
#define ENGINE_TAPE_OP_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/backend.h"

// X(ENUM, lower): each `lower` has a `const Op op_info_lower` in an op_*.c file; a forgotten one
// fails to link.
#define OP_LIST(X)                                                                                 \
    X(PARAMETER, parameter)                                                                        \
    X(IDS, ids)                                                                                    \
    X(CONSTANT, constant)                                                                          \
    X(SINUSOID, sinusoid)                                                                          \
    X(GRID, grid)                                                                                  \
    X(FEATURE_MAP, feature_map)                                                                    \
    X(KERNEL, kernel)                                                                              \
    X(EMBEDDING, embedding)                                                                        \
    X(EMBEDDING_GRAD, embedding_grad)                                                              \
    X(SLICE_ROWS, slice_rows)                                                                      \
    X(JOIN_ROWS, join_rows)                                                                        \
    X(ADD, add)                                                                                    \
    X(ACCUMULATE, accumulate)                                                                      \
    X(PASS, pass)                                                                                  \
    X(SUM_ROWS, sum_rows)                                                                          \
    X(LINEAR, linear)                                                                              \
    X(WEIGHT_GRAD, weight_grad)                                                                    \
    X(SLICE_STEPS, slice_steps)                                                                    \
    X(CONCAT_STEPS, concat_steps)                                                                  \
    X(LAST_STEP, last_step)                                                                        \
    X(LAST_STEP_GRAD, last_step_grad)                                                              \
    X(SPLIT_HEADS, split_heads)                                                                    \
    X(MERGE_HEADS, merge_heads)                                                                    \
    X(CONCAT, concat)                                                                              \
    X(COLUMNS, columns)                                                                            \
    X(MATMUL, matmul)                                                                              \
    X(MASK, mask)                                                                                  \
    X(MASK_GRAD, mask_grad)                                                                        \
    X(SOFTMAX, softmax)                                                                            \
    X(SOFTMAX_GRAD, softmax_grad)                                                                  \
    X(ATTENTION, attention)                                                                        \
    X(ATTENTION_GRAD, attention_grad)                                                              \
    X(CARRY, carry)                                                                                \
    X(CACHE, cache)                                                                                \
    X(CACHED_ATTENTION, cached_attention)                                                          \
    X(QUANTIZED_LINEAR, quantized_linear)                                                          \
    X(PART, part)                                                                                  \
    X(LAYER_NORM, layer_norm)                                                                      \
    X(LAYER_NORM_GRAD, layer_norm_grad)                                                            \
    X(LAYER_NORM_WEIGHT_GRAD, layer_norm_weight_grad)                                              \
    X(RELU, relu)                                                                                  \
    X(RELU_GRAD, relu_grad)                                                                        \
    X(GELU, gelu)                                                                                  \
    X(GELU_GRAD, gelu_grad)                                                                        \
    X(TANH, tanh)                                                                                  \
    X(TANH_GRAD, tanh_grad)                                                                        \
    X(SIGMOID, sigmoid)                                                                            \
    X(SIGMOID_GRAD, sigmoid_grad)                                                                  \
    X(MULTIPLY, multiply)                                                                          \
    X(DROPOUT, dropout)                                                                            \
    X(LOG_SOFTMAX, log_softmax)                                                                    \
    X(LOG_SOFTMAX_GRAD, log_softmax_grad)                                                          \
    X(LOSS, loss)                                                                                  \
    X(LOSS_GRAD, loss_grad)                                                                        \
    X(CROSS_ENTROPY, cross_entropy)                                                                \
    X(CROSS_ENTROPY_GRAD, cross_entropy_grad)                                                      \
    X(CLIP_SCALE, clip_scale)                                                                      \
    X(ADAMW, adamw)                                                                                \
    X(SGD, sgd)

typedef enum OpKind {
#define OP_ENUM(upper, lower) OP_##upper,
    OP_LIST(OP_ENUM)
#undef OP_ENUM
        OP_COUNT,
} OpKind;

// One small struct an op that needs arguments; which one holds is said by the node's op.
typedef union OpArguments {
    struct {
        char axes[16];
        int sizes[5];
        float value; // of a CONSTANT
    } source;        // IDS, CONSTANT
    struct {
        int T, C, first;
    } sinusoid;
    struct {
        int first; // the id of the grid's first place
        int side;  // places in a row, and rows
    } grid;
    struct {
        KernelKind kind;
        float gamma;
    } kernel;
    struct {
        float scale;
        int V; // of the gradient: how many rows the table has
    } embedding;
    struct {
        int first, count;
        char axis[4];
    } rows;
    struct {
        bool weight_is_out_in; // (O,C), as torch's Linear; else (C,O), as GPT-2's Conv1D
        char axis[4];          // letters of the new last axis
    } linear;
    struct {
        int n_heads, part, n_parts; // columns part*C/n_parts .. of the row
    } heads;
    struct {
        int first, count;
        char axis[4];
    } columns;
    struct {
        int first, count; // positions
    } steps;
    struct {
        int32_t pad_id; // -1: every position counts
        int T;          // of the gradient: how many positions there are
    } last_step;
    struct {
        bool transpose_a, transpose_b;
        float scale;
    } matmul;
    struct {
        bool causal;
        int32_t pad_id; // of the key ids, the second input where there is one
    } mask;
    struct {
        int n_heads;
        int first_q, first_k, first_v; // the column where each begins in its input's rows
        float scale;
        bool causal;
        bool has_key_ids; // the last input
        int32_t pad_id;
    } attention;
    struct {
        const QuantizedMatrix *matrix; // outlives the tape
        int first, count;              // which of its outputs
        char axis[4];
    } quantized;
    struct {
        int first; // the column of its input's rows where what is kept begins
    } cache;
    struct {
        Array memory; // (rows,S,C), of the device; outlives the tape
        int S;
    } carry;
    struct {
        float eps;
        NormKind kind;
    } norm;
    struct {
        float probability;
        uint32_t purpose; // tells its draws from those of the tape's others
        size_t item_size; // elements a batch item
    } dropout;
    struct {
        float smoothing;
        int32_t pad_id; // -1: every label of 0 and more counts
    } loss;
    struct {
        int part; // PART: which extra output of its writer
    } part;
    struct {
        AdamStep step;
    } adamw;
    struct {
        float decay;
    } sgd;
    struct {
        float clip; // the largest norm
    } clip_scale;
} OpArguments;

#endif
