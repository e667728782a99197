// params.h - a model's parameters: one block of numbers, outside every tape.
#ifndef ENGINE_TAPE_PARAMS_H
#define ENGINE_TAPE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/progress.h"
#include "engine/base/shape.h"
#include "kernels/backend.h"

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

typedef struct ParamsPlace ParamsPlace; // params_place.c

// A zeroed Params is empty. Parameters are declared in any number, then params_allocate makes the
// block. Its numbers lie in the host's memory; once they are placed on a device whose memory is
// another, they lie there too, and whichever side changed them last is the one that holds.
typedef struct Params {
    Arena arena;
    Parameter *items;
    int count;
    int capacity;
    float *values;      // n_values, 64-byte aligned, owned; read and set by the functions below
    size_t n_values;    // every parameter starts at a multiple of 16 floats; the gaps stay 0
    ParamsPlace *place; // NULL while they are nowhere but here
} Params;

// The parameter of that name, declared now if it is new. NULL when it is there with other sizes, or
// is new after params_allocate.
Parameter *params_declare(Params *params, const char *name, const Shape *shape, Init init);
const Parameter *params_find(const Params *params, const char *name); // NULL where there is none

// The block of numbers, all 0. False when there is no memory for it.
bool params_allocate(Params *params);
// The same where all numbers will be written: only the gaps are 0. Large memory is not touched yet.
bool params_reserve(Params *params);

// Draws every parameter anew: a pure function of (seed, its number, the element). progress may be
// NULL; false where whoever waits ended the work, with some of them drawn.
bool params_draw(Params *params, uint64_t seed, Progress *progress, Error *err);

// A parameter's numbers, or all of them (parameter NULL): to read, and to change (then the device
// gets them before it reads them again). Both wait for a device that has changed them. Valid until
// the device changes them.
const float *params_values(const Params *params, const Parameter *parameter);
float *params_change(Params *params, const Parameter *parameter);

// ---- on a device

// Makes sure that the device can read them. Fails without memory, and where they lie on another.
bool params_place(Params *params, Device *device, Error *err);
// Where the device has them (on the CPU: the numbers themselves).
Array params_array(const Params *params, const Parameter *parameter);
// To be called before the device reads them, and after it was told to change them.
void params_send(Params *params);
void params_changed(Params *params);
// Gives the device's memory back; params_free does it too.
void params_leave(Params *params);

// How many numbers there are without the gaps.
size_t params_count(const Params *params);

// Whether no number is infinite or NaN.
bool params_are_finite(const Params *params);

void params_free(Params *params);

#endif
