// tape_storage.c - one allocation a tape: what lives where, and who may use the same memory one
// after the other.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/tape/op.h"
#include "engine/tape/tape.h"

enum { LINE_BYTES = 64, FLOATS_PER_LINE = 16 };

// A piece of memory: a node's numbers or what it saves for its gradient.
typedef struct Piece {
    Node *node;    // whose numbers; NULL for a piece nobody needs
    size_t count;  // in floats, rounded up to whole lines
    size_t offset; // in floats, once placed
    int birth;     // id of the first node that writes it
    int death;     // id of the last node that reads it
    const Node
        *host; // its numbers lie in this node's, `inside` floats from its start; NULL: on their own
    size_t inside;
} Piece;

typedef struct Layout {
    const Tape *tape;
    Piece *data;  // one a node
    Piece *saved; // one a node
    size_t total;
} Layout;

static size_t whole_lines(size_t count) {
    return (count + FLOATS_PER_LINE - 1) / FLOATS_PER_LINE * FLOATS_PER_LINE;
}

static bool is_watched(const Tape *tape) {
    return tape->mode == TAPE_WATCH;
}

static size_t row_floats(const Node *node) {
    return shape_count(&node->shape) / (size_t)node->shape.sizes[0];
}

static bool is_parameter_gradient(const Tape *tape, const Node *node) {
    return node->phase == PHASE_BACKWARD && node->parameter != NULL && tape->mode == TAPE_TRAIN;
}

