// playground_undo.c - the list of changes: what each put aside comes back, whatever it was.
#include <stdlib.h>

#include "engine/playground/playground_private.h"

// Numbers of all models that are put aside, their means of the updates included: 128 MiB.
enum { MOST_KEPT = 32 * 1024 * 1024 };

// ---- what is put aside

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

static size_t numbers_of(const Model *model, const Optimizer *optimizer) {
    return model->params.n_values + optimizer->m.n_values + optimizer->v.n_values;
}

bool playground_can_keep(const Playground *playground) {
    const OpenModel *opened = playground->opened;
    size_t total = opened == NULL ? 0 : numbers_of(&opened->named.model, &opened->optimizer);
    for (int i = 0; i < playground->n_done; i++) {
        const Kept *kept = playground->changes[i].kept;
        if (kept != NULL) {
            total += numbers_of(&kept->model, &kept->optimizer);
        }
        if (kept != NULL && kept->opened != NULL) {
            total += numbers_of(&kept->opened->named.model, &kept->opened->optimizer);
        }
    }
    return total <= MOST_KEPT;
}

// ---- the list

static void cut(Playground *playground, int n_changes) {
    for (int i = n_changes; i < playground->n_changes; i++) {
        playground_free_kept(playground->changes[i].kept);
    }
    playground->n_changes = n_changes;
    playground->n_done = n_changes < playground->n_done ? n_changes : playground->n_done;
}

void playground_forget_changes(Playground *playground) {
    cut(playground, 0);
}

Change *playground_push(Playground *playground, ChangeKind kind, Kept *kept, Error *err) {
    if (playground->n_done == playground->capacity) {
        int capacity = playground->capacity == 0 ? 32 : 2 * playground->capacity;
        Change *changes = realloc(playground->changes, (size_t)capacity * sizeof *changes);
        if (changes == NULL) {
            playground_free_kept(kept);
            error_set(err, "out of memory");
            return NULL;
        }
        playground->changes = changes;
        playground->capacity = capacity;
    }
    cut(playground, playground->n_done);
    Change *change = &playground->changes[playground->n_done++];
    playground->n_changes = playground->n_done;
    *change = (Change){.kind = kind, .what = "", .kept = kept};
    return change;
}

void playground_name_changes(Playground *playground, int n_done, const char *what) {
    const char *copy = arena_text(&playground->arena, what);
    for (int i = n_done; i < playground->n_done; i++) {
        playground->changes[i].what = copy;
    }
}

// ---- what still shows

// A weight stays what it was set to when other ids come.
static bool is_weight(const Playground *playground, const Change *change) {
    const Node *node = tape_find(playground_tape(playground), change->stage);
    return node != NULL && node->n_inputs == 0 && !node_holds_ids(node);
}

bool playground_is_in_force(const Playground *playground, const Change *change) {
    const Change *end = playground->changes + playground->n_done;
    bool is_lost = change >= end;
    for (const Change *later = change + 1; later < end && !is_lost; later++) {
        bool is_cut_off = later->kind == CHANGE_IDS && change->kind == CHANGE_NUMBER;
        is_lost = later->kind == CHANGE_MODEL || (is_cut_off && !is_weight(playground, change));
    }
    return !is_lost;
}

int playground_count_in_force(const Playground *playground) {
    int n = 0;
    for (int i = 0; i < playground->n_done; i++) {
        const Change *change = &playground->changes[i];
        n += (change->kind == CHANGE_NUMBER || change->kind == CHANGE_CONFIG) &&
             playground_is_in_force(playground, change);
    }
    return n;
}

// ---- there and back

// Both rest: the run in force goes on when it is asked to.
static void exchange_training(Playground *playground, Kept *kept) {
    training_rest(&playground->training);
    playground->training.n_wanted = 0;
    const Training training = kept->training;
    kept->training = playground->training;
    playground->training = training;
    decode_free(&playground->beam);
}

static void exchange_text(Playground *playground, Kept *kept) {
    const PlaygroundText text = kept->text;
    kept->text = playground->text;
    playground->text = text;
}

