// plane.c - what a classifier of points says of every place of the plane: one more tape over its
// weights, whose points are those that it was fitted to and then all places.
#include "engine/playground/plane.h"

#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "engine/models/points.h"

void plane_free(Plane *plane) {
    free(plane->values);
    free(plane->weights);
    free(plane->points);
    *plane = (Plane){.values = NULL};
}

static bool is_fresh(const Plane *plane, const OpenModel *opened) {
    const ModelConfig *config = &opened->named.model.config;
    const Params *params = &opened->named.model.params;
    const BatchShape shape = opened->batch.shape;
    return plane->values != NULL && plane->config.family == config->family &&
           plane->config.kernel == config->kernel && plane->config.gamma == config->gamma &&
           plane->config.feature_map == config->feature_map &&
           plane->n_weights == params->n_values && plane->n_points == shape.T &&
           memcmp(plane->weights, params_values(params, NULL), plane->n_weights * sizeof(float)) ==
               0 &&
           memcmp(plane->points, opened->batch.tokens, (size_t)shape.T * sizeof(int32_t)) == 0;
}

// A new one for the model as it is, without its values yet. False without memory.
static bool prepare(Plane *plane, const OpenModel *opened) {
    const Params *params = &opened->named.model.params;
    const int side = points_side(&opened->named.model.config);
    *plane = (Plane){.values = calloc((size_t)side * (size_t)side, sizeof(float)),
                     .side = side,
                     .config = opened->named.model.config,
                     .weights = calloc(params->n_values, sizeof(float)),
                     .n_weights = params->n_values,
                     .points = calloc((size_t)opened->batch.shape.T, sizeof(int32_t)),
                     .n_points = opened->batch.shape.T};
    if (plane->values == NULL || plane->weights == NULL || plane->points == NULL) {
        return false;
    }
    memcpy(plane->weights, params_values(params, NULL), plane->n_weights * sizeof(float));
    memcpy(plane->points, opened->batch.tokens, (size_t)plane->n_points * sizeof(int32_t));
    return true;
}

static bool run(Plane *plane, OpenModel *opened) {
    Error ignored = {""};
    ModelTape built;
    const int n_places = plane->side * plane->side;
    const int n_anchors = plane->n_points;
    bool ok = model_tape_build_points(&built, &opened->named.model, opened->device,
                                      n_anchors + n_places, n_anchors, &ignored) &&
              tape_allocate(&built.tape, &ignored);
    if (ok) {
        for (int i = 0; i < n_anchors + n_places; i++) {
            const int32_t id =
                i < n_anchors ? plane->points[i] : (int32_t)(i - n_anchors + POINTS_CLASSES);
            tape_set_number(&built.tape, built.nodes.tokens, (size_t)i, (float)id);
        }
        tape_run(&built.tape);
        const float *logits = tape_values(&built.tape, built.nodes.logits);
        for (int i = 0; i < n_places; i++) { // the first class' logit is 0
            plane->values[i] = logits[(size_t)(n_anchors + i) * POINTS_CLASSES + 1];
        }
        ok = tape_check(&built.tape, &ignored);
    }
    model_tape_free(&built);
    return ok;
}

bool plane_update(Plane *plane, OpenModel *opened) {
    if (opened == NULL || family_of(&opened->named.model.config)->n_classes == 0) {
        plane_free(plane);
        return false;
    }
    if (is_fresh(plane, opened)) {
        return true;
    }
    Plane next;
    plane_free(plane);
    if (!prepare(&next, opened) || !run(&next, opened)) {
        plane_free(&next);
        return false;
    }
    *plane = next;
    return true;
}
