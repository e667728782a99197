// role.h - what a node is to a reader of the tape; views ask for these and never match names.
#ifndef ENGINE_TAPE_ROLE_H
#define ENGINE_TAPE_ROLE_H

typedef enum Role {
    ROLE_NONE,
    ROLE_PARAMETER,
    ROLE_TOKENS,
    ROLE_LABELS,
    ROLE_EMBEDDING,
    ROLE_POSITIONS,
    ROLE_INPUT,      // embedding + positions
    ROLE_PROJECTION, // q, k or v before they are cut into heads
    ROLE_QUERY,
    ROLE_KEY,
    ROLE_VALUE,
    ROLE_SCORES,
    ROLE_MASKED_SCORES,
    ROLE_ATTENTION_WEIGHTS,
    ROLE_CONTEXT,
    ROLE_CONCAT,
    ROLE_ATTENTION_OUTPUT,
    ROLE_RESIDUAL,
    ROLE_NORM,
    ROLE_HIDDEN,
    ROLE_ACTIVATION,
    ROLE_FEED_FORWARD_OUTPUT,
    ROLE_MEMORY,
    ROLE_DECODER_OUTPUT,
    ROLE_INPUT_GATE, // of an LSTM, as the next five
    ROLE_FORGET_GATE,
    ROLE_CELL_GATE,
    ROLE_OUTPUT_GATE,
    ROLE_CELL,
    ROLE_HIDDEN_STATE,
    ROLE_LOGITS,
    ROLE_LOG_PROBABILITIES,
    ROLE_LOSS,
    ROLE_CLASSES,  // labels that are classes, not tokens
    ROLE_POINTS,   // where points lie
    ROLE_FEATURES, // of points
    ROLE_KERNEL,   // how alike each two of them are
    ROLE_ALPHA,    // the weight of each support vector, 0 elsewhere
    ROLE_DECISION, // the score of each whose sign is its class
    ROLE_COUNT,
} Role;

#endif
