// distances.h - the distances between points, computed in several ways and timed: a loop, matrix
// products on one thread and on all, a GPU.
#ifndef ENGINE_PLAYGROUND_DISTANCES_H
#define ENGINE_PLAYGROUND_DISTANCES_H

#include "engine/base/error.h"
#include "engine/base/progress.h"

typedef enum DistanceWay {
    DISTANCE_LOOP,     // pair by pair, number by number
    DISTANCE_PRODUCT,  // |x|² + |z|² - 2 x·z, all x·z as one matrix product, on one thread
    DISTANCE_BLAS,     // the same by OpenBLAS
    DISTANCE_BLAS_ALL, // by OpenBLAS on all threads
    DISTANCE_GPU,      // there and back
    DISTANCE_WAYS
} DistanceWay;

enum { DISTANCE_SIZES = 8, DISTANCE_NUMBERS = 128 };

// Squared distances between n points, each of DISTANCE_NUMBERS small whole numbers: so that every
// way has the same result to the last digit.
typedef struct Distances {
    int sizes[DISTANCE_SIZES];                     // n, growing
    double seconds[DISTANCE_WAYS][DISTANCE_SIZES]; // 0: not measured
    bool is_there[DISTANCE_WAYS];                  // on this machine
    double difference;                             // the largest between a way and the loop
} Distances;

// Measures for about a second; between pieces of at most a tenth of it progress (may be NULL) is
// asked. Fails without memory, and where it is ended.
bool distances_measure(Distances *distances, Progress *progress, Error *err);

// The size from which on a way is faster than the one before it that is there; 0: there is none.
int distances_overtaken(const Distances *distances, DistanceWay way);

// "difference", "points" (of the largest size), "numbers" (of a point).
bool distances_find(const Distances *distances, const char *name, double *value, Error *err);

#endif
