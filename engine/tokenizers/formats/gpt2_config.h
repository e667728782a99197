// gpt2_config.h - tokenizer_config.json beside GPT-2's vocab.json or a tokenizer.json: what it adds
// to the files.
#ifndef ENGINE_TOKENIZERS_FORMATS_GPT2_CONFIG_H
#define ENGINE_TOKENIZERS_FORMATS_GPT2_CONFIG_H

#include <stdbool.h>

#include <jansson.h>

#include "engine/tokenizers/formats/vocab_json.h"

// tokenizer_config.json in the folder of path, the caller's to json_decref; *config NULL where
// there is none. What it says of whole texts is set: add_prefix_space, where a tokenizer.json
// splits into bytes or knows no other, and split_special_tokens. Fields that are not known are
// named in the tokenizer's note.
bool gpt2_config_open(json_t **config, const char *path, Tokenizer *tokenizer, Error *err);

// Beside vocab.json only: refused is what asks for ids that are not given here; its added tokens
// join the vocabulary, before that is read, and are looked for in texts.
bool gpt2_config_add(json_t *config, Tokenizer *tokenizer, Vocab *vocab, Error *err);

// Once all pieces are known and indexed, before byte_level_finish: the tokens that begin, end and
// pad, and the other special ones.
bool gpt2_config_find_roles(json_t *config, Tokenizer *tokenizer, Error *err);

#endif
