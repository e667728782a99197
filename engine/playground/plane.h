// plane.h - what a classifier of points says of every place of the plane.
#ifndef ENGINE_PLAYGROUND_PLANE_H
#define ENGINE_PLAYGROUND_PLANE_H

#include "engine/playground/model_input.h"

// A zeroed one is empty.
typedef struct Plane {
    float *values; // side x side decision values, the row of the smallest x2 first
    int side;
    // What they were computed from.
    ModelConfig config;
    float *weights;
    size_t n_weights;
    int32_t *points;
    int n_points;
} Plane;

void plane_free(Plane *plane);

// Brings the values up to date. False, and nothing is there, where the model is none of points, or
// without memory.
bool plane_update(Plane *plane, OpenModel *opened);

#endif
