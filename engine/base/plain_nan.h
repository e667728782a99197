// plain_nan.h - NaN without the sign that printf may give it.
#ifndef ENGINE_BASE_PLAIN_NAN_H
#define ENGINE_BASE_PLAIN_NAN_H

#include <math.h>

static inline double plain_nan(double value) {
    return isnan(value) ? (double)NAN : value;
}

#endif
