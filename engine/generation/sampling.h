// sampling.h - which token comes next: from logits to one draw, every step of it kept for a view.
//
// In this order: repetition penalty (Keskar et al. 2019, section 4.1), temperature, top-k (Fan et
// al. 2018), softmax, top-p (Holtzman et al. 2020), one uniform number, and the bin it falls into.
// Candidates stand by falling logit; equal ones by rising id, so that ties have one outcome.
#ifndef ENGINE_GENERATION_SAMPLING_H
#define ENGINE_GENERATION_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"

typedef struct SamplingConfig {
    double temperature;        // 0, or too small to divide by (below 1e-100): the greatest logit
                               // is taken, nothing is drawn
    int top_k;                 // 0: all
    double top_p;              // 1: all
    double repetition_penalty; // 1: none
    uint64_t seed;
} SamplingConfig;

// Temperature 1, nothing cut, no penalty, seed 1.
SamplingConfig sampling_defaults(void);

// The same with temperature 0.
SamplingConfig sampling_greedy(void);

// False with a sentence for a setting that cannot be.
bool sampling_check(const SamplingConfig *config, Error *err);

// Whether nothing is drawn: the greatest logit is taken.
bool sampling_is_greedy(const SamplingConfig *config);

// Logits (V) from which a token can be chosen: none is NaN or +infinity, and one at least is
// finite. False with a sentence that names the first that is not. The choosers below expect this.
// left_out: an id that is never chosen, such as padding; -1: none.
bool sampling_check_logits(const float *logits, int V, int32_t left_out, Error *err);

typedef struct SamplingCandidate {
    int32_t id;
    float logit;        // as the model gave it
    double plain;       // softmax over the plain logits; worked out for a view alone
    double adjusted;    // after the penalty, divided by the temperature
    double probability; // softmax over what top-k left; 0 of what it cut
    double share;       // of what top-p left: they sum to 1; 0 where it was cut
    double end;         // the upper edge of its bin: the sum of the shares so far
} SamplingCandidate;

// A draw and its arithmetic. Zeroed before the first; the arrays are used again by the next one.
typedef struct Sampler {
    SamplingConfig config;
    int V;
    int32_t left_out;              // an id that is no candidate, such as padding; -1: none
    double *adjusted;              // (V)
    int32_t *heap;                 // (V), ids: the greatest first, as far as they are sorted
    bool *is_seen;                 // (V), tokens that the penalty is for
    SamplingCandidate *candidates; // n_candidates, best first
    int n_candidates;              // as many as top-k and top-p left, or, where nothing is cut, as
                                   // were looked at until the draw was found; for a view also what
                                   // was cut
    int n_after_top_k;             // tokens that top-k left
    double log_sum;                // log of the sum of exp(adjusted) over them
    double plain_log_sum;          // of exp(logit) over all tokens; worked out for a view alone
    int n_kept;                    // and that top-p left; of the greatest alone 1
    double kept;                   // sum of their probabilities
    double u;                      // in [0, 1); 0 where nothing was drawn
    int chosen;                    // of the candidates
} Sampler;

// A draw as it was made, kept with its token: whatever is set afterwards, it is shown so.
typedef struct SamplingDraw {
    const struct SamplingDraw *earlier; // NULL: it is the first
    int position;                       // of the row of logits that it was made from
    Sampler made; // its settings and its table; the arrays that only choose are NULL
} SamplingDraw;

enum { SAMPLING_SHOWN = 256 }; // candidates that a view has room for

// Fails without memory. Nothing is left out.
bool sampler_init(Sampler *sampler, const SamplingConfig *config, int V, Error *err);
void sampler_free(Sampler *sampler);

// The number in [0, 1) that draw `step` of a text gets: a function of (seed, step) alone.
double sampling_u(uint64_t seed, uint64_t step);

// The token that u falls on after logits (V). seen: the n_seen ids of the text so far, for the
// penalty. At least n_shown candidates are worked out where there are so many, for a view; 0: only
// what is needed.
int32_t sampler_choose(Sampler *sampler, const float *logits, const int32_t *seen, int n_seen,
                       double u, int n_shown);

// The same with the u of draw `step`; temperature 0 draws nothing, and u is 0.
int32_t sampler_draw(Sampler *sampler, const float *logits, const int32_t *seen, int n_seen,
                     uint64_t step, int n_shown);

// What was chosen last, for later: SAMPLING_SHOWN candidates and the chosen one, in the arena.
const SamplingDraw *sampling_keep(Arena *arena, const Sampler *sampler, int position,
                                  const SamplingDraw *earlier);

// Among the newest and those before it the one that was made from that position; NULL: none.
const SamplingDraw *sampling_find_draw(const SamplingDraw *newest, int position);

#endif
