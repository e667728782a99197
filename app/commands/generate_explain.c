// generate_explain.c - `attend generate --explain`: penalty, temperature, top-k, top-p and the
// draw, with digits.
#include <math.h>
#include <stdio.h>

#include "engine/base/plural.h"
#include "app/commands/generate_run.h"
#include "app/output.h"

enum { MOST_SHOWN = 12, PIECE_BYTES = 64 };

void generate_explain_formulas(const SamplingConfig *config) {
    if (config->repetition_penalty != 1.0) {
        output_print(
            "penalty:     z' = z / %g where z > 0, else z * %g, of tokens that were there\n",
            config->repetition_penalty, config->repetition_penalty);
    }
    if (sampling_is_greedy(config)) {
        output_text("temperature: 0, the greatest logit is taken; of equal ones the lowest id\n");
        return;
    }
    output_print("temperature: a = z / %g\n", config->temperature);
    if (config->top_k > 0) {
        output_print("top-k:       the %d greatest a are kept, the others get no probability\n",
                     config->top_k);
    }
    output_text("softmax:     p = exp(a - L), L = log of the sum of exp(a) over what is kept\n");
    if (config->top_p < 1.0) {
        output_print(
            "top-p:       the fewest p, greatest first, whose sum reaches %g; share = p / sum\n",
            config->top_p);
    }
    output_text(
        "draw:        u in [0, 1) from (seed, step); the bin [begin, end) it lies in is taken\n");
}

static void print_candidate(const Sampler *sampler, const Tokenizer *tokenizer, int i) {
    const SamplingCandidate *candidate = &sampler->candidates[i];
    char piece[PIECE_BYTES] = "";
    if (candidate->id < tokenizer->n_pieces) {
        tokenizer_piece_text(tokenizer, candidate->id, piece, sizeof piece);
    }
    output_print("%c %5d %7d  %10.5f %10.5f  %9.7f", i == sampler->chosen ? '>' : ' ', i,
                 candidate->id, (double)candidate->logit, candidate->adjusted,
                 candidate->probability);
    if (i < sampler->n_kept) {
        output_print("  %9.7f  [%9.7f, %9.7f)", candidate->share, candidate->end - candidate->share,
                     candidate->end);
    } else {
        output_print("  %9s  %23s", sampling_is_greedy(&sampler->config) ? "" : "cut", "");
    }
    output_print("  %s\n", piece);
}

void generate_explain_draw(const Sampler *sampler, const Tokenizer *tokenizer, int text, int step) {
    output_text("\n");
    if (text >= 0) {
        output_print("text %d, ", text);
    }
    output_print("step %d\n  %5s %7s  %10s %10s  %9s  %9s  %-23s  %s\n", step, "rank", "id", "z",
                 "a", "p", "share", "bin", "token");
    int shown = sampler->n_after_top_k < MOST_SHOWN ? sampler->n_after_top_k : MOST_SHOWN;
    shown = sampler->n_candidates < shown ? sampler->n_candidates : shown;
    for (int i = 0; i < shown; i++) {
        print_candidate(sampler, tokenizer, i);
    }
    if (sampler->chosen >= shown) {
        output_text("    ...\n");
        print_candidate(sampler, tokenizer, sampler->chosen);
    }
    const SamplingCandidate *chosen = &sampler->candidates[sampler->chosen];
    output_print("  L = %.6f over %d token%s", sampler->log_sum, sampler->n_after_top_k,
                 plural(sampler->n_after_top_k));
    if (sampler->config.top_p < 1.0) {
        output_print(", top-p kept %.7f", sampler->kept);
    }
    if (sampling_is_greedy(&sampler->config)) {
        output_print("; the greatest is id %d\n", chosen->id);
        return;
    }
    output_print("; u = %.7f lies in [%.7f, %.7f): id %d\n", sampler->u,
                 chosen->end - chosen->share, chosen->end, chosen->id);
}
