// op.h - what an op is: data and a few short functions; and the functions that append one.
#ifndef ENGINE_TAPE_OP_H
#define ENGINE_TAPE_OP_H

#include "engine/tape/explain.h"
#include "engine/tape/tape.h"

enum {
    OP_FORMULA_BYTES = 256,
    OP_MAX_INPUTS = 6, // of ops that have a fixed number
    OP_MAX_TERMS = 64, // of one OP_ACCUMULATE; longer sums are several, one after the other
};

// How a step is written with its operands as blocks of numbers: "before" a "second" b "later" c
// "after" = result. All of them NULL: "name(a, b, c) = result".
typedef struct OpSigns {
    const char *before;
    const char *second; // between the first and the second operand
    const char *later;  // before each after those
    const char *after;
    // True where the operand is written with its rows as columns, so that a row of the first meets
    // a column of the second. NULL: none is.
    bool (*turns)(const Node *node, int input);
    // What the whole is multiplied by. NULL: nothing.
    float (*scale)(const Node *node);
    // Of operands that have a letter of their own; NULL: their node's name.
    const char *names[OP_MAX_INPUTS];
} OpSigns;

// How the numbers of an op's output are kept.
typedef enum OpOutput {
    OUTPUT_PRECISION, // as the tape says
    OUTPUT_FLOAT32,   // whatever the tape says: parameters, their gradients, statistics, losses
    OUTPUT_AS_INPUT,  // as the first input's: what only moves numbers or adds them up
    OUTPUT_IDS,
} OpOutput;

typedef struct Op {
    const char *name;
    const char *formula; // one line, in the letters of the field: "y = x Wᵀ + b"
    // The same for one node, where it depends on its arguments. NULL: it does not.
    void (*write_formula)(const Node *node, char text[OP_FORMULA_BYTES]);

    OpOutput output;

    // The shape rule: sets node->shape (and saved_count) from inputs and arguments. false
    // with a sentence in reason when they do not fit.
    bool (*shape)(Node *node, Error *reason);

    // Sets node->counts where an axis of positions counts others than the first input's of the same
    // letter. NULL: none does.
    void (*count)(Node *node);

    // One call of a kernel. NULL: nothing to run (a parameter, a part that its writer fills).
    void (*run)(const Tape *tape, const Node *node);

    // The chain rule: given dy = d loss / d node, appends nodes for d loss / d input i into
    // contributions[i] (zeroed before the call) where needs[i]. NULL: nothing to differentiate, or
    // a gradient itself.
    void (*chain)(Tape *tape, Node *node, Node *dy, const bool *needs, Node **contributions);
    const char *no_chain; // why there is none; NULL where there is one

    // Where an input is cut into parts (rows, heads), how the parts' gradients are put together
    // again: appends d loss / d whole from d loss / d part for parts that share no element. NULL:
    // gradients of uses are summed.
    Node *(*join)(Tape *tape, Node *whole, Node *const *parts, int n_parts);
    // With join: whether two cuts of one value share an element. What does is summed.
    bool (*overlaps)(const Node *a, const Node *b);

    // Explains one element: its formula with digits and its contributing cells.
    void (*explain)(Explanation *explanation, const Node *node, const int *indices);

    // The rows are normalized: a cell comes first of all from the one in its place, and from its
    // neighbours only through what they have in common.
    bool normalizes;

    // Input whose memory the output may share on a tape that is not watched; -1: none.
    int shares_input;

    OpSigns signs;
} Op;

extern const Op *const OPS[OP_COUNT];

// What the node computes. Returns text, or a formula that lasts.
const char *op_formula(const Node *node, char text[OP_FORMULA_BYTES]);

// ---- sources
Node *op_parameter(Tape *tape, const Parameter *parameter); // of tape->params
Node *
op_parameter_of(Tape *tape, Params *params, const Parameter *parameter,
                const char *stage); // of other numbers with the same life, such as an optimizer's
Node *op_ids(Tape *tape, const char *name, Role role, Shape shape);
Node *op_constant(Tape *tape, const char *name, Shape shape, float value);
Node *op_sinusoid(Tape *tape, const char *name, int T, int C); // (T,C)

// ---- points of a plane
// Ids from `first` on are the places of a grid of side × side: (B,T) -> (B,T,C), C is 2.
Node *op_grid(Tape *tape, const char *name, Node *ids, int first, int side);
Node *op_feature_map(Tape *tape, const char *name, Node *x); // (B,T,2) -> (B,T,6)
// gamma is for KERNEL_GAUSSIAN: (B,T,C) (B,S,C) -> (B,T,S)
Node *op_kernel(Tape *tape, const char *name, Node *x, Node *z, KernelKind kind, float gamma);

// ---- forward
Node *op_embedding(Tape *tape, const char *name, Node *table, Node *ids,
                   float scale); // (V,C) (B,T) -> (B,T,C)
Node *op_slice_rows(Tape *tape, const char *name, Node *x, int first, int count,
                    const char *axis);                        // rows of the first axis
