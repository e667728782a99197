// tape.c - building a tape and running it; tape_storage.c lays out its memory.
#include "engine/tape/tape.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/tape/op.h"
#include "engine/tape/tape_layout.h"
#include "engine/tape/tape_values.h"

void tape_init(Tape *tape, TapeMode mode, Device *device, Params *params) {
    *tape = (Tape){.mode = mode,
                   .device = device,
                   .params = params,
                   .now = {.loss_gradient = 1.0F, .drops = 1}};
    tape->root = arena_allocate(&tape->arena, sizeof *tape->root);
    *tape->root = (Scope){.name = "", .path = "", .layer = -1};
    tape->scope = tape->root;
    tape->n_scopes = 1;
}

void tape_free(Tape *tape) {
    tape_release(tape);
    free(tape->edits);
    arena_free(&tape->arena);
    *tape = (Tape){0};
}

static Scope *scope_find(const Tape *tape, const Scope *parent, const char *name) {
    for (Scope *scope = tape->root; scope != NULL; scope = scope->next) {
        if (scope->parent == parent && strcmp(scope->name, name) == 0) {
            return scope;
        }
    }
    return NULL;
}

static void scope_enter(Tape *tape, const char *name, ScopeKind kind, int layer) {
    Scope *parent = tape->scope;
    tape->scope = scope_find(tape, parent, name);
    if (tape->scope != NULL) {
        return;
    }
    Scope *scope = arena_allocate(&tape->arena, sizeof *scope);
    const char *dot = parent->path[0] == '\0' ? "" : ".";
    *scope = (Scope){.name = arena_text(&tape->arena, name),
                     .path = arena_format(&tape->arena, "%s%s%s", parent->path, dot, name),
                     .kind = kind,
                     .layer = layer,
                     .parent = parent};
    Scope *last = tape->root;
    while (last->next != NULL) {
        last = last->next;
    }
    last->next = scope;
    tape->n_scopes++;
    tape->scope = scope;
}

void tape_enter(Tape *tape, const char *name, ScopeKind kind) {
    scope_enter(tape, name, kind, tape->scope->layer);
}

void tape_enter_layer(Tape *tape, int layer) {
    char name[16];
    snprintf(name, sizeof name, "%d", layer);
    scope_enter(tape, name, SCOPE_LAYER, layer);
}

void tape_leave(Tape *tape) {
    assert(tape->scope->parent != NULL);
    tape->scope = tape->scope->parent;
}

static void nodes_reserve(Tape *tape) {
    if (tape->n_nodes < tape->capacity) {
        return;
    }
    int capacity = tape->capacity == 0 ? 128 : 2 * tape->capacity;
    Node **nodes = arena_allocate(&tape->arena, (size_t)capacity * sizeof(Node *));
    if (tape->n_nodes > 0) {
        memcpy(nodes, tape->nodes, (size_t)tape->n_nodes * sizeof(Node *));
    }
    tape->nodes = nodes;
    tape->capacity = capacity;
}

// Whose positions the node's first axis of that letter and size counts.
static Counted counted(const Node *node, char letter, int size) {
    int rank = shape_rank(&node->shape);
    char name[4];
    for (int axis = 0; axis < rank; axis++) {
        shape_axis_name(&node->shape, axis, name);
        if (name[0] == letter && name[1] == '\0' && node->shape.sizes[axis] == size &&
            node->counts[axis].ids != NULL) {
            return node->counts[axis];
        }
    }
    return (Counted){NULL, 0};
}

// An axis of positions counts those of the first input that has such an axis, as long, unless the
// op knows better.
static void find_counts(Node *node) {
    int rank = shape_rank(&node->shape);
    char name[4];
    for (int axis = 0; axis < rank; axis++) {
        shape_axis_name(&node->shape, axis, name);
        bool is_position = strcmp(name, "T") == 0 || strcmp(name, "S") == 0;
        for (int i = 0; is_position && i < node->n_inputs && node->counts[axis].ids == NULL; i++) {
            node->counts[axis] = counted(node->inputs[i], name[0], node->shape.sizes[axis]);
        }
    }
    if (OPS[node->op]->count != NULL) {
        OPS[node->op]->count(node);
    }
}

