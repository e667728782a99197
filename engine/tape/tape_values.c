// tape_values.c - the host's way to a tape's numbers: the numbers themselves on the CPU, elsewhere
// copies.
#include "engine/tape/tape_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/devices/device.h"

typedef struct Mirror {
    void *values; // malloc; NULL until they are asked for
    float *saved;
    bool has_values, has_saved; // as the device has them
} Mirror;

struct Mirrors {
    Mirror *nodes;    // one a node
    float *gradients; // of all parameters
    bool is_used;     // there is something to forget
};

bool tape_mirrors_open(Tape *tape) {
    if (tape->device->backend->is_host) {
        return true;
    }
    tape->mirrors = arena_allocate(&tape->arena, sizeof *tape->mirrors);
    tape->mirrors->nodes =
        arena_allocate(&tape->arena, (size_t)(tape->n_nodes + 1) * sizeof *tape->mirrors->nodes);
    return true;
}

void tape_mirrors_close(Tape *tape) {
    for (int i = 0; tape->mirrors != NULL && i < tape->n_nodes; i++) {
        free(tape->mirrors->nodes[i].values);
        free(tape->mirrors->nodes[i].saved);
    }
    if (tape->mirrors != NULL) {
        free(tape->mirrors->gradients);
    }
}

// On a tape that is not watched, memory is shared: any run may have written over any number.
void tape_mirrors_forget(const Tape *tape, const Node *node) {
    Mirrors *mirrors = tape->mirrors;
    if (mirrors == NULL || !mirrors->is_used) {
        return;
    }
    bool is_alone = tape->mode == TAPE_WATCH;
    for (int i = is_alone ? node->id : 0; i < tape->n_nodes; i++) {
        const Node *other = tape->nodes[i];
        if (is_alone && other != node && other->writer != node) {
            break; // parts follow their writer
        }
        mirrors->nodes[i].has_values = false;
        mirrors->nodes[i].has_saved = false;
    }
    mirrors->is_used = is_alone;
}

static void *fetch(const Tape *tape, void *to, Array from, size_t count) {
    size_t size_bytes = count * format_bytes(from.format);
    void *values = to != NULL ? to : malloc(size_bytes > 0 ? size_bytes : 1);
    Error failure = {""};
    bool ok = values != NULL && device_read(tape->device, values, from.data, size_bytes, &failure);
    for (size_t i = 0; !ok && values != NULL && i < count; i++) {
        if (from.format == FORMAT_I32) {
            ((int32_t *)values)[i] = 0;
        } else {
            ((float *)values)[i] = NAN;
        }
    }
    tape->mirrors->is_used = true;
    return values;
}

const void *tape_mirror(const Tape *tape, const Node *node) {
    if (node->op == OP_PARAMETER) {
        return params_values(node->params, node->parameter);
    }
    Mirror *mirror = &tape->mirrors->nodes[node->id];
    if (!mirror->has_values) {
        mirror->values = fetch(tape, mirror->values, node->array, shape_count(&node->shape));
        mirror->has_values = true;
    }
    return mirror->values;
}

const float *tape_mirror_saved(const Tape *tape, const Node *node) {
    Mirror *mirror = &tape->mirrors->nodes[node->id];
    if (!mirror->has_saved) {
        mirror->saved = fetch(tape, mirror->saved, node->saved, node->saved_count);
        mirror->has_saved = true;
    }
    return mirror->saved;
}

const float *tape_mirror_gradients(const Tape *tape) {
    Mirrors *mirrors = tape->mirrors;
    mirrors->gradients = fetch(tape, mirrors->gradients, tape->gradients, tape->params->n_values);
    return mirrors->gradients;
}

bool tape_check(const Tape *tape, Error *err) {
    char nothing = 0;
    return tape->mirrors == NULL || device_read(tape->device, &nothing, tape->block, 0, err);
}

// ---- setting

static void write_at(const Tape *tape, const Node *node, size_t first, const void *from,
                     size_t count) {
    size_t size = format_bytes(node->array.format);
    if (node->op == OP_PARAMETER) {
        memcpy(params_change(node->params, node->parameter) + first, from, count * size);
        return;
    }
    assert(node->array.data != NULL);
    tape->device->backend->write(tape->device, array_at(node->array, first).data, from,
                                 count * size);
    tape_mirrors_forget(tape, node);
}

bool tape_id_at(const Tape *tape, const Node *node, int axis, int item, int index, int32_t *id) {
    const Counted counted = node->counts[axis];
    char first[4];
    shape_axis_name(&node->shape, 0, first);
    int position = counted.first + index;
    if (counted.ids == NULL || strcmp(first, "B") != 0 || item >= counted.ids->shape.sizes[0] ||
        position >= counted.ids->shape.sizes[1]) {
        return false;
    }
    *id = tape_ids(tape, counted.ids)[item * counted.ids->shape.sizes[1] + position];
    return true;
}

void tape_set_ids(const Tape *tape, const Node *node, const int32_t *ids) {
    assert(node_holds_ids(node));
    write_at(tape, node, 0, ids, shape_count(&node->shape));
}

void tape_set_values(const Tape *tape, const Node *node, const float *values) {
    assert(!node_holds_ids(node));
    write_at(tape, node, 0, values, shape_count(&node->shape));
}

void tape_set_number(const Tape *tape, const Node *node, size_t element, float value) {
    int32_t id = (int32_t)value;
    write_at(tape, node, element, node_holds_ids(node) ? (const void *)&id : &value, 1);
}
