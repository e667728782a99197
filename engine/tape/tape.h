// tape.h - the program a model is, and the trace the views step through.
//
// A tape is built (tape_append and the op_ functions), allocated once, then run as often as wanted.
// Every node writes only its own output, so running one twice changes nothing and stepping back is
// moving a cursor.
#ifndef ENGINE_TAPE_TAPE_H
#define ENGINE_TAPE_TAPE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/progress.h"
#include "engine/tape/op_kind.h"
#include "engine/tape/params.h"
#include "engine/tape/role.h"
#include "engine/base/shape.h"
#include "kernels/backend.h"

typedef enum TapeMode {
    TAPE_WATCH, // every step a node, every number kept
    TAPE_TRAIN, // fused attention and loss; buffers share memory after their last reader
    TAPE_INFER, // as TAPE_TRAIN, forward only
} TapeMode;

typedef enum Phase { PHASE_FORWARD, PHASE_BACKWARD, PHASE_UPDATE } Phase;

typedef enum ScopeKind {
    SCOPE_PLAIN,
    SCOPE_SOURCE, // the source side's input
    SCOPE_TARGET,
    SCOPE_ENCODER,
    SCOPE_DECODER,
    SCOPE_LAYER,
    SCOPE_SELF_ATTENTION,
    SCOPE_CROSS_ATTENTION,
    SCOPE_FEED_FORWARD,
} ScopeKind;

// Nodes sit in named scopes, so that a thousand of them fold into a dozen lines.
typedef struct Scope Scope;
struct Scope {
    const char *name; // "self_attn"; "" for the root
    const char *path; // "encoder.0.self_attn"
    ScopeKind kind;
    int layer; // from 0, of the layer it is or lies in; -1 outside of one
    Scope *parent;
    Scope *next; // in the order they were opened
};

typedef struct Node Node;

// Index i of an axis is position first + i of these ids (B,T). ids NULL: the axis counts something
// else.
typedef struct Counted {
    const Node *ids;
    int first;
} Counted;

struct Node {
    // What a run reads comes first, so that it lies in few cache lines.
    int id; // its place on the tape
    OpKind op;
    Shape shape;
    int n_inputs;
    Node **inputs;
    Array array; // shape_count numbers or ids in the device's memory, owned by the tape (by Params
                 // for a PARAMETER)
    Array saved; // what the op keeps for its gradient (statistics, log-sum-exp): none where nothing
    size_t saved_count;
    bool in_place; // writes over its first input's memory (never on a watched tape)
    bool is_kept;  // read again by later runs: nothing shares its memory
    bool edited;   // holds numbers that a person set: tape_run applies them after the node
    OpArguments arguments;
    Role role;
    Phase phase;
    const char *name;  // last part of its stage: "q"
    const char *stage; // the trace name: "encoder.0.self_attn.q", "grad.memory"
    const Scope *scope;
    Counted counts[SHAPE_MAX_RANK]; // whose positions each axis counts
    Node *forward;  // a gradient node: the node whose chain rule appended it; NULL elsewhere
    Node *of;       // a gradient node: what it is the whole gradient of; NULL for a part of a sum
    Node *gradient; // d loss / d this, once gradient_append has run; NULL where the loss does
                    // not depend on it
    Node *again; // on a training tape: the same once more, for the backward pass; NULL: it is kept
    const Parameter *parameter; // of a PARAMETER node, and of its gradient
    Params *params;             // where a PARAMETER's numbers lie
    Node *writer;               // a part: the node whose run writes it; NULL elsewhere
};

// A number set by a person: kept while later nodes run again.
typedef struct Edit {
    Node *node;
    size_t element;
    float value;
    float before; // what stood there when it was set
} Edit;

typedef struct NodePlace NodePlace; // tape_layout.h
typedef struct Mirrors Mirrors;     // tape_values.c

typedef struct Tape {
    TapeMode mode;
    Format precision; // of the outputs that an op leaves to the tape
    Device *device;   // borrowed
    Params *params;   // borrowed; may be NULL
    Arena arena;
    Error err; // the first wrong shape; reported by tape_allocate
    Node **nodes;
    int n_nodes;
    int capacity;
    Scope *root;
    Scope *scope; // the one being built in
    int n_scopes;
    Phase phase;    // of the nodes being appended
    int n_forward;  // nodes before the first gradient node; n_nodes while there is none
    Node *loss;     // NULL where there is none
    Node **program; // the nodes that have something to run, in order
    int n_program;
    // Mode TAPE_TRAIN, when the gradients are appended: laid out as the parameters. Where they are
    // borrowed they are set before tape_allocate (several tapes may share them; the gaps have to be
    // 0); else they are the block's beginning.
    Array gradients;
    bool borrows_gradients;
    size_t gradient_bytes; // of the block
    NodePlace *places;     // one a node, once tape_lay_out has run
    void *block;           // the one allocation, of the device's memory
    size_t block_bytes;
    Progress *progress; // of who waits for tape_allocate; borrowed; NULL: nobody
    Mirrors *mirrors;   // the host's copies; NULL where the memory is the host's
    Edit *edits;
    int n_edits;
    int edit_capacity;
    uint64_t seed; // of dropout; its draws are a function of it, the node, the step block, and the
                   // place in the batch
    StepBlock now; // as tape_set_step left it
    size_t step_offset; // of its copy in the block
} Tape;

