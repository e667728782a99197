// gpt2_config.c - tokenizer_config.json beside GPT-2's vocab.json or a tokenizer.json: what it adds
// to the files.
#include "engine/tokenizers/formats/gpt2_config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/files/json_keys.h"
#include "engine/files/json_text.h"
#include "engine/tokenizers/byte_level/byte_level.h"

static const char NAME[] = "tokenizer_config.json";

// Used, refused with another value, or without effect: docs/configuration.md says which and why.
static const char *const KNOWN[] = {
    "add_bos_token",
    "add_eos_token",
    "add_prefix_space",
    "added_tokens_decoder",
    "additional_special_tokens",
    "auto_map",
    "backend",
    "bos_token",
    "chat_template",
    "clean_up_tokenization_spaces",
    "cls_token",
    "do_lower_case",
    "eos_token",
    "errors",
    "extra_special_tokens",
    "from_slow",
    "is_local",
    "legacy",
    "local_files_only",
    "mask_token",
    "max_length",
    "model_input_names",
    "model_max_length",
    "model_specific_special_tokens",
    "name_or_path",
    "pad_to_multiple_of",
    "pad_token",
    "pad_token_type_id",
    "padding_side",
    "processor_class",
    "return_token_type_ids",
    "sep_token",
    "special_tokens_map_file",
    "split_special_tokens",
    "stride",
    "tokenizer_class",
    "tokenizer_file",
    "truncation_side",
    "truncation_strategy",
    "unk_token",
    "use_fast",
};
enum { N_KNOWN = sizeof KNOWN / sizeof KNOWN[0] };

static bool splits_into_bytes(const ByteLevel *level) {
    return !level->characters && level->mark == MARK_NONE;
}

bool gpt2_config_open(json_t **config, const char *path, Tokenizer *tokenizer, Error *err) {
    const char *slash = strrchr(path, '/');
    Buffer beside = {0};
    buffer_append(&beside, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
    buffer_append_text(&beside, NAME);
    bool ok = true;
    *config = NULL;
    if (file_exists(beside.bytes)) {
        *config = json_text_load(beside.bytes, err);
        ok = *config != NULL;
    }
    if (ok && *config != NULL) {
        ByteLevel *level = tokenizer->detail->of.byte_level;
        JsonFields fields = json_text_fields(*config, beside.bytes, err);
        const bool prefix = json_text_bool_or(&fields, "add_prefix_space", level->prefix_space);
        level->prefix_space = splits_into_bytes(level) ? prefix : level->prefix_space;
        tokenizer->special_as_text = json_text_bool_or(&fields, "split_special_tokens", false);
        ok = fields.ok;
        json_keys_name_unknown(*config, beside.bytes, KNOWN, N_KNOWN, &tokenizer->detail->note);
    }
    buffer_free(&beside);
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

bool gpt2_config_add(json_t *config, Tokenizer *tokenizer, Vocab *vocab, Error *err) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    if (config == NULL) {
        return true;
    }
    JsonFields fields = json_text_fields(config, NAME, err);
    json_text_bool_only(&fields, "add_bos_token", false);
    json_text_bool_only(&fields, "add_eos_token", false);
    json_t *tokens = json_object_get(config, "added_tokens_decoder");
    const char *id = NULL;
    json_t *token = NULL;
    bool ok = fields.ok;
    json_object_foreach(tokens, id, token) {
        ok = ok && add_token(level, vocab, id, token, err);
    }
    return ok;
}

// A text, or an object with a content; NULL: neither.
static const char *text_of(const json_t *value) {
    return json_string_value(json_is_object(value) ? json_object_get(value, "content") : value);
}

// -1: there is none. A single letter stays one of the symbols that merge.
static int mark_special(Tokenizer *tokenizer, const json_t *value) {
    const char *text = text_of(value);
    const int id = text == NULL ? -1 : tokenizer_find(tokenizer, text, strlen(text));
    if (id >= 0 && tokenizer->pieces[id].kind == PIECE_NORMAL && tokenizer->pieces[id].length > 1) {
        tokenizer->pieces[id].kind = PIECE_CONTROL;
    }
    return id;
}

// One that only texts could name: Hugging Face's loader would give it a new id.
static void mark_other(Tokenizer *tokenizer, const char *key, const json_t *value) {
    if (mark_special(tokenizer, value) < 0 && text_of(value) != NULL) {
        char shown[64];
        tokenizer_clean(text_of(value), strlen(text_of(value)), shown, sizeof shown);
        buffer_format(&tokenizer->detail->note,
                      "%s: \"%s\": \"%s\" is not in the vocabulary, and is no token here\n", NAME,
                      key, shown);
    }
}

bool gpt2_config_find_roles(json_t *config, Tokenizer *tokenizer, Error *err) {
    static const char *const OTHERS[] = {"pad_token", "unk_token", "cls_token", "sep_token",
                                         "mask_token"};
    static const char *const LISTS[] = {"additional_special_tokens", "extra_special_tokens",
                                        "model_specific_special_tokens"};
    const struct {
        const char *key;
        int *id;
    } roles[] = {{"bos_token", &tokenizer->bos_id}, {"eos_token", &tokenizer->eos_id}};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        const json_t *value = json_object_get(config, roles[i].key);
        const int id = mark_special(tokenizer, value);
        if (id < 0 && text_of(value) != NULL) {
            return error_set(err, "%s: \"%s\": expected a token of the vocabulary, found \"%.40s\"",
                             NAME, roles[i].key, text_of(value));
        }
        *roles[i].id = id >= 0 ? id : *roles[i].id;
    }
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        mark_other(tokenizer, OTHERS[i], json_object_get(config, OTHERS[i]));
    }
    const int pad = mark_special(tokenizer, json_object_get(config, "pad_token"));
    tokenizer->pad_id = pad >= 0 ? pad : tokenizer->pad_id;
    for (size_t i = 0; i < sizeof LISTS / sizeof LISTS[0]; i++) {
        json_t *list = json_object_get(config, LISTS[i]);
        for (size_t k = 0; k < json_array_size(list); k++) {
            mark_other(tokenizer, LISTS[i], json_array_get(list, k));
        }
        for (void *at = json_object_iter(list); at != NULL; at = json_object_iter_next(list, at)) {
            mark_other(tokenizer, LISTS[i], json_object_iter_value(at));
        }
    }
    return true;
}
