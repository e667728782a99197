// gradient.c - the backward pass: gradients appended to the tape as ordinary nodes.
#include "engine/tape/gradient.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/op.h"

enum {
    MAX_USES = 64,
    MAX_OP_INPUTS = 64,
    LARGE_FLOATS = 128 * 1024, // half a megabyte: below, there is nothing to gain
};

// One use of a node by a later one, and what that use adds to the node's gradient.
typedef struct Use {
    Node *gradient;
    Node *user;
    struct Use *next; // in the order the uses were met: the last user of the forward pass first
} Use;

typedef struct Backward {
    Tape *tape;
    bool *needed; // by node id: a parameter reaches it and it reaches the loss
    Use **uses;   // by node id
} Backward;

static bool find_needed(Backward *backward, const Node *loss) {
    const Tape *tape = backward->tape;
    int n = loss->id + 1;
    bool *reaches_loss = calloc((size_t)n, sizeof *reaches_loss);
    if (reaches_loss == NULL) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        const Node *node = tape->nodes[i];
        backward->needed[i] = node->op == OP_PARAMETER;
        for (int k = 0; k < node->n_inputs && OPS[node->op]->chain != NULL; k++) {
            backward->needed[i] = backward->needed[i] || backward->needed[node->inputs[k]->id];
        }
    }
    reaches_loss[loss->id] = true;
    for (int i = loss->id; i >= 0; i--) {
        const Node *node = tape->nodes[i];
        for (int k = 0; k < node->n_inputs && reaches_loss[i]; k++) {
            reaches_loss[node->inputs[k]->id] = true;
        }
    }
    for (int i = 0; i < n; i++) {
        backward->needed[i] = backward->needed[i] && reaches_loss[i];
    }
    free(reaches_loss);
    return true;
}

static void add_use(Backward *backward, const Node *node, Node *gradient, Node *user) {
    Use *use = arena_allocate(&backward->tape->arena, sizeof *use);
    *use = (Use){.gradient = gradient, .user = user};
    Use **end = &backward->uses[node->id];
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = use;
}

// Gradient nodes lie in scopes that mirror those of the node whose chain rule appends them.
static void enter_mirror(Tape *tape, const Scope *scope) {
    if (scope->parent == NULL) {
        tape->scope = tape->root;
        tape_enter(tape, "grad", SCOPE_PLAIN);
        return;
    }
    enter_mirror(tape, scope->parent);
    if (scope->kind == SCOPE_LAYER) {
        tape_enter_layer(tape, scope->layer);
    } else {
        tape_enter(tape, scope->name, scope->kind);
    }
}

static Node *append(Backward *backward, OpKind op, Node *const *inputs, int n_inputs) {
    return tape_append(backward->tape, op, NULL, inputs, n_inputs, NULL);
}

static void name_whole(Tape *tape, Node *gradient, Node *of) {
    if (gradient == NULL || gradient->stage != NULL) {
        return;
    }
    assert(shape_equal(&gradient->shape, &of->shape));
    gradient->of = of;
    gradient->shape = of->shape; // with its own letters
    gradient->name = of->name;
    gradient->role = of->role;
    gradient->parameter = of->parameter;
    gradient->stage = arena_format(&tape->arena, "grad.%s", of->stage);
}

// A gradient that already belongs to another node is passed on by a step of its own where somebody
// watches, and where it has to lie among the parameters' gradients.
static Node *own(Backward *backward, Node *gradient, const Node *of) {
    bool is_fresh = gradient == NULL || gradient->stage == NULL;
    bool must_lie_apart =
        of->op == OP_PARAMETER || of->op == OP_SLICE_ROWS || of->op == OP_SPLIT_HEADS;
    if (is_fresh || (backward->tape->mode != TAPE_WATCH && !must_lie_apart)) {
        return gradient;
    }
    return append(backward, OP_PASS, &gradient, 1);
}

