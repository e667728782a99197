// tokenizer_stubs.c - stands in for the byte-level and words kinds until they land; delete it then.
#include "engine/tokenizer_private.h"

static bool missing_encode(const Tokenizer *tokenizer, const char *text, size_t length,
                           TokenIds *ids, EncodeReport *report, MergeWatcher watcher, void *context,
                           Error *err) {
    (void)tokenizer, (void)text, (void)length, (void)ids, (void)report, (void)watcher;
    (void)context;
    return error_set(err, "this kind is not built in");
}

static bool missing_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count,
                           Buffer *text, Error *err) {
    (void)tokenizer, (void)ids, (void)count, (void)text;
    return error_set(err, "this kind is not built in");
}

static void missing_save(const Tokenizer *tokenizer, Buffer *lines) {
    (void)tokenizer, (void)lines;
}

static bool missing_load(Tokenizer *tokenizer, const TokenizerSettings *settings, Error *err) {
    (void)tokenizer, (void)settings;
    return error_set(err, "this kind is not built in");
}

static void missing_free(Tokenizer *tokenizer) {
    (void)tokenizer;
}

const TokenizerMethods BYTE_LEVEL_METHODS = {
    .name = "byte-level",
    .encode = missing_encode,
    .decode = missing_decode,
    .save = missing_save,
    .load = missing_load,
    .free = missing_free,
};
const TokenizerMethods WORDS_METHODS = {
    .name = "words",
    .encode = missing_encode,
    .decode = missing_decode,
    .save = missing_save,
    .load = missing_load,
    .free = missing_free,
};

bool byte_level_load_vocab_merges(Tokenizer *tokenizer, const char *vocab_path,
                                  const char *merges_path, Error *err) {
    (void)tokenizer, (void)vocab_path, (void)merges_path;
    return error_set(err, "%s: byte-level tokenizers are not built in", vocab_path);
}

bool byte_level_load_json(Tokenizer *tokenizer, const char *path, Error *err) {
    (void)tokenizer;
    return error_set(err, "%s: byte-level tokenizers are not built in", path);
}

bool byte_level_load_ranks(Tokenizer *tokenizer, const char *path, Error *err) {
    (void)tokenizer;
    return error_set(err, "%s: byte-level tokenizers are not built in", path);
}

bool words_init(Tokenizer *tokenizer, const char *const *words, int n_words, Error *err) {
    (void)tokenizer, (void)words, (void)n_words;
    return error_set(err, "word tokenizers are not built in");
}
