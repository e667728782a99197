// view_pca.c - the two main axes of a set of points (Pearson 1901), by power iteration.
#include "views/screen/view_pca.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 100 };

static double *mean_of(const ViewPca *pca) {
    return pca->memory;
}

static double *axis_of(const ViewPca *pca, int axis) {
    return pca->memory + (size_t)(axis + 1) * (size_t)pca->width;
}

static double *next_of(const ViewPca *pca) {
    return axis_of(pca, 2);
}

static double dot(const ViewPca *pca, int row, const double *axis) {
    const float *values = pca->values + (size_t)row * (size_t)pca->width;
    const double *mean = mean_of(pca);
    double sum = 0.0;
    for (int c = 0; c < pca->width; c++) {
        sum += ((double)values[c] - mean[c]) * axis[c];
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

static void begin_axis(ViewPca *pca) {
    double *axis = axis_of(pca, pca->axis);
    for (int c = 0; c < pca->width; c++) {
        axis[c] = 1.0 + 0.01 * (double)((c * 7919) % 101); // in no special direction
    }
    pca->iteration = 0;
}

// axis <- Xᵀ X axis, once; gives the variance along it. 0: there is none left.
static double iterate(const ViewPca *pca) {
    int width = pca->width;
    double *axis = axis_of(pca, pca->axis);
    double *next = next_of(pca);
    double before = length_of(axis, width);
    if (pca->axis > 0) {
        remove_part(axis, axis_of(pca, 0), width);
    }
    // what is left of an axis along the other one is rounding
    if (length_of(axis, width) < 1e-9 * before || !normalize(axis, width)) {
        return 0.0;
    }
    memset(next, 0, (size_t)width * sizeof *next);
    double variance = 0.0;
    for (int row = 0; row < pca->n; row++) {
        double along = dot(pca, row, axis);
        variance += along * along;
        const float *value = pca->values + (size_t)row * (size_t)width;
        for (int c = 0; c < width; c++) {
            next[c] += along * ((double)value[c] - mean_of(pca)[c]);
        }
    }
    memcpy(axis, next, (size_t)width * sizeof *axis);
    return variance;
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

static double find_mean(const ViewPca *pca) {
    double *mean = mean_of(pca);
    const float *value = pca->values;
    for (int row = 0; row < pca->n; row++) {
        for (int c = 0; c < pca->width; c++) {
            mean[c] += (double)*value++ / pca->n;
        }
    }
    double total = 0.0;
    value = pca->values;
    for (int row = 0; row < pca->n; row++) {
        for (int c = 0; c < pca->width; c++) {
            double away = (double)*value++ - mean[c];
            total += away * away;
        }
    }
    return total;
}

bool view_pca_begin(ViewPca *pca, const float *values, int n, int width) {
    view_pca_free(pca);
    *pca = (ViewPca){.values = values, .n = n, .width = width};
    pca->memory = calloc((size_t)width * 4, sizeof *pca->memory);
    if (pca->memory == NULL) {
        return false;
    }
    pca->total = find_mean(pca);
    begin_axis(pca);
    return true;
}

void view_pca_free(ViewPca *pca) {
    free(pca->memory);
    *pca = (ViewPca){0};
}

static void end_axis(ViewPca *pca, double variance, float *points, double explained[2]) {
    double *axis = axis_of(pca, pca->axis);
    bool has_any = normalize(axis, pca->width) && variance > 0.0;
    explained[pca->axis] = has_any && pca->total > 0.0 ? variance / pca->total : 0.0;
    point_largest_up(axis, pca->width);
    for (int row = 0; row < pca->n; row++) {
        points[2 * row + pca->axis] = has_any ? (float)dot(pca, row, axis) : 0.0F;
    }
    pca->axis++;
}

bool view_pca_step(ViewPca *pca, float *points, double explained[2]) {
    if (pca->axis < 2) {
        double variance = iterate(pca);
        pca->iteration++;
        if (variance <= 0.0 || pca->iteration == ITERATIONS) {
            end_axis(pca, variance, points, explained);
            if (pca->axis < 2) {
                begin_axis(pca);
            }
        }
    }
    return pca->axis == 2;
}

double view_pca_part(const ViewPca *pca) {
    return pca->axis == 2 ? 1.0 : 0.5 * pca->axis + 0.5 * pca->iteration / ITERATIONS;
}

bool view_pca(const float *values, int n, int width, float *points, double explained[2]) {
    ViewPca pca = {0};
    bool ok = view_pca_begin(&pca, values, n, width);
    while (ok && !view_pca_step(&pca, points, explained)) {
    }
    view_pca_free(&pca);
    return ok;
}
