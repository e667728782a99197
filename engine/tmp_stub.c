// tmp_stub.c - x.
#include "engine/normalizer.h"
#include "engine/tokenizer_private.h"
void charsmap_append_nfkc(Buffer *map) {
    (void)map;
}
bool sentencepiece_load_model(Tokenizer *tokenizer, const char *path, Error *err) {
    (void)tokenizer;
    (void)path;
    return error_set(err, "no");
}
bool sentencepiece_save_model(const Tokenizer *tokenizer, const char *path, Error *err) {
    (void)tokenizer;
    (void)path;
    return error_set(err, "no");
}
