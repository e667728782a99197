// clock.c - a clock that never goes back, for budgets and measurements.
#include "engine/base/clock.h"

#include <time.h>

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double clock_ms(void) {
    return clock_seconds() * 1e3;
}