Node *op_add(Tape *tape, const char *name, Node *a, Node *b); // b may lack a's outer axes
Node *op_linear(Tape *tape, const char *name, Node *x, Node *weight, Node *bias,
                bool weight_is_out_in, const char *axis); // bias may be NULL
Node *op_split_heads(Tape *tape, const char *name, Node *x, int n_heads, int part,
                     int n_parts); // (B,T,nC) -> (B,H,T,D)
Node *op_merge_heads(Tape *tape, const char *name, Node *const *parts,
                     int n_parts); // (B,H,T,D)... -> (B,T,nC)
Node *op_concat(Tape *tape, const char *name, Node *const *inputs, int n_inputs,
                const char *axis); // along the last axis
// Positions first .. first+count of x (B,T,...), and positions of several one after the other:
// (B,T,...) each -> (B,sum of T,...).
Node *op_slice_steps(Tape *tape, const char *name, Node *x, int first, int count);
Node *op_concat_steps(Tape *tape, const char *name, Node *const *inputs, int n_inputs);
// The position of each item's last id that is not pad_id: x (B,T,C), ids (B,T) -> (B,1,C).
Node *op_last_step(Tape *tape, const char *name, Node *x, Node *ids, int pad_id);
Node *op_matmul(Tape *tape, const char *name, Node *a, Node *b, bool transpose_a, bool transpose_b,
                float scale); // over the last two axes
Node *op_mask(Tape *tape, const char *name, Node *scores, Node *key_ids, bool causal,
              int pad_id); // key_ids (B,S) or NULL
Node *op_softmax(Tape *tape, const char *name, Node *x);
Node *op_attention(Tape *tape, const char *name, Node *q, Node *k, Node *v, Node *key_ids,
                   const OpArguments *arguments); // -> (B,T,C)
// Outputs first .. first+count of x times a weight kept in fewer bits; bias may be NULL.
Node *op_quantized_linear(Tape *tape, const char *name, Node *x, const QuantizedMatrix *matrix,
                          int first, int count, Node *bias, const char *axis);
// Keys or values kept from run to run: rows of x, from column `first` on, go to their positions
// (B,T) of memory, (B,S,C) of the device, which outlives the tape; the other rows stay.
Node *op_cache(Tape *tape, const char *name, Node *x, Node *positions, int first, Shape shape,
               Array memory);
// What the position before left in such a memory, which a cache after it writes: at positions (B,1)
// its row of the position before, at position 0 first, (B,1,C) or (1,1,C) for all -> (B,1,C).
Node *op_carry(Tape *tape, const char *name, Node *first, Node *positions, int capacity,
               Array memory);
// q (B,T,·) at consecutive positions (B,T) looks at the kept keys up to its own position.
Node *op_cached_attention(Tape *tape, const char *name, Node *q, Node *k, Node *v, Node *positions,
                          const OpArguments *arguments); // -> (B,T,C)
Node *op_layer_norm(Tape *tape, const char *name, Node *x, Node *weight, Node *bias, float eps,
                    NormKind kind);
Node *op_relu(Tape *tape, const char *name, Node *x);
Node *op_gelu(Tape *tape, const char *name, Node *x);
Node *op_tanh(Tape *tape, const char *name, Node *x);
Node *op_sigmoid(Tape *tape, const char *name, Node *x);
Node *op_multiply(Tape *tape, const char *name, Node *a, Node *b); // element by element
Node *op_dropout(Tape *tape, const char *name, Node *x, float probability);
Node *op_log_softmax(Tape *tape, const char *name, Node *x);
Node *op_loss(Tape *tape, const char *name, Node *log_probs, Node *labels, float smoothing,
              int pad_id); // -> ()
Node *op_cross_entropy(Tape *tape, const char *name, Node *logits, Node *labels, float smoothing,
                       int pad_id); // -> ()

// ---- updates: next parameter from parameter, gradient and, for AdamW, the two running means; its
// parts are theirs. factor: what the gradient is multiplied by first; NULL: nothing.
typedef struct AdamNodes {
    Node *parameter, *gradient, *m, *v, *factor;
} AdamNodes;
Node *op_adamw(Tape *tape, const char *name, const AdamStep *step, const AdamNodes *nodes);
Node *op_part(Tape *tape, const char *name, Node *writer, int number);
Node *op_sgd(Tape *tape, const char *name, Node *parameter, Node *gradient, float decay,
             Node *factor);
// The factor for all gradients whose norm together is to be at most clip -> ()
Node *op_clip_scale(Tape *tape, const char *name, Node *const *gradients, int n, float clip);
void op_adamw_explain_part(Explanation *explanation, const Node *node, int part,
                           const int *indices);

// ---- shape rules that several ops share
bool op_shape_like_first(Node *node, Error *reason);
bool op_shape_mismatch(const Node *node, Error *reason, const char *expected); // false
// False, with the reason, where fused attention over so many keys by heads of that width is more
// than a device takes.
bool op_attention_fits(int n_keys, int width, Error *reason);

#endif
