// hf_tokenizer.c - reads Hugging Face's tokenizer.json of the BPE kind.
#include "engine/tokenizers/formats/hf_tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/files/json_text.h"
#include "engine/tokenizers/byte_level/byte_map.h"
#include "engine/tokenizers/formats/gpt2_config.h"
#include "engine/tokenizers/formats/vocab_json.h"

bool hf_refuse(const HfReader *reader, const char *where, const json_t *found, const char *wanted) {
    char shown[160] = "missing";
    if (found != NULL) {
        char *text = json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT);
        tokenizer_clean(text == NULL ? "?" : text, text == NULL ? 1 : strlen(text), shown,
                        sizeof shown);
        free(text);
    }
    return error_set(reader->err, "%s: %s is %s, expected %s", reader->path, where, shown, wanted);
}

bool hf_check_keys(const HfReader *reader, const char *where, json_t *object,
                   const char *const *names) {
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        bool known = false;
        for (int i = 0; names[i] != NULL; i++) {
            known = known || strcmp(names[i], json_object_iter_key(at)) == 0;
        }
        if (!known) {
            char shown[64];
            const char *key = json_object_iter_key(at);
            tokenizer_clean(key, strlen(key), shown, sizeof shown);
            return error_set(reader->err, "%s: %s has \"%s\", which is not understood",
                             reader->path, where, shown);
        }
    }
    return true;
}

// ---- model: all but its vocabulary and merges

static bool is_nothing(const json_t *value) {
    return value == NULL || json_is_null(value) || json_is_false(value) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_number(value) && json_number_value(value) == 0);
}

// Printable ASCII reads the same in GPT-2's byte map.
static bool read_affix(const HfReader *reader, const char *where, const json_t *value,
                       char affix[AFFIX_BYTES]) {
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    bool is_printable = true;
    for (const char *c = text; *c != '\0'; c++) {
        is_printable = is_printable && *c > ' ' && *c <= '~';
    }
    if (!is_nothing(value) &&
        (!json_is_string(value) || !is_printable || json_string_length(value) >= AFFIX_BYTES)) {
        return hf_refuse(reader, where, value, "a text of at most 15 printable ASCII characters");
    }
    memcpy(affix, text, strlen(text) + 1);
    return true;
}

static bool read_model_options(HfReader *reader, json_t *model) {
    static const char *const keys[] = {"type",
                                       "dropout",
                                       "unk_token",
                                       "continuing_subword_prefix",
                                       "end_of_word_suffix",
                                       "fuse_unk",
                                       "byte_fallback",
                                       "ignore_merges",
                                       "vocab",
                                       "merges",
                                       NULL};
    const json_t *type = json_object_get(model, "type");
    if (!json_is_object(model)) {
        return hf_refuse(reader, "model", model, "an object");
    }
    if (type != NULL && (!json_is_string(type) || strcmp(json_string_value(type), "BPE") != 0)) {
        return hf_refuse(reader, "model.type", type, "BPE");
    }
    const json_t *dropout = json_object_get(model, "dropout");
    if (!is_nothing(dropout)) {
        return hf_refuse(reader, "model.dropout", dropout, "none");
    }
    if (!read_affix(reader, "model.continuing_subword_prefix",
                    json_object_get(model, "continuing_subword_prefix"), reader->level->prefix) ||
        !read_affix(reader, "model.end_of_word_suffix",
                    json_object_get(model, "end_of_word_suffix"), reader->level->suffix)) {
        return false;
    }
    reader->level->byte_fallback = json_is_true(json_object_get(model, "byte_fallback"));
    if (reader->level->byte_fallback && byte_level_has_affix(reader->level)) {
        return hf_refuse(reader, "model.byte_fallback", json_object_get(model, "byte_fallback"),
                         "false beside a prefix or suffix");
    }
    reader->level->whole_words = json_is_true(json_object_get(model, "ignore_merges"));
    return hf_check_keys(reader, "model", model, keys);
}

// ---- pieces

