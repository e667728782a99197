// hf_tokenizer.h - Hugging Face's tokenizer.json: what the files that read it share.
#ifndef ENGINE_TOKENIZERS_FORMATS_HF_TOKENIZER_H
#define ENGINE_TOKENIZERS_FORMATS_HF_TOKENIZER_H

#include <stdbool.h>

#include <jansson.h>

#include "engine/tokenizers/byte_level/byte_level.h"

typedef struct HfReader {
    const char *path;
    Tokenizer *tokenizer;
    ByteLevel *level;
    Error *err;
    bool has_prepend;    // the normalizer puts ▁ before the text
    bool squeezes_space; // and makes one space of each run of white space
} HfReader;

// Sets the sentence "PATH: WHERE is FOUND, expected WANTED"; always false. found may be NULL:
// missing.
bool hf_refuse(const HfReader *reader, const char *where, const json_t *found, const char *wanted);

// False, with a sentence, where the object has a key that is not among the NULL-ended names.
bool hf_check_keys(const HfReader *reader, const char *where, json_t *object,
                   const char *const *names);

// How text is prepared before merging, to be read in this order; and that post_processor and
// decoder are such as change no id of the text. Each may be NULL or null where the format allows
// it.
bool hf_read_normalizer(HfReader *reader, json_t *normalizer);
bool hf_read_pre_tokenizer(HfReader *reader, json_t *pre_tokenizer);
bool hf_check_post_processor(const HfReader *reader, const json_t *post_processor);
bool hf_read_decoder(HfReader *reader, const json_t *decoder);

#endif
