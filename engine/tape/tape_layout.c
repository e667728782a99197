// tape_layout.c - what lives where in a tape's one allocation, and who may use the same memory one
// after the other.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/op.h"
#include "engine/tape/tape_layout.h"

enum { LINE_BYTES = 64, HUGE_PAGE_BYTES = 2 * 1024 * 1024 };

// A piece of memory: a node's numbers or what it saves for its gradient.
typedef struct Piece {
    Node *node;    // whose numbers; NULL for a piece nobody needs
    size_t size;   // in bytes, rounded up to whole lines
    size_t offset; // in bytes, once placed
    int birth;     // id of the first node that writes it
    int death;     // id of the last node that reads it
    const Node
        *host; // its numbers lie in this node's, `inside` bytes from its start; NULL: on their own
    size_t inside;
} Piece;

typedef struct Layout {
    const Tape *tape;
    Piece *data;  // one a node
    Piece *saved; // one a node
    size_t total;
} Layout;

static size_t whole(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

static bool is_watched(const Tape *tape) {
    return tape->mode == TAPE_WATCH;
}

static size_t node_bytes(const Node *node) {
    return shape_count(&node->shape) * format_bytes(node->array.format);
}

static size_t row_bytes(const Node *node) {
    return node_bytes(node) / (size_t)node->shape.sizes[0];
}

bool tape_layout_is_parameter_gradient(const Tape *tape, const Node *node) {
    return node->phase == PHASE_BACKWARD && node->parameter != NULL && tape->mode == TAPE_TRAIN;
}

bool tape_layout_is_loss_gradient(const Tape *tape, const Node *node) {
    return tape->mode == TAPE_TRAIN && tape->loss != NULL && node == tape->loss->gradient &&
           node->op == OP_CONSTANT && shape_count(&node->shape) == 1;
}

// On a tape that is not watched: views lie in what they view, and parts of a parameter's gradient
// in the whole.
static void find_hosts(Layout *layout) {
    const Tape *tape = layout->tape;
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        int shared = OPS[node->op]->shares_input;
        if (shared >= 0 && !tape_layout_is_parameter_gradient(tape, node)) {
            layout->data[i].host = node->inputs[shared];
            layout->data[i].inside = node->op == OP_SLICE_ROWS
                                         ? (size_t)node->arguments.rows.first * row_bytes(node)
                                         : 0;
        }
        // The first use of a parameter leaves its part of the gradient where the sum will be.
        bool is_sum = node->op == OP_ACCUMULATE && tape_layout_is_parameter_gradient(tape, node);
        if (is_sum && node->inputs[0]->op == OP_WEIGHT_GRAD) {
            layout->data[node->inputs[0]->id].host = node;
        }
        if (node->op == OP_JOIN_ROWS) {
            for (int k = 0; k < node->n_inputs; k++) {
                Piece *part = &layout->data[node->inputs[k]->id];
                if (part->host == NULL &&
                    !tape_layout_is_parameter_gradient(tape, node->inputs[k])) {
                    part->host = node;
                    part->inside =
                        (size_t)node->inputs[k]->of->arguments.rows.first * row_bytes(node);
                }
            }
        }
    }
}

// The node whose memory this one's numbers finally lie in.
static const Node *root_of(const Layout *layout, const Node *node, size_t *inside) {
    *inside = 0;
    while (layout->data[node->id].host != NULL) {
        *inside += layout->data[node->id].inside;
        node = layout->data[node->id].host;
    }
    return node;
}

// Written once when the tape is allocated, or from outside, or read after the run: never shared.
static bool is_lasting(const Tape *tape, const Node *node) {
    // Logits are what somebody asks for, or what their gradient may lie over.
    bool is_result =
        node->role == ROLE_LOGITS && node->phase == PHASE_FORWARD && node->gradient == NULL;
    bool is_gradient_result = node->phase == PHASE_BACKWARD && node->parameter != NULL;
    return node->op == OP_IDS || node->op == OP_CONSTANT || node->op == OP_SINUSOID ||
           node->is_kept || node == tape->loss || is_result || is_gradient_result;
}

