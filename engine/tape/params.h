// params.h - a model's parameters: one block of numbers, outside every tape.
#ifndef ENGINE_TAPE_PARAMS_H
#define ENGINE_TAPE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/shape.h"

typedef enum InitKind {
    INIT_ZEROS,
    INIT_ONES,
    INIT_NORMAL,  // N(0, scale)
    INIT_UNIFORM, // U(-scale, scale)
} InitKind;

typedef struct Init {
    InitKind kind;
    float scale;
} Init;

typedef struct Parameter {
    const char *name; // as in the family's files: "encoder.layers.0.norm1.weight"
    Shape shape;
    Init init;
    size_t offset; // of its first number in values
} Parameter;

// A zeroed Params is empty. Parameters are declared in any number, then params_allocate makes the
// block.
typedef struct Params {
    Arena arena;
    Parameter *items;
    int count;
    int capacity;
    float *values;   // n_values, 64-byte aligned, owned
    size_t n_values; // every parameter starts at a multiple of 16 floats; the gaps stay 0
} Params;

// The parameter of that name, declared now if it is new. NULL when it is there with other sizes, or
// is new after params_allocate.
Parameter *params_declare(Params *params, const char *name, const Shape *shape, Init init);
const Parameter *params_find(const Params *params, const char *name); // NULL where there is none

// The block of numbers, all 0. False when there is no memory for it.
bool params_allocate(Params *params);

// Draws every parameter anew: a pure function of (seed, its number, the element).
void params_initialize(Params *params, uint64_t seed);
void params_initialize_one(Params *params, const Parameter *parameter, uint64_t seed);

float *params_values(const Params *params, const Parameter *parameter);

// How many numbers there are without the gaps.
size_t params_count(const Params *params);

// Whether no number is infinite or NaN.
bool params_are_finite(const Params *params);

void params_free(Params *params);

#endif
