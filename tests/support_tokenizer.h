// support_tokenizer.h - tokenizers that tests read from texts of their own, and write.
#ifndef TESTS_SUPPORT_TOKENIZER_H
#define TESTS_SUPPORT_TOKENIZER_H

#include "engine/base/buffer.h"
#include "engine/tokenizers/tokenizer.h"

// As tokenizer_load of a file with this text, whose name ends in `end` (".json", or "" of our own).
bool support_load_tokenizer(Tokenizer *tokenizer, const Buffer *text, const char *end, Error *err);

// Writes it into a file whose name ends so, and reads that. Of our own text both have one hash.
void support_reload_tokenizer(const Tokenizer *tokenizer, const char *end, Tokenizer *again);

#endif