static void find_lives(Layout *layout) {
    const Tape *tape = layout->tape;
    int n = tape->n_nodes;
    for (int i = 0; i < n; i++) {
        Node *node = tape->nodes[i];
        bool lasting = is_watched(tape) || is_lasting(tape, node);
        int written = node->writer == NULL ? i : node->writer->id;
        layout->data[i].birth = lasting ? 0 : written;
        layout->data[i].death = lasting ? n : i;
        layout->saved[i].birth = is_watched(tape) ? 0 : i;
        layout->saved[i].death = is_watched(tape) ? n : i;
    }
    for (int i = 0; i < n; i++) {
        const Node *node = tape->nodes[i];
        size_t inside = 0;
        Piece *root = &layout->data[root_of(layout, node, &inside)->id];
        root->birth = layout->data[i].birth < root->birth ? layout->data[i].birth : root->birth;
        root->death = layout->data[i].death > root->death ? layout->data[i].death : root->death;
        for (int k = 0; k < node->n_inputs; k++) {
            const Node *input = node->inputs[k];
            Piece *read = &layout->data[root_of(layout, input, &inside)->id];
            read->death = i > read->death ? i : read->death;
            Piece *kept = &layout->saved[input->id];
            kept->death = i > kept->death ? i : kept->death;
        }
    }
}

// The input that an op's kernel may write over; -1: none.
static int overwritable_input(OpKind op) {
    bool is_by_element = op == OP_ACCUMULATE || op == OP_RELU_GRAD || op == OP_GELU_GRAD;
    return op == OP_CROSS_ENTROPY_GRAD ? 1 : is_by_element ? 0 : -1;
}

// A sum of many terms is written in several calls: a term that comes again may not be overwritten.
static bool comes_again(const Node *node, int which) {
    for (int i = which + 1; i < node->n_inputs; i++) {
        if (node->inputs[i] == node->inputs[which]) {
            return true;
        }
    }
    return false;
}

// A node that may write over an input does so when nobody reads that input later and it lies alone.
static void find_overwriters(Layout *layout) {
    const Tape *tape = layout->tape;
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        int which = overwritable_input(node->op);
        if (which < 0 || tape_layout_is_parameter_gradient(tape, node) ||
            comes_again(node, which)) {
            continue;
        }
        size_t inside = 0;
        const Node *input = root_of(layout, node->inputs[which], &inside);
        Piece *piece = &layout->data[input->id];
        bool is_whole = inside == 0 && node_bytes(input) == node_bytes(node) &&
                        input->op != OP_PARAMETER &&
                        !tape_layout_is_parameter_gradient(tape, input);
        if (is_whole && piece->death == i && layout->data[i].host == NULL) {
            layout->data[i].host = input;
            node->in_place = true;
            piece->death = layout->data[i].death;
        }
    }
}

static void find_sizes(Layout *layout) {
    const Tape *tape = layout->tape;
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        bool elsewhere = node->op == OP_PARAMETER || node->op == OP_CACHE ||
                         tape_layout_is_loss_gradient(tape, node) ||
                         tape_layout_is_parameter_gradient(tape, node) ||
                         layout->data[i].host != NULL;
        layout->data[i].node = node;
        layout->saved[i].node = node;
        layout->data[i].size = elsewhere ? 0 : whole(node_bytes(node), LINE_BYTES);
        layout->saved[i].size =
            whole(node->saved_count * format_bytes(node->saved.format), LINE_BYTES);
    }
}

static int by_birth(const void *a, const void *b) {
    const Piece *left = *(const Piece *const *)a;
    const Piece *right = *(const Piece *const *)b;
    if (left->birth != right->birth) {
        return left->birth < right->birth ? -1 : 1;
    }
    return left->node->id - right->node->id;
}

// The lowest gap between the living pieces (sorted by offset) that is wide enough.
static int find_gap(Piece *const *living, int n_living, size_t size, size_t *offset) {
    size_t end = 0;
    for (int i = 0; i < n_living; i++) {
        if (living[i]->offset - end >= size && living[i]->offset > end) {
            *offset = end;
            return i;
        }
        end = living[i]->offset + living[i]->size;
    }
    *offset = end;
    return n_living;
}

static void place_all(Layout *layout, Piece **order, Piece **living, int n_pieces) {
    int n_living = 0;
    for (int i = 0; i < n_pieces; i++) {
        Piece *piece = order[i];
        int kept = 0;
        for (int k = 0; k < n_living; k++) {
            if (living[k]->death >= piece->birth) {
                living[kept++] = living[k];
            }
        }
        n_living = kept;
        int at = find_gap(living, n_living, piece->size, &piece->offset);
        memmove(living + at + 1, living + at, (size_t)(n_living - at) * sizeof(Piece *));
        living[at] = piece;
        n_living++;
        size_t end = piece->offset + piece->size;
        layout->total = end > layout->total ? end : layout->total;
    }
}

