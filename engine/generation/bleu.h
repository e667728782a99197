// bleu.h - BLEU-4 of a corpus against one reference each (Papineni et al. 2002).
//
// BLEU = BP · exp(Σ over n = 1..4 of ¼ · log p_n); p_n: n-grams of the candidates that are found in
// their reference, each at most as often as there, over all n-grams of the candidates; BP =
// min(1, exp(1 − r/c)), c and r the words of all candidates and references. Words are what white
// space parts.
#ifndef ENGINE_GENERATION_BLEU_H
#define ENGINE_GENERATION_BLEU_H

#include <stdint.h>

enum { BLEU_ORDER = 4 };

// Counts of the sentences so far; a zeroed one is empty.
typedef struct Bleu {
    int64_t matches[BLEU_ORDER];
    int64_t totals[BLEU_ORDER];
    int64_t candidate_words, reference_words;
} Bleu;

void bleu_add(Bleu *bleu, const char *candidate, const char *reference);

double bleu_precision(const Bleu *bleu, int n); // p_n, n from 1; 0 where there is no n-gram
double bleu_brevity(const Bleu *bleu);          // BP
double bleu_score(const Bleu *bleu);            // 0 to 1; 0 where a precision is 0

#endif
