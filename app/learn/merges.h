// merges.h - a text on its way into tokens, one merge after the other.
#ifndef APP_LEARN_MERGES_H
#define APP_LEARN_MERGES_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/tokenizers/tokenizer.h"
#include "views/screen/view.h"

enum { MERGES_TEXT_BYTES = 1024 }; // of a text, at most: each merge keeps a row of pieces

// A zeroed one is empty.
typedef struct Merges {
    Arena arena;
    ViewMerge *steps; // n, the last being the row after all merges
    int n, capacity, n_shown;
} Merges;

// Cuts a text; its first row is shown.
bool merges_cut(Merges *merges, const Tokenizer *tokenizer, const char *text, size_t length,
                Error *err);
void merges_forget(Merges *merges);

// One merge more (1) or less (-1); false where none is shown in that direction.
bool merges_step(Merges *merges, int direction);

#endif
