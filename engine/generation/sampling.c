// sampling.c - which token comes next: from logits to one draw, every step of it kept for a view.
#include "engine/generation/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/random.h"

// A logit divided by less could be infinite.
static const double LEAST_TEMPERATURE = 1e-100;

static const uint32_t PURPOSE_DRAW = 0x64726177U; // "draw": no dropout or parameter has it

SamplingConfig sampling_defaults(void) {
    return (SamplingConfig){.temperature = 1.0, .top_p = 1.0, .repetition_penalty = 1.0, .seed = 1};
}

SamplingConfig sampling_greedy(void) {
    SamplingConfig greedy = sampling_defaults();
    greedy.temperature = 0.0;
    return greedy;
}

bool sampling_check(const SamplingConfig *config, Error *err) {
    if (!(config->temperature >= 0.0 && isfinite(config->temperature))) {
        return error_set(err, "temperature: expected a number from 0, found %g",
                         config->temperature);
    }
    if (config->top_k < 0) {
        return error_set(err, "top-k: expected a whole number from 0 (all), found %d",
                         config->top_k);
    }
    if (!(config->top_p > 0.0 && config->top_p <= 1.0)) {
        return error_set(err, "top-p: expected a number above 0, at most 1, found %g",
                         config->top_p);
    }
    if (!(config->repetition_penalty > 0.0 && isfinite(config->repetition_penalty))) {
        return error_set(err, "repetition-penalty: expected a number above 0, found %g",
                         config->repetition_penalty);
    }
    return true;
}

bool sampling_is_greedy(const SamplingConfig *config) {
    return config->temperature < LEAST_TEMPERATURE;
}

bool sampling_check_logits(const float *logits, int V, int32_t left_out, Error *err) {
    bool has_finite = false;
    for (int i = 0; i < V; i++) {
        if (isnan(logits[i]) || logits[i] == INFINITY) {
            return error_set(err,
                             "the logit of token %d is %s: the model's weights are damaged, or its "
                             "numbers grow beyond what float32 holds",
                             i, isnan(logits[i]) ? "NaN" : "infinite");
        }
        has_finite = has_finite || (i != left_out && logits[i] != -INFINITY);
    }
    return has_finite || error_set(err, "all logits%s are minus infinity: no token is possible",
                                   left_out < 0 ? "" : " but that of padding");
}

bool sampler_init(Sampler *sampler, const SamplingConfig *config, int V, Error *err) {
    *sampler = (Sampler){.config = *config, .V = V, .left_out = -1};
    size_t n = (size_t)V;
    sampler->adjusted = calloc(n, sizeof *sampler->adjusted);
    sampler->heap = calloc(n, sizeof *sampler->heap);
    sampler->is_seen = calloc(n, sizeof *sampler->is_seen);
    sampler->candidates = calloc(n, sizeof *sampler->candidates);
    if (sampler->adjusted == NULL || sampler->heap == NULL || sampler->is_seen == NULL ||
        sampler->candidates == NULL) {
        sampler_free(sampler);
        return error_set(err, "out of memory");
    }
    return true;
}

void sampler_free(Sampler *sampler) {
    free(sampler->adjusted);
    free(sampler->heap);
    free(sampler->is_seen);
    free(sampler->candidates);
    *sampler = (Sampler){.V = 0};
}

// How many tokens there are to choose from.
static int count_choices(const Sampler *sampler) {
    return sampler->V - (sampler->left_out >= 0);
}

// A token that was there: its logit is divided by the penalty where it is above 0, else multiplied.
static void adjust(Sampler *sampler, const float *logits, const int32_t *seen, int n_seen) {
    double penalty = sampler->config.repetition_penalty;
    double temperature = sampling_is_greedy(&sampler->config) ? 1.0 : sampler->config.temperature;
    for (int i = 0; i < sampler->V; i++) {
        sampler->adjusted[i] = (double)logits[i];
    }
    for (int i = 0; penalty != 1.0 && i < n_seen; i++) {
        if (seen[i] >= 0 && seen[i] < sampler->V && !sampler->is_seen[seen[i]]) {
            double *logit = &sampler->adjusted[seen[i]];
            *logit = *logit > 0.0 ? *logit / penalty : *logit * penalty;
            sampler->is_seen[seen[i]] = true;
        }
    }
    for (int i = 0; penalty != 1.0 && i < n_seen; i++) {
        if (seen[i] >= 0 && seen[i] < sampler->V) {
            sampler->is_seen[seen[i]] = false;
        }
    }
    for (int i = 0; temperature != 1.0 && i < sampler->V; i++) {
        sampler->adjusted[i] /= temperature;
    }
    if (sampler->left_out >= 0) {
        sampler->adjusted[sampler->left_out] = -INFINITY; // it has no part in any sum
    }
}

