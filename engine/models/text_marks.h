// text_marks.h - which ids stand before, behind and beside the tokens of a text.
//
// A model of MARKS_OF_CONFIG has its configuration's marks around every text, on both sides; one of
// MARKS_OF_TOKENIZER those that its tokenizer has. has_end: false for sentences that end where
// their source ends, and so have no mark behind them.
#ifndef ENGINE_MODELS_TEXT_MARKS_H
#define ENGINE_MODELS_TEXT_MARKS_H

#include <stddef.h>

#include "engine/models/config.h"

// Put around a text; -1: nothing.
typedef struct TextMarks {
    int bos_id, eos_id;
} TextMarks;

// Around a text that a model learns from or is measured on. A tokenizer whose <s> is its </s> has
// it once, behind; one without </s> takes the model's.
TextMarks text_marks_learned(const ModelConfig *config, const Tokenizer *tokenizer, bool has_end);

// Around a text that somebody wants to look at: of a language model's marks only the <s> that a
// vocabulary of words has.
TextMarks text_marks_shown(const ModelConfig *config, const Tokenizer *tokenizer, bool has_end);

// What begins a text of which nothing is there yet; -1: nothing can.
int text_marks_start(const Tokenizer *tokenizer);

// What stands before a prompt of so many ids, the first of which is given (-1 without one), before
// a language model goes on with it; -1: nothing more.
int text_marks_before_prompt(const Tokenizer *tokenizer, size_t n_ids, int32_t first_id);

// The id after which a model writes no more; -1: none.
int text_marks_end(const ModelConfig *config, const Tokenizer *tokenizer, bool has_end);

// How many of n labels count: those that are no padding and not -1.
size_t text_marks_count_labels(const int32_t *labels, size_t n, int pad_id);

// The ids of a vocabulary that is to be learned for a model; -1: none.
typedef struct VocabularyMarks {
    int pad_id, bos_id, eos_id, unknown_id;
} VocabularyMarks;
// False where the model wants none of its own, and a tokenizer's usual ones are right.
bool text_marks_vocabulary(const ModelConfig *config, VocabularyMarks *marks);

#endif
