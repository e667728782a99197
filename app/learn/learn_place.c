// learn_place.c - the cell that is looked at.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn_actions.h"

double learn_value(const Learn *learn, const Node *node, size_t element) {
    return tape_number(&learn->playground.opened->built.tape, node, element);
}

// Where the cursor is on an axis: the last is the column, the one before it the row; of the outer
// ones B counts the items, also as a row, and H the heads.
static int *coordinate(Place *place, const Shape *shape, int axis) {
    int rank = shape_rank(shape);
    char name[4];
    shape_axis_name(shape, axis, name);
    if (axis == rank - 1) {
        return &place->column;
    }
    if (name[0] == 'B' && name[1] == '\0') {
        return &place->item;
    }
    if (axis == rank - 2) {
        return &place->row;
    }
    return name[0] == 'H' ? &place->head : &place->item;
}

static void clamp(Place *place) {
    const Shape *shape = &place->node->shape;
    for (int axis = 0; axis < shape_rank(shape); axis++) {
        int *at = coordinate(place, shape, axis);
        int last = shape->sizes[axis] - 1;
        *at = *at > last ? last : (*at < 0 ? 0 : *at);
    }
}

size_t learn_element(const Learn *learn) {
    Place place = learn->place;
    const Shape *shape = &place.node->shape;
    int indices[SHAPE_MAX_RANK] = {0};
    for (int axis = 0; axis < shape_rank(shape); axis++) {
        int at = *coordinate(&place, shape, axis);
        indices[axis] = at < shape->sizes[axis] ? at : shape->sizes[axis] - 1;
    }
    return shape_flat(shape, indices);
}

void learn_set_element(Learn *learn, size_t element) {
    Place *place = &learn->place;
    const Shape *shape = &place->node->shape;
    int indices[SHAPE_MAX_RANK] = {0};
    shape_indices(shape, element, indices);
    for (int axis = 0; axis < shape_rank(shape); axis++) {
        *coordinate(place, shape, axis) = indices[axis];
    }
    place->next_source = 0;
    learn->is_explained = false;
}

void learn_changed(Learn *learn) {
    learn->is_explained = false;
}

void learn_look_at(Learn *learn, const Node *node) {
    if (learn->view != NULL && learn->view->is_passing) {
        learn->view = NULL;
    }
    learn->place.node = node;
    learn->place.next_source = 0;
    learn->is_explained = false;
    learn->scroll[PANE_VIEW] = 0;
    if (node != NULL) {
        clamp(&learn->place);
    }
}

void learn_look_at_step(Learn *learn) {
    learn->n_trail = 0;
    if (learn->playground.opened != NULL) {
        learn_look_at(learn, stepper_node(&learn->playground.stepper));
    }
}

void learn_forget_place(Learn *learn) {
    explain_free(&learn->explanation);
    learn->place.node = NULL;
    learn->zoom = NULL; // a scope of the tape of before
    learn_look_at_step(learn);
}

void learn_explain(Learn *learn) {
    const Node *node = learn->place.node;
    if (node == NULL || learn->is_explained) {
        return;
    }
    if (!stepper_is_valid(&learn->playground.stepper, node)) {
        return;
    }
    explain_cell(&learn->explanation, learn->playground.stepper.tape, node, learn_element(learn));
    learn->is_explained = true;
}

static bool read_indices(const char *text, const Shape *shape, int *indices) {
    int rank = shape_rank(shape);
    for (int axis = 0; axis < rank; axis++) {
        char *end = NULL;
        long at = strtol(text, &end, 10);
        if (end == text || at < 0 || at >= shape->sizes[axis]) {
            return false;
        }
        indices[axis] = (int)at;
        end += strspn(end, " ");
        if (*end != (axis == rank - 1 ? ']' : ',')) {
            return false;
        }
        text = end + 1;
    }
    return rank > 0 ? *text == '\0' : strcmp(text, "]") == 0;
}

bool learn_find_cell(const Learn *learn, const char *text, const Node **node, size_t *element,
                     Error *err) {
    size_t length = strcspn(text, "[");
    char *stage = strndup(text, length);
    const Node *found = stage == NULL ? NULL : stepper_find(&learn->playground.stepper, stage);
    if (found == NULL) {
        reply_fail(&learn->reply, err, TEXT_NO_STAGE, stage, NULL);
        free(stage);
        return false;
    }
    free(stage);
    int indices[SHAPE_MAX_RANK] = {0};
    if (text[length] == '[' && !read_indices(text + length + 1, &found->shape, indices)) {
        char sizes[SHAPE_TEXT_BYTES];
        char sentence[REPLY_BYTES];
        text_fill(sentence, sizeof sentence, reply_text(&learn->reply, TEXT_NO_CELL), text, NULL);
        return error_set(err, "%s %s", sentence, shape_sizes_text(&found->shape, sizes));
    }
    *node = found;
    *element = shape_flat(&found->shape, indices);
    return true;
}

