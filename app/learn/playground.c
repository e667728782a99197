// playground.c - the model of a lesson: open it, change it, take changes back.
#include "app/learn/playground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/playground_private.h"
#include "kernels/cpu.h"

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

static void close_model(OpenModel *opened) {
    if (opened != NULL) {
        model_input_close(opened);
        free(opened);
    }
}

bool playground_open(Playground *playground, const char *line, Error *err) {
    Playground next = {.opened = NULL};
    bool ok = playground_read_line(&next.arena, &next.input, line, err);
    next.opened = ok ? open_input(&next.input, err) : NULL;
    if (next.opened == NULL || !start_stepper(&next, err)) {
        playground_close(&next);
        return false;
    }
    next.config = next.opened->named.model.config;
    playground_close(playground);
    *playground = next;
    return true;
}

void playground_close(Playground *playground) {
    stepper_free(&playground->stepper);
    close_model(playground->opened);
    free(playground->changes);
    arena_free(&playground->arena);
    *playground = (Playground){.opened = NULL};
}

const Tape *playground_tape(const Playground *playground) {
    return playground->opened != NULL ? &playground->opened->built.tape : NULL;
}

static void fill_ids(OpenModel *opened) {
    const ModelNodes *nodes = &opened->built.nodes;
    tape_set_ids(nodes->tokens, opened->batch.tokens);
    if (nodes->source != NULL) {
        tape_set_ids(nodes->source, opened->batch.source);
    }
    if (nodes->labels != NULL) {
        tape_set_ids(nodes->labels, opened->batch.labels);
    }
}

static bool build(OpenModel *opened, ModelTape *built, Error *err) {
    bool has_labels = opened->batch.labels != NULL;
    TapeParts parts = has_labels && is_small(&opened->named.model) ? TAPE_GRADIENTS : TAPE_LOSS;
    bool ok =
        model_tape_build(built, &opened->named.model, TAPE_WATCH, &CPU_BACKEND, opened->device,
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
        Node *node = change->kind == CHANGE_NUMBER ? tape_find(tape, change->stage) : NULL;
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

bool playground_rebuild(Playground *playground, Error *err) {
    OpenModel *opened = playground->opened;
    ModelTape built;
    if (!build(opened, &built, err)) {
        return false;
    }
    char stage[256];
    const char *before = stepper_node(&playground->stepper)->stage;
    memcpy(stage, before, strnlen(before, sizeof stage - 1) + 1);
    stage[sizeof stage - 1] = '\0';
    int at = playground->stepper.at;
    stepper_free(&playground->stepper);
    model_tape_free(&opened->built);
    opened->built = built;
    playground->n_builds++;
    fill_ids(opened);
    apply_edits(playground);
    if (!start_stepper(playground, err)) {
        return false;
    }
    find_place(playground, stage, at);
    return true;
}

static Change *add_change(Playground *playground, ChangeKind kind) {
    if (playground->n_done == playground->capacity) {
        int capacity = playground->capacity == 0 ? 32 : 2 * playground->capacity;
        Change *changes = realloc(playground->changes, (size_t)capacity * sizeof *changes);
        if (changes == NULL) {
            return NULL;
        }
        playground->changes = changes;
        playground->capacity = capacity;
    }
    Change *change = &playground->changes[playground->n_done++];
    playground->n_changes = playground->n_done;
    *change = (Change){.kind = kind};
    return change;
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
            memcpy(params_values(&to->params, parameter), params_values(&from->params, old),
                   shape_count(&parameter->shape) * sizeof(float));
        }
    }
}

static bool set_config(Playground *playground, const ModelConfig *config, Error *err) {
    OpenModel *opened = playground->opened;
    Model next;
    Model *model = &opened->named.model;
    playground->n_kept = 0;
    playground->n_redrawn = 0;
    if (!model_init(&next, config, model->seed, err)) {
        return false;
    }
    if (same_shapes(&next.params, &model->params)) {
        model_free(&next);
        ModelConfig before = model->config;
        model->config = *config;
        bool ok = playground_rebuild(playground, err);
        model->config = ok ? *config : before;
        return ok;
    }
    keep_weights(playground, &next, model);
    Optimizer optimizer;
    if (!optimizer_init(&optimizer, &opened->optimizer.config, &next.params)) {
        model_free(&next);
        return error_set(err, "out of memory");
    }
    Model old_model = *model;
    Optimizer old_optimizer = opened->optimizer;
    *model = next;
    opened->optimizer = optimizer;
    if (playground_rebuild(playground, err)) {
        model_free(&old_model);
        optimizer_free(&old_optimizer);
        return true;
    }
    *model = old_model;
    opened->optimizer = old_optimizer;
    model_free(&next);
    optimizer_free(&optimizer);
    return false;
}

