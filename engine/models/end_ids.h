// end_ids.h - the tokens after which a model of other programs writes no more.
#ifndef ENGINE_MODELS_END_IDS_H
#define ENGINE_MODELS_END_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "engine/base/buffer.h"
#include "engine/base/error.h"

// GPT-2's own end, which transformers writes beside every vocabulary unless another is said: where
// the vocabulary does not have it, it stands for none.
enum { END_IDS_MOST = 32, END_IDS_GPT2 = 50256 };

typedef struct EndIds {
    int32_t ids[END_IDS_MOST];
    int n_ids;
} EndIds;

// "eos_token_id" of config.json, an id or a list of ids (null: none), joins ids; where starts the
// sentence. All others are kept. One that is not in the vocabulary is refused, but GPT-2's own.
bool end_ids_append(EndIds *ends, json_t *object, const char *where, int vocab_size, Error *err);

// The same of folder/generation_config.json, where there is one. What else it asks for is named in
// notes: how tokens are drawn is said by the options of who draws them.
bool end_ids_read(EndIds *ends, const char *folder, int vocab_size, Buffer *notes, Error *err);

bool end_ids_have(const EndIds *ends, int32_t id);

// Writes folder/generation_config.json where there are others than config.json's own; else nothing.
bool end_ids_save(const EndIds *ends, int config_id, const char *folder, Error *err);

#endif
