// heads_run.h - what each head of a language model looks at where a sentence ends, and what the
// model loses without it, as `attend heads` was told.
#ifndef APP_COMMANDS_HEADS_RUN_H
#define APP_COMMANDS_HEADS_RUN_H

#include <stdbool.h>

#include "app/model_choice.h"
#include "engine/base/arena.h"

// "Lily had a flute. Tom had a kite. She dropped her", "flute", "kite": a text, the word that
// should follow, and one that should not. Both stand in the text.
typedef struct Cloze {
    const char *text, *right, *wrong;
    int line;
} Cloze;

// The sums over all sentences of one head.
typedef struct HeadScore {
    int layer, head;
    double right, wrong; // weights of the last token on the tokens of each word
    int n_right;         // sentences in which the right one has more
    double loss;         // -ln p of the right word, with the head switched off
} HeadScore;

typedef struct HeadsResult {
    Arena arena;
    Cloze *clozes;
    int n_clozes;
    HeadScore *heads; // n_heads, by right - wrong, the largest first
    int n_heads;
    double loss;     // of the whole model, a sum as theirs
    int n_preferred; // sentences in which the model gives the right word more than the wrong one
} HeadsResult;

// A zeroed result. On failure there is nothing to free but by heads_free.
bool heads_run(HeadsResult *result, const ModelChoice *choice, const char *path, Error *err);
void heads_free(HeadsResult *result);

#endif