bool playground_configure(Playground *playground, const ModelConfig *config, Error *err) {
    ModelConfig before = playground->opened->named.model.config;
    if (config->n_heads < 1 || config->d_model % config->n_heads != 0) {
        return error_set(err, "%d heads: expected a number that divides the width, %d",
                         config->n_heads, config->d_model);
    }
    if (!set_config(playground, config, err)) {
        return false;
    }
    Change *change = add_change(playground, CHANGE_CONFIG);
    if (change != NULL) {
        change->config_before = before;
        change->config_after = *config;
    }
    return true;
}

// ---- one number

static float number_of(const Node *node, size_t element) {
    return node->type == DATA_INT ? (float)node->ids[element] : node->data[element];
}

// An input or a weight: nobody computes it, so the number is simply set.
static void set_given(OpenModel *opened, Node *node, size_t element, float value) {
    const ModelNodes *nodes = &opened->built.nodes;
    if (node->type != DATA_INT) {
        node->data[element] = value;
        return;
    }
    node->ids[element] = (int32_t)value;
    int32_t *ids = node == nodes->source   ? opened->batch.source
                   : node == nodes->tokens ? opened->batch.tokens
                                           : opened->batch.labels;
    if (ids != NULL) {
        ids[element] = (int32_t)value;
    }
}

static void set_number(Playground *playground, Node *node, size_t element, float value) {
    if (node->n_inputs == 0) {
        set_given(playground->opened, node, element, value);
    } else {
        tape_edit(&playground->opened->built.tape, node, element, value);
    }
    stepper_invalidate(&playground->stepper, node);
}

bool playground_edit(Playground *playground, Node *node, size_t element, float value, Error *err) {
    int vocabulary = playground->opened->named.model.config.vocab_size;
    bool is_id = node->type == DATA_INT;
    if (is_id && (value < 0.0F || value >= (float)vocabulary || value != floorf(value))) {
        return error_set(err, "%g is no token: expected a whole number from 0 to %d", (double)value,
                         vocabulary - 1);
    }
    Change *change = add_change(playground, CHANGE_NUMBER);
    if (change == NULL) {
        return error_set(err, "out of memory");
    }
    change->stage = arena_text(&playground->arena, node->stage);
    change->element = element;
    change->before = number_of(node, element);
    change->after = value;
    set_number(playground, node, element, value);
    return true;
}

bool playground_undo(Playground *playground, Error *err) {
    if (playground->n_done == 0) {
        return false;
    }
    const Change *change = &playground->changes[playground->n_done - 1];
    if (change->kind == CHANGE_CONFIG) {
        playground->n_done--;
        if (set_config(playground, &change->config_before, err)) {
            return true;
        }
        playground->n_done++;
        return false;
    }
    playground->n_done--;
    Tape *tape = &playground->opened->built.tape;
    Node *node = tape_find(tape, change->stage);
    if (node != NULL && node->n_inputs > 0) {
        tape_undo(tape);
    } else if (node != NULL) {
        set_given(playground->opened, node, change->element, change->before);
    }
    stepper_invalidate(&playground->stepper, node);
    return true;
}

bool playground_redo(Playground *playground, Error *err) {
    if (playground->n_done == playground->n_changes) {
        return false;
    }
    const Change *change = &playground->changes[playground->n_done];
    if (change->kind == CHANGE_CONFIG) {
        if (!set_config(playground, &change->config_after, err)) {
            return false;
        }
        playground->n_done++;
        return true;
    }
    playground->n_done++;
    Node *node = tape_find(&playground->opened->built.tape, change->stage);
    if (node != NULL) {
        set_number(playground, node, change->element, change->after);
    }
    return true;
}

bool playground_reset(Playground *playground, Error *err) {
    OpenModel *fresh = open_input(&playground->input, err);
    if (fresh == NULL) {
        return false;
    }
    const char *stage = arena_text(&playground->arena, stepper_node(&playground->stepper)->stage);
    int at = playground->stepper.at;
    stepper_free(&playground->stepper);
    close_model(playground->opened);
    playground->opened = fresh;
    playground->n_builds++;
    playground->n_changes = 0;
    playground->n_done = 0;
    playground->is_decoding = false;
    if (!start_stepper(playground, err)) {
        return false;
    }
    find_place(playground, stage, at);
    return true;
}
