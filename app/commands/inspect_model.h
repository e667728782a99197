// inspect_model.h - what a model costs: parameters, memory, arithmetic, from its configuration
// alone.
#ifndef APP_COMMANDS_INSPECT_MODEL_H
#define APP_COMMANDS_INSPECT_MODEL_H

#include "engine/models/preset.h"

// What is known of a model without its weights.
typedef struct ModelCosts {
    size_t n_parameters;
    size_t weight_bytes;
    size_t training_bytes;  // weights, gradients, two moments and the tape of a step
    size_t inference_bytes; // weights and the tape of one pass
    double forward_flops;   // of the products, one pass
    double step_flops;      // of a training step
    BatchShape shape;       // of that pass and step
} ModelCosts;

// Lays the tapes out; draws and runs nothing. training may be NULL: then one item of the longest
// length (or 64 tokens).
bool inspect_model_costs(ModelCosts *costs, const ModelConfig *config,
                         const TrainingConfig *training, Error *err);

// The lines under "model", and the same as members of a JSON object (each with a comma in front).
void inspect_model_write_text(FileWriter *out, const ModelCosts *costs);
void inspect_model_write_json(FileWriter *out, const ModelCosts *costs);

// A preset: what it is, its words, parameters with shapes, costs.
bool inspect_model_write_preset(FileWriter *out, const char *name, bool as_json, Error *err);

#endif
