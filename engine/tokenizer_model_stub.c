// tokenizer_model_stub.c - stands in for SentencePiece's .model files until they land; delete it
// then.
#include "engine/tokenizer_private.h"

__attribute__((weak)) bool sentencepiece_load_model(Tokenizer *tokenizer, const char *path,
                                                    Error *err) {
    (void)tokenizer;
    return error_set(err, "%s: .model files are not built in", path);
}

__attribute__((weak)) bool sentencepiece_save_model(const Tokenizer *tokenizer, const char *path,
                                                    Error *err) {
    (void)tokenizer;
    return error_set(err, "%s: .model files are not built in", path);
}
