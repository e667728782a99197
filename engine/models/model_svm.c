// model_svm.c - a support vector machine over points of a plane, with a polynomial or a Gaussian
// kernel.
//
// Its weights are fitted to the points in front of it: each place of the plane has one, which is 0
// but at the support vectors. Boser, Guyon and Vapnik 1992; Cortes and Vapnik 1995.
#include <stdlib.h>

#include "engine/models/family.h"
#include "engine/models/points.h"
#include "engine/models/svm.h"

static const char *const KERNEL_NAMES[] = {"polynomial", "gaussian"};

static const char WEIGHTS[] = "alpha.weight";
static const char BIAS[] = "bias";

// ---- the tape

// Where somebody watches, (1 + x·z)² also as the product of the features.
static Node *kernel(Build *build, Node *x, Node *anchors) {
    Tape *tape = build->tape;
    const ModelConfig *config = build->config;
    if (config->kernel == KERNEL_POLYNOMIAL && tape->mode == TAPE_WATCH) {
        Node *phi = layer_role(op_feature_map(tape, "phi", x), ROLE_FEATURES);
        layer_role(op_matmul(tape, "phi_products", phi, phi, false, true, 1.0F), ROLE_KERNEL);
    }
    return layer_role(op_kernel(tape, "kernel", x, anchors, config->kernel, config->gamma),
                      ROLE_KERNEL);
}

// Σ over the points that it was fitted to of weight · kernel, plus a bias.
static void build(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes) {
    Tape *tape = build->tape;
    Node *x = points_begin(build, shape, with_loss, nodes);
    const Init drawn = {INIT_NORMAL, 1.0F}; // until it is fitted
    Node *table =
        layer_parameter(build, "", WEIGHTS, (Shape){"VC", {build->config->vocab_size, 1}}, drawn);
    Node *bias = layer_parameter(build, "", BIAS, (Shape){"C", {1}}, (Init){INIT_ZEROS, 0.0F});
    Node *weights = layer_role(op_embedding(tape, "alpha", table, nodes->tokens, 1.0F), ROLE_ALPHA);
    Node *anchors = x;
    if (build->n_anchors > 0) {
        anchors = op_slice_steps(tape, "anchors", x, 0, build->n_anchors);
        weights = op_slice_steps(tape, "anchor_alpha", weights, 0, build->n_anchors);
    }
    Node *sum =
        op_matmul(tape, "weighted_sum", kernel(build, x, anchors), weights, false, false, 1.0F);
    points_end(build, layer_role(op_add(tape, "decision", sum, bias), ROLE_DECISION), nodes);
}

// ---- fitting

// The points that have a class.
typedef struct Fit {
    double *points, *weights;
    int *classes;
    int32_t *ids;
    int n;
} Fit;

static bool take_point(Fit *fit, const ModelConfig *config, int32_t id, int32_t label, Error *err) {
    for (int i = 0; i < fit->n; i++) {
        if (fit->ids[i] == id) {
            return error_set(
                err, "two points lie in the same place, %.1f,%.1f: expected each in its own",
                fit->points[(size_t)2 * i], fit->points[(size_t)2 * i + 1]);
        }
    }
    points_place(config, id, fit->points + (size_t)2 * fit->n);
    fit->classes[fit->n] = label;
    fit->ids[fit->n++] = id;
    return true;
}

static bool take_points(Fit *fit, const ModelConfig *config, int T, const int32_t *tokens,
                        const int32_t *labels, Error *err) {
    for (int t = 0; t < T; t++) {
        if (labels[t] >= 0 && !take_point(fit, config, tokens[t], labels[t], err)) {
            return false;
        }
    }
    return fit->n > 0 || error_set(err, "no point has a class: expected at least one that has");
}

static bool fit_points(Model *model, const Fit *fit, Error *err) {
    const ModelConfig *config = &model->config;
    const SvmProblem problem = {.points = fit->points,
                                .classes = fit->classes,
                                .n = fit->n,
                                .kernel = config->kernel,
                                .gamma = (double)config->gamma,
                                .cost = (double)config->cost};
    double bias = 0.0;
    if (!svm_fit(&problem, fit->weights, &bias, err)) {
        return false;
    }
    Params *params = &model->params;
    float *weights = params_change(params, params_find(params, WEIGHTS));
    for (int i = 0; i < config->vocab_size; i++) {
        weights[i] = 0.0F;
    }
    for (int i = 0; i < fit->n; i++) {
        weights[fit->ids[i]] = (float)fit->weights[i];
    }
    *params_change(params, params_find(params, BIAS)) = (float)bias;
    return true;
}

static bool fit(Model *model, BatchShape shape, const int32_t *tokens, const int32_t *labels,
                Error *err) {
    if (labels == NULL || shape.B != 1) {
        return error_set(err, "a support vector machine is fitted to one set of points and their "
                              "classes: expected one --input and its --target");
    }
    const size_t n = (size_t)shape.T;
    Fit points = {.points = calloc(2 * n, sizeof(double)),
                  .weights = calloc(n, sizeof(double)),
                  .classes = calloc(n, sizeof(int)),
                  .ids = calloc(n, sizeof(int32_t))};
    bool ok = points.points != NULL && points.weights != NULL && points.classes != NULL &&
              points.ids != NULL;
    ok = ok ? take_points(&points, &model->config, shape.T, tokens, labels, err) &&
                  fit_points(model, &points, err)
            : error_set(err, "out of memory");
    free(points.points);
    free(points.weights);
    free(points.classes);
    free(points.ids);
    return ok;
}

// ---- configuration

static void read_config(ModelConfig *config, JsonFields *fields) {
    config->kernel =
        (KernelKind)json_text_choice_or(fields, "kernel", KERNEL_NAMES, 2, KERNEL_POLYNOMIAL);
    config->gamma = (float)json_text_number_or(fields, "gamma", 1e-6, 1e6, 1.0);
    config->cost = (float)json_text_number_or(fields, "cost", 1e-6, 1e6, 1.0);
    points_read(config, fields);
}

static json_t *write_config(const ModelConfig *config) {
    return json_pack("{s:s, s:i, s:s, s:f, s:f}", "family", "svm", "vocab_size", config->vocab_size,
                     "kernel", KERNEL_NAMES[config->kernel], "gamma", config_decimal(config->gamma),
                     "cost", config_decimal(config->cost));
}

const Family family_svm = {.name = "svm",
                           .n_sides = 1,
                           .marks = MARKS_OF_TOKENIZER,
                           .n_classes = POINTS_CLASSES,
                           .read = read_config,
                           .write = write_config,
                           .build = build,
                           .fit = fit,
                           .keeps_state = points_keep_state,
                           .switches = points_switches};