// ---- a heap of ids: the greatest stands first, of equal ones the lowest id

static bool is_before(const Sampler *sampler, int32_t a, int32_t b) {
    double left = sampler->adjusted[a];
    double right = sampler->adjusted[b];
    return left > right || (left == right && a < b);
}

static void sift_down(const Sampler *sampler, int at, int n) {
    int32_t *heap = sampler->heap;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= n) {
            return;
        }
        if (child + 1 < n && is_before(sampler, heap[child + 1], heap[child])) {
            child++;
        }
        if (!is_before(sampler, heap[child], heap[at])) {
            return;
        }
        int32_t id = heap[at];
        heap[at] = heap[child];
        heap[child] = id;
        at = child;
    }
}

static void make_heap(const Sampler *sampler) {
    int n = 0;
    for (int32_t id = 0; id < sampler->V; id++) {
        sampler->heap[n] = id;
        n += id != sampler->left_out;
    }
    for (int i = n / 2 - 1; i >= 0; i--) {
        sift_down(sampler, i, n);
    }
}

// The next best token becomes the last candidate.
static SamplingCandidate *pop(Sampler *sampler, const float *logits) {
    int left = count_choices(sampler) - sampler->n_candidates;
    int32_t id = sampler->heap[0];
    sampler->heap[0] = sampler->heap[left - 1];
    sift_down(sampler, 0, left - 1);
    SamplingCandidate *candidate = &sampler->candidates[sampler->n_candidates++];
    *candidate = (SamplingCandidate){.id = id, .logit = logits[id]};
    candidate->adjusted = sampler->adjusted[id];
    return candidate;
}

// ---- probabilities, cut, draw

static double greatest_of(const Sampler *sampler) {
    double greatest = -INFINITY;
    for (int i = 0; i < sampler->V; i++) {
        greatest = fmax(greatest, sampler->adjusted[i]);
    }
    return greatest;
}

static bool has_top_k(const Sampler *sampler) {
    return sampler->config.top_k > 0 && sampler->config.top_k < count_choices(sampler);
}

static void find_log_sum(Sampler *sampler, const float *logits) {
    double greatest = greatest_of(sampler);
    double sum = 0.0;
    sampler->n_after_top_k = has_top_k(sampler) ? sampler->config.top_k : count_choices(sampler);
    if (has_top_k(sampler)) {
        for (int i = 0; i < sampler->n_after_top_k; i++) {
            sum += exp(pop(sampler, logits)->adjusted - greatest);
        }
    } else {
        for (int i = 0; i < sampler->V; i++) {
            sum += exp(sampler->adjusted[i] - greatest);
        }
    }
    sampler->log_sum = greatest + log(sum);
}

// The probability of candidate i, which is brought up where it was not looked at yet.
static SamplingCandidate *look_at(Sampler *sampler, const float *logits, int i) {
    while (i >= sampler->n_candidates) {
        pop(sampler, logits);
    }
    SamplingCandidate *candidate = &sampler->candidates[i];
    candidate->probability = exp(candidate->adjusted - sampler->log_sum);
    return candidate;
}

// How many candidates are kept: the fewest whose probabilities reach top-p. Their sum goes to kept.
static int cut_top_p(Sampler *sampler, const float *logits) {
    sampler->kept = 1.0;
    if (sampler->config.top_p >= 1.0) {
        return sampler->n_after_top_k;
    }
    double sum = 0.0;
    int n = 0;
    while (n < sampler->n_after_top_k && sum < sampler->config.top_p) {
        sum += look_at(sampler, logits, n)->probability;
        n++;
    }
    sampler->kept = sum;
    return n;
}

// Bins side by side on [0, 1): the one that u lies in.
static void find_bin(Sampler *sampler, const float *logits, int n_kept, int n_shown) {
    double end = 0.0;
    bool is_found = false;
    for (int i = 0; i < n_kept && (!is_found || i < n_shown || i < sampler->n_candidates); i++) {
        SamplingCandidate *candidate = look_at(sampler, logits, i);
        candidate->share = candidate->probability / sampler->kept;
        end += candidate->share;
        candidate->end = end;
        if (!is_found && (sampler->u < end || i == n_kept - 1)) {
            sampler->chosen = i;
            is_found = true;
        }
    }
}