static Format format_of(const Tape *tape, const Node *node) {
    switch (OPS[node->op]->output) {
    case OUTPUT_PRECISION:
        return tape->precision;
    case OUTPUT_FLOAT32:
        return FORMAT_F32;
    case OUTPUT_AS_INPUT:
        return node->inputs[0]->array.format;
    case OUTPUT_IDS:
        return FORMAT_I32;
    }
    return FORMAT_F32;
}

Node *tape_append(Tape *tape, OpKind op, const char *name, Node *const *inputs, int n_inputs,
                  const OpArguments *arguments) {
    for (int i = 0; i < n_inputs; i++) {
        if (inputs[i] == NULL) {
            return NULL;
        }
    }
    nodes_reserve(tape);
    Node *node = arena_allocate(&tape->arena, sizeof *node);
    node->id = tape->n_nodes;
    node->op = op;
    node->phase = tape->phase;
    node->scope = tape->scope;
    if (name != NULL) {
        const char *dot = tape->scope->path[0] == '\0' ? "" : ".";
        node->name = arena_text(&tape->arena, name);
        node->stage = arena_format(&tape->arena, "%s%s%s", tape->scope->path, dot, name);
    }
    node->inputs = arena_allocate(&tape->arena, (size_t)(n_inputs + 1) * sizeof(Node *));
    node->n_inputs = n_inputs;
    if (n_inputs > 0) {
        memcpy(node->inputs, inputs, (size_t)n_inputs * sizeof(Node *));
    }
    if (arguments != NULL) {
        node->arguments = *arguments;
    }
    node->array.format = format_of(tape, node);
    Error reason = {""};
    if (!OPS[op]->shape(node, &reason)) {
        const char *place = node->stage != NULL ? node->stage : tape->scope->path;
        error_set(&tape->err, "%s%s%s: %s", place, place[0] == '\0' ? "" : ": ", OPS[op]->name,
                  reason.text);
        return NULL;
    }
    find_counts(node);
    tape->nodes[tape->n_nodes++] = node;
    return node;
}

static void edit_apply(const Tape *tape, const Edit *edit) {
    tape_set_number(tape, edit->node, edit->element, edit->value);
}

// What the host changed of the parameters that the node reads goes to the device.
static void send_parameters(const Tape *tape, const Node *node) {
    for (int i = 0; i < node->n_inputs; i++) {
        const Node *root = tape->places[node->inputs[i]->id].root;
        if (root->op == OP_PARAMETER) {
            params_send(root->params);
        }
    }
}

void tape_run_node(const Tape *tape, const Node *node) {
    void (*run)(const Tape *, const Node *) = OPS[node->op]->run;
    if (run != NULL) {
        if (tape->mirrors != NULL) {
            tape_mirrors_forget(tape, node);
            send_parameters(tape, node);
        }
        run(tape, node);
    }
    if (node->edited) {
        for (int i = 0; i < tape->n_edits; i++) {
            if (tape->edits[i].node == node) {
                edit_apply(tape, &tape->edits[i]);
            }
        }
    }
}

void tape_run(const Tape *tape) {
    for (int i = 0; i < tape->n_program; i++) {
        tape_run_node(tape, tape->program[i]);
    }
}

void tape_run_range(const Tape *tape, int first, int last) {
    for (int i = 0; i < tape->n_program; i++) {
        const Node *node = tape->program[i];
        if (node->id >= first && node->id < last) {
            tape_run_node(tape, node);
        }
    }
}

bool tape_run_for(const Tape *tape, int *next, double budget_ms) {
    double end_ms = clock_ms() + budget_ms;
    for (int i = 0; i < tape->n_program; i++) {
        const Node *node = tape->program[i];
        if (node->id < *next) {
            continue;
        }
        tape_run_node(tape, node);
        *next = node->id + 1;
        if (clock_ms() >= end_ms) {
            return i + 1 == tape->n_program;
        }
    }
    *next = tape->n_nodes;
    return true;
}

