// model_size.h - what a model takes: parameters, memory and arithmetic, from its configuration
// alone.
#ifndef ENGINE_TRAINING_MODEL_SIZE_H
#define ENGINE_TRAINING_MODEL_SIZE_H

#include "engine/models/preset.h"
#include "engine/training/trainer.h"

enum { MODEL_SIZE_PARTS = 24, MODEL_SIZE_NAME = 48 };

// Parameters that belong together, of all layers: "encoder.layers.self_attn".
typedef struct ModelPart {
    char name[MODEL_SIZE_NAME];
    int n_layers; // 1 where it is no part of a layer
    size_t n_parameters;
} ModelPart;

typedef struct ModelSize {
    ModelPart parts[MODEL_SIZE_PARTS]; // n_parts, in the order of the parameters
    int n_parts;
    size_t n_parameters;
    TrainerMemory memory;   // of a training step with AdamW
    size_t inference_bytes; // weights and the tape of one pass
    double forward_flops;   // of the products, one pass
    double step_flops;      // of a training step
    BatchShape shape;       // of that pass and step
} ModelSize;

// The batch that it trains with. training may be NULL: then one item of the longest length (or 64
// tokens).
BatchShape model_size_shape(const ModelConfig *config, const TrainingConfig *training);

// Lays the tapes out; draws and runs nothing.
bool model_size_count(ModelSize *size, const ModelConfig *config, BatchShape shape, Error *err);

// Tokens of a step, of both sides.
size_t model_size_tokens(const ModelSize *size);

// One of its numbers by name: a part's, or "parameters", "weights", "gradients", "optimizer",
// "activations", "batch" and their sum "training", "running" (bytes), "pass" and "step" (FLOPs).
// False where there is no such name.
bool model_size_find(const ModelSize *size, const char *name, double *value);

#endif
