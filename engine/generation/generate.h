// generate.h - a model that goes on with texts one token at a time, what it saw being kept.
//
// A generator is a tape of one token in each of n_rows rows, run again and again: it goes on from
// what earlier runs left in a state outside of it. The layers are those of training.
#ifndef ENGINE_GENERATION_GENERATE_H
#define ENGINE_GENERATION_GENERATE_H

#include "engine/models/model.h"
#include "engine/models/quantized.h"

// So many rows at most are summed row by row in a step, so that a text gets the same bits alone and
// beside others.
enum { GENERATOR_FEW_ROWS = 4, GENERATOR_PROMPT_TAPES = 8 };

typedef struct GeneratorConfig {
    TapeMode mode; // TAPE_INFER; TAPE_WATCH: every number of a step can be looked at
    int n_rows;    // texts side by side
    int capacity;  // positions of each, a prompt's included
    const QuantizedWeights *weights; // borrowed; NULL: float32
    const int32_t *source;           // of an encoder-decoder: the sentence (S) that all rows
    int S;                           // translate; it goes into the encoder once, when opened
} GeneratorConfig;

typedef struct Generator {
    GeneratorConfig config;
    Model *model; // borrowed, as is the device
    Device *device;
    ModelState state;
    ModelTape step;       // (n_rows,1)
    const Node **program; // its nodes that depend on the tokens
    int n_program;
    ModelTape prompts[GENERATOR_PROMPT_TAPES]; // (1, 2^i tokens), built when first needed
    int *lengths;                              // positions kept, of each row
    int32_t *fed;                              // what a step takes: n_rows tokens, then positions
    int32_t *scratch; // of generator_reorder: (n_rows, capacity + 1); NULL until it is needed
    int32_t *texts; // (n_rows, capacity); NULL but for a model whose tokens see later ones: nothing
                    // of it can be kept, so every step runs the whole text
    float *logits;  // of such a model, (n_rows,V)
} Generator;

// Fails by the shape (more positions than the model has) or without memory; then nothing is open.
bool generator_open(Generator *generator, Model *model, Device *device,
                    const GeneratorConfig *config, Error *err);
void generator_close(Generator *generator); // takes a zeroed one

// Takes ids into a row of a language model without asking what comes next. The bits depend on the
// row's own ids alone.
bool generator_read(Generator *generator, int row, const int32_t *ids, int n_ids, Error *err);

// Takes one token into each row, -1: none, and runs. *logits (n_rows,V), valid until the next run,
// says what comes next; a row without a token has no meaning there. Nothing is allocated for a
// model that keeps what it saw.
bool generator_step(Generator *generator, const int32_t *tokens, const float **logits, Error *err);

// Row r goes on from what row parents[r] saw.
bool generator_reorder(Generator *generator, const int *parents, Error *err);

// The row forgets what came after its first `length` positions.
void generator_rewind(Generator *generator, int row, int length);

#endif
