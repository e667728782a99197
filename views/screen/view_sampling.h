// view_sampling.h - how a token is drawn from a row of logits, as numbers to be shown.
#ifndef VIEWS_SCREEN_VIEW_SAMPLING_H
#define VIEWS_SCREEN_VIEW_SAMPLING_H

#include "views/screen/view.h"

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
