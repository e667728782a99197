// view_texts.h - the words that views write on the screen, in each language.
#ifndef VIEWS_SCREEN_VIEW_TEXTS_H
#define VIEWS_SCREEN_VIEW_TEXTS_H

#include <stddef.h>

#include "views/sentences.h"

// {a}, {b} and {c} are filled in by view_text_fill.
typedef enum ViewTextId {
    VIEW_TEXT_TOO_SMALL, // a, b: what is needed, what is there
    VIEW_TEXT_QUERY,
    VIEW_TEXT_KEY,
    VIEW_TEXT_WRITES_NEXT,  // behind it in cross-attention
    VIEW_TEXT_READS_WRITES, // how rows of cross-attention are called
    VIEW_TEXT_QUERIES_ASK,
    VIEW_TEXT_KEYS_ANSWER,
    VIEW_TEXT_ROWS,       // a, b: first and last, c: of how many
    VIEW_TEXT_COLUMNS,    // the same
    VIEW_TEXT_SCALE,      // a, b: minimum, maximum
    VIEW_TEXT_SCALE_ROW,  // a, b: of the row at work
    VIEW_TEXT_SCALE_ROWS, // a, b: of all rows
    VIEW_TEXT_SCALE_UNIT,
    VIEW_TEXT_SCALE_UNIT_ROWS,
    VIEW_TEXT_SCALE_FLAT, // a: the one value
    VIEW_TEXT_LIT,        // cells marked * made this one
    VIEW_TEXT_ITEM,       // a: number
    VIEW_TEXT_HEAD,       // a: number
    VIEW_TEXT_LAYER,      // a: number
    VIEW_TEXT_LAYERS,     // a, b: the first and the last
    VIEW_TEXT_LAYER_OF,   // a: number, b: of how many
    VIEW_TEXT_POSITION_WORD,
    VIEW_TEXT_FROM,
    VIEW_TEXT_STATISTICS, // which numbers of a cell's row are used instead of its own
    VIEW_TEXT_MORE,       // a: how many
    VIEW_TEXT_NOT_RUN,
    VIEW_TEXT_BACKWARD,
    VIEW_TEXT_UPDATE,
    VIEW_TEXT_SUM_OF_ROW,
    VIEW_TEXT_LARGEST,
    VIEW_TEXT_ENCODER,
    VIEW_TEXT_DECODER,
    VIEW_TEXT_SELF_ATTENTION,
    VIEW_TEXT_MASKED_ATTENTION,
    VIEW_TEXT_CROSS_ATTENTION,
    VIEW_TEXT_SELF_SHORT,
    VIEW_TEXT_MASKED_SHORT,
    VIEW_TEXT_CROSS_SHORT,
    VIEW_TEXT_FEED_FORWARD,
    VIEW_TEXT_ADD_NORM,
    VIEW_TEXT_ADD,
    VIEW_TEXT_NORM,
    VIEW_TEXT_EMBEDDING,
    VIEW_TEXT_POSITIONS,
    VIEW_TEXT_LINEAR,
    VIEW_TEXT_LINEAR_PLAIN,
    VIEW_TEXT_COORDINATES,
    VIEW_TEXT_FEATURES,
    VIEW_TEXT_KERNEL,
    VIEW_TEXT_FEATURE_PRODUCTS,
    VIEW_TEXT_DECISION,
    VIEW_TEXT_CLASS_LOGITS,
    VIEW_TEXT_LSTM,
    VIEW_TEXT_CONCAT,
    VIEW_TEXT_THICK,
    VIEW_TEXT_THICK_FEW,
    VIEW_TEXT_NORM_LOGITS,
    VIEW_TEXT_SOFTMAX,
    VIEW_TEXT_LOSS,
    VIEW_TEXT_SOURCE,
    VIEW_TEXT_TARGET,
    VIEW_TEXT_TOKENS,
    VIEW_TEXT_LABELS,
    VIEW_TEXT_PARAMETERS, // a: how many
    VIEW_TEXT_POST_NORM,
    VIEW_TEXT_PRE_NORM,
    VIEW_TEXT_NO_RESIDUAL,
    VIEW_TEXT_HERE,
    VIEW_TEXT_BACKWARD_HERE,
    VIEW_TEXT_ID,
    VIEW_TEXT_PIECE,
    VIEW_TEXT_MERGE,     // a: its number in the list
    VIEW_TEXT_NO_MERGES, // b: how many pieces
    VIEW_TEXT_GREEDY,    // a: token
    VIEW_TEXT_DRAW,      // a: u, b: token, c: its bin
    VIEW_TEXT_PREDICTS,  // a: position, b: its token
    VIEW_TEXT_DRAWN_AT,  // the same, of the table of a draw that was made
    VIEW_TEXT_DRAWN,     // the same, c: the token, and from which numbers
    VIEW_TEXT_NEXT,      // the same, of the draw that would come next
    VIEW_TEXT_LEFT_OUT,  // a: a token
    VIEW_TEXT_SINCE,     // the model is another than that of the draw
    VIEW_TEXT_LOGIT,
    VIEW_TEXT_PROBABILITY,
    VIEW_TEXT_KEPT,
    VIEW_TEXT_BINS,
    VIEW_TEXT_STEP, // a: number
    VIEW_TEXT_FINISHED,
    VIEW_TEXT_SCORE,
    VIEW_TEXT_BEST,
    VIEW_TEXT_DROPPED, // a: the width of the beam
    VIEW_TEXT_QUERY_TOKEN,
    VIEW_TEXT_LABEL,
    VIEW_TEXT_PREDICTED,
    VIEW_TEXT_LOSS_HERE,
    VIEW_TEXT_MEAN_LOSS, // a: value, b: how many positions
    VIEW_TEXT_SMOOTHED,  // a: of the label, b: of each other
    VIEW_TEXT_PADDING_POSITION,
    VIEW_TEXT_TRAINING_STEPS,     // a: steps
    VIEW_TEXT_TRAINING_STEPS_LOG, // the same, where the axis is logarithmic
    VIEW_TEXT_LENGTHS,            // a: of how many sentences
    VIEW_TEXT_WORDS_OF_SENTENCE,
    VIEW_TEXT_DISTANCES, // a: points, b: numbers of each
    VIEW_TEXT_WAY_LOOP,
    VIEW_TEXT_WAY_PRODUCT,
    VIEW_TEXT_WAY_BLAS,
    VIEW_TEXT_WAY_BLAS_ALL,
    VIEW_TEXT_WAY_GPU,
    VIEW_TEXT_WAY_NOT_HERE,
    VIEW_TEXT_WAY_DIFFERENCE,  // a: the largest
    VIEW_TEXT_WAY_OVERTAKES,   // a: the way, b: from how many points on
    VIEW_TEXT_WAY_NEVER,       // a: the way
    VIEW_TEXT_SIZE_PARAMETERS, // a: model, b: how many
    VIEW_TEXT_SIZE_PART,
    VIEW_TEXT_SIZE_ONE,
    VIEW_TEXT_SIZE_LAYERS,
    VIEW_TEXT_SIZE_ALL,
    VIEW_TEXT_SIZE_SUM,
    VIEW_TEXT_SIZE_MEMORY,    // a: model
    VIEW_TEXT_SIZE_MEMORY_OF, // the same, b: of how many processes
    VIEW_TEXT_SIZE_TOKENS,    // of a step of all processes
    VIEW_TEXT_SIZE_WEIGHTS,
    VIEW_TEXT_SIZE_GRADIENTS,
    VIEW_TEXT_SIZE_OPTIMIZER,
    VIEW_TEXT_SIZE_ACTIVATIONS,
    VIEW_TEXT_SIZE_BATCH,
    VIEW_TEXT_SIZE_RUNNING,
    VIEW_TEXT_SIZE_FLOPS,    // a: model
    VIEW_TEXT_SIZE_FLOPS_OF, // the same, b: of how many processes
    VIEW_TEXT_SIZE_PASS,
    VIEW_TEXT_SIZE_STEP,
    VIEW_TEXT_SIZE_TIME,      // a: FLOP/s, b: percent
    VIEW_TEXT_SIZE_TIME_HERE, // the same, measured
    VIEW_TEXT_SIZE_ONE_STEP,
    VIEW_TEXT_SIZE_STEPS, // a: how many
    VIEW_TEXT_GRADIENT_NORM,
    VIEW_TEXT_LEARNING_RATE,
    VIEW_TEXT_TOKENS_PER_SECOND,
    VIEW_TEXT_ATTENTION_NOW,
    VIEW_TEXT_THIS_RUN,
    VIEW_TEXT_OTHER_RUN,
    VIEW_TEXT_NOT_TRAINED,
    VIEW_TEXT_RUNNING,
    VIEW_TEXT_SHOWN_STEP, // a: number
    VIEW_TEXT_TRAINING_LOSS,
    VIEW_TEXT_HELD_OUT,
    VIEW_TEXT_STEP_OF_RUN, // a: step, b: of how many
    VIEW_TEXT_MATRIX_SHARE,
    VIEW_TEXT_TIME_LEFT,
    VIEW_TEXT_CHECKPOINT,
    VIEW_TEXT_NONE_YET,
    VIEW_TEXT_STOPPED,
    VIEW_TEXT_NOBODY_TRAINS,
    VIEW_TEXT_GO_ON,        // a: folder
    VIEW_TEXT_NO_STEPS,     // of a run that somebody trains
    VIEW_TEXT_NEVER_BEGUN,  // of one that nobody does
    VIEW_TEXT_READING,      // a: percent
    VIEW_TEXT_BROKEN_LINES, // a: how many, b: the first
    VIEW_TEXT_SAMPLE,       // a: step
    VIEW_TEXT_AXIS_ZERO,
    VIEW_TEXT_AXIS_FITTED,
    VIEW_TEXT_AXIS_LOGARITHMIC,
    VIEW_TEXT_WHOLE_RUN,
    VIEW_TEXT_LAST_STEPS,    // a: how many
    VIEW_TEXT_MEANS_OF,      // a: of how many steps each
    VIEW_TEXT_LARGEST_OF,    // a: of how many steps each
    VIEW_TEXT_AT_STEP,       // a: step
    VIEW_TEXT_ROWS_LEFT_OUT, // a: how many of b show
    VIEW_TEXT_AXIS_PART,     // a: axis, b: percent
    VIEW_TEXT_AT_WORK,       // a: how much is done
    VIEW_TEXT_LEFT_SO,       // a: the same, where it was stopped
    VIEW_TEXT_NEIGHBOURS,    // a: token
    VIEW_TEXT_POINTS_RIGHT,  // a: how many, b: of how many, c: percent
    VIEW_TEXT_BOUNDARY,
    VIEW_TEXT_MARGIN,
    VIEW_TEXT_SUPPORT_VECTORS, // a: how many
    VIEW_TEXT_BEFORE,
    VIEW_TEXT_AFTER,
    VIEW_TEXT_DIFFERENCE,
    VIEW_TEXT_CHANGED_CELLS, // a: how many, b: of how many
    VIEW_TEXT_NOTHING_CHANGED,
    VIEW_TEXT_COUNT,
} ViewTextId;

const char *view_text(Language language, ViewTextId id);

// Puts a, b and c (may be NULL) where {a}, {b} and {c} stand. Returns out.
const char *view_text_fill(char *out, size_t size, const char *text, const char *a, const char *b,
                           const char *c);

#endif
