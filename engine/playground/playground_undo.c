// playground_undo.c - the list of changes: what each put aside comes back, whatever it was.
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "engine/playground/playground_private.h"

// ---- the list

static void free_change(Change *change) {
    playground_free_kept(change->kept);
    free(change->what);
    free(change->stage);
}

static void cut(Playground *playground, int n_changes) {
    for (int i = n_changes; i < playground->n_changes; i++) {
        free_change(&playground->changes[i]);
    }
    playground->n_changes = n_changes;
    playground->n_done = n_changes < playground->n_done ? n_changes : playground->n_done;
    playground->n_fixed = n_changes < playground->n_fixed ? n_changes : playground->n_fixed;
}

_Static_assert(TAPE_UNDO_EDITS >= 2 * PLAYGROUND_CHANGES,
               "a number that can be taken back is kept");

void playground_forget_changes(Playground *playground) {
    cut(playground, 0);
}

static bool is_same_number(const Change *a, const Change *b) {
    return a->kind == CHANGE_NUMBER && b->kind == CHANGE_NUMBER && a->element == b->element &&
           strcmp(a->stage, b->stage) == 0;
}

// True for a number that still shows and that no other of the first n sets again.
static bool is_lasting(const Playground *playground, int i, int n) {
    const Change *change = &playground->changes[i];
    bool lasts = change->kind == CHANGE_NUMBER && playground_is_in_force(playground, change);
    for (int later = i + 1; lasts && later < n; later++) {
        lasts = !is_same_number(change, &playground->changes[later]);
    }
    return lasts;
}

// The first n cannot be taken back any more.
static void fix(Playground *playground, int n) {
    bool *lasts = calloc((size_t)n + 1, sizeof *lasts);
    if (lasts == NULL) {
        return; // once more with the next change
    }
    for (int i = 0; i < n; i++) {
        lasts[i] = is_lasting(playground, i, n);
    }
    int n_fixed = 0;
    for (int i = 0; i < playground->n_changes; i++) {
        Change *change = &playground->changes[i];
        if (i < n && !lasts[i]) {
            free_change(change);
            continue;
        }
        playground->changes[n_fixed++] = *change;
    }
    free(lasts);
    int n_gone = playground->n_changes - n_fixed;
    playground->n_fixed = n - n_gone;
    playground->n_changes -= n_gone;
    playground->n_done -= n_gone;
}

// Nothing was taken back when this is called.
static void keep_within_bounds(Playground *playground) {
    size_t total = 0;
    int first = playground->n_done;
    while (first > playground->n_fixed && playground->n_done - first < PLAYGROUND_CHANGES) {
        total += playground_change_bytes(&playground->changes[first - 1]);
        if (total > PLAYGROUND_KEPT_BYTES && first < playground->n_done) {
            break;
        }
        first--;
    }
    // Not one by one: each time all of the list is looked at.
    if (first > playground->n_fixed) {
        int n = first + PLAYGROUND_CHANGES / 8;
        bool is_for_bytes = total > PLAYGROUND_KEPT_BYTES;
        fix(playground, is_for_bytes || n >= playground->n_done ? first : n);
    }
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
    keep_within_bounds(playground);
    playground->n_pushed++;
    Change *change = &playground->changes[playground->n_done++];
    playground->n_changes = playground->n_done;
    *change = (Change){.kind = kind, .kept = kept};
    return change;
}

void playground_name_changes(Playground *playground, uint64_t n_pushed, const char *what) {
    int first = playground->n_done - (int)(playground->n_pushed - n_pushed);
    for (int i = first < 0 ? 0 : first; i < playground->n_done; i++) {
        free(playground->changes[i].what);
        playground->changes[i].what = strdup(what); // NULL: without a name
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

static bool carry_out_number(Playground *playground, const Change *change, bool is_undo,
                             Error *err) {
    Tape *tape = &playground->opened->built.tape;
    Node *node = tape_find(tape, change->stage);
    if (node != NULL && is_undo && node->n_inputs > 0) {
        tape_undo(tape);
        stepper_invalidate(&playground->stepper, node);
        return true;
    }
    return node == NULL || playground_set_number(playground, node, change->element,
                                                 is_undo ? change->before : change->after, err);
}

// The change itself is done or taken back in the list already: what is in force then is edited.
static bool carry_out(Playground *playground, const Change *change, bool is_undo, Error *err) {
    switch (change->kind) {
    case CHANGE_NUMBER:
        return carry_out_number(playground, change, is_undo, err);
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
    if (playground->n_done == playground->n_fixed) {
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
    Progress *progress = playground->progress;
    playground->progress = NULL; // what was ended does not end the way back
    if (playground_undo(playground, &ignored)) {
        cut(playground, playground->n_done);
    }
    playground->progress = progress;
    playground->stepper.progress = progress;
}

static void set_id(OpenModel *opened, Node *node, size_t element, int32_t id) {
    const ModelNodes *nodes = &opened->built.nodes;
    int32_t *ids = node == nodes->source   ? opened->batch.source
                   : node == nodes->tokens ? opened->batch.tokens
                                           : opened->batch.labels;
    tape_set_number(&opened->built.tape, node, element, (float)id);
    if (ids != NULL) {
        ids[element] = id;
    }
}

// An input or a weight: nobody computes it, so the number is simply set.
static bool set_given(Playground *playground, Node *node, size_t element, float value, Error *err) {
    OpenModel *opened = playground->opened;
    Model *model = &opened->named.model;
    if (!node_holds_ids(node)) {
        tape_set_number(&opened->built.tape, node, element, value);
        return true;
    }
    int32_t before = tape_ids(&opened->built.tape, node)[element];
    training_rest(&playground->training);
    set_id(opened, node, element, (int32_t)value);
    if (!batch_fit(&opened->batch, model, err)) {
        set_id(opened, node, element, before);
        return false;
    }
    if (family_of(&model->config)->fit != NULL) {
        playground_apply_weights(playground);
        stepper_invalidate(&playground->stepper, NULL);
    }
    return true;
}

bool playground_set_number(Playground *playground, Node *node, size_t element, float value,
                           Error *err) {
    if (node->n_inputs == 0 && !set_given(playground, node, element, value, err)) {
        return false;
    }
    if (node->n_inputs > 0) {
        tape_edit(&playground->opened->built.tape, node, element, value);
    }
    stepper_invalidate(&playground->stepper, node);
    return true;
}