static Node *sum_uses(Backward *backward, Node *node, int n_uses) {
    Tape *tape = backward->tape;
    Node *parts[MAX_USES] = {NULL};
    Node *users[MAX_USES] = {NULL};
    int n = 0;
    for (Use *use = backward->uses[node->id]; use != NULL; use = use->next) {
        parts[n] = use->gradient;
        users[n++] = use->user;
    }
    assert(n == n_uses && users[0] != NULL);
    const Op *user_op = OPS[users[0]->op];
    for (int i = 1; i < n; i++) {
        if (OPS[users[i]->op]->join != user_op->join) {
            error_set(&tape->err, "%s: is used whole by one step and cut into parts by another",
                      node->stage);
            return NULL;
        }
    }
    if (user_op->join != NULL) {
        return user_op->join(tape, node, parts, n_uses);
    }
    for (int i = 0; i < n; i++) {
        if (parts[i]->stage == NULL) {
            parts[i]->name = node->name;
            parts[i]->stage =
                arena_format(&tape->arena, "grad.%s@%s", node->stage, users[i]->stage);
        }
    }
    return append(backward, OP_ACCUMULATE, parts, n_uses);
}

static Node *whole_gradient(Backward *backward, Node *node) {
    int n_uses = 0;
    for (Use *use = backward->uses[node->id]; use != NULL; use = use->next) {
        n_uses++;
    }
    assert(n_uses > 0 && n_uses <= MAX_USES);
    Use *first = backward->uses[node->id];
    bool is_cut = OPS[first->user->op]->join != NULL;
    enter_mirror(backward->tape, node->scope);
    Node *whole = n_uses == 1 && !is_cut ? own(backward, first->gradient, node)
                                         : sum_uses(backward, node, n_uses);
    name_whole(backward->tape, whole, node);
    if (whole != NULL && whole->forward == NULL) {
        whole->forward = node;
    }
    return whole;
}

static void follow_chain(Backward *backward, Node *node) {
    Tape *tape = backward->tape;
    bool needs[MAX_OP_INPUTS] = {false};
    Node *contributions[MAX_OP_INPUTS] = {NULL};
    assert(node->n_inputs <= MAX_OP_INPUTS);
    for (int k = 0; k < node->n_inputs; k++) {
        needs[k] = backward->needed[node->inputs[k]->id];
    }
    int first_new = tape->n_nodes;
    enter_mirror(tape, node->scope);
    OPS[node->op]->chain(tape, node, node->gradient, needs, contributions);
    for (int i = first_new; i < tape->n_nodes; i++) {
        tape->nodes[i]->forward = node;
    }
    for (int k = 0; k < node->n_inputs; k++) {
        if (contributions[k] != NULL) {
            add_use(backward, node->inputs[k], contributions[k], node);
        }
    }
}

static void append_all(Backward *backward, Node *loss) {
    Tape *tape = backward->tape;
    enter_mirror(tape, loss->scope);
    add_use(backward, loss, op_constant(tape, NULL, loss->shape, 1.0F), loss);
    for (int i = loss->id; i >= 0; i--) {
        Node *node = tape->nodes[i];
        if (!backward->needed[i] || backward->uses[i] == NULL) {
            continue;
        }
        node->gradient = whole_gradient(backward, node);
        if (node->gradient == NULL) {
            return; // tape->err says why
        }
        if (OPS[node->op]->chain != NULL) {
            follow_chain(backward, node);
        }
    }
}

static bool is_cheap(OpKind op) {
    return op == OP_LAYER_NORM || op == OP_GELU || op == OP_RELU;
}

Node *gradient_reads(Tape *tape, Node *node) {
    bool is_large = shape_count(&node->shape) >= LARGE_FLOATS;
    if (tape->mode != TAPE_TRAIN || !is_cheap(node->op) || !is_large) {
        return node;
    }
    if (node->again == NULL) {
        node->again =
            tape_append(tape, node->op, NULL, node->inputs, node->n_inputs, &node->arguments);
    }
    return node->again;
}

void gradient_append(Tape *tape, Node *loss) {
    if (loss == NULL || error_is_set(&tape->err)) {
        return;
    }
    tape->n_forward = tape->n_nodes;
    tape->loss = loss;
    tape->phase = PHASE_BACKWARD;
    Backward backward = {.tape = tape};
    size_t n = (size_t)tape->n_nodes;
    backward.needed = calloc(n, sizeof *backward.needed);
    backward.uses = calloc(n, sizeof(Use *));
    if (backward.needed != NULL && backward.uses != NULL && find_needed(&backward, loss)) {
        append_all(&backward, loss);
    } else {
        error_set(&tape->err, "out of memory while the gradients were appended");
    }
    free(backward.needed);
    free(backward.uses);
    tape->scope = tape->root;
    tape->phase = PHASE_FORWARD;
}
