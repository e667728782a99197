// view_sampling.h - how a token is drawn from a row of logits, as numbers to be shown.
#ifndef ENGINE_PLAYGROUND_VIEW_SAMPLING_H
#define ENGINE_PLAYGROUND_VIEW_SAMPLING_H

#include <stdbool.h>

// How the next token is drawn from logits: divided by the temperature, the top_k likeliest kept,
// softmax, the fewest kept that together reach top_p, divided by their sum; u falls into one of the
// bins, the likeliest being the first. A zeroed one is greedy over the plain softmax.
typedef struct ViewSampling {
    float temperature; // 0: greedy
    int top_k;         // 0: all
    float top_p;       // 0: all
    bool has_draw;     // false: u is not shown
    double u;          // in 0..1
} ViewSampling;

enum { SAMPLING_CANDIDATES = 256 };

typedef struct Candidate {
    int id;
    double logit;
    double probability; // softmax of the plain logits
    double heated;      // softmax of logits / temperature over what top-k keeps
    bool in_top_k, in_top_p;
    double kept;            // heated, over the sum of those kept; 0 where it is not kept
    double bin_low, bin_up; // of u
} Candidate;

typedef struct Sampling {
    Candidate candidates[SAMPLING_CANDIDATES]; // the likeliest first, equal ones by id
    int n_candidates;                          // at most SAMPLING_CANDIDATES
    int V;
    double log_sum; // ln Σ exp(logit)
    double kept_sum;
    int n_kept;
    int chosen; // which candidate u falls into, or greedy takes; -1: beyond those listed
} Sampling;

// options NULL: greedy.
void sampling_make(Sampling *sampling, const float *logits, int V, const ViewSampling *options);

#endif
