// bleu.c - BLEU-4 of a corpus against one reference each (Papineni et al. 2002).
#include "engine/generation/bleu.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"

static const char WHITE[] = " \t\n\r\f\v";

typedef struct Word {
    const char *bytes;
    size_t length;
} Word;

typedef struct Sentence {
    Word *words;
    int n_words;
} Sentence;

static Sentence split(const char *text) {
    Sentence sentence = {NULL, 0};
    int capacity = 0;
    for (;;) {
        text += strspn(text, WHITE);
        size_t length = strcspn(text, WHITE);
        if (length == 0) {
            return sentence;
        }
        if (sentence.n_words == capacity) {
            capacity = capacity == 0 ? 32 : 2 * capacity;
            sentence.words =
                memory_resize(sentence.words, (size_t)capacity * sizeof *sentence.words);
        }
        sentence.words[sentence.n_words++] = (Word){text, length};
        text += length;
    }
}

static int compare_words(const Word *a, const Word *b) {
    size_t n = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->bytes, b->bytes, n);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

// An n-gram is where it begins.
static int compare_grams(const void *left, const void *right, void *context) {
    const Word *a = *(const Word *const *)left;
    const Word *b = *(const Word *const *)right;
    int n = *(const int *)context;
    for (int i = 0; i < n; i++) {
        int order = compare_words(&a[i], &b[i]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static const Word **sorted_grams(const Sentence *sentence, int n, int *count) {
    *count = sentence->n_words >= n ? sentence->n_words - n + 1 : 0;
    const Word **grams = memory_resize(NULL, ((size_t)*count + 1) * sizeof(const Word *));
    for (int i = 0; i < *count; i++) {
        grams[i] = &sentence->words[i];
    }
    qsort_r(grams, (size_t)*count, sizeof(const Word *), compare_grams, &n);
    return grams;
}

// Both sorted: each of the candidate's takes one of the reference's, while there are any.
static int64_t count_matches(const Sentence *candidate, const Sentence *reference, int n) {
    int n_candidate = 0;
    int n_reference = 0;
    const Word **ours = sorted_grams(candidate, n, &n_candidate);
    const Word **theirs = sorted_grams(reference, n, &n_reference);
    int64_t matches = 0;
    for (int i = 0, k = 0; i < n_candidate && k < n_reference;) {
        int order = compare_grams(&ours[i], &theirs[k], &n);
        matches += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    free(ours);
    free(theirs);
    return matches;
}

void bleu_add(Bleu *bleu, const char *candidate, const char *reference) {
    Sentence ours = split(candidate);
    Sentence theirs = split(reference);
    bleu->candidate_words += ours.n_words;
    bleu->reference_words += theirs.n_words;
    for (int n = 1; n <= BLEU_ORDER; n++) {
        bleu->matches[n - 1] += count_matches(&ours, &theirs, n);
        bleu->totals[n - 1] += ours.n_words >= n ? ours.n_words - n + 1 : 0;
    }
    free(ours.words);
    free(theirs.words);
}

double bleu_precision(const Bleu *bleu, int n) {
    int64_t total = bleu->totals[n - 1];
    return total == 0 ? 0.0 : (double)bleu->matches[n - 1] / (double)total;
}

double bleu_brevity(const Bleu *bleu) {
    if (bleu->candidate_words == 0) {
        return 0.0;
    }
    double ratio = (double)bleu->reference_words / (double)bleu->candidate_words;
    return ratio <= 1.0 ? 1.0 : exp(1.0 - ratio);
}

double bleu_score(const Bleu *bleu) {
    double sum = 0.0;
    for (int n = 1; n <= BLEU_ORDER; n++) {
        if (bleu->matches[n - 1] == 0) {
            return 0.0;
        }
        sum += log(bleu_precision(bleu, n)) / BLEU_ORDER;
    }
    return bleu_brevity(bleu) * exp(sum);
}
