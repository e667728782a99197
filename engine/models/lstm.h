// lstm.h - one layer of an LSTM, a word at a time, each gate a few steps on the tape.
//
// Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000:
//   i = σ(W_ii x + b_ii + W_hi h + b_hi)    input gate
//   f = σ(W_if x + b_if + W_hf h + b_hf)    forget gate
//   g = tanh(W_ig x + b_ig + W_hg h + b_hg) cell gate: what may be written
//   o = σ(W_io x + b_io + W_ho h + b_ho)    output gate
//   c' = f ⊙ c + i ⊙ g,  h' = o ⊙ tanh(c')
#ifndef ENGINE_MODELS_LSTM_H
#define ENGINE_MODELS_LSTM_H

#include "engine/models/layers.h"

// In the order of torch's rows.
enum { INPUT_GATE, FORGET_GATE, CELL_GATE, OUTPUT_GATE, N_GATES };

// What is handed from word to word: (B,1,C) each.
typedef struct LstmState {
    Node *hidden, *cell;
} LstmState;

// The weights of one layer, cut into gates.
typedef struct Lstm {
    Node *input_weights[N_GATES], *input_biases[N_GATES];
    Node *hidden_weights[N_GATES], *hidden_biases[N_GATES];
} Lstm;

// The parameters of a layer, named and laid out as in torch.nn.LSTM: side.weight_ih_l0 (4C,n_in)
// and so on.
Lstm lstm_declare(Build *build, const char *side, int layer, int n_in);

// One word x (B,1,n_in), in the scope that is open.
LstmState lstm_step(Build *build, const Lstm *lstm, Node *x, LstmState before);

#endif
