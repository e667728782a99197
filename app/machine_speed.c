// machine_speed.c - how fast this machine multiplies matrices, to set other work beside it.
#include "app/machine_speed.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/clock.h"

double machine_speed_flops(Device *device, int size, double seconds) {
    enum { LEAST_TRIES = 3 };
    const size_t count = (size_t)size * (size_t)size;
    float *matrices = malloc(3 * count * sizeof *matrices);
    if (matrices == NULL) {
        return 0.0;
    }
    for (size_t i = 0; i < 2 * count; i++) {
        matrices[i] = (float)(i % 7) * 0.125F;
    }
    const Array a = array_of(matrices);
    const Product product = {.M = size,
                             .N = size,
                             .K = size,
                             .stride_a = size,
                             .stride_b = size,
                             .stride_y = size,
                             .outer = 1,
                             .inner = 1,
                             .scale = 1.0F};
    double best = INFINITY;
    const double end = clock_seconds() + seconds;
    // The best of many: what else runs on the machine only makes it slower.
    for (int i = 0; i < LEAST_TRIES || clock_seconds() < end; i++) {
        const double start = clock_seconds();
        device->backend->product(device, &product, array_at(a, 2 * count), a, array_at(a, count),
                                 array_none());
        best = fmin(best, clock_seconds() - start);
    }
    free(matrices);
    return 2.0 * size * size * size / fmax(best, 1e-9);
}
