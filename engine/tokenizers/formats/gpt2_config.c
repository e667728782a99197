// gpt2_config.c - tokenizer_config.json beside GPT-2's vocab.json: what it adds to the files.
#include "engine/tokenizers/formats/gpt2_config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/files/json_text.h"
#include "engine/tokenizers/byte_level/byte_level.h"

static const char NAME[] = "tokenizer_config.json";

bool gpt2_config_open(json_t **config, const char *vocab_path, Error *err) {
    const char *slash = strrchr(vocab_path, '/');
    Buffer path = {0};
    buffer_append(&path, vocab_path, slash == NULL ? 0 : (size_t)(slash - vocab_path) + 1);
    buffer_append_text(&path, NAME);
    bool ok = true;
    *config = NULL;
    if (file_exists(path.bytes)) {
        *config = json_text_load(path.bytes, err);
        ok = *config != NULL;
    }
    if (ok && *config != NULL) {
        JsonFields fields = json_text_fields(*config, path.bytes, err);
        json_text_bool_only(&fields, "add_bos_token", false);
        json_text_bool_only(&fields, "split_special_tokens", false);
        json_text_bool_or(&fields, "add_prefix_space", false);
        ok = fields.ok;
    }
    buffer_free(&path);
    return ok;
}

static bool add_token(ByteLevel *level, Vocab *vocab, const char *id_text, const json_t *token,
                      Error *err) {
    char *end = NULL;
    const long id = strtol(id_text, &end, 10);
    const json_t *content = json_object_get(token, "content");
    if (end == id_text || *end != '\0' || id < 0 || id >= 1L << 24 || !json_is_string(content) ||
        json_string_length(content) == 0) {
        return error_set(err,
                         "%s: \"added_tokens_decoder\": expected ids below 2^24, each with a "
                         "content, found \"%.40s\"",
                         NAME, id_text);
    }
    const AddedToken added = {
        .id = (int32_t)id,
        .is_special = json_is_true(json_object_get(token, "special")),
        .single_word = json_is_true(json_object_get(token, "single_word")),
        .takes_left = json_is_true(json_object_get(token, "lstrip")),
        .takes_right = json_is_true(json_object_get(token, "rstrip")),
        .in_normalized = json_is_true(json_object_get(token, "normalized")),
    };
    if (!vocab_put(vocab, json_string_value(content), json_string_length(content), false, id,
                   added.is_special ? PIECE_CONTROL : PIECE_USER)) {
        return error_set(
            err, "%s: \"added_tokens_decoder\": expected each id once, found %ld twice", NAME, id);
    }
    byte_level_add_token(level, &added);
    return true;
}

bool gpt2_config_add(const json_t *config, Tokenizer *tokenizer, Vocab *vocab, Error *err) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    level->prefix_space = json_is_true(json_object_get(config, "add_prefix_space"));
    json_t *tokens = json_object_get(config, "added_tokens_decoder");
    const char *id = NULL;
    json_t *token = NULL;
    bool ok = true;
    json_object_foreach(tokens, id, token) {
        ok = ok && add_token(level, vocab, id, token, err);
    }
    return ok;
}

// A text, or an object with a content; NULL: none.
static const char *text_of(const json_t *config, const char *key) {
    const json_t *value = json_object_get(config, key);
    const json_t *content = json_is_object(value) ? json_object_get(value, "content") : value;
    return json_string_value(content);
}

bool gpt2_config_find_roles(const json_t *config, Tokenizer *tokenizer, Error *err) {
    const struct {
        const char *key;
        int *id;
    } roles[] = {{"bos_token", &tokenizer->bos_id},
                 {"eos_token", &tokenizer->eos_id},
                 {"pad_token", &tokenizer->pad_id}};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        const char *text = text_of(config, roles[i].key);
        const int id = text == NULL ? -1 : tokenizer_find(tokenizer, text, strlen(text));
        if (text != NULL && id < 0) {
            return error_set(err, "%s: \"%s\": expected a token of the vocabulary, found \"%.40s\"",
                             NAME, roles[i].key, text);
        }
        *roles[i].id = text == NULL ? *roles[i].id : id;
    }
    return true;
}
