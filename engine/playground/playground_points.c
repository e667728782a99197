// playground_points.c - points are moved, added and taken away.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "engine/models/points.h"
#include "engine/playground/playground_private.h"

// Where such a point would lie; -1, with a sentence, where it cannot.
static int32_t place_of(const Playground *playground, double x, double y, Error *err) {
    const ModelConfig *config = &playground->opened->named.model.config;
    if (family_of(config)->n_classes == 0) {
        error_set(err, "%s has no points: expected a model of lesson 1, such as points-linear",
                  playground->opened->named.name);
        return -1;
    }
    const int32_t id = isfinite(x) && isfinite(y) ? points_nearest(config, x, y) : -1;
    if (id < 0) {
        error_set(err, "%g,%g is outside of the plane: expected coordinates from -2 to 2", x, y);
    }
    return id;
}

bool playground_move_point(Playground *playground, int point, double x, double y, Error *err) {
    const int32_t id = place_of(playground, x, y, err);
    return id >= 0 && playground_edit(playground, playground->opened->built.nodes.tokens,
                                      (size_t)point, (float)id, err);
}

// A copy of T ids with room for one more. NULL without memory.
static int32_t *copy_ids(const int32_t *ids, int T) {
    int32_t *copy = calloc((size_t)T + 1, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, ids, (size_t)T * sizeof *copy);
    }
    return copy;
}

static bool copy_batch(const Playground *playground, Batch *batch, Error *err) {
    const Batch *now = &playground->opened->batch;
    *batch = (Batch){.shape = now->shape};
    if (now->shape.B != 1 || now->labels == NULL) {
        error_set(err, "expected one set of points, each with its class");
        return false;
    }
    batch->tokens = copy_ids(now->tokens, now->shape.T);
    batch->labels = copy_ids(now->labels, now->shape.T);
    if (batch->tokens == NULL || batch->labels == NULL) {
        batch_free(batch);
        error_set(err, "out of memory");
        return false;
    }
    return true;
}

bool playground_add_point(Playground *playground, int label, double x, double y, Error *err) {
    Batch batch;
    const int32_t id = place_of(playground, x, y, err);
    if (id < 0 || !copy_batch(playground, &batch, err)) {
        return false;
    }
    batch.tokens[batch.shape.T] = id;
    batch.labels[batch.shape.T++] = label;
    return playground_change_ids(playground, &batch, playground->text, err);
}

bool playground_remove_point(Playground *playground, int point, Error *err) {
    Batch batch;
    if (place_of(playground, 0.0, 0.0, err) < 0 || !copy_batch(playground, &batch, err)) {
        return false;
    }
    const int T = batch.shape.T;
    if (T == 1) {
        batch_free(&batch);
        return error_set(err, "this is the last point: expected one that may go");
    }
    const size_t size_bytes = (size_t)(T - 1 - point) * sizeof(int32_t);
    memmove(batch.tokens + point, batch.tokens + point + 1, size_bytes);
    memmove(batch.labels + point, batch.labels + point + 1, size_bytes);
    batch.shape.T = T - 1;
    return playground_change_ids(playground, &batch, playground->text, err);
}
