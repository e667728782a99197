// config_keys.h - the fields of a Hugging Face GPT-2's config.json that have no effect here.
#ifndef ENGINE_MODELS_CONFIG_KEYS_H
#define ENGINE_MODELS_CONFIG_KEYS_H

#include <stdbool.h>

#include <jansson.h>

#include "engine/base/buffer.h"
#include "engine/base/error.h"

// Appends a sentence to notes that names the fields of a config.json which are neither used nor
// known to have no effect (docs/configuration.md has the reason of each). where starts it.
// Ids that the vocabulary does not have, and that stand for none, are named too.
void config_keys_name_unknown(json_t *object, const char *where, Buffer *notes);

#endif
