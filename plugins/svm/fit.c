// fit.c - support vector machines by libsvm (Chang and Lin 2011).
#include <stdlib.h>
#include <string.h>

#include <libsvm/svm.h>

#include "engine/models/svm.h"

static void say_nothing(const char *text) {
    (void)text;
}

// A row ends with the index -1.
enum { ROW = 3 };

static struct svm_parameter parameter_of(const SvmProblem *problem) {
    const bool is_polynomial = problem->kernel == KERNEL_POLYNOMIAL;
    return (struct svm_parameter){.svm_type = C_SVC,
                                  .kernel_type = is_polynomial ? POLY : RBF,
                                  .degree = 2, // (gamma x·z + coef0)^degree
                                  .gamma = is_polynomial ? 1.0 : problem->gamma,
                                  .coef0 = 1.0,
                                  .cache_size = 1.0,
                                  .eps = 1e-3, // as svm-train has it
                                  .C = problem->cost,
                                  .shrinking = 1};
}

// libsvm's first class is the one that it meets first; its decision is above 0 there.
static void take_weights(const struct svm_model *model, double *weights, double *bias) {
    const double sign = model->label[0] == 1 ? 1.0 : -1.0;
    if (model->nr_class == 2) {
        for (int i = 0; i < model->l; i++) {
            weights[model->sv_indices[i] - 1] = sign * model->sv_coef[0][i];
        }
        *bias = -sign * model->rho[0];
    } else {
        *bias = sign; // all points are of one class
    }
}

static bool fit(const SvmProblem *problem, double *weights, double *bias, Error *err) {
    const size_t n = (size_t)problem->n;
    struct svm_node *nodes = calloc(n * ROW + 1, sizeof *nodes);
    struct svm_node **rows = calloc(n + 1, sizeof(struct svm_node *));
    double *classes = calloc(n + 1, sizeof *classes);
    struct svm_model *model = NULL;
    const struct svm_parameter parameter = parameter_of(problem);
    if (nodes != NULL && rows != NULL && classes != NULL) {
        for (size_t i = 0; i < n; i++) {
            rows[i] = nodes + i * ROW;
            rows[i][0] = (struct svm_node){1, problem->points[2 * i]};
            rows[i][1] = (struct svm_node){2, problem->points[2 * i + 1]};
            rows[i][2] = (struct svm_node){-1, 0.0};
            classes[i] = problem->classes[i];
        }
        const struct svm_problem given = {.l = problem->n, .y = classes, .x = rows};
        svm_set_print_string_function(say_nothing);
        model = svm_train(&given, &parameter);
    }
    memset(weights, 0, n * sizeof *weights);
    if (model != NULL) {
        take_weights(model, weights, bias);
    }
    const bool ok = model != NULL || error_set(err, "out of memory");
    svm_free_and_destroy_model(&model);
    free(nodes);
    free(rows);
    free(classes);
    return ok;
}

extern __attribute__((visibility("default"))) const SvmPlugin attend_svm;
const SvmPlugin attend_svm = {.fit = fit};
