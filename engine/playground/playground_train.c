// playground_train.c - the playground's weights learn while somebody looks.
#include "engine/playground/playground_private.h"

bool playground_train(Playground *playground, double budget_ms, int *n_done, Error *err) {
    bool was_scrubbed = playground->training.newest != NULL;
    bool ok = training_run_for(&playground->training, playground->opened, budget_ms, n_done,
                               playground->progress, err);
    if (*n_done > 0 || was_scrubbed) {
        stepper_invalidate(&playground->stepper, NULL);
    }
    return ok;
}

bool playground_scrub(Playground *playground, int direction) {
    if (!training_scrub(&playground->training, playground->opened, direction)) {
        return false;
    }
    stepper_invalidate(&playground->stepper, NULL);
    return true;
}

bool playground_scrub_to(Playground *playground, int step) {
    if (!training_scrub_to(&playground->training, playground->opened, step)) {
        return false;
    }
    stepper_invalidate(&playground->stepper, NULL);
    return true;
}

bool playground_compare(Playground *playground, Error *err) {
    const OpenModel *opened = playground->opened;
    const Model *model = &opened->named.model;
    Kept *kept = playground_keep(playground, err);
    if (kept == NULL ||
        !model_init_watched(&kept->model, &model->config, model->seed, playground->progress, err) ||
        !optimizer_init_watched(&kept->optimizer, &opened->optimizer.config, &kept->model.params,
                                playground->progress, err)) {
        playground_free_kept(kept);
        return error_set(err, "out of memory");
    }
    kept->training.other = training_run_copy(&playground->training.run);
    return playground_push_weights(playground, &model->config, kept, err);
}
