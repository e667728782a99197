// svm.h - support vector machines, fitted by libsvm in attend-svm.so.
#ifndef ENGINE_MODELS_SVM_H
#define ENGINE_MODELS_SVM_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "kernels/backend.h"

// Points of two classes. Borrows its numbers.
typedef struct SvmProblem {
    const double *points; // n pairs of coordinates
    const int *classes;   // n, each 0 or 1
    int n;
    KernelKind kernel;
    double gamma;
    double cost;
} SvmProblem;

// f(x) = Σ over i of weights[i] · k(points[i], x) + bias, above 0 for class 1; a point whose weight
// is not 0 is a support vector.
typedef struct SvmPlugin {
    bool (*fit)(const SvmProblem *problem, double *weights, double *bias, Error *err);
} SvmPlugin;

// The same through the plugin. Fails where attend-svm.so is missing, or without memory.
bool svm_fit(const SvmProblem *problem, double *weights, double *bias, Error *err);

#endif
