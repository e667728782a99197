// workbench_points.c - points are moved, added and taken away.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/workbench.h"
#include "engine/models/family.h"

// Which point the cursor stands on: the index of its axis of positions. -1, with a sentence, where
// the node has none, or the points stand in several items.
static int point_here(const Workbench *bench, Error *err) {
    int indices[SHAPE_MAX_RANK] = {0};
    const Node *node = bench->cursor.place.node;
    const Batch *batch = &bench->playground.opened->batch;
    const int axis = shape_find_axis(&node->shape, 'T');
    if (axis < 0 || node->shape.sizes[axis] != batch->shape.T || batch->shape.B != 1) {
        error_set(err, "no point is looked at: expected the cursor on one, as in `cell x[0,3,0]`");
        return -1;
    }
    shape_indices(&node->shape, cursor_element(&bench->cursor), indices);
    return indices[axis];
}

// "0.5,-0.2", nothing behind it.
static bool read_place(const char *name, const char *text, double place[2], Error *err) {
    char *comma = NULL;
    char *end = NULL;
    place[0] = strtod(text, &comma);
    const bool has_two = comma != text && *comma == ',';
    place[1] = has_two ? strtod(comma + 1, &end) : 0.0;
    return (has_two && end != comma + 1 && *end == '\0') ||
           error_set(err, "%s: expected two coordinates, such as 0.5,-0.2, found \"%.40s\"", name,
                     text);
}

// The class that a line begins with; -1, with a sentence, where it names none. *rest gets what
// follows.
static int read_class(const OpenModel *opened, const char *line, const char **rest, Error *err) {
    const int n_classes = family_of(&opened->named.model.config)->n_classes;
    const size_t length = strcspn(line, " ");
    char name[64];
    char names[160] = "";
    for (int label = 0; label < n_classes; label++) {
        model_input_token(opened, label, name, sizeof name);
        if (strlen(name) == length && strncmp(name, line, length) == 0) {
            *rest = line + length + strspn(line + length, " ");
            return label;
        }
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", label > 0 ? " or " : "", name);
    }
    error_set(err, "add: expected %s and two coordinates, found \"%.40s\"",
              n_classes > 0 ? names : "a model of points, a class", line);
    return -1;
}

// How point i is called, and its class.
static void name_point(const Workbench *bench, int i, char class_name[64], char place[64]) {
    const OpenModel *opened = bench->playground.opened;
    const int32_t label = opened->batch.labels == NULL ? -1 : opened->batch.labels[i];
    model_input_token(opened, opened->batch.tokens[i], place, 64);
    snprintf(class_name, 64, "?");
    if (label >= 0) {
        model_input_token(opened, label, class_name, 64);
    }
}

static bool move_point(Workbench *bench, const Command *command, Error *err) {
    double place[2];
    char class_name[64];
    char from[64];
    char to[64];
    const int i = point_here(bench, err);
    if (i < 0 || !read_place("move", command->rest, place, err)) {
        return false;
    }
    name_point(bench, i, class_name, from);
    if (!before_keep(&bench->before, &bench->playground, err) ||
        !playground_move_point(&bench->playground, i, place[0], place[1], err)) {
        return false;
    }
    name_point(bench, i, class_name, to);
    cursor_changed(&bench->cursor);
    reply_say(bench->reply, TEXT_POINT_MOVED, from, to);
    return true;
}

static bool add_point(Workbench *bench, const Command *command, Error *err) {
    double place[2];
    char class_name[64];
    char where[64];
    const char *rest = NULL;
    const int label = read_class(bench->playground.opened, command->rest, &rest, err);
    if (label < 0 || !read_place("add", rest, place, err)) {
        return false;
    }
    const Shown shown = workbench_shown(bench);
    if (!before_keep(&bench->before, &bench->playground, err) ||
        !playground_add_point(&bench->playground, label, place[0], place[1], err)) {
        return false;
    }
    workbench_after_rebuild(bench, &shown);
    name_point(bench, bench->playground.opened->batch.shape.T - 1, class_name, where);
    reply_say(bench->reply, TEXT_POINT_ADDED, class_name, where);
    return true;
}

static bool remove_point(Workbench *bench, Error *err) {
    char class_name[64];
    char where[64];
    const int i = point_here(bench, err);
    if (i < 0) {
        return false;
    }
    name_point(bench, i, class_name, where);
    const Shown shown = workbench_shown(bench);
    if (!before_keep(&bench->before, &bench->playground, err) ||
        !playground_remove_point(&bench->playground, i, err)) {
        return false;
    }
    workbench_after_rebuild(bench, &shown);
    reply_say(bench->reply, TEXT_POINT_REMOVED, class_name, where);
    return true;
}

bool workbench_do_point(Workbench *bench, const Command *command, Error *err) {
    if (command->id == COMMAND_POINT_REMOVE) {
        return remove_point(bench, err);
    }
    const bool is_move = command->id == COMMAND_POINT_MOVE;
    if (command->rest[0] == '\0') {
        reply_ask(bench->reply, is_move ? "move " : "add inner ");
        return true;
    }
    return is_move ? move_point(bench, command, err) : add_point(bench, command, err);
}
