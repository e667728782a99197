// playground.c - the model of a lesson: open it, change it.
#include "engine/playground/playground.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "engine/playground/playground_private.h"

// More numbers than this are shown without their gradients.
enum { MAX_TRAINED = 8 * 1000 * 1000 };

static const float LEARNING_RATE = 1e-2F;

static bool is_small(const Model *model) {
    return model->params.n_values <= MAX_TRAINED;
}

static bool start_stepper(Playground *playground, Error *err) {
    OpenModel *opened = playground->opened;
    return stepper_init(&playground->stepper, &opened->built.tape, &opened->optimizer, opened->lr,
                        err);
}

// The nodes of a tape point into their model: it stays where it was opened.
static OpenModel *open_input(ModelInput *input, Error *err) {
    OpenModel *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        error_set(err, "out of memory");
        return NULL;
    }
    Error reason = {""};
    input->with_updates = true;
    input->lr = LEARNING_RATE;
    if (model_input_open(opened, input, TAPE_WATCH, TAPE_GRADIENTS, &reason)) {
        return opened;
    }
    // Without a target there is no loss: only the way forward can be shown.
    input->with_updates = false;
    if (model_input_open(opened, input, TAPE_WATCH, TAPE_LOGITS, err)) {
        return opened;
    }
    free(opened);
    return NULL;
}

void playground_close_model(OpenModel *opened) {
    if (opened != NULL) {
        model_input_close(opened);
        free(opened);
    }
}

// One change, which puts the model before it aside; where that is too large nothing before it can
// be taken back.
static bool open_anew(Playground *playground, const ModelInput *input, Error *err) {
    Kept *kept = playground_keep(playground, err);
    if (kept == NULL) {
        return false;
    }
    kept->input = *input;
    kept->opened = open_input(&kept->input, err);
    if (kept->opened == NULL) {
        playground_free_kept(kept);
        return false;
    }
    kept->config = kept->opened->named.model.config;
    kept->text = (PlaygroundText){.typed = NULL};
    bool can_keep = playground_can_keep(playground);
    bool ok = playground_push(playground, CHANGE_MODEL, kept, err) != NULL &&
              playground_carry_out(playground, err);
    if (ok && !can_keep) {
        playground_forget_changes(playground);
    }
    return ok;
}

void playground_follow_seed(Playground *playground) {
    uint64_t of_model = playground->opened->named.model.seed;
    uint64_t asked_for = playground->input.seed != 0 ? playground->input.seed : of_model;
    playground->sampling.seed = asked_for != 0 ? asked_for : sampling_defaults().seed;
}

bool playground_open(Playground *playground, const char *line, Error *err) {
    ModelInput input;
    if (!playground_read_line(&playground->arena, &input, line, err)) {
        return false;
    }
    if (playground->opened != NULL) {
        return open_anew(playground, &input, err);
    }
    playground->input = input;
    playground->opened = open_input(&playground->input, err);
    if (playground->opened == NULL || !start_stepper(playground, err)) {
        playground_close(playground);
        return false;
    }
    playground->config = playground->opened->named.model.config;
    playground->n_builds++;
    playground->sampling = sampling_defaults();
    playground->sampling.temperature = 0.0;
    playground_follow_seed(playground);
    return true;
}

bool playground_reset(Playground *playground, Error *err) {
    ModelInput input = playground->input;
    return open_anew(playground, &input, err);
}

bool playground_seed(Playground *playground, uint64_t seed, Error *err) {
    ModelInput input = playground->input;
    input.seed = seed;
    input.untrained = true;
    return open_anew(playground, &input, err);
}

void playground_close(Playground *playground) {
    stepper_free(&playground->stepper);
    playground_forget_changes(playground);
    training_free(&playground->training);
    decode_free(&playground->beam);
    playground_close_model(playground->opened);
    free(playground->changes);
    arena_free(&playground->arena);
    *playground = (Playground){.opened = NULL};
}

const Tape *playground_tape(const Playground *playground) {
    return playground->opened != NULL ? &playground->opened->built.tape : NULL;
}

static bool build(OpenModel *opened, ModelTape *built, Error *err) {
    bool has_labels = opened->batch.labels != NULL;
    TapeParts parts = has_labels && is_small(&opened->named.model) ? TAPE_GRADIENTS : TAPE_LOSS;
    bool ok = model_tape_build(built, &opened->named.model, TAPE_WATCH, opened->device,
                               opened->batch.shape, has_labels ? parts : TAPE_LOGITS, err);
    if (ok && has_labels && parts == TAPE_GRADIENTS && opened->optimizer.m.count > 0) {
        optimizer_append(&opened->optimizer, &built->tape);
    }
    if (ok && tape_allocate(&built->tape, err)) {
        return true;
    }
    model_tape_free(built);
    return false;
}

static void apply_edits(Playground *playground) {
    Tape *tape = &playground->opened->built.tape;
    for (int i = 0; i < playground->n_done; i++) {
        const Change *change = &playground->changes[i];
        bool is_in_force =
            change->kind == CHANGE_NUMBER && playground_is_in_force(playground, change);
        Node *node = is_in_force ? tape_find(tape, change->stage) : NULL;
        bool fits =
            node != NULL && node->n_inputs > 0 && change->element < shape_count(&node->shape);
        if (fits) {
            tape_edit(tape, node, change->element, change->after);
        }
    }
}