// On a tape that is not watched: views lie in what they view, and parts of a parameter's gradient
// in the whole.
static void find_hosts(Layout *layout) {
    const Tape *tape = layout->tape;
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        int shared = OPS[node->op]->shares_input;
        if (shared >= 0 && !is_parameter_gradient(tape, node)) {
            layout->data[i].host = node->inputs[shared];
            layout->data[i].inside = node->op == OP_SLICE_ROWS
                                         ? (size_t)node->arguments.rows.first * row_floats(node)
                                         : 0;
        }
        // The first use of a parameter leaves its part of the gradient where the sum will be.
        bool is_sum = node->op == OP_ACCUMULATE && is_parameter_gradient(tape, node);
        if (is_sum && node->inputs[0]->op == OP_WEIGHT_GRAD) {
            layout->data[node->inputs[0]->id].host = node;
        }
        if (node->op == OP_JOIN_ROWS) {
            for (int k = 0; k < node->n_inputs; k++) {
                Piece *part = &layout->data[node->inputs[k]->id];
                if (part->host == NULL && !is_parameter_gradient(tape, node->inputs[k])) {
                    part->host = node;
                    part->inside =
                        (size_t)node->inputs[k]->of->arguments.rows.first * row_floats(node);
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
        if (which < 0 || is_parameter_gradient(tape, node) || comes_again(node, which)) {
            continue;
        }
        size_t inside = 0;
        const Node *input = root_of(layout, node->inputs[which], &inside);
        Piece *piece = &layout->data[input->id];
        bool is_whole = inside == 0 && shape_count(&input->shape) == shape_count(&node->shape) &&
                        input->op != OP_PARAMETER && !is_parameter_gradient(tape, input);
        if (is_whole && piece->death == i && layout->data[i].host == NULL) {
            layout->data[i].host = input;
            node->in_place = true;
            piece->death = layout->data[i].death;
        }
    }
}

static void find_counts(Layout *layout) {
    const Tape *tape = layout->tape;
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        bool elsewhere = node->op == OP_PARAMETER || node->op == OP_CACHE ||
                         is_parameter_gradient(tape, node) || layout->data[i].host != NULL;
        layout->data[i].node = node;
        layout->saved[i].node = node;
        layout->data[i].count = elsewhere ? 0 : whole_lines(shape_count(&node->shape));
        layout->saved[i].count = whole_lines(node->saved_count);
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
static int find_gap(Piece *const *living, int n_living, size_t count, size_t *offset) {
    size_t end = 0;
    for (int i = 0; i < n_living; i++) {
        if (living[i]->offset - end >= count && living[i]->offset > end) {
            *offset = end;
            return i;
        }
        end = living[i]->offset + living[i]->count;
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
        int at = find_gap(living, n_living, piece->count, &piece->offset);
        memmove(living + at + 1, living + at, (size_t)(n_living - at) * sizeof(Piece *));
        living[at] = piece;
        n_living++;
        size_t end = piece->offset + piece->count;
        layout->total = end > layout->total ? end : layout->total;
    }
}

static bool place(Layout *layout) {
    int n = layout->tape->n_nodes;
    Piece **order = malloc((size_t)n * 4 * sizeof(Piece *));
    if (order == NULL) {
        return false;
    }
    int n_pieces = 0;
    for (int i = 0; i < n; i++) {
        if (layout->data[i].count > 0) {
            order[n_pieces++] = &layout->data[i];
        }
        if (layout->saved[i].count > 0) {
            order[n_pieces++] = &layout->saved[i];
        }
    }
    qsort(order, (size_t)n_pieces, sizeof(Piece *), by_birth);
    place_all(layout, order, order + (size_t)n * 2, n_pieces);
    free(order);
    return true;
}

static void point(Tape *tape, const Layout *layout, float *numbers) {
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        size_t inside = 0;
        const Node *root = root_of(layout, node, &inside);
        if (root->op == OP_PARAMETER) {
            node->array.data = params_values(root->params, root->parameter) + inside;
        } else if (root->op == OP_CACHE) {
            node->array.data = array_floats(root->array) + inside; // where op_cache was told
        } else if (is_parameter_gradient(tape, root)) {
            node->array = array_at(tape->gradients, root->parameter->offset + inside);
        } else {
            node->array.data = numbers + layout->data[root->id].offset + inside;
        }
        if (node->saved_count > 0) {
            node->saved.data = numbers + layout->saved[i].offset;
        }
    }
}

static bool claim_block(Tape *tape, const Layout *layout) {
    bool has_gradients =
        tape->mode == TAPE_TRAIN && tape->params != NULL && tape->gradients.data == NULL;
    size_t n_gradients = has_gradients ? tape->params->n_values : 0;
    size_t total_bytes = (n_gradients + layout->total + FLOATS_PER_LINE) * sizeof(float);
    enum { HUGE_PAGE_BYTES = 2 * 1024 * 1024 };
    bool is_big = total_bytes >= 4 * (size_t)HUGE_PAGE_BYTES;
    size_t alignment = is_big ? HUGE_PAGE_BYTES : LINE_BYTES;
    total_bytes = (total_bytes + alignment - 1) / alignment * alignment;
    tape->block = aligned_alloc(alignment, total_bytes);
    if (tape->block == NULL) {
        return false;
    }
    if (is_big) {
        madvise(tape->block, total_bytes, MADV_HUGEPAGE);
    }
    tape->block_bytes = total_bytes;
    if (n_gradients > 0) {
        tape->gradients = array_of(tape->block);
        tape->owns_gradients = true;
    }
    // A trained tape's numbers are all written before they are read; only the gaps between
    // gradients are not.
    memset(tape->block, 0, is_watched(tape) ? total_bytes : n_gradients * sizeof(float));
    return true;
}

// What has nothing to compute while it runs is done once, now; the rest is the program.
static void write_program(Tape *tape) {
    tape->program = arena_allocate(&tape->arena, (size_t)(tape->n_nodes + 1) * sizeof(Node *));
    for (int i = 0; i < tape->n_nodes; i++) {
        Node *node = tape->nodes[i];
        bool is_fixed = node->op == OP_CONSTANT || node->op == OP_IDS;
        bool once = node->op == OP_SINUSOID && !is_watched(tape);
        if (is_fixed) {
            memset(node->array.data, 0, shape_count(&node->shape) * sizeof(float));
        }
        if (node->op == OP_CONSTANT || once) {
            OPS[node->op]->run(tape, node);
        }
        bool is_view = OPS[node->op]->shares_input >= 0 && !is_watched(tape) &&
                       (char *)node->array.data >= (char *)node->inputs[0]->array.data;
        is_view = is_view && !is_parameter_gradient(tape, node);
        if (!is_fixed && !once && !is_view && (is_watched(tape) || OPS[node->op]->run != NULL)) {
            tape->program[tape->n_program++] = node;
        }
    }
}

bool tape_allocate(Tape *tape, Error *err) {
    assert(tape->block == NULL);
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
        find_counts(&layout);
        ok = place(&layout) && claim_block(tape, &layout);
    }
    if (ok) {
        point(tape, &layout,
              (float *)tape->block + (tape->owns_gradients ? tape->params->n_values : 0));
        write_program(tape);
    }
    free(layout.data);
    free(layout.saved);
    size_t mega = (layout.total * sizeof(float)) >> 20;
    return ok ||
           error_set(err, "out of memory: a tape of %d nodes needs %zu MiB", tape->n_nodes, mega);
}

TapeMemory tape_memory(const Tape *tape) {
    TapeMemory memory = {0};
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        size_t bytes = shape_count(&node->shape) * sizeof(float);
        if (node->op == OP_PARAMETER || node->op == OP_CACHE) {
            continue;
        }
        memory.saved += node->saved_count * sizeof(float);
        *(node->phase == PHASE_BACKWARD ? &memory.gradients : &memory.activations) += bytes;
    }
    memory.total = tape->block_bytes;
    return memory;
}
