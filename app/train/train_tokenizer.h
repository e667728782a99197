// train_tokenizer.h - the tokenizer of a run where no file was given: learned from its data.
#ifndef APP_TRAIN_TRAIN_TOKENIZER_H
#define APP_TRAIN_TRAIN_TOKENIZER_H

#include "engine/models/text_marks.h"
#include "engine/training/text_reader.h"
#include "engine/tokenizers/tokenizer.h"

// Byte-pair encoding of vocab_size pieces from the first few megabytes of the source: the same for
// the same file, with the marks that the model wants.
bool train_tokenizer_learn(Tokenizer *tokenizer, const TextSource *source, int vocab_size,
                           const ModelConfig *config, int n_threads, Error *err);

#endif
