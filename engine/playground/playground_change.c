// playground_change.c - changing the model of a lesson: its configuration, one number.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "engine/playground/playground_private.h"

// More are not drawn because a number was typed: 128 MiB.
enum { MAX_WEIGHTS = 32 * 1024 * 1024 };

// ---- another configuration

static bool same_shapes(const Params *a, const Params *b) {
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++) {
        same = strcmp(a->items[i].name, b->items[i].name) == 0 &&
               shape_equal(&a->items[i].shape, &b->items[i].shape);
    }
    return same;
}

static void keep_weights(Playground *playground, Model *to, const Model *from) {
    for (int i = 0; i < to->params.count; i++) {
        const Parameter *parameter = &to->params.items[i];
        const Parameter *old = params_find(&from->params, parameter->name);
        bool is_kept = old != NULL && shape_equal(&old->shape, &parameter->shape);
        playground->n_kept += is_kept;
        playground->n_redrawn += !is_kept;
        if (is_kept) {
            memcpy(params_change(&to->params, parameter), params_values(&from->params, old),
                   shape_count(&parameter->shape) * sizeof(float));
        }
    }
}

// A configuration says at once how many weights it has; they are not made to be counted.
static bool check_size(const OpenModel *opened, const ModelConfig *config, Error *err) {
    Model model = {.config = *config};
    ModelTape built;
    bool ok = model_tape_build(&built, &model, TAPE_INFER, opened->device, (BatchShape){1, 1, 1},
                               TAPE_LOGITS, err);
    size_t n = model.params.n_values;
    size_t now = opened->named.model.params.n_values;
    size_t most = now > MAX_WEIGHTS ? now : MAX_WEIGHTS;
    model_tape_free(&built);
    model_free(&model);
    return ok && (n <= most || error_set(err,
                                         "that makes %.0f million weights: expected at most %.0f "
                                         "million here",
                                         1e-6 * (double)n, 1e-6 * (double)most));
}

// The weights of another configuration: those of the same shape are kept.
static bool make_weights(Playground *playground, const ModelConfig *config, Kept *kept,
                         Error *err) {
    const OpenModel *opened = playground->opened;
    const Model *model = &opened->named.model;
    playground->n_kept = 0;
    playground->n_redrawn = 0;
    if (!check_size(opened, config, err)) {
        return false;
    }
    if (!model_init_watched(&kept->model, config, model->seed, playground->progress, err)) {
        return false;
    }
    if (same_shapes(&kept->model.params, &model->params)) {
        model_free(&kept->model);
        return true;
    }
    keep_weights(playground, &kept->model, model);
    if (opened->optimizer.m.count == 0) {
        return true; // a large model has none before its training begins
    }
    return optimizer_init_watched(&kept->optimizer, &opened->optimizer.config, &kept->model.params,
                                  playground->progress, err) ||
           error_set(err, "out of memory");
}

bool playground_push_weights(Playground *playground, const ModelConfig *config, Kept *kept,
                             Error *err) {
    bool has_weights = kept->model.params.count > 0;
    if (!has_weights) {
        playground_free_kept(kept);
        kept = NULL;
    }
    bool can_keep = !has_weights || playground_can_keep(playground);
    Change *change = playground_push(playground, CHANGE_CONFIG, kept, err);
    if (change == NULL) {
        return false;
    }
    change->config_before = playground->opened->named.model.config;
    change->config_after = *config;
    bool ok = playground_carry_out(playground, err);
    if (ok && !can_keep) {
        playground_forget_changes(playground);
    }
    return ok;
}

// What a family has not cannot be changed: nothing would come of it.
static bool check_switches(const ModelConfig *was, const ModelConfig *is, Error *err) {
    const ModelSwitches *before = &was->switches;
    const ModelSwitches *after = &is->switches;
    const struct {
        const char *name;
        FamilySwitch which;
        bool differs;
    } changes[] = {
        {"mask", SWITCH_MASK, before->without_mask != after->without_mask},
        {"scaled scores", SWITCH_SCALE, before->without_scale != after->without_scale},
        {"residual", SWITCH_RESIDUAL, before->without_residual != after->without_residual},
        {"positions", SWITCH_POSITIONS, before->without_positions != after->without_positions},
        {"number of heads", SWITCH_HEADS, was->n_heads != is->n_heads},
        {"number of layers", SWITCH_LAYERS, was->n_layers != is->n_layers},
        {"width", SWITCH_WIDTH, was->d_model != is->d_model},
        {"place of LayerNorm", SWITCH_NORM_PLACE, was->norm_first != is->norm_first},
        {"formula of LayerNorm", SWITCH_NORM_FORMULA, was->layer_norm != is->layer_norm},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        if (changes[i].differs && !family_has_switch(was, changes[i].which)) {
            return error_set(err, "%s: this %s model has none that can be changed", changes[i].name,
                             config_family_name(was->family));
        }
    }
    return true;
}

bool playground_configure(Playground *playground, const ModelConfig *config, Error *err) {
    if (!check_switches(&playground->opened->named.model.config, config, err)) {
        return false;
    }
    if (config->n_heads < 1 || config->d_model % config->n_heads != 0) {
        return error_set(err, "%d heads: expected a number that divides the width, %d",
                         config->n_heads, config->d_model);
    }
    Kept *kept = playground_keep(playground, err);
    if (kept == NULL || !make_weights(playground, config, kept, err)) {
        playground_free_kept(kept);
        return false;
    }
    // A run can be compared with one over weights of another shape.
    kept->training.other = training_run_copy(&playground->training.other);
    return playground_push_weights(playground, config, kept, err);
}

// ---- one number

// A word of the vocabulary; where the model tells classes, a class is a label and nothing else.
static bool check_id(const OpenModel *opened, const Node *node, float value, Error *err) {
    const ModelConfig *config = &opened->named.model.config;
    int n_classes = family_of(config)->n_classes;
    bool is_class = n_classes > 0 && node == opened->built.nodes.labels;
    int first = is_class ? 0 : n_classes;
    int end = is_class ? n_classes : config->vocab_size;
    bool is_whole = value == floorf(value);
    return (is_whole && value >= (float)first && value < (float)end) ||
           error_set(err, "%g is not a %s: expected a whole number from %d to %d", (double)value,
                     is_class ? "class" : "token id", first, end - 1);
}

bool playground_edit(Playground *playground, Node *node, size_t element, float value, Error *err) {
    if (node_holds_ids(node) && !check_id(playground->opened, node, value, err)) {
        return false;
    }
    float before = (float)tape_number(&playground->opened->built.tape, node, element);
    if (!playground_set_number(playground, node, element, value, err)) {
        return false;
    }
    char *stage = strdup(node->stage);
    Change *change = stage == NULL ? NULL : playground_push(playground, CHANGE_NUMBER, NULL, err);
    if (change == NULL) {
        Error ignored = {""};
        playground_set_number(playground, node, element, before, &ignored);
        free(stage);
        return error_set(err, "out of memory");
    }
    change->stage = stage;
    change->element = element;
    change->before = before;
    change->after = value;
    return true;
}