bool act_cell(Learn *learn, const Command *command, Error *err) {
    const Node *node = NULL;
    size_t element = 0;
    if (!learn_find_cell(learn, command->rest, &node, &element, err)) {
        return false;
    }
    Stepper *stepper = &learn->playground.stepper;
    if (node != stepper_node(stepper)) {
        stepper_go(stepper, node);
        stepper_require(stepper, node);
    }
    learn->n_trail = 0;
    learn_look_at(learn, node);
    learn_set_element(learn, element);
    return true;
}

static void scroll(Learn *learn, Pane pane, int lines) {
    int to = learn->scroll[pane] + lines;
    learn->scroll[pane] = to < 0 ? 0 : to;
}

// In the list of steps up and down are steps; in the lesson they scroll; elsewhere the cell moves.
bool act_move(Learn *learn, const Command *command, Error *err) {
    int lines = command->id == COMMAND_UP ? -1 : (command->id == COMMAND_DOWN ? 1 : 0);
    if (learn->focus == PANE_TAPE && lines != 0) {
        const Command step = {lines < 0 ? COMMAND_BACK : COMMAND_NEXT, command->rest};
        return act_step(learn, &step, err);
    }
    if (learn->focus == PANE_LESSON && lines != 0) {
        scroll(learn, PANE_LESSON, lines);
        return true;
    }
    Place *place = &learn->place;
    const Shape *shape = &place->node->shape;
    int rank = shape_rank(shape);
    int axis = lines != 0 ? rank - 2 : rank - 1;
    if (axis < 0) {
        return true;
    }
    int step = lines != 0 ? lines : (command->id == COMMAND_LEFT ? -1 : 1);
    *coordinate(place, shape, axis) += step * (int)command_count(command, 1);
    clamp(place);
    place->next_source = 0;
    learn->is_explained = false;
    return true;
}

bool act_slice(Learn *learn, const Command *command, Error *err) {
    (void)err;
    bool is_head = command->id == COMMAND_HEAD_BACK || command->id == COMMAND_HEAD_NEXT;
    bool is_back = command->id == COMMAND_HEAD_BACK || command->id == COMMAND_ITEM_BACK;
    Place *place = &learn->place;
    if (shape_find_axis(&place->node->shape, is_head ? 'H' : 'B') < 0) {
        reply_say(&learn->reply, is_back ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
        return true;
    }
    int *at = is_head ? &place->head : &place->item;
    int before = *at;
    *at += is_back ? -1 : 1;
    clamp(place);
    if (*at == before) {
        reply_say(&learn->reply, is_back ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
    }
    place->next_source = 0;
    learn->is_explained = false;
    return true;
}

static ScopeKind side_of(const Scope *scope) {
    while (scope != NULL && scope->kind != SCOPE_ENCODER && scope->kind != SCOPE_DECODER) {
        scope = scope->parent;
    }
    return scope == NULL ? SCOPE_PLAIN : scope->kind;
}

// Same name and same kind of scope, one layer on.
static bool is_twin(const Node *node, const Node *other, int layer) {
    return other->name != NULL && node->name != NULL && other->phase == node->phase &&
           other->scope->layer == layer && other->scope->kind == node->scope->kind &&
           side_of(other->scope) == side_of(node->scope) && strcmp(other->name, node->name) == 0 &&
           other->role == node->role;
}

bool act_layer(Learn *learn, const Command *command, Error *err) {
    const Node *node = learn->place.node;
    const Tape *tape = playground_tape(&learn->playground);
    int layer = node->scope->layer + (command->id == COMMAND_LAYER_NEXT ? 1 : -1);
    for (int i = 0; node->scope->layer >= 0 && i < tape->n_nodes; i++) {
        const Node *other = tape->nodes[i];
        if (is_twin(node, other, layer)) {
            stepper_go(&learn->playground.stepper, other);
            learn->n_trail = 0;
            learn_look_at(learn, other);
            return true;
        }
    }
    return error_set(err, "%s", reply_text(&learn->reply, TEXT_NO_LAYER));
}
