// layers.h - what the models are made of. Parameters are declared by the layer that uses them.
#ifndef ENGINE_MODELS_LAYERS_H
#define ENGINE_MODELS_LAYERS_H

#include "engine/models/state.h"
#include "engine/models/config.h"
#include "engine/tape/op.h"
#include "engine/models/quantized.h"

// Where a model is being built. prefix: of the parameter names, "encoder.layers.0." or "".
typedef struct Build {
    Tape *tape;
    const ModelConfig *config;
    ModelState *state; // the tape goes on where earlier runs ended; NULL: it sees whole texts
    const QuantizedWeights *weights; // narrower numbers for the products; NULL: float32
    Node *tokens;                    // with a state: the ids (B,T) that go on,
    Node *positions;                 // and where they stand, ids (B,T)
    int n_blocks;                    // of the state, used so far
    int n_anchors; // points: how many of the first ones the others are compared with; 0: all
} Build;

// The parameter prefix + name, declared on its first use.
Node *layer_parameter(Build *build, const char *prefix, const char *name, Shape shape, Init init);

// The product with a weight, (O,C) or (C,O): of float32 or of what build->weights has in its place.
Node *layer_product(Build *build, const char *stage, Node *x, Node *weight, Node *bias,
                    bool weight_is_out_in, const char *axis);

// prefix + "weight" (O,C) and, with a bias, prefix + "bias" (O), as torch's Linear has them.
Node *layer_linear(Build *build, const char *stage, Role role, const char *prefix, Node *x,
                   int n_out, const char *axis, bool has_bias);
// The same with a weight (C,O), as GPT-2's Conv1D has it; weights N(0, deviation).
Node *layer_conv(Build *build, const char *stage, Role role, const char *prefix, Node *x, int n_out,
                 const char *axis, float deviation);

// prefix + "weight" and "bias".
Node *layer_norm(Build *build, const char *stage, Role role, const char *prefix, Node *x);

typedef struct ModelNodes ModelNodes;

// Queries, keys and values before they are cut into heads: three nodes (B,T,C), or one (B,T,3C)
// three times.
typedef struct Attention {
    Node *q, *k, *v;
    int n_heads;
    Node *key_ids; // (B,S), NULL where nothing is padding
    bool causal;
    bool is_unscaled; // the scores are the products themselves
    float dropout;    // of the weights
} Attention;

// Scores, mask, weights, context and the heads side by side again, (B,T,C): each a stage on a
// watched tape and where weights are dropped while a model learns, one node else.
Node *layer_attention(Build *build, const char *stage, const Attention *attention);

// The ids (B,T) that a language model or a decoder reads; with a state, also their positions.
Node *layer_tokens(Build *build, ModelNodes *nodes, int B, int T);

// The ids (B,T) that a model is to say, each at the position of the token before it.
Node *layer_labels(Build *build, ModelNodes *nodes);

// Rows of a table (positions, C), or sinusoids where table is NULL, for the ids (B,T): (T,C), or
// (B,T,C) where each item stands at a position of its own.
Node *layer_positions(Build *build, const Node *ids, Node *table, int C);

// Log probabilities and loss, in two steps or one.
Node *layer_loss(Build *build, Node *logits, Node *labels);

Node *layer_role(Node *node, Role role); // the node, marked; NULL stays NULL

// What a tape reads and what comes out. Sides that a family lacks are NULL.
struct ModelNodes {
    Node *source;    // ids (B,S)
    Node *tokens;    // ids (B,T): what goes into the decoder, or all of a language model
    Node *positions; // ids (B,T): where the tokens stand; NULL without a state
    Node *labels;    // ids (B,T); NULL without a loss
    Node *logits;    // (B,T,V)
    Node *loss;      // NULL without labels
};

// ids of B items; T tokens and, with two sides, S source tokens.
typedef struct BatchShape {
    int B, T, S;
} BatchShape;

// What a model of two sides reads: the source (B,S), of which there is one where a state is kept
// for several translations; the target (B,T); its labels, with a loss.
void layer_sides(Build *build, ModelNodes *nodes, BatchShape shape, bool with_loss);

#endif
