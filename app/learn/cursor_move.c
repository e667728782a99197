// cursor_move.c - moving along the tape and over the cells of a stage.
#include <string.h>

#include "app/learn/cursor.h"

static StepMove move_of(CommandId id) {
    switch ((int)id) {
    case COMMAND_BACK:
        return STEP_BACK;
    case COMMAND_INTO:
        return STEP_INTO;
    case COMMAND_OUT:
        return STEP_OUT;
    case COMMAND_OVER:
        return STEP_OVER;
    case COMMAND_OVER_BACK:
        return STEP_OVER_BACK;
    case COMMAND_FIRST:
        return STEP_FIRST;
    case COMMAND_LAST:
        return STEP_LAST;
    case COMMAND_LOSS:
        return STEP_LOSS;
    default:
        return STEP_NEXT;
    }
}

bool cursor_do_step(Cursor *cursor, const Command *command, Error *err) {
    (void)err;
    Stepper *stepper = &cursor->playground->stepper;
    StepMove move = move_of(command->id);
    bool is_back = move == STEP_BACK || move == STEP_OVER_BACK || move == STEP_FIRST;
    bool is_counted = COMMANDS[command->id].argument == ARGUMENT_COUNT;
    long n = is_counted ? command_count(command, 1) : 1;
    bool moved = false;
    while (n-- > 0 && stepper_move(stepper, move)) {
        moved = true;
    }
    cursor_look_at_step(cursor);
    if (!moved && move != STEP_LOSS) {
        reply_say(cursor->reply, is_back ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
    }
    return true;
}

bool cursor_do_go(Cursor *cursor, const Command *command, Error *err) {
    Stepper *stepper = &cursor->playground->stepper;
    const Node *node = stepper_find(stepper, command->rest);
    if (node == NULL) {
        return reply_fail(cursor->reply, err, TEXT_NO_STAGE, command->rest, NULL);
    }
    stepper_go(stepper, node);
    if (command->id == COMMAND_SHOW) {
        if (!stepper_require(stepper, node, err)) {
            return false;
        }
        cursor_look_at(cursor, node);
        cursor->n_trail = 0;
    } else {
        cursor_look_at_step(cursor);
    }
    return true;
}

bool cursor_search(Cursor *cursor, int direction) {
    Stepper *stepper = &cursor->playground->stepper;
    bool is_open = cursor->playground->opened != NULL;
    int hit = is_open && cursor->sought[0] != '\0'
                  ? stepper_search(stepper, cursor->sought, stepper->at, direction)
                  : -1;
    if (hit >= 0) {
        stepper->at = hit;
        cursor_look_at_step(cursor);
    }
    return hit >= 0;
}

bool cursor_do_cell(Cursor *cursor, const Command *command, Error *err) {
    const Node *node = NULL;
    size_t element = 0;
    if (!cursor_find_cell(cursor, command->rest, &node, &element, err)) {
        return false;
    }
    cursor_visit(cursor, node, element);
    return true;
}

bool cursor_do_move(Cursor *cursor, const Command *command, Error *err) {
    (void)err;
    bool is_back = command->id == COMMAND_UP || command->id == COMMAND_LEFT;
    bool is_row = command->id == COMMAND_UP || command->id == COMMAND_DOWN;
    int axis = shape_rank(&cursor->place.node->shape) - (is_row ? 2 : 1);
    int n = (int)command_count(command, 1);
    if (axis < 0 || !cursor_move_axis(cursor, axis, is_back ? -n : n)) {
        reply_say(cursor->reply, is_back ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
    }
    return true;
}

bool cursor_do_slice(Cursor *cursor, const Command *command, Error *err) {
    (void)err;
    bool is_head = command->id == COMMAND_HEAD_BACK || command->id == COMMAND_HEAD_NEXT;
    bool is_back = command->id == COMMAND_HEAD_BACK || command->id == COMMAND_ITEM_BACK;
    int step = is_back ? -1 : 1;
    if (is_head ? !cursor_move_head(cursor, step) : !cursor_move_item(cursor, step)) {
        reply_say(cursor->reply, is_back ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
    }
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

bool cursor_do_layer(Cursor *cursor, const Command *command, Error *err) {
    const Node *node = cursor->place.node;
    const Tape *tape = playground_tape(cursor->playground);
    int layer = node->scope->layer + (command->id == COMMAND_LAYER_NEXT ? 1 : -1);
    for (int i = 0; node->scope->layer >= 0 && i < tape->n_nodes; i++) {
        const Node *other = tape->nodes[i];
        if (is_twin(node, other, layer)) {
            stepper_go(&cursor->playground->stepper, other);
            cursor->n_trail = 0;
            cursor_look_at(cursor, other);
            return true;
        }
    }
    return error_set(err, "%s", reply_text(cursor->reply, TEXT_NO_LAYER));
}