// A special token is left out of decoded text, and stays text where the tokenizer is told so.
static bool read_added_token(HfReader *reader, const json_t *token, Vocab *vocab) {
    const json_t *id = json_object_get(token, "id");
    const json_t *content = json_object_get(token, "content");
    if (!json_is_integer(id) || !json_is_string(content)) {
        return hf_refuse(reader, "an added token", token, "an id and a content");
    }
    const bool special = json_is_true(json_object_get(token, "special"));
    if (!vocab_put(vocab, json_string_value(content), json_string_length(content), false,
                   json_integer_value(id), special ? PIECE_CONTROL : PIECE_USER)) {
        return hf_refuse(reader, "the id of an added token", token, "each id once and below 2^24");
    }
    const AddedToken added = {
        .id = (int32_t)json_integer_value(id),
        .is_special = special,
        .single_word = json_is_true(json_object_get(token, "single_word")),
        .takes_left = json_is_true(json_object_get(token, "lstrip")),
        .takes_right = json_is_true(json_object_get(token, "rstrip")),
        .in_normalized = json_is_true(json_object_get(token, "normalized")),
    };
    byte_level_add_token(reader->level, &added);
    return true;
}

static bool read_vocab(HfReader *reader, json_t *pieces, Vocab *vocab) {
    if (!json_is_object(pieces)) {
        return hf_refuse(reader, "model.vocab", pieces, "an object of pieces and ids");
    }
    const char *text = NULL;
    json_t *value = NULL;
    json_object_foreach(pieces, text, value) {
        long long id = json_is_integer(value) ? json_integer_value(value) : -1;
        size_t length = strlen(text);
        if (id >= 0 && vocab_holds(vocab, id, text, length)) {
            continue; // an added token that is in the vocabulary too
        }
        if (!vocab_put(vocab, text, length, !reader->level->characters, id, PIECE_NORMAL)) {
            return hf_refuse(reader, "an id in model.vocab", value, "each id once and below 2^24");
        }
    }
    return true;
}

static bool read_pieces(HfReader *reader, const json_t *root, const json_t *model) {
    const json_t *added = json_object_get(root, "added_tokens");
    Vocab vocab = {0};
    bool ok = true;
    for (size_t i = 0; i < json_array_size(added) && ok; i++) {
        ok = read_added_token(reader, json_array_get(added, i), &vocab);
    }
    ok = ok && read_vocab(reader, json_object_get(model, "vocab"), &vocab) &&
         vocab_append_all(&vocab, reader->tokenizer, reader->path, reader->err);
    vocab_free(&vocab);
    Error twice = {0}; // a user piece may be spelled as one of the vocabulary; the first is found
    tokenizer_index_pieces(reader->tokenizer, &twice);
    return ok;
}

// ---- merges: "a b" or ["a", "b"]

static bool merge_halves(const json_t *merge, const char *halves[2], size_t lengths[2]) {
    if (json_is_array(merge) && json_array_size(merge) == 2) {
        for (size_t i = 0; i < 2; i++) {
            halves[i] = json_string_value(json_array_get(merge, i));
            lengths[i] = halves[i] == NULL ? 0 : strlen(halves[i]);
        }
        return halves[0] != NULL && halves[1] != NULL;
    }
    const char *text = json_string_value(merge);
    const char *space = text == NULL ? NULL : strchr(text, ' ');
    if (space == NULL || strchr(space + 1, ' ') != NULL) {
        return false;
    }
    halves[0] = text;
    lengths[0] = (size_t)(space - text);
    halves[1] = space + 1;
    lengths[1] = strlen(space + 1);
    return true;
}

static bool read_merge(HfReader *reader, const json_t *merge, int number) {
    enum { MOST_BYTES = 512 };
    char bytes[2][MOST_BYTES];
    size_t n_bytes[2];
    const char *halves[2];
    size_t lengths[2];
    if (!merge_halves(merge, halves, lengths)) {
        return hf_refuse(reader, "a merge", merge, "two pieces");
    }
    for (int i = 0; i < 2; i++) {
        long n = lengths[i] > MOST_BYTES ? -1 : (long)lengths[i];
        if (n > 0 && reader->level->characters) {
            memcpy(bytes[i], halves[i], lengths[i]);
        } else if (n > 0) {
            n = byte_map_undo(halves[i], lengths[i], bytes[i]);
        }
        if (n <= 0) {
            return hf_refuse(reader, "a merge", merge,
                             "pieces in GPT-2's byte map, 1 to 512 bytes");
        }
        n_bytes[i] = (size_t)n;
    }
    return byte_level_add_merge(reader->tokenizer, bytes[0], n_bytes[0], bytes[1], n_bytes[1],
                                reader->path, number, reader->err);
}