static bool place_pieces(Layout *layout) {
    int n = layout->tape->n_nodes;
    Piece **order = malloc((size_t)n * 4 * sizeof(Piece *));
    if (order == NULL) {
        return false;
    }
    int n_pieces = 0;
    for (int i = 0; i < n; i++) {
        if (layout->data[i].size > 0) {
            order[n_pieces++] = &layout->data[i];
        }
        if (layout->saved[i].size > 0) {
            order[n_pieces++] = &layout->saved[i];
        }
    }
    qsort(order, (size_t)n_pieces, sizeof(Piece *), by_birth);
    place_all(layout, order, order + (size_t)n * 2, n_pieces);
    free(order);
    return true;
}

// ---- the result

static void keep_places(Tape *tape, const Layout *layout) {
    tape->places = arena_allocate(&tape->arena, (size_t)(tape->n_nodes + 1) * sizeof(NodePlace));
    for (int i = 0; i < tape->n_nodes; i++) {
        NodePlace *at = &tape->places[i];
        at->root = root_of(layout, tape->nodes[i], &at->inside);
        at->data = layout->data[at->root->id].offset;
        at->saved = layout->saved[i].offset;
        at->is_view = layout->data[i].host != NULL && OPS[tape->nodes[i]->op]->shares_input >= 0;
    }
    bool owns = tape->mode == TAPE_TRAIN && tape->params != NULL && !tape->borrows_gradients;
    tape->gradient_bytes = owns ? tape->params->n_values * sizeof(float) : 0;
    assert(sizeof(StepBlock) <= LINE_BYTES);
    tape->step_offset = tape->gradient_bytes + layout->total;
    size_t total = tape->step_offset + LINE_BYTES;
    bool is_big = total >= 4 * (size_t)HUGE_PAGE_BYTES;
    tape->block_bytes = whole(total, is_big ? HUGE_PAGE_BYTES : LINE_BYTES);
}

// What has nothing to compute while it runs is done once, by tape_allocate; the rest is the
// program.
static void write_program(Tape *tape) {
    tape->program = arena_allocate(&tape->arena, (size_t)(tape->n_nodes + 1) * sizeof(Node *));
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        bool is_nothing = tape->places[i].is_view || OPS[node->op]->run == NULL;
        if (!tape_layout_runs_once(tape, node) && (is_watched(tape) || !is_nothing)) {
            tape->program[tape->n_program++] = node;
        }
    }
}

bool tape_layout_runs_once(const Tape *tape, const Node *node) {
    return node->op == OP_CONSTANT || node->op == OP_IDS ||
           (node->op == OP_SINUSOID && !is_watched(tape));
}

bool tape_lay_out(Tape *tape, Error *err) {
    assert(tape->places == NULL);
    if (error_is_set(&tape->err)) {
        return error_set(err, "%s", tape->err.text);
    }
    if (tape->n_forward == 0) {
        tape->n_forward = tape->n_nodes;
    }
    Layout layout = {.tape = tape};
    size_t n = (size_t)tape->n_nodes;
    layout.data = calloc(n + 1, sizeof *layout.data);
    layout.saved = calloc(n + 1, sizeof *layout.saved);
    bool ok = layout.data != NULL && layout.saved != NULL;
    if (ok) {
        if (!is_watched(tape)) {
            find_hosts(&layout);
        }
        find_lives(&layout);
        if (!is_watched(tape)) {
            find_overwriters(&layout);
        }
        find_sizes(&layout);
        ok = place_pieces(&layout);
    }
    if (ok) {
        keep_places(tape, &layout);
        write_program(tape);
    }
    free(layout.data);
    free(layout.saved);
    return ok || error_set(err, "out of memory");
}

TapeMemory tape_memory(const Tape *tape) {
    TapeMemory memory = {0};
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (node->op == OP_PARAMETER || node->op == OP_CACHE) {
            continue;
        }
        memory.saved += node->saved_count * format_bytes(node->saved.format);
        *(node->phase == PHASE_BACKWARD ? &memory.gradients : &memory.activations) +=
            node_bytes(node);
    }
    memory.total = tape->block_bytes;
    return memory;
}
