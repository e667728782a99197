// tensor_text.h - a node as lines of plain text: its numbers with the tokens they belong to, or a
// summary.
#ifndef VIEWS_TENSOR_TEXT_H
#define VIEWS_TENSOR_TEXT_H

#include "engine/base/file.h"
#include "engine/models/model.h"
#include "views/sentences.h"

// How a token is written; returns text.
typedef const char *(*TokenText)(const void *context, int32_t id, char *text, size_t size);

typedef struct TensorLabels {
    const Tape *tape;        // whose numbers are written
    const ModelNodes *nodes; // NULL: rows and columns carry no tokens
    TokenText token;
    const void *context;
} TensorLabels;

enum { TENSOR_TEXT_WHOLE = 64 }; // numbers that are written without being asked for

// What an index of an axis is called: its token, the vocabulary's word, or "" where there is none.
const char *tensor_index_text(const TensorLabels *labels, const Node *node, int axis, int item,
                              int index, char *text, size_t size);

// How the token that a row reads and the one that it writes next are told of cross-attention.
typedef enum TensorRow { TENSOR_ROW_WHOLE, TENSOR_ROW_NEXT } TensorRow;

// What a row is called: as its index, but in cross-attention "Mädchen → hat", or "→ hat" where the
// whole has no room; "?" where nothing follows yet.
const char *tensor_row_text(const TensorLabels *labels, const Node *node, int item, int row,
                            TensorRow how, char *text, size_t size);

// "encoder.0.self_attn.scores  (2,2,3,3)  (B,H,T,S)" and a line with the formula in
// this language.
void tensor_text_head(FileWriter *out, const Node *node, Language language);

// All its numbers, matrix by matrix; rows and columns of positions labelled with their tokens.
void tensor_text_numbers(FileWriter *out, const Node *node, const TensorLabels *labels);

// Minimum, maximum, mean and the corners.
void tensor_text_summary(FileWriter *out, const Tape *tape, const Node *node);

// Least, greatest and mean of the finite numbers, and how many are not finite.
typedef struct TensorRange {
    double min, max, mean;
    size_t n_finite, n_other;
} TensorRange;
TensorRange tensor_text_range(const Tape *tape, const Node *node);

#endif
