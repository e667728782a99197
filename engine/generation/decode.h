// decode.h - sentences out of a trained encoder-decoder: greedy, and a beam with length penalty.
#ifndef ENGINE_GENERATION_DECODE_H
#define ENGINE_GENERATION_DECODE_H

#include "engine/generation/generate.h"
#include "engine/tokenizers/tokenizer.h"

typedef struct BeamConfig {
    int width;      // 1: greedy
    int max_length; // tokens at most, the start token not counted
    float alpha; // of the length penalty ((5 + length) / 6)^alpha (Wu et al. 2016, equation 14); 0:
                 // none
    const QuantizedWeights *weights; // borrowed; NULL: float32
    Progress *progress;              // of who waits; borrowed; NULL: nobody
    int end_id;                      // -1: there is none, decoding stops at max_length
} BeamConfig;

// The usual max_length for a source of S tokens: where nothing ends a sentence, as long as the
// source without its start token; else twice the source and 8.
int decode_longest(int S, int end_id);

typedef struct Hypothesis {
    int32_t
        *ids; // start token first, then what was decoded, the end token last where it is finished
    int n_ids;
    double log_probability; // natural logarithm, summed
    double score;           // log_probability / length penalty
    bool is_finished;
} Hypothesis;

// A beginning and one token more that ranked below the beam's width.
typedef struct BeamDropped {
    int parent; // which hypothesis of the step before
    int32_t id; // -1: the parent had ended, and nothing was put behind it
    double log_probability;
    double score;
} BeamDropped;

// How many dropped ones a step keeps. Each beginning offers so many tokens more than the beam is
// wide, so that their ranks are right among all tokens after all beginnings.
enum { BEAM_RUNNERS_UP = 4 };

// Hypotheses as they stood after each step, best first: the tree that a view draws. Owned by the
// decoding.
typedef struct BeamStep {
    Hypothesis *hypotheses;
    int n_hypotheses;
    BeamDropped *dropped; // the next best, in order, the first being number n_hypotheses
    int n_dropped;        // BEAM_RUNNERS_UP at most
    size_t n_ranked;      // all tokens after all beginnings: what lives and all that was dropped
} BeamStep;

typedef struct Decoding {
    Arena arena;
    BeamStep *steps; // n_steps, the first being the start token alone
    int n_steps;
    int width; // of the beam, and the length penalty, as in BeamConfig
    float alpha;
    int32_t left_out; // an id that is never chosen: padding; -1: none
    Hypothesis *best; // n_best, best first; finished ones before others
    int n_best;
} Decoding;

// Decodes one source sentence (S ids). The model's start token is its bos_id. Ties go to the
// earlier hypothesis, then to the lower id. Fails by the source's shape,
// without memory, and where logits are not finite.
bool decode_beam(Decoding *decoding, Model *model, Device *device, const int32_t *source, int S,
                 const BeamConfig *config, Error *err);
void decode_free(Decoding *decoding);

#endif
