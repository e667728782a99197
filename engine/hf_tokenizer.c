// hf_tokenizer.c - stands in
#include "engine/tokenizer_private.h"
bool byte_level_load_json(Tokenizer *tokenizer, const char *path, Error *err) {
    (void)tokenizer;
    return error_set(err, "%s: not yet", path);
}