// An empty tape; params may be NULL. Nothing is allocated yet.
void tape_init(Tape *tape, TapeMode mode, Device *device, Params *params);
void tape_free(Tape *tape);

// Scopes: what is appended between enter and leave lies in it. A scope entered again under the same
// name is the same.
void tape_enter(Tape *tape, const char *name, ScopeKind kind);
void tape_enter_layer(Tape *tape, int layer);
void tape_leave(Tape *tape);

// Appends a node of that op; its shape follows from the inputs by the op's shape rule. NULL in
// gives NULL out; a wrong shape sets tape->err and gives NULL. name may be NULL for a node without
// a stage of its own.
Node *tape_append(Tape *tape, OpKind op, const char *name, Node *const *inputs, int n_inputs,
                  const OpArguments *arguments);

// Works out where each number will lie (block_bytes in all) and what there is to run; takes no
// memory of the device, which may be NULL. Fails with the first wrong shape.
bool tape_lay_out(Tape *tape, Error *err);

// Allocates; lays out first where nobody has. Fails with the first wrong shape, or without memory.
bool tape_allocate(Tape *tape, Error *err);

// ---- host access: whoever reads or sets numbers outside of a run does it through these

static inline bool node_holds_ids(const Node *node) {
    return node->array.format == FORMAT_I32;
}

// What follows is for tapes whose memory is not the host's: copies in float32 or int32, fetched
// when they are asked for (which waits for the device) and forgotten when the node runs again.
// After a failure of the device they are NaN, or 0 for ids.
const void *tape_mirror(const Tape *tape, const Node *node);
const float *tape_mirror_saved(const Tape *tape, const Node *node);
const float *tape_mirror_gradients(const Tape *tape);

// A node's numbers, shape_count of them, and what its op saved; valid until the node runs again.
// Borrowed; on the CPU the numbers themselves.
static inline const float *tape_values(const Tape *tape, const Node *node) {
    assert(!node_holds_ids(node));
    return tape->mirrors == NULL ? node->array.data : tape_mirror(tape, node);
}

static inline const int32_t *tape_ids(const Tape *tape, const Node *node) {
    assert(node_holds_ids(node));
    return tape->mirrors == NULL ? node->array.data : tape_mirror(tape, node);
}

static inline const float *tape_saved(const Tape *tape, const Node *node) {
    return tape->mirrors == NULL ? node->saved.data : tape_mirror_saved(tape, node);
}

// Of a training tape: the gradients of all parameters, laid out as they are.
static inline const float *tape_gradients(const Tape *tape) {
    return tape->mirrors == NULL ? array_floats(tape->gradients) : tape_mirror_gradients(tape);
}

// Whether all that ran so far ran; waits for it. False with a sentence where the device failed.
bool tape_check(const Tape *tape, Error *err);

// What differs from step to step: to be set before what reads it runs. A new tape has draw, first
// item and row 0, a loss gradient of 1, and drops.
void tape_set_step(Tape *tape, const StepBlock *now);
void tape_set_draw(Tape *tape, uint64_t draw);      // that alone
const StepBlock *tape_step_block(const Tape *tape); // the device's copy

// One element as a number, an id too.
static inline double tape_number(const Tape *tape, const Node *node, size_t element) {
    return node_holds_ids(node) ? (double)tape_ids(tape, node)[element]
                                : (double)tape_values(tape, node)[element];
}

// The id that stands at an index of an axis, of that batch item. False where the axis counts no
// positions, or the node has no items.
bool tape_id_at(const Tape *tape, const Node *node, int axis, int item, int index, int32_t *id);

// Cross-attention: the rows are positions of one text, the columns those of another.
bool node_crosses(const Node *node);
// Of such a row: the id that is to be written after the one it reads, by the labels where there are
// any, else by the text itself. False elsewhere, and where nothing follows yet.
bool tape_next_id_at(const Tape *tape, const Node *node, int item, int index, int32_t *id);

// Copies ids (shape_count of them) into an IDS node, values into one that holds numbers.
void tape_set_ids(const Tape *tape, const Node *node, const int32_t *ids);
void tape_set_values(const Tape *tape, const Node *node, const float *values);
void tape_set_number(const Tape *tape, const Node *node, size_t element, float value);

void tape_run_node(const Tape *tape, const Node *node);
void tape_run(const Tape *tape);                            // all of it
void tape_run_range(const Tape *tape, int first, int last); // nodes first <= id < last

// Runs nodes from *next on until budget_ms is spent; true when it has run the last one. For a
// caller that has to look at the keyboard: at least one node is run each time.
bool tape_run_for(const Tape *tape, int *next, double budget_ms);

// The node with that stage name, NULL where there is none. With role: the n-th (from 0) node that
// has it.
Node *tape_find(const Tape *tape, const char *stage);
Node *tape_find_role(const Tape *tape, Role role, int n);

// Sets one number of a node, which is kept while later nodes run again (the node itself too).
// tape_undo takes the last one back and runs the node again; false when there is none. As many as
// TAPE_UNDO_EDITS are taken back one by one; of those before them only the numbers in force are
// kept. Only on a watched tape.
enum { TAPE_UNDO_EDITS = 512 };
void tape_edit(Tape *tape, Node *node, size_t element, float value);
bool tape_undo(Tape *tape);

// Bytes of the block, by what they are for.
typedef struct TapeMemory {
    size_t activations, gradients, saved, total;
} TapeMemory;
TapeMemory tape_memory(const Tape *tape);

#endif