static bool read_merges(HfReader *reader, const json_t *merges) {
    if (!json_is_array(merges)) {
        return hf_refuse(reader, "model.merges", merges, "a list");
    }
    size_t n_merges = json_array_size(merges);
    bool ok = byte_level_reserve_merges(reader->level, n_merges, reader->err);
    for (size_t i = 0; i < n_merges && ok; i++) {
        ok = read_merge(reader, json_array_get(merges, i), (int)i);
    }
    return ok;
}

static bool spells_all_bytes(const Tokenizer *tokenizer) {
    for (int byte = 0; byte < 256; byte++) {
        char text = (char)byte;
        if (tokenizer_find(tokenizer, &text, 1) < 0) {
            return false;
        }
    }
    return true;
}

// The unknown piece has no part to play where every byte has a piece: GPT-2's files name
// <|endoftext|>.
static bool find_unknown(HfReader *reader, const json_t *model) {
    const json_t *unknown = json_object_get(model, "unk_token");
    if (!reader->level->characters) {
        if (spells_all_bytes(reader->tokenizer)) {
            return true;
        }
        if (reader->level->byte_fallback) {
            return hf_refuse(reader, "model.byte_fallback", json_true(),
                             "false, or a vocabulary that has every byte");
        }
    }
    if (is_nothing(unknown)) {
        return true;
    }
    const char *text = json_is_string(unknown) ? json_string_value(unknown) : "";
    int id = tokenizer_find(reader->tokenizer, text, strlen(text));
    if (id < 0) {
        return hf_refuse(reader, "model.unk_token", unknown, "a piece of the vocabulary");
    }
    reader->tokenizer->unknown_id = id;
    reader->level->fuse_unknown = json_is_true(json_object_get(model, "fuse_unk"));
    return true;
}

static bool read_root(HfReader *reader, json_t *root) {
    static const char *const keys[] = {
        "version",       "truncation",     "padding", "added_tokens", "normalizer",
        "pre_tokenizer", "post_processor", "decoder", "model",        NULL};
    json_t *model = json_object_get(root, "model");
    if (!json_is_object(root)) {
        return hf_refuse(reader, "the file", root, "an object");
    }
    static const char *const lengths[] = {"truncation", "padding"};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const json_t *found = json_object_get(root, lengths[i]);
        if (found != NULL && !json_is_null(found)) {
            return hf_refuse(reader, lengths[i], found, "null: texts keep their length here");
        }
    }
    if (!hf_check_keys(reader, "the file", root, keys) || !read_model_options(reader, model) ||
        !hf_read_normalizer(reader, json_object_get(root, "normalizer")) ||
        !hf_read_pre_tokenizer(reader, json_object_get(root, "pre_tokenizer")) ||
        !hf_check_post_processor(reader, json_object_get(root, "post_processor")) ||
        !hf_read_decoder(reader, json_object_get(root, "decoder")) ||
        !read_pieces(reader, root, model) ||
        !read_merges(reader, json_object_get(model, "merges")) || !find_unknown(reader, model)) {
        return false;
    }
    json_t *config = NULL;
    const bool ok = gpt2_config_open(&config, reader->path, reader->tokenizer, reader->err) &&
                    gpt2_config_find_roles(config, reader->tokenizer, reader->err);
    json_decref(config);
    byte_level_find_roles(reader->tokenizer);
    return ok && byte_level_finish(reader->tokenizer, true, reader->err);
}

bool hf_tokenizer_load(Tokenizer *tokenizer, const char *path, Error *err) {
    json_error_t fault;
    Buffer text = {0};
    if (!byte_level_start(tokenizer, err) || !buffer_load(&text, path, err)) {
        return false;
    }
    json_t *root =
        json_text_decode(text.bytes, text.length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &fault);
    buffer_free(&text);
    if (root == NULL) {
        return error_set(err, "%s:%d: %s, expected JSON", path, fault.line, fault.text);
    }
    HfReader reader = {path, tokenizer, tokenizer->detail->of.byte_level, err, false, false};
    bool ok = read_root(&reader, root);
    json_decref(root);
    return ok;
}