Node *tape_find(const Tape *tape, const char *stage) {
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        if (node->stage != NULL && strcmp(node->stage, stage) == 0) {
            return node;
        }
    }
    return NULL;
}

Node *tape_find_role(const Tape *tape, Role role, int n) {
    for (int i = 0; i < tape->n_nodes; i++) {
        if (tape->nodes[i]->role == role && n-- == 0) {
            return tape->nodes[i];
        }
    }
    return NULL;
}

bool node_crosses(const Node *node) {
    int rank = shape_rank(&node->shape);
    const Node *rows = rank < 2 ? NULL : node->counts[rank - 2].ids;
    const Node *columns = rank < 2 ? NULL : node->counts[rank - 1].ids;
    return rows != NULL && columns != NULL && rows != columns;
}

bool tape_next_id_at(const Tape *tape, const Node *node, int item, int index, int32_t *id) {
    if (!node_crosses(node)) {
        return false;
    }
    const Counted rows = node->counts[shape_rank(&node->shape) - 2];
    const Node *labels = tape_find_role(tape, ROLE_LABELS, 0);
    const Node *ids = labels != NULL ? labels : rows.ids;
    int position = rows.first + index + (labels == NULL); // what follows in the text itself
    const int *sizes = ids->shape.sizes;
    if (item >= sizes[0] || position >= sizes[1]) {
        return false;
    }
    *id = tape_ids(tape, ids)[item * sizes[1] + position];
    return true;
}

// A parameter, an id or a constant is computed by nobody: an edit changes it once, and undo puts it
// back.
static bool is_given(const Node *node) {
    return node->op == OP_PARAMETER || node->op == OP_IDS || node->op == OP_CONSTANT;
}

// Of those that tape_undo need not reach, the ones that a later one of them sets again.
static void forget_superseded(Tape *tape) {
    int n_old = tape->n_edits - TAPE_UNDO_EDITS;
    int n_kept = 0;
    for (int i = 0; n_old > 0 && i < tape->n_edits; i++) {
        const Edit edit = tape->edits[i];
        bool is_lost = false;
        for (int later = i + 1; later < n_old && !is_lost; later++) {
            is_lost =
                tape->edits[later].node == edit.node && tape->edits[later].element == edit.element;
        }
        tape->edits[n_kept] = edit;
        n_kept += !is_lost;
    }
    tape->n_edits = n_old > 0 ? n_kept : tape->n_edits;
}

static bool grow_edits(Tape *tape) {
    int capacity = tape->edit_capacity == 0 ? 16 : 2 * tape->edit_capacity;
    Edit *edits = realloc(tape->edits, (size_t)capacity * sizeof *edits);
    if (edits != NULL) {
        tape->edits = edits;
        tape->edit_capacity = capacity;
    }
    return edits != NULL;
}

void tape_edit(Tape *tape, Node *node, size_t element, float value) {
    assert(tape->mode == TAPE_WATCH && element < shape_count(&node->shape));
    if (tape->n_edits == tape->edit_capacity) {
        forget_superseded(tape);
        if (2 * tape->n_edits >= tape->edit_capacity && !grow_edits(tape)) {
            return;
        }
    }
    Edit *edit = &tape->edits[tape->n_edits++];
    *edit = (Edit){node, element, value, (float)tape_number(tape, node, element)};
    node->edited = !is_given(node);
    edit_apply(tape, edit);
}

bool tape_undo(Tape *tape) {
    if (tape->n_edits == 0) {
        return false;
    }
    Edit last = tape->edits[--tape->n_edits];
    bool still_edited = false;
    for (int i = 0; i < tape->n_edits; i++) {
        still_edited = still_edited || tape->edits[i].node == last.node;
    }
    last.node->edited = still_edited && !is_given(last.node);
    Edit restore = {last.node, last.element, last.before, 0.0F};
    edit_apply(tape, &restore);
    if (!is_given(last.node)) {
        tape_run_node(tape, last.node->writer == NULL ? last.node : last.node->writer);
    }
    return true;
}
