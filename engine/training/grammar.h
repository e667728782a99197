// grammar.h - English sentences and their German translations, made by a small grammar.
//
// German puts its verbs elsewhere: the participle and the infinitive at the end ("hat ...
// gesehen"), the prefix of a separable verb too ("ruft ... an"), all of the verb at the end of a
// clause that begins with "dass" or "weil", the verb before the subject where the time comes first;
// and it says time before manner before place, English after the object and the other way round.
#ifndef ENGINE_TRAINING_GRAMMAR_H
#define ENGINE_TRAINING_GRAMMAR_H

#include <stdint.h>

enum { GRAMMAR_MAX_WORDS = 20 };

// Words are borrowed constants.
typedef struct SentencePair {
    const char *source[GRAMMAR_MAX_WORDS]; // English
    const char *target[GRAMMAR_MAX_WORDS]; // German
    // For each German word, the place of the English word that decides it; an article's is its
    // noun, since "the" does not tell the gender.
    int aligned[GRAMMAR_MAX_WORDS];
    int n_source, n_target;
} SentencePair;

// How many pairs there are, all different, each kind of sentence as often as any other.
uint64_t grammar_count(void);

// Pair `number` (below grammar_count()) of a seed's shuffle.
void grammar_make(uint64_t seed, uint64_t number, SentencePair *pair);

#endif
