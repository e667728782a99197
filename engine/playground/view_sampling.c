// view_sampling.c - how a token is drawn from a row of logits, as numbers to be shown.
#include "engine/playground/view_sampling.h"

#include <math.h>
#include <string.h>

static bool comes_before(const Candidate *a, float logit, int id) {
    return a->logit > (double)logit || (a->logit == (double)logit && a->id < id);
}

// Keeps the likeliest in order, each put where it belongs.
static void find_candidates(Sampling *sampling, const float *logits, int V) {
    for (int id = 0; id < V; id++) {
        int n = sampling->n_candidates;
        bool is_full = n == SAMPLING_CANDIDATES;
        if (isnan(logits[id]) ||
            (is_full && comes_before(&sampling->candidates[n - 1], logits[id], id))) {
            continue;
        }
        int at = is_full ? n - 1 : n;
        while (at > 0 && !comes_before(&sampling->candidates[at - 1], logits[id], id)) {
            sampling->candidates[at] = sampling->candidates[at - 1];
            at--;
        }
        sampling->candidates[at] = (Candidate){.id = id, .logit = (double)logits[id]};
        sampling->n_candidates = is_full ? n : n + 1;
    }
}

// Σ exp((logit - max) / temperature) over all of the row.
static double sum_of_exponents(const float *logits, int V, double max, double temperature) {
    double sum = 0.0;
    for (int id = 0; id < V; id++) {
        sum += isnan(logits[id]) ? 0.0 : exp(((double)logits[id] - max) / temperature);
    }
    return sum;
}

static void heat(Sampling *sampling, const float *logits, double temperature, int top_k) {
    double max = sampling->candidates[0].logit;
    double sum = 0.0;
    int n = sampling->n_candidates;
    for (int i = 0; i < n; i++) {
        Candidate *candidate = &sampling->candidates[i];
        candidate->in_top_k = i < top_k;
        candidate->heated = candidate->in_top_k ? exp((candidate->logit - max) / temperature) : 0.0;
        sum += candidate->heated;
    }
    if (top_k > n) { // those beyond the list are in the sum too
        sum = sum_of_exponents(logits, sampling->V, max, temperature);
    }
    for (int i = 0; i < n; i++) {
        sampling->candidates[i].heated /= sum;
    }
}

static void keep(Sampling *sampling, double top_p, int top_k) {
    double reached = 0.0;
    for (int i = 0; i < sampling->n_candidates; i++) {
        Candidate *candidate = &sampling->candidates[i];
        candidate->in_top_p = candidate->in_top_k && (i == 0 || reached < top_p);
        reached += candidate->heated;
        if (candidate->in_top_p) {
            sampling->kept_sum += candidate->heated;
            sampling->n_kept++;
        }
    }
    bool goes_on = sampling->n_kept == sampling->n_candidates && top_k > sampling->n_candidates;
    if (goes_on && top_p >= 1.0) {
        sampling->kept_sum = 1.0;
        sampling->n_kept = top_k < sampling->V ? top_k : sampling->V;
    }
    double low = 0.0;
    for (int i = 0; i < sampling->n_candidates; i++) {
        Candidate *candidate = &sampling->candidates[i];
        candidate->kept = candidate->in_top_p ? candidate->heated / sampling->kept_sum : 0.0;
        candidate->bin_low = low;
        low += candidate->kept;
        candidate->bin_up = low;
    }
}

static void choose(Sampling *sampling, const ViewSampling *options) {
    sampling->chosen = 0;
    if (options == NULL || !options->has_draw || options->temperature <= 0.0F) {
        return;
    }
    sampling->chosen = -1;
    int last = -1;
    for (int i = 0; i < sampling->n_candidates && sampling->chosen < 0; i++) {
        const Candidate *candidate = &sampling->candidates[i];
        last = candidate->in_top_p ? i : last;
        if (candidate->in_top_p && options->u < candidate->bin_up) {
            sampling->chosen = i;
        }
    }
    if (sampling->chosen < 0 && sampling->n_kept <= sampling->n_candidates) {
        sampling->chosen = last; // rounding: u close to 1
    }
}

void sampling_make(Sampling *sampling, const float *logits, int V, const ViewSampling *options) {
    memset(sampling, 0, sizeof *sampling);
    sampling->V = V;
    find_candidates(sampling, logits, V);
    if (sampling->n_candidates == 0) {
        sampling->chosen = -1;
        return;
    }
    double max = sampling->candidates[0].logit;
    sampling->log_sum = max + log(sum_of_exponents(logits, V, max, 1.0));
    for (int i = 0; i < sampling->n_candidates; i++) {
        Candidate *candidate = &sampling->candidates[i];
        candidate->probability = exp(candidate->logit - sampling->log_sum);
    }
    bool has_options = options != NULL && options->temperature > 0.0F;
    double temperature = has_options ? (double)options->temperature : 1.0;
    int top_k = has_options && options->top_k > 0 && options->top_k < V ? options->top_k : V;
    double top_p = has_options && options->top_p > 0.0F ? (double)options->top_p : 1.0;
    heat(sampling, logits, temperature, top_k);
    keep(sampling, top_p, top_k);
    choose(sampling, options);
}
