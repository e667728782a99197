// gpt2_config.h - tokenizer_config.json beside GPT-2's vocab.json: what it adds to the files.
#ifndef ENGINE_TOKENIZERS_FORMATS_GPT2_CONFIG_H
#define ENGINE_TOKENIZERS_FORMATS_GPT2_CONFIG_H

#include <stdbool.h>

#include <jansson.h>

#include "engine/tokenizers/formats/vocab_json.h"

// tokenizer_config.json in the folder of vocab_path, the caller's to json_decref; *config NULL
// where there is none. Refused: what asks for ids that are not given here.
bool gpt2_config_open(json_t **config, const char *vocab_path, Error *err);

// Its added tokens join the vocabulary, before that is read, and are looked for in texts;
// add_prefix_space is set.
bool gpt2_config_add(const json_t *config, Tokenizer *tokenizer, Vocab *vocab, Error *err);

// Once all pieces are known: the tokens that begin, end and pad, where it names them.
bool gpt2_config_find_roles(const json_t *config, Tokenizer *tokenizer, Error *err);

#endif
