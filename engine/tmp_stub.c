// tmp_stub.c - x.
#include "engine/tokenizer_private.h"
bool sentencepiece_load_model(Tokenizer *tokenizer, const char *path, Error *err){(void)tokenizer;(void)path;return error_set(err,"no");}
bool sentencepiece_save_model(const Tokenizer *tokenizer, const char *path, Error *err){(void)tokenizer;(void)path;return error_set(err,"no");}
