// view_pca.c - the two main axes of a set of points (Pearson 1901), by power iteration.
#include "views/screen/view_pca.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 100 };

typedef struct Points {
    const float *values; // (n, width)
    int n, width;
    double *mean; // width
} Points;

static double dot(const Points *points, int row, const double *axis) {
    double sum = 0.0;
    for (int c = 0; c < points->width; c++) {
        sum += ((double)points->values[(size_t)row * (size_t)points->width + (size_t)c] -
                points->mean[c]) *
               axis[c];
    }
    return sum;
}

static double length_of(const double *axis, int width) {
    double sum = 0.0;
    for (int c = 0; c < width; c++) {
        sum += axis[c] * axis[c];
    }
    return sqrt(sum);
}

// Takes off what of the axis lies along another.
static void remove_part(double *axis, const double *other, int width) {
    double along = 0.0;
    for (int c = 0; c < width; c++) {
        along += axis[c] * other[c];
    }
    for (int c = 0; c < width; c++) {
        axis[c] -= along * other[c];
    }
}

static bool normalize(double *axis, int width) {
    double length = length_of(axis, width);
    for (int c = 0; c < width && length > 1e-30; c++) {
        axis[c] /= length;
    }
    return length > 1e-30;
}

// axis <- Xᵀ X axis, over and over; gives the variance along it.
static double iterate(const Points *points, double *axis, double *next, const double *other) {
    double variance = 0.0;
    int width = points->width;
    for (int c = 0; c < width; c++) {
        axis[c] = 1.0 + 0.01 * (double)((c * 7919) % 101); // in no special direction
    }
    for (int i = 0; i < ITERATIONS; i++) {
        double before = length_of(axis, width);
        if (other != NULL) {
            remove_part(axis, other, width);
        }
        // what is left of an axis along the other one is rounding
        if (length_of(axis, width) < 1e-9 * before || !normalize(axis, width)) {
            return 0.0;
        }
        memset(next, 0, (size_t)width * sizeof *next);
        variance = 0.0;
        for (int row = 0; row < points->n; row++) {
            double along = dot(points, row, axis);
            variance += along * along;
            const float *value = points->values + (size_t)row * (size_t)width;
            for (int c = 0; c < width; c++) {
                next[c] += along * ((double)value[c] - points->mean[c]);
            }
        }
        memcpy(axis, next, (size_t)width * sizeof *axis);
    }
    return normalize(axis, width) ? variance : 0.0;
}

static void point_largest_up(double *axis, int width) {
    int largest = 0;
    for (int c = 1; c < width; c++) {
        largest = fabs(axis[c]) > fabs(axis[largest]) ? c : largest;
    }
    double sign = axis[largest] < 0.0 ? -1.0 : 1.0;
    for (int c = 0; c < width; c++) {
        axis[c] *= sign;
    }
}

static double find_mean(Points *points) {
    double total = 0.0;
    for (int c = 0; c < points->width; c++) {
        double sum = 0.0;
        for (int row = 0; row < points->n; row++) {
            sum += (double)points->values[(size_t)row * (size_t)points->width + (size_t)c];
        }
        points->mean[c] = sum / points->n;
        for (int row = 0; row < points->n; row++) {
            double away = (double)points->values[(size_t)row * (size_t)points->width + (size_t)c] -
                          points->mean[c];
            total += away * away;
        }
    }
    return total;
}

bool view_pca(const float *values, int n, int width, float *points, double explained[2]) {
    double *memory = calloc((size_t)width * 4, sizeof *memory);
    if (memory == NULL) {
        return false;
    }
    Points set = {.values = values, .n = n, .width = width, .mean = memory};
    double total = find_mean(&set);
    double *axes[2] = {memory + width, memory + 2 * (size_t)width};
    double *next = memory + 3 * (size_t)width;
    for (int i = 0; i < 2; i++) {
        double variance = iterate(&set, axes[i], next, i == 0 ? NULL : axes[0]);
        explained[i] = total > 0.0 ? variance / total : 0.0;
        point_largest_up(axes[i], width);
        for (int row = 0; row < n; row++) {
            points[2 * row + i] = variance > 0.0 ? (float)dot(&set, row, axes[i]) : 0.0F;
        }
    }
    free(memory);
    return true;
}