static void find_place(Playground *playground, const char *stage, int at) {
    Stepper *stepper = &playground->stepper;
    const Node *node = tape_find(stepper->tape, stage);
    if (node == NULL || !stepper_go(stepper, node)) {
        stepper->at = at < stepper->n_steps ? at : stepper->n_steps - 1;
    }
}

// What the cursor stands at, kept while its tape goes.
typedef struct Cursor {
    char stage[256];
    int at;
} Cursor;

static Cursor cursor_of(const Playground *playground) {
    Cursor cursor = {.at = playground->stepper.at};
    snprintf(cursor.stage, sizeof cursor.stage, "%s", stepper_node(&playground->stepper)->stage);
    return cursor;
}

static bool begin_with_tape(Playground *playground, const Cursor *cursor, Error *err) {
    OpenModel *opened = playground->opened;
    playground->n_builds++;
    training_rest(&playground->training);
    opened->built.tape.step = (uint64_t)opened->optimizer.step;
    batch_fill(&opened->batch, &opened->built);
    apply_edits(playground);
    if (!start_stepper(playground, err)) {
        return false;
    }
    find_place(playground, cursor->stage, cursor->at);
    return true;
}

bool playground_rebuild(Playground *playground, Error *err) {
    OpenModel *opened = playground->opened;
    ModelTape built;
    if (!build(opened, &built, err)) {
        return false;
    }
    Cursor cursor = cursor_of(playground);
    stepper_free(&playground->stepper);
    model_tape_free(&opened->built);
    opened->built = built;
    return begin_with_tape(playground, &cursor, err);
}

bool playground_exchange_model(Playground *playground, OpenModel **opened, Error *err) {
    OpenModel *next = *opened;
    bool has_tape = next->built.tape.n_nodes > 0;
    if (!has_tape && !build(next, &next->built, err)) {
        return false;
    }
    Cursor cursor = cursor_of(playground);
    stepper_free(&playground->stepper);
    model_tape_free(&playground->opened->built);
    *opened = playground->opened;
    playground->opened = next;
    return begin_with_tape(playground, &cursor, err);
}

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

// The weights of another configuration: those of the same shape are kept.
static bool make_weights(Playground *playground, const ModelConfig *config, Kept *kept,
                         Error *err) {
    const OpenModel *opened = playground->opened;
    const Model *model = &opened->named.model;
    playground->n_kept = 0;
    playground->n_redrawn = 0;
    if (!model_init(&kept->model, config, model->seed, err)) {
        return false;
    }
    if (same_shapes(&kept->model.params, &model->params)) {
        model_free(&kept->model);
        return true;
    }
    keep_weights(playground, &kept->model, model);
    return optimizer_init(&kept->optimizer, &opened->optimizer.config, &kept->model.params) ||
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
        FamilySwitch which;
        const char *name;
        bool differs;
    } changes[] = {
        {SWITCH_MASK, "mask", before->without_mask != after->without_mask},
        {SWITCH_SCALE, "scaled scores", before->without_scale != after->without_scale},
        {SWITCH_RESIDUAL, "residual", before->without_residual != after->without_residual},
        {SWITCH_POSITIONS, "positions", before->without_positions != after->without_positions},
        {SWITCH_HEADS, "number of heads", was->n_heads != is->n_heads},
        {SWITCH_LAYERS, "number of layers", was->n_layers != is->n_layers},
        {SWITCH_WIDTH, "width", was->d_model != is->d_model},
        {SWITCH_NORM_PLACE, "place of LayerNorm", was->norm_first != is->norm_first},
        {SWITCH_NORM_FORMULA, "formula of LayerNorm", was->layer_norm != is->layer_norm},
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
    kept->training.other = training_copy_run(&playground->training.other);
    return playground_push_weights(playground, config, kept, err);
}

// ---- one number

// An input or a weight: nobody computes it, so the number is simply set.
static void set_given(OpenModel *opened, Node *node, size_t element, float value) {
    const ModelNodes *nodes = &opened->built.nodes;
    tape_set_number(&opened->built.tape, node, element, value);
    if (!node_holds_ids(node)) {
        return;
    }
    int32_t *ids = node == nodes->source   ? opened->batch.source
                   : node == nodes->tokens ? opened->batch.tokens
                                           : opened->batch.labels;
    if (ids != NULL) {
        ids[element] = (int32_t)value;
    }
}

void playground_set_number(Playground *playground, Node *node, size_t element, float value) {
    if (node->n_inputs == 0) {
        set_given(playground->opened, node, element, value);
    } else {
        tape_edit(&playground->opened->built.tape, node, element, value);
    }
    stepper_invalidate(&playground->stepper, node);
}

bool playground_edit(Playground *playground, Node *node, size_t element, float value, Error *err) {
    int vocabulary = playground->opened->named.model.config.vocab_size;
    bool is_id = node_holds_ids(node);
    if (is_id && (value < 0.0F || value >= (float)vocabulary || value != floorf(value))) {
        return error_set(err, "%g is no token: expected a whole number from 0 to %d", (double)value,
                         vocabulary - 1);
    }
    Change *change = playground_push(playground, CHANGE_NUMBER, NULL, err);
    if (change == NULL) {
        return false;
    }
    change->stage = arena_text(&playground->arena, node->stage);
    change->element = element;
    change->before = (float)tape_number(&playground->opened->built.tape, node, element);
    change->after = value;
    playground_set_number(playground, node, element, value);
    return true;
}
