// gradient.c - the backward pass: gradients appended to the tape as ordinary nodes.
#include "engine/tape/gradient.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/op.h"

enum { LARGE_FLOATS = 128 * 1024 }; // half a megabyte: below, there is nothing to gain

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
    memcpy(gradient->counts, of->counts, sizeof gradient->counts);
    gradient->name = of->name;
    gradient->role = of->role;
    gradient->parameter = of->parameter;
    gradient->stage = arena_format(&tape->arena, "grad.%s", of->stage);
}

// A gradient that already belongs to another node is passed on by a step of its own where somebody
// watches, and where it has to lie among the parameters' gradients.
static Node *own(Backward *backward, Node *gradient, const Node *of) {
    bool is_fresh = gradient == NULL || gradient->stage == NULL;
    bool must_lie_apart = of->op == OP_PARAMETER || OPS[of->op]->join != NULL;
    if (is_fresh || (backward->tape->mode != TAPE_WATCH && !must_lie_apart)) {
        return gradient;
    }
    return append(backward, OP_PASS, &gradient, 1);
}

// The uses as two rows, gradients and their users.
typedef struct Uses {
    Node **gradients;
    Node **users;
    int count;
} Uses;

static Uses list_uses(const Backward *backward, const Node *node) {
    Arena *arena = &backward->tape->arena;
    Uses uses = {.count = 0};
    for (const Use *use = backward->uses[node->id]; use != NULL; use = use->next) {
        uses.count++;
    }
    uses.gradients = arena_allocate(arena, (size_t)uses.count * sizeof(Node *));
    uses.users = arena_allocate(arena, (size_t)uses.count * sizeof(Node *));
    int n = 0;
    for (const Use *use = backward->uses[node->id]; use != NULL; use = use->next) {
        uses.gradients[n] = use->gradient;
        uses.users[n++] = use->user;
    }
    return uses;
}

// Whether a cut may be put together with those that are in the round already.
static bool fits_round(const Op *op, Node *const *round, int n, const Node *user) {
    for (int i = 0; i < n; i++) {
        if (op->overlaps(round[i], user)) {
            return false;
        }
    }
    return true;
}

// The uses from `first` on that cut the value in the same way and share no element become one: the
// gradient that is put together from theirs. The others stay in their order.
static void join_round(Backward *backward, Node *node, Uses *uses, int first) {
    Arena *arena = &backward->tape->arena;
    const Op *op = OPS[uses->users[first]->op];
    Node **parts = arena_allocate(arena, (size_t)uses->count * sizeof(Node *));
    Node **users = arena_allocate(arena, (size_t)uses->count * sizeof(Node *));
    int n_parts = 0;
    int n_left = first + 1;
    for (int i = first; i < uses->count; i++) {
        Node *user = uses->users[i];
        if (OPS[user->op]->join == op->join && fits_round(op, users, n_parts, user)) {
            parts[n_parts] = uses->gradients[i];
            users[n_parts++] = user;
        } else {
            uses->gradients[n_left] = uses->gradients[i];
            uses->users[n_left++] = user;
        }
    }
    uses->count = n_left;
    uses->gradients[first] = op->join(backward->tape, node, parts, n_parts);
}

// Parts of a sum are steps of their own, named after whose gradient they are a part of.
static void name_part(Tape *tape, Node *part, const Node *node, const char *use) {
    if (part != NULL && part->stage == NULL) {
        memcpy(part->counts, node->counts, sizeof part->counts);
        part->name = node->name;
        part->stage = arena_format(&tape->arena, "grad.%s@%s", node->stage, use);
    }
}

// From the left, however many there are: so many terms a node, the sum so far being the next one's
// first term.
static Node *accumulate(Backward *backward, const Node *node, Node **terms, int n_terms) {
    int n_done = 0;
    while (n_terms - n_done > OP_MAX_TERMS) {
        Node *sum = append(backward, OP_ACCUMULATE, terms + n_done, OP_MAX_TERMS);
        n_done += OP_MAX_TERMS - 1;
        name_part(backward->tape, sum, node,
                  arena_format(&backward->tape->arena, "uses.0-%d", n_done));
        terms[n_done] = sum;
    }
    return append(backward, OP_ACCUMULATE, terms + n_done, n_terms - n_done);
}

static Node *sum_uses(Backward *backward, Node *node, Uses *uses) {
    for (int i = 0; i < uses->count; i++) {
        if (OPS[uses->users[i]->op]->join != NULL) {
            join_round(backward, node, uses, i);
        }
    }
    if (uses->count == 1) {
        return uses->gradients[0];
    }
    for (int i = 0; i < uses->count; i++) {
        name_part(backward->tape, uses->gradients[i], node, uses->users[i]->stage);
    }
    return accumulate(backward, node, uses->gradients, uses->count);
}

static Node *whole_gradient(Backward *backward, Node *node) {
    Uses uses = list_uses(backward, node);
    assert(uses.count > 0);
    bool is_cut = OPS[uses.users[0]->op]->join != NULL;
    enter_mirror(backward->tape, node->scope);
    Node *whole = uses.count == 1 && !is_cut ? own(backward, uses.gradients[0], node)
                                             : sum_uses(backward, node, &uses);
    name_whole(backward->tape, whole, node);
    if (whole != NULL && whole->forward == NULL) {
        whole->forward = node;
    }
    return whole;
}

static void follow_chain(Backward *backward, Node *node) {
    Tape *tape = backward->tape;
    size_t n_inputs = (size_t)node->n_inputs;
    bool *needs = arena_allocate(&tape->arena, n_inputs * sizeof *needs);
    Node **contributions = arena_allocate(&tape->arena, n_inputs * sizeof(Node *));
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