static void exchange_ids(Playground *playground, Kept *kept) {
    const Batch batch = kept->batch;
    kept->batch = playground->opened->batch;
    playground->opened->batch = batch;
    exchange_text(playground, kept);
}

static bool carry_out_ids(Playground *playground, Kept *kept, Error *err) {
    exchange_ids(playground, kept);
    if (playground_rebuild(playground, err)) {
        if (playground->text.typed != kept->text.typed) {
            decode_free(&playground->beam);
        }
        return true;
    }
    exchange_ids(playground, kept);
    return false;
}

static void exchange_weights(OpenModel *opened, Kept *kept) {
    const Model model = opened->named.model;
    const Optimizer optimizer = opened->optimizer;
    opened->named.model = kept->model;
    opened->optimizer = kept->optimizer;
    kept->model = model;
    kept->optimizer = optimizer;
}

static bool carry_out_config(Playground *playground, const ModelConfig *config, Kept *kept,
                             Error *err) {
    OpenModel *opened = playground->opened;
    ModelConfig before = opened->named.model.config;
    if (kept != NULL) {
        exchange_weights(opened, kept);
    } else {
        opened->named.model.config = *config;
    }
    if (playground_rebuild(playground, err)) {
        if (kept != NULL) {
            exchange_training(playground, kept);
        }
        return true;
    }
    if (kept != NULL) {
        exchange_weights(opened, kept);
    } else {
        opened->named.model.config = before;
    }
    return false;
}

static bool carry_out_model(Playground *playground, Kept *kept, Error *err) {
    if (!playground_exchange_model(playground, &kept->opened, err)) {
        return false;
    }
    const ModelInput input = kept->input;
    const ModelConfig config = kept->config;
    kept->input = playground->input;
    kept->config = playground->config;
    playground->input = input;
    playground->config = config;
    exchange_text(playground, kept);
    exchange_training(playground, kept);
    playground_follow_seed(playground);
    return true;
}

static bool carry_out_number(Playground *playground, const Change *change, bool is_undo) {
    Tape *tape = &playground->opened->built.tape;
    Node *node = tape_find(tape, change->stage);
    if (node != NULL && is_undo && node->n_inputs > 0) {
        tape_undo(tape);
        stepper_invalidate(&playground->stepper, node);
    } else if (node != NULL) {
        playground_set_number(playground, node, change->element,
                              is_undo ? change->before : change->after);
    }
    return true;
}

// The change itself is done or taken back in the list already: what is in force then is edited.
static bool carry_out(Playground *playground, const Change *change, bool is_undo, Error *err) {
    switch (change->kind) {
    case CHANGE_NUMBER:
        return carry_out_number(playground, change, is_undo);
    case CHANGE_CONFIG:
        return carry_out_config(playground,
                                is_undo ? &change->config_before : &change->config_after,
                                change->kept, err);
    case CHANGE_IDS:
        return carry_out_ids(playground, change->kept, err);
    case CHANGE_MODEL:
        return carry_out_model(playground, change->kept, err);
    }
    return false;
}

bool playground_carry_out(Playground *playground, Error *err) {
    const Change *change = &playground->changes[playground->n_done - 1];
    if (carry_out(playground, change, false, err)) {
        return true;
    }
    cut(playground, playground->n_done - 1);
    return false;
}

bool playground_undo(Playground *playground, Error *err) {
    if (playground->n_done == 0) {
        return false;
    }
    playground->n_done--;
    if (carry_out(playground, &playground->changes[playground->n_done], true, err)) {
        return true;
    }
    playground->n_done++;
    return false;
}

bool playground_redo(Playground *playground, Error *err) {
    if (playground->n_done == playground->n_changes) {
        return false;
    }
    playground->n_done++;
    if (carry_out(playground, &playground->changes[playground->n_done - 1], false, err)) {
        return true;
    }
    playground->n_done--;
    return false;
}

void playground_drop_change(Playground *playground) {
    Error ignored = {""};
    if (playground_undo(playground, &ignored)) {
        cut(playground, playground->n_done);
    }
}
