// playground_kept.c - what a change puts aside, and how much memory that takes.
#include <stdlib.h>

#include "engine/playground/playground_private.h"

// A larger model, its means of the updates included, cannot be put aside.
enum { MOST_KEPT = 128 * 1024 * 1024 };

Kept *playground_keep(const Playground *playground, Error *err) {
    Kept *kept = calloc(1, sizeof *kept);
    if (kept == NULL) {
        error_set(err, "out of memory");
        return NULL;
    }
    kept->input = playground->input;
    kept->config = playground->config;
    kept->text = playground->text;
    return kept;
}

void playground_close_model(OpenModel *opened) {
    if (opened != NULL) {
        model_input_close(opened);
        free(opened);
    }
}

void playground_free_kept(Kept *kept) {
    if (kept == NULL) {
        return;
    }
    playground_close_model(kept->opened);
    model_free(&kept->model);
    optimizer_free(&kept->optimizer);
    training_free(&kept->training);
    batch_free(&kept->batch);
    free(kept);
}

static size_t params_bytes(const Params *params) {
    enum { NAME_BYTES = 256 }; // of a parameter and what is said of it
    return params->n_values * sizeof(float) + (size_t)params->count * NAME_BYTES;
}

static size_t training_bytes(const Training *training, size_t n_values) {
    size_t runs = training_run_bytes(&training->run) + training_run_bytes(&training->other);
    size_t n_kept = (size_t)training->n_snapshots + (training->newest != NULL);
    return runs + n_kept * n_values * sizeof(float);
}

static size_t weights_bytes(const Model *model, const Optimizer *optimizer) {
    return params_bytes(&model->params) + params_bytes(&optimizer->m) + params_bytes(&optimizer->v);
}

static size_t batch_bytes(const Batch *batch) {
    BatchShape shape = batch->shape;
    return (size_t)shape.B * (size_t)(2 * shape.T + shape.S) * sizeof(int32_t);
}

size_t playground_change_bytes(const Change *change) {
    enum { PIECE_BYTES = 128 };
    const Kept *kept = change->kept;
    size_t total = sizeof *change;
    if (kept == NULL) {
        return total;
    }
    const Model *model = kept->opened == NULL ? &kept->model : &kept->opened->named.model;
    total += sizeof *kept + weights_bytes(&kept->model, &kept->optimizer);
    total += batch_bytes(&kept->batch) + training_bytes(&kept->training, model->params.n_values);
    if (kept->opened != NULL) {
        const OpenModel *opened = kept->opened;
        total += sizeof *opened + weights_bytes(model, &opened->optimizer);
        total += batch_bytes(&opened->batch);
        total += (size_t)opened->named.tokenizer.n_pieces * PIECE_BYTES;
    }
    return total;
}

bool playground_can_keep(const Playground *playground) {
    const OpenModel *opened = playground->opened;
    return opened == NULL || weights_bytes(&opened->named.model, &opened->optimizer) <= MOST_KEPT;
}
