// cursor.c - what is looked at: its place, its cell, what explains it.
#include "app/learn/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double cursor_value(const Cursor *cursor, const Node *node, size_t element) {
    return tape_number(&cursor->playground->opened->built.tape, node, element);
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

size_t cursor_element(const Cursor *cursor) {
    Place place = cursor->place;
    const Shape *shape = &place.node->shape;
    int indices[SHAPE_MAX_RANK] = {0};
    for (int axis = 0; axis < shape_rank(shape); axis++) {
        int at = *coordinate(&place, shape, axis);
        indices[axis] = at < shape->sizes[axis] ? at : shape->sizes[axis] - 1;
    }
    return shape_flat(shape, indices);
}

void cursor_set_element(Cursor *cursor, size_t element) {
    Place *place = &cursor->place;
    const Shape *shape = &place->node->shape;
    int indices[SHAPE_MAX_RANK] = {0};
    shape_indices(shape, element, indices);
    for (int axis = 0; axis < shape_rank(shape); axis++) {
        *coordinate(place, shape, axis) = indices[axis];
    }
    place->next_source = 0;
    cursor->is_explained = false;
}

void cursor_changed(Cursor *cursor) {
    cursor->is_explained = false;
    cursor->n_changes++;
}

void cursor_init(Cursor *cursor, Playground *playground, Reply *reply) {
    *cursor = (Cursor){.playground = playground, .reply = reply};
}

void cursor_close(Cursor *cursor) {
    explain_free(&cursor->explanation);
    cursor->place = (Place){.node = NULL};
    cursor->is_explained = false;
    cursor->n_trail = 0;
    cursor->n_tapes++;
    cursor->n_changes++;
}

void cursor_look_at(Cursor *cursor, const Node *node) {
    cursor->place.node = node;
    cursor->place.next_source = 0;
    cursor->is_explained = false;
    cursor->n_looks++;
    if (node != NULL) {
        clamp(&cursor->place);
    }
}

void cursor_look_at_step(Cursor *cursor) {
    cursor->n_trail = 0;
    if (cursor->playground->opened != NULL) {
        cursor_look_at(cursor, stepper_node(&cursor->playground->stepper));
    }
}

void cursor_forget(Cursor *cursor) {
    explain_free(&cursor->explanation);
    cursor->place.node = NULL;
    cursor->n_tapes++;
    cursor->n_changes++;
    cursor_look_at_step(cursor);
}

void cursor_explain(Cursor *cursor) {
    const Node *node = cursor->place.node;
    if (node == NULL || cursor->is_explained) {
        return;
    }
    if (!stepper_is_valid(&cursor->playground->stepper, node)) {
        return;
    }
    explain_cell(&cursor->explanation, cursor->playground->stepper.tape, node,
                 cursor_element(cursor));
    cursor->is_explained = true;
}

bool cursor_find_cell(const Cursor *cursor, const char *text, const Node **node, size_t *element,
                      Error *err) {
    size_t length = strcspn(text, "[");
    char *stage = strndup(text, length);
    const Node *found = stage == NULL ? NULL : stepper_find(&cursor->playground->stepper, stage);
    if (found == NULL) {
        reply_fail(cursor->reply, err, TEXT_NO_STAGE, stage, NULL);
        free(stage);
        return false;
    }
    free(stage);
    int indices[SHAPE_MAX_RANK] = {0};
    if (text[length] == '[' && !shape_read_indices(&found->shape, text + length, indices, NULL)) {
        char sizes[SHAPE_TEXT_BYTES];
        char sentence[REPLY_BYTES];
        text_fill(sentence, sizeof sentence, reply_text(cursor->reply, TEXT_NO_CELL), text, NULL);
        return error_set(err, "%s %s", sentence, shape_sizes_text(&found->shape, sizes));
    }
    *node = found;
    *element = shape_flat(&found->shape, indices);
    return true;
}

void cursor_visit(Cursor *cursor, const Node *node, size_t element) {
    Stepper *stepper = &cursor->playground->stepper;
    stepper_go(stepper, node);
    (void)stepper_require(stepper, node, NULL); // where it is ended, the rest is run by and by
    cursor->n_trail = 0;
    cursor_look_at(cursor, node);
    cursor_set_element(cursor, element);
}

static bool move_by(Cursor *cursor, int *at, int step) {
    int before = *at;
    *at += step;
    clamp(&cursor->place);
    cursor->place.next_source = 0;
    cursor->is_explained = false;
    return *at != before;
}

bool cursor_move_axis(Cursor *cursor, int axis, int step) {
    return move_by(cursor, coordinate(&cursor->place, &cursor->place.node->shape, axis), step);
}

bool cursor_move_head(Cursor *cursor, int step) {
    return shape_find_axis(&cursor->place.node->shape, 'H') >= 0 &&
           move_by(cursor, &cursor->place.head, step);
}

bool cursor_move_item(Cursor *cursor, int step) {
    return shape_find_axis(&cursor->place.node->shape, 'B') >= 0 &&
           move_by(cursor, &cursor->place.item, step);
}
