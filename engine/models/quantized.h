// quantized.h - a model's product weights in fewer bits, for generation, which waits for memory.
#ifndef ENGINE_MODELS_QUANTIZED_H
#define ENGINE_MODELS_QUANTIZED_H

#include "engine/tape/tape.h"

typedef struct QuantizedWeights {
    WeightFormat format;
    QuantizedMatrix *matrices; // n_matrices, owned
    const Parameter **parameters;
    int n_matrices;
    void *block;    // their numbers, in the device's memory
    Device *device; // borrowed; the tape's
    size_t block_bytes;
} QuantizedWeights;

// The weights of every product on a tape of the model, in that format; the model's own numbers
// stay as they are. Embedding tables, norms and biases keep float32. Fails without memory.
bool quantized_make(QuantizedWeights *weights, const Tape *tape, WeightFormat format, Error *err);
void quantized_free(QuantizedWeights *weights);

// NULL where there is none of that parameter.
const QuantizedMatrix *quantized_find(const QuantizedWeights *weights, const Parameter *parameter);

// "f32", "bf16" or "int8".
bool quantized_format_find(const char *name, WeightFormat *format);
const char *quantized_format_name(WeightFormat format);

#endif
