// lstm.c - one layer of an LSTM, a word at a time, each gate a few steps on the tape.
#include "engine/models/lstm.h"

#include <math.h>

static const char *const GATE_NAMES[] = {"input_gate", "forget_gate", "cell_gate", "output_gate"};
static const Role GATE_ROLES[] = {ROLE_INPUT_GATE, ROLE_FORGET_GATE, ROLE_CELL_GATE,
                                  ROLE_OUTPUT_GATE};

static const char *name_of(Build *build, const char *name, const char *part) {
    return arena_format(&build->tape->arena, "%s_%s", name, part);
}

// torch.nn.LSTM begins uniform within 1/√C, the biases too.
static Node *lstm_parameter(Build *build, const char *side, const char *kind, int layer,
                            Shape shape) {
    const char *name = arena_format(&build->tape->arena, "%s.%s_l%d", side, kind, layer);
    float width = (float)build->config->d_model;
    return layer_parameter(build, "", name, shape, (Init){INIT_UNIFORM, 1.0F / sqrtf(width)});
}

Lstm lstm_declare(Build *build, const char *side, int layer, int n_in) {
    int C = build->config->d_model;
    Tape *tape = build->tape;
    Shape wide = {"4CC", {4 * C, n_in}};
    wide = n_in == C ? wide : (Shape){"4C2C", {4 * C, n_in}};
    Node *weight_ih = lstm_parameter(build, side, "weight_ih", layer, wide);
    Node *weight_hh = lstm_parameter(build, side, "weight_hh", layer, (Shape){"4CC", {4 * C, C}});
    Node *bias_ih = lstm_parameter(build, side, "bias_ih", layer, (Shape){"4C", {4 * C}});
    Node *bias_hh = lstm_parameter(build, side, "bias_hh", layer, (Shape){"4C", {4 * C}});
    Lstm lstm;
    for (int gate = 0; gate < N_GATES; gate++) {
        const char *name = GATE_NAMES[gate];
        lstm.input_weights[gate] =
            op_slice_rows(tape, name_of(build, name, "weight_ih"), weight_ih, gate * C, C, "C");
        lstm.hidden_weights[gate] =
            op_slice_rows(tape, name_of(build, name, "weight_hh"), weight_hh, gate * C, C, "C");
        lstm.input_biases[gate] =
            op_slice_rows(tape, name_of(build, name, "bias_ih"), bias_ih, gate * C, C, "C");
        lstm.hidden_biases[gate] =
            op_slice_rows(tape, name_of(build, name, "bias_hh"), bias_hh, gate * C, C, "C");
    }
    return lstm;
}

static Node *gate_of(Build *build, const Lstm *lstm, int gate, Node *x, Node *hidden) {
    Tape *tape = build->tape;
    const char *name = GATE_NAMES[gate];
    Node *from_input = layer_product(build, name_of(build, name, "x"), x, lstm->input_weights[gate],
                                     lstm->input_biases[gate], true, "C");
    Node *from_hidden =
        layer_product(build, name_of(build, name, "h"), hidden, lstm->hidden_weights[gate],
                      lstm->hidden_biases[gate], true, "C");
    Node *sum = op_add(tape, name_of(build, name, "sum"), from_input, from_hidden);
    Node *y = gate == CELL_GATE ? op_tanh(tape, name, sum) : op_sigmoid(tape, name, sum);
    return layer_role(y, GATE_ROLES[gate]);
}

LstmState lstm_step(Build *build, const Lstm *lstm, Node *x, LstmState before) {
    Tape *tape = build->tape;
    Node *gates[N_GATES];
    for (int gate = 0; gate < N_GATES; gate++) {
        gates[gate] = gate_of(build, lstm, gate, x, before.hidden);
    }
    Node *kept = op_multiply(tape, "kept", gates[FORGET_GATE], before.cell);
    Node *added = op_multiply(tape, "added", gates[INPUT_GATE], gates[CELL_GATE]);
    LstmState after = {.cell = op_add(tape, "cell", kept, added)};
    layer_role(after.cell, ROLE_CELL);
    Node *squashed = op_tanh(tape, "cell_tanh", after.cell);
    after.hidden = op_multiply(tape, "hidden", gates[OUTPUT_GATE], squashed);
    layer_role(after.hidden, ROLE_HIDDEN_STATE);
    return after;
}
