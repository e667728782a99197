// svm.c - support vector machines, fitted by libsvm in attend-svm.so.
#include "engine/models/svm.h"

#include "engine/files/plugin.h"

bool svm_fit(const SvmProblem *problem, double *weights, double *bias, Error *err) {
    const SvmPlugin *plugin = plugin_open("svm", "attend_svm", err);
    return plugin != NULL && plugin->fit(problem, weights, bias, err);
}
