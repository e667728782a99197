// generate_explain.c - `attend generate --explain`: penalty, temperature, top-k, top-p and the
// draw, with digits.
#include <math.h>
#include <stdio.h>

#include "engine/base/plural.h"
#include "app/commands/generate_run.h"

enum { MOST_SHOWN = 12, PIECE_BYTES = 64 };

void generate_explain_formulas(const SamplingConfig *config) {
    if (config->repetition_penalty != 1.0) {
        printf("penalty:     z' = z / %g where z > 0, else z * %g, of tokens that were there\n",
               config->repetition_penalty, config->repetition_penalty);
    }
    if (sampling_is_greedy(config)) {
        puts("temperature: 0, the greatest logit is taken; of equal ones the lowest id");
        return;
    }
    printf("temperature: a = z / %g\n", config->temperature);
    if (config->top_k > 0) {
        printf("top-k:       the %d greatest a are kept, the others get no probability\n",
               config->top_k);
    }
    puts("softmax:     p = exp(a - L), L = log of the sum of exp(a) over what is kept");
    if (config->top_p < 1.0) {
        printf("top-p:       the fewest p, greatest first, whose sum reaches %g; share = p / sum\n",
               config->top_p);
    }
    puts("draw:        u in [0, 1) from (seed, step); the bin [begin, end) it lies in is taken");
}

static void print_candidate(const Sampler *sampler, const Tokenizer *tokenizer, int i) {
    const SamplingCandidate *candidate = &sampler->candidates[i];
    char piece[PIECE_BYTES] = "";
    if (candidate->id < tokenizer->n_pieces) {
        tokenizer_piece_text(tokenizer, candidate->id, piece, sizeof piece);
    }
    printf("%c %5d %7d  %10.5f %10.5f  %9.7f", i == sampler->chosen ? '>' : ' ', i, candidate->id,
           (double)candidate->logit, candidate->adjusted, candidate->probability);
    if (i < sampler->n_kept) {
        printf("  %9.7f  [%9.7f, %9.7f)", candidate->share, candidate->end - candidate->share,
               candidate->end);
    } else {
        printf("  %9s  %23s", sampling_is_greedy(&sampler->config) ? "" : "cut", "");
    }
    printf("  %s\n", piece);
}

void generate_explain_draw(const Sampler *sampler, const Tokenizer *tokenizer, int text, int step) {
    putchar('\n');
    if (text >= 0) {
        printf("text %d, ", text);
    }
    printf("step %d\n  %5s %7s  %10s %10s  %9s  %9s  %-23s  %s\n", step, "rank", "id", "z", "a",
           "p", "share", "bin", "token");
    int shown = sampler->n_after_top_k < MOST_SHOWN ? sampler->n_after_top_k : MOST_SHOWN;
    shown = sampler->n_candidates < shown ? sampler->n_candidates : shown;
    for (int i = 0; i < shown; i++) {
        print_candidate(sampler, tokenizer, i);
    }
    if (sampler->chosen >= shown) {
        puts("    ...");
        print_candidate(sampler, tokenizer, sampler->chosen);
    }
    const SamplingCandidate *chosen = &sampler->candidates[sampler->chosen];
    printf("  L = %.6f over %d token%s", sampler->log_sum, sampler->n_after_top_k,
           plural(sampler->n_after_top_k));
    if (sampler->config.top_p < 1.0) {
        printf(", top-p kept %.7f", sampler->kept);
    }
    if (sampling_is_greedy(&sampler->config)) {
        printf("; the greatest is id %d\n", chosen->id);
        return;
    }
    printf("; u = %.7f lies in [%.7f, %.7f): id %d\n", sampler->u, chosen->end - chosen->share,
           chosen->end, chosen->id);
}