// What a view shows beside the draw: the plain softmax, and what was cut.
static void show(Sampler *sampler, const float *logits, int n_shown) {
    double greatest = -INFINITY;
    double sum = 0.0;
    for (int i = 0; i < sampler->V; i++) {
        greatest = fmax(greatest, (double)logits[i]);
    }
    for (int i = 0; i < sampler->V; i++) {
        sum += exp((double)logits[i] - greatest);
    }
    // cppcheck-suppress invalidFunctionArg ; not 0: the greatest logit adds 1
    sampler->plain_log_sum = greatest + log(sum);
    while (sampler->n_candidates < n_shown && sampler->n_candidates < count_choices(sampler)) {
        pop(sampler, logits);
    }
    for (int i = 0; i < sampler->n_candidates; i++) {
        SamplingCandidate *candidate = &sampler->candidates[i];
        candidate->plain = exp((double)candidate->logit - sampler->plain_log_sum);
        if (i >= sampler->n_kept && i < sampler->n_after_top_k) {
            look_at(sampler, logits, i); // what top-p cut
        }
    }
}

static int32_t take_greatest(Sampler *sampler, const float *logits, int n_shown) {
    if (n_shown > 0) {
        make_heap(sampler);
        find_log_sum(sampler, logits);
        look_at(sampler, logits, 0);
        sampler->candidates[0].share = 1.0;
        sampler->candidates[0].end = 1.0;
        return sampler->candidates[0].id;
    }
    int32_t best = sampler->left_out == 0 && sampler->V > 1 ? 1 : 0;
    for (int32_t i = 1; i < sampler->V; i++) {
        best = sampler->adjusted[i] > sampler->adjusted[best] ? i : best;
    }
    sampler->candidates[0] = (SamplingCandidate){.id = best,
                                                 .logit = logits[best],
                                                 .adjusted = sampler->adjusted[best],
                                                 .probability = 1.0,
                                                 .share = 1.0,
                                                 .end = 1.0};
    sampler->n_candidates = 1;
    return best;
}

double sampling_u(uint64_t seed, uint64_t step) {
    return (double)random_uniform(seed, PURPOSE_DRAW, step, 0);
}

static int32_t draw(Sampler *sampler, const float *logits, double u, int n_shown) {
    make_heap(sampler);
    find_log_sum(sampler, logits);
    sampler->n_kept = cut_top_p(sampler, logits);
    sampler->u = u;
    find_bin(sampler, logits, sampler->n_kept, n_shown);
    return sampler->candidates[sampler->chosen].id;
}

int32_t sampler_choose(Sampler *sampler, const float *logits, const int32_t *seen, int n_seen,
                       double u, int n_shown) {
    sampler->n_candidates = 0;
    sampler->chosen = 0;
    sampler->u = 0.0;
    sampler->n_kept = 1;
    adjust(sampler, logits, seen, n_seen);
    int32_t id = sampling_is_greedy(&sampler->config) ? take_greatest(sampler, logits, n_shown)
                                                      : draw(sampler, logits, u, n_shown);
    if (n_shown > 0) {
        show(sampler, logits, n_shown);
    }
    return id;
}

int32_t sampler_draw(Sampler *sampler, const float *logits, const int32_t *seen, int n_seen,
                     uint64_t step, int n_shown) {
    double u = sampling_is_greedy(&sampler->config) ? 0.0 : sampling_u(sampler->config.seed, step);
    return sampler_choose(sampler, logits, seen, n_seen, u, n_shown);
}

const SamplingDraw *sampling_keep(Arena *arena, const Sampler *sampler, int position,
                                  const SamplingDraw *earlier) {
    int n = sampler->n_candidates < SAMPLING_SHOWN ? sampler->n_candidates : SAMPLING_SHOWN;
    bool is_beyond = sampler->chosen >= n;
    SamplingDraw *made = arena_allocate(arena, sizeof *made);
    SamplingCandidate *kept = arena_allocate(arena, (size_t)(n + is_beyond) * sizeof *kept);
    memcpy(kept, sampler->candidates, (size_t)n * sizeof *kept);
    *made = (SamplingDraw){earlier, position, *sampler};
    if (is_beyond) {
        kept[n] = sampler->candidates[sampler->chosen];
        made->made.chosen = n;
    }
    made->made.candidates = kept;
    made->made.n_candidates = n + is_beyond;
    made->made.adjusted = NULL;
    made->made.heap = NULL;
    made->made.is_seen = NULL;
    return made;
}

const SamplingDraw *sampling_find_draw(const SamplingDraw *newest, int position) {
    const SamplingDraw *found = newest;
    while (found != NULL && found->position != position) {
        found = found->earlier;
    }
    return found;
}
