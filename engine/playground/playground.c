// playground.c - the model of a lesson: open it, and keep a tape over what it is now.
#include "engine/playground/playground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "engine/playground/playground_private.h"

// More numbers than this are shown without their gradients.
enum { MAX_TRAINED = 8 * 1000 * 1000 };

// And a tape with more is refused: 2 GiB.
enum { MAX_WATCHED = 512 * 1024 * 1024 };

static const float LEARNING_RATE = 1e-2F;

static bool start_stepper(Playground *playground, Error *err) {
    OpenModel *opened = playground->opened;
    bool ok = stepper_init(&playground->stepper, &opened->built.tape, &opened->optimizer,
                           opened->lr, err);
    playground->stepper.progress = playground->progress;
    return ok;
}

// What is shown of a model: all of it, unless it is large or there is no target.
static TapeParts parts_of(const OpenModel *opened) {
    if (opened->batch.labels == NULL) {
        return TAPE_LOGITS;
    }
    return opened->named.model.params.n_values <= MAX_TRAINED ? TAPE_GRADIENTS : TAPE_LOSS;
}

// Every number of a watched tape has a place of its own.
static bool check_numbers(const Tape *tape, Error *err) {
    size_t total = 0;
    for (int i = 0; i < tape->n_nodes; i++) {
        total += tape->nodes[i]->op == OP_PARAMETER ? 0 : shape_count(&tape->nodes[i]->shape);
    }
    return total <= MAX_WATCHED ||
           error_set(err, "%.1f billion numbers would be shown: expected at most %.1f billion",
                     1e-9 * (double)total, 1e-9 * (double)MAX_WATCHED);
}

static bool build(OpenModel *opened, ModelTape *built, Progress *progress, Error *err) {
    TapeParts parts = parts_of(opened);
    *built = (ModelTape){0};
    bool ok = batch_fit(&opened->batch, &opened->named.model, err) &&
              model_tape_build(built, &opened->named.model, TAPE_WATCH, opened->device,
                               opened->batch.shape, parts, err);
    if (ok && parts == TAPE_GRADIENTS && opened->optimizer.m.count > 0) {
        optimizer_append(&opened->optimizer, &built->tape);
    }
    built->tape.progress = progress;
    if (ok && check_numbers(&built->tape, err) && tape_allocate(&built->tape, err)) {
        return true;
    }
    model_tape_free(built);
    return false;
}

static bool open_optimizer(OpenModel *opened, Error *err) {
    OptimizerConfig config = optimizer_defaults();
    opened->lr = LEARNING_RATE;
    return optimizer_init(&opened->optimizer, &config, &opened->named.model.params) ||
           error_set(err, "out of memory");
}

// The nodes of a tape point into their model: it stays where it was opened.
static OpenModel *open_input(const ModelInput *input, Progress *progress, Error *err) {
    OpenModel *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        error_set(err, "out of memory");
        return NULL;
    }
    bool ok = model_input_load(opened, input, progress, err);
    if (ok) {
        ok = (parts_of(opened) != TAPE_GRADIENTS || open_optimizer(opened, err)) &&
             build(opened, &opened->built, progress, err);
        if (ok) {
            batch_fill(&opened->batch, &opened->built);
            return opened;
        }
        model_input_close(opened);
    }
    free(opened);
    return NULL;
}

// One change, which puts the model before it aside; where that is too large nothing before it can
// be taken back.
static bool open_anew(Playground *playground, const ModelInput *input, Error *err) {
    Kept *kept = playground_keep(playground, err);
    if (kept == NULL) {
        return false;
    }
    kept->input = *input;
    kept->opened = open_input(&kept->input, playground->progress, err);
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

struct OpenLine {
    OpenLine *older;
    const char *text;
    const ModelInput *input; // NULL: a text of ids, or a line that says nothing that can be opened
};

static OpenLine *find_line(Playground *playground, const char *text) {
    OpenLine *line = playground->lines;
    while (line != NULL && strcmp(line->text, text) != 0) {
        line = line->older;
    }
    if (line == NULL) {
        line = arena_allocate(&playground->arena, sizeof *line);
        *line =
            (OpenLine){.older = playground->lines, .text = arena_text(&playground->arena, text)};
        playground->lines = line;
    }
    return line;
}

const char *playground_keep_text(Playground *playground, const char *text) {
    return find_line(playground, text)->text;
}

static bool read_line(Playground *playground, const char *text, ModelInput *input, Error *err) {
    OpenLine *line = find_line(playground, text);
    if (line->input != NULL) {
        *input = *line->input;
        return true;
    }
    if (!playground_check(text, err) ||
        !playground_read_line(&playground->arena, input, text, err)) {
        return false;
    }
    if (input->device == NULL) {
        input->device = playground->device;
    }
    ModelInput *kept = arena_allocate(&playground->arena, sizeof *kept);
    *kept = *input;
    line->input = kept;
    return true;
}

bool playground_open(Playground *playground, const char *line, Error *err) {
    ModelInput input;
    if (!read_line(playground, line, &input, err)) {
        return false;
    }
    if (playground->opened != NULL) {
        return open_anew(playground, &input, err);
    }
    playground->input = input;
    playground->opened = open_input(&playground->input, playground->progress, err);
    if (playground->opened == NULL || !start_stepper(playground, err)) {
        playground_close(playground);
        return false;
    }
    playground->config = playground->opened->named.model.config;
    playground->n_builds++;
    playground->sampling = sampling_greedy();
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
    *playground = (Playground){.progress = playground->progress, .device = playground->device};
}

const Tape *playground_tape(const Playground *playground) {
    return playground->opened != NULL ? &playground->opened->built.tape : NULL;
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

void playground_apply_weights(Playground *playground) {
    const OpenModel *opened = playground->opened;
    for (int i = 0; i < playground->n_done; i++) {
        const Change *change = &playground->changes[i];
        const Node *node =
            change->kind == CHANGE_NUMBER ? tape_find(&opened->built.tape, change->stage) : NULL;
        if (node != NULL && node->op == OP_PARAMETER &&
            playground_is_in_force(playground, change)) {
            tape_set_number(&opened->built.tape, node, change->element, change->after);
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
    tape_set_draw(&opened->built.tape, (uint64_t)opened->optimizer.step);
    batch_fill(&opened->batch, &opened->built);
    apply_edits(playground);
    if (family_of(&opened->named.model.config)->fit != NULL) {
        playground_apply_weights(playground);
    }
    if (!start_stepper(playground, err)) {
        return false;
    }
    find_place(playground, cursor->stage, cursor->at);
    return true;
}

bool playground_rebuild(Playground *playground, Error *err) {
    OpenModel *opened = playground->opened;
    ModelTape built;
    if (!build(opened, &built, playground->progress, err)) {
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
    if (!has_tape && !build(next, &next->built, playground->progress, err)) {
        return false;
    }
    Cursor cursor = cursor_of(playground);
    stepper_free(&playground->stepper);
    model_tape_free(&playground->opened->built);
    *opened = playground->opened;
    playground->opened = next;
    return begin_with_tape(playground, &cursor, err);
}
