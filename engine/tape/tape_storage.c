// tape_storage.c - a tape's one allocation, and what is written into it once.
#include <assert.h>

#include "engine/tape/op.h"
#include "engine/tape/tape_layout.h"
#include "engine/tape/tape_values.h"

static void point(Tape *tape, char *numbers) {
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        const NodePlace *place = &tape->places[i];
        const Node *root = place->root;
        char *begin = numbers + place->data;
        if (root->op == OP_PARAMETER) {
            begin = params_array(root->params, root->parameter).data;
        } else if (root->op == OP_CACHE) {
            begin = root->array.data; // where op_cache was told
        } else if (tape_layout_is_parameter_gradient(tape, root)) {
            begin = array_at(tape->gradients, root->parameter->offset).data;
        } else if (tape_layout_is_loss_gradient(tape, root)) {
            begin = (char *)tape->block + tape->step_offset + offsetof(StepBlock, loss_gradient);
        }
        node->array.data = begin + place->inside;
        if (node->saved_count > 0) {
            node->saved.data = numbers + place->saved;
        }
    }
}

static bool place_parameters(const Tape *tape, Error *err) {
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        if (node->op == OP_PARAMETER && !params_place(node->params, tape->device, err)) {
            return false;
        }
    }
    return true;
}

// Fresh memory is slow to touch: gigabytes of it are filled piece by piece.
static bool fill_with_zeros(const Tape *tape, size_t n_bytes, Error *err) {
    enum { PIECE = 1024 * 1024 };
    size_t n = n_bytes / sizeof(float);
    for (size_t at = 0; at < n; at += PIECE) {
        if (!progress_at(tape->progress, at, n, err)) {
            return false;
        }
        tape->device->backend->fill(tape->device, array_at(array_of(tape->block), at), 0.0F,
                                    n - at < PIECE ? n - at : PIECE);
    }
    return true;
}

static bool claim_block(Tape *tape, Error *err) {
    Device *device = tape->device;
    tape->block = device->backend->allocate(device, tape->block_bytes);
    if (tape->block == NULL || !tape_mirrors_open(tape)) {
        return error_set(err, "out of memory: a tape of %d nodes needs %zu MiB", tape->n_nodes,
                         tape->block_bytes >> 20);
    }
    if (tape->gradient_bytes > 0) {
        tape->gradients = array_of(tape->block);
    }
    // A trained tape's numbers are all written before they are read; only the gaps between
    // gradients are not.
    bool is_watched = tape->mode == TAPE_WATCH;
    return fill_with_zeros(tape, is_watched ? tape->block_bytes : tape->gradient_bytes, err);
}

static void run_once(const Tape *tape) {
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (node->op == OP_IDS) {
            tape->device->backend->fill(tape->device, node->array, 0.0F, shape_count(&node->shape));
        } else if (tape_layout_runs_once(tape, node) && !tape_layout_is_loss_gradient(tape, node)) {
            OPS[node->op]->run(tape, node);
        }
    }
}

bool tape_allocate(Tape *tape, Error *err) {
    assert(tape->block == NULL);
    if (tape->places == NULL && !tape_lay_out(tape, err)) {
        return false;
    }
    if (!place_parameters(tape, err) || !claim_block(tape, err)) {
        return false;
    }
    point(tape, (char *)tape->block + tape->gradient_bytes);
    tape_set_step(tape, &tape->now);
    run_once(tape);
    return true;
}

void tape_set_step(Tape *tape, const StepBlock *now) {
    StepBlock copy = *now; // which may be the tape's own
    tape->now = copy;
    if (tape->block != NULL) {
        tape->device->backend->write(tape->device, (char *)tape->block + tape->step_offset, &copy,
                                     sizeof copy);
    }
}

void tape_set_draw(Tape *tape, uint64_t draw) {
    StepBlock now = tape->now;
    now.draw = draw;
    tape_set_step(tape, &now);
}

const StepBlock *tape_step_block(const Tape *tape) {
    return (const StepBlock *)(const void *)((const char *)tape->block + tape->step_offset);
}

void tape_release(Tape *tape) {
    if (tape->block != NULL) {
        tape->device->backend->free(tape->device, tape->block);
    }
    tape_mirrors_close(tape);
}
