// config.h - what a model is: the numbers of config.json.
#ifndef ENGINE_MODELS_CONFIG_H
#define ENGINE_MODELS_CONFIG_H

#include <stdbool.h>

#include <jansson.h>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/files/json_text.h"
#include "engine/tokenizers/tokenizer.h"
#include "kernels/backend.h"

// X(ENUM, lower): each `lower` has a `const Family family_lower` in a model_*.c file; a forgotten
// one fails to link. family.h says what a family is.
#define FAMILY_LIST(X)                                                                             \
    X(ENCODER_DECODER, encoder_decoder) /* Vaswani et al. 2017 */                                  \
    X(STORY, story)                     /* the small language model of the lessons */              \
    X(GPT2, gpt2)                       /* Radford et al. 2019 */                                  \
    X(SEQ2SEQ, seq2seq)                 /* LSTMs: Sutskever et al. 2014, Bahdanau et al. 2015 */   \
    X(POINTS, points)                   /* linear classifiers of points */                         \
    X(SVM, svm)                         /* support vector machines over points */

typedef enum FamilyKind {
#define FAMILY_ENUM(upper, lower) FAMILY_##upper,
    FAMILY_LIST(FAMILY_ENUM)
#undef FAMILY_ENUM
        FAMILY_COUNT,
} FamilyKind;

// What a file may ask for.
enum {
    CONFIG_MAX_SIZE = 1 << 20,
    CONFIG_MAX_VOCABULARY = 1 << 24,
    CONFIG_MAX_LAYERS = 1024,
};

typedef enum StoryHeads {
    STORY_SINGLE, // one set of projections; one head as wide as the model, unless n_heads says more
    STORY_SEQUENTIAL, // full-width heads one after the other, concatenated
    STORY_PARALLEL,   // heads side by side
} StoryHeads;

// How an LSTM decoder reads the source.
typedef enum Seq2SeqAttention {
    SEQ2SEQ_NONE,     // through the encoder's last state alone       Sutskever et al. 2014
    SEQ2SEQ_ADDITIVE, // v · tanh(W h + U s), before each step        Bahdanau et al. 2015
    SEQ2SEQ_DOT,      // h · s, after each step                       Luong et al. 2015
    SEQ2SEQ_GENERAL,  // h · W s, after each step                     Luong et al. 2015
} Seq2SeqAttention;

// What a lesson may take away to see what it was for. Zero: the model as it is.
typedef struct ModelSwitches {
    bool without_mask; // of the future; padding stays hidden
    bool without_scale;
    bool without_residual;
    bool without_positions;
} ModelSwitches;

typedef struct ModelConfig {
    FamilyKind family;
    int vocab_size;
    int d_model; // n_embd in GPT-2's files
    int n_heads;
    int n_layers; // of each side, where there are two
    int d_ff;
    int n_positions; // gpt2: rows of the position table; elsewhere 0: any length
    bool norm_first; // encoder-decoder: pre-norm
    NormKind layer_norm;
    float layer_norm_eps;
    bool tie_embeddings;
    float label_smoothing;
    float initializer_range; // gpt2: deviation of new weights; 0: its usual one
    float dropout;           // of sublayers' outputs, and of embeddings but in gpt2
    float embedding_dropout; // gpt2; elsewhere 0, as the next
    float attention_dropout; // of attention weights
    int pad_id;              // each -1 where there is none
    int bos_id;
    int eos_id;
    StoryHeads heads;
    bool causal; // story: built with its mask
    Seq2SeqAttention attention;
    bool feature_map;  // points: linear in φ(x), not in x
    KernelKind kernel; // svm
    float gamma;       // svm: of the Gaussian kernel
    float cost;        // svm: of a point on the wrong side of its margin
    ModelSwitches switches;
} ModelConfig;

// For the families: a sentence in the fields' error where the heads do not divide the width.
void config_check_heads(const ModelConfig *config, JsonFields *fields);

// One probability for all places where such a model drops.
void config_set_dropout(ModelConfig *config, float probability);
bool config_has_dropout(const ModelConfig *config);

// For the families: the shortest decimal that is this float, so that a file gives back its bits.
double config_decimal(float value);

// From a JSON object: ours, or a Hugging Face GPT-2's. where starts the sentence.
bool config_read(ModelConfig *config, json_t *object, const char *where, Error *err);

// As config.json: for gpt2 the keys that Hugging Face reads.
bool config_write(const ModelConfig *config, FileWriter *writer);
// The same text in memory (the caller's, file_close); false without memory for it.
bool config_to_text(const ModelConfig *config, FileBytes *text);

// The ids that begin and end a text, where the family's config.json repeats those of the tokenizer.
void config_take_marks(ModelConfig *config, const Tokenizer *tokenizer);

// Whether both are written alike; ids that only repeat the tokenizer's are not compared. false
// without memory.
bool config_is_same(const ModelConfig *a, const ModelConfig *b);

const char *config_family_name(FamilyKind family);

// True where the model has a source and a target side.
bool config_has_two_sides(const ModelConfig *config);

#endif
