// hf_pipeline.c - the parts of tokenizer.json that prepare text before it is merged.
#include <string.h>

#include "engine/tokenizers/hf_tokenizer.h"

static const char *type_of(const json_t *part) {
    const char *type = json_string_value(json_object_get(part, "type"));
    return type == NULL ? "" : type;
}

static bool is_type(const json_t *part, const char *type) {
    return strcmp(type_of(part), type) == 0;
}

// A flag that may be missing.
static bool flag(const json_t *part, const char *name, bool otherwise) {
    const json_t *value = json_object_get(part, name);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static bool refuse_type(const HfReader *reader, const char *where, const json_t *part,
                        const char *wanted) {
    const json_t *type = json_object_get(part, "type");
    return hf_refuse(reader, where, type == NULL ? part : type, wanted);
}

// A key that holds this text, as {"String": text} too.
static bool holds_text(const json_t *part, const char *key, const char *text) {
    const json_t *value = json_object_get(part, key);
    if (json_is_object(value)) {
        value = json_object_get(value, "String");
    }
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

// ---- normalizer: a normal form, then ▁ for spaces

static bool read_form(HfReader *reader, json_t *part, ByteNormalizer form) {
    static const char *const keys[] = {"type", NULL};
    if (reader->level->normalizer != BYTE_NORMALIZER_NONE || reader->level->mark != MARK_NONE) {
        return refuse_type(reader, "normalizer", part, "one normal form, and first");
    }
    reader->level->normalizer = form;
    return hf_check_keys(reader, "normalizer", part, keys);
}

// "Prepend ▁" and "Replace space by ▁", in either order, as files made from SentencePiece models
// have.
static bool read_marks(HfReader *reader, json_t *part) {
    static const char *const prepend_keys[] = {"type", "prepend", NULL};
    static const char *const replace_keys[] = {"type", "pattern", "content", NULL};
    if (is_type(part, "Prepend")) {
        reader->has_prepend = true;
        return (holds_text(part, "prepend", SPACE_MARK) ||
                hf_refuse(reader, "normalizer.prepend", json_object_get(part, "prepend"), "▁")) &&
               hf_check_keys(reader, "normalizer", part, prepend_keys);
    }
    reader->level->mark = MARK_SPACES;
    return ((holds_text(part, "pattern", " ") && holds_text(part, "content", SPACE_MARK)) ||
            hf_refuse(reader, "normalizer", part, "a Replace of spaces by ▁")) &&
           hf_check_keys(reader, "normalizer", part, replace_keys);
}

static bool read_one_normalizer(HfReader *reader, json_t *part) {
    static const struct {
        const char *type;
        ByteNormalizer form;
    } known[] = {
        {"NFC", BYTE_NORMALIZER_NFC},
        {"NFD", BYTE_NORMALIZER_NFD},
        {"NFKC", BYTE_NORMALIZER_NFKC},
        {"NFKD", BYTE_NORMALIZER_NFKD},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is_type(part, known[i].type)) {
            return read_form(reader, part, known[i].form);
        }
    }
    if (is_type(part, "Prepend") || is_type(part, "Replace")) {
        return read_marks(reader, part);
    }
    return refuse_type(reader, "normalizer", part,
                       "null, NFC, NFD, NFKC, NFKD, or Prepend and Replace of ▁");
}

bool hf_read_normalizer(HfReader *reader, json_t *normalizer) {
    if (normalizer == NULL || json_is_null(normalizer)) {
        return true;
    }
    const bool is_sequence = is_type(normalizer, "Sequence");
    const json_t *parts = json_object_get(normalizer, "normalizers");
    if (is_sequence && !json_is_array(parts)) {
        return hf_refuse(reader, "normalizer.normalizers", parts, "a list");
    }
    const size_t n_parts = is_sequence ? json_array_size(parts) : 1;
    reader->has_normalizer = n_parts > 0;
    for (size_t i = 0; i < n_parts; i++) {
        if (!read_one_normalizer(reader, is_sequence ? json_array_get(parts, i) : normalizer)) {
            return false;
        }
    }
    if (reader->has_prepend && reader->level->mark == MARK_NONE) {
        return hf_refuse(reader, "normalizer", normalizer, "a Replace of spaces beside Prepend");
    }
    reader->level->mark = reader->has_prepend ? MARK_ALWAYS : reader->level->mark;
    return true;
}

// ---- pre_tokenizer: [Digits,] [Split,] ByteLevel; or Metaspace; or none, after ▁ for spaces

typedef struct PreTokenizer {
    bool has_digits;
    bool has_split;
    bool has_bytes;
} PreTokenizer;

static bool read_digits(HfReader *reader, json_t *part, PreTokenizer *seen) {
    static const char *const keys[] = {"type", "individual_digits", NULL};
    if (seen->has_digits || seen->has_split) {
        return hf_refuse(reader, "pre_tokenizer", json_object_get(part, "type"),
                         "Digits once and first");
    }
    if (!flag(part, "individual_digits", false)) {
        return hf_refuse(reader, "pre_tokenizer.individual_digits",
                         json_object_get(part, "individual_digits"), "true");
    }
    seen->has_digits = true;
    reader->level->isolate_digits = true;
    return hf_check_keys(reader, "pre_tokenizer", part, keys);
}

// The patterns match all of the text, so that "each match apart" and "all between the matches
// removed" are the same.
static bool read_split(HfReader *reader, json_t *part, PreTokenizer *seen) {
    static const char *const keys[] = {"type", "pattern", "behavior", "invert", NULL};
    const json_t *regex = json_object_get(json_object_get(part, "pattern"), "Regex");
    const json_t *behavior = json_object_get(part, "behavior");
    const char *how = json_is_string(behavior) ? json_string_value(behavior) : "";
    bool inverted = flag(part, "invert", false);
    if (seen->has_split) {
        return hf_refuse(reader, "pre_tokenizer", json_object_get(part, "type"), "one Split");
    }
    if (!(strcmp(how, "Isolated") == 0 && !inverted) &&
        !(strcmp(how, "Removed") == 0 && inverted)) {
        return hf_refuse(reader, "pre_tokenizer.behavior", behavior, "Isolated, not inverted");
    }
    if (!json_is_string(regex) ||
        !byte_split_find(json_string_value(regex), &reader->level->split)) {
        return hf_refuse(reader, "pre_tokenizer.pattern",
                         regex == NULL ? json_object_get(part, "pattern") : regex,
                         "the pattern of GPT-2, cl100k, o200k, Llama 3, Qwen 2 or Tekken");
    }
    seen->has_split = true;
    return hf_check_keys(reader, "pre_tokenizer", part, keys);
}

static bool read_bytes(HfReader *reader, json_t *part, PreTokenizer *seen) {
    static const char *const keys[] = {"type", "add_prefix_space", "trim_offsets", "use_regex",
                                       NULL};
    if (reader->level->mark != MARK_NONE) {
        return refuse_type(reader, "pre_tokenizer", part, "none where spaces become ▁");
    }
    bool splits = flag(part, "use_regex", true);
    bool prefix = flag(part, "add_prefix_space", true);
    if (splits && seen->has_split) {
        return hf_refuse(reader, "pre_tokenizer.use_regex", json_object_get(part, "use_regex"),
                         "false after a Split");
    }
    if (prefix && (seen->has_split || seen->has_digits)) {
        return hf_refuse(reader, "pre_tokenizer.add_prefix_space",
                         json_object_get(part, "add_prefix_space"),
                         "false after a Split or Digits");
    }
    if (!seen->has_split) {
        reader->level->split = (SplitRule){splits ? SPLIT_GPT2 : SPLIT_NONE, 0, false, false};
    }
    reader->level->prefix_space = prefix;
    seen->has_bytes = true;
    return hf_check_keys(reader, "pre_tokenizer", part, keys);
}

static bool read_pre_tokenizer(HfReader *reader, json_t *part, PreTokenizer *seen) {
    if (seen->has_bytes) {
        return refuse_type(reader, "pre_tokenizer", part, "nothing after ByteLevel");
    }
    if (is_type(part, "Digits")) {
        return read_digits(reader, part, seen);
    }
    if (is_type(part, "Split")) {
        return read_split(reader, part, seen);
    }
    if (is_type(part, "ByteLevel")) {
        return read_bytes(reader, part, seen);
    }
    return refuse_type(reader, "pre_tokenizer", part,
                       "ByteLevel, with Digits or a Split before it");
}

static bool read_metaspace(HfReader *reader, json_t *part) {
    static const char *const keys[] = {"type",  "replacement",    "str_rep", "add_prefix_space",
                                       "split", "prepend_scheme", NULL};
    static const struct {
        const char *scheme;
        SpaceMark mark;
    } known[] = {{"always", MARK_MISSING}, {"first", MARK_FIRST}, {"never", MARK_SPACES}};
    ByteLevel *level = reader->level;
    const json_t *scheme = json_object_get(part, "prepend_scheme");
    const char *name = flag(part, "add_prefix_space", true) ? "always" : "never";
    name = json_is_string(scheme) ? json_string_value(scheme) : name;
    if (!holds_text(part, "replacement", SPACE_MARK)) {
        return hf_refuse(reader, "pre_tokenizer.replacement", json_object_get(part, "replacement"),
                         "▁");
    }
    if (level->mark != MARK_NONE) {
        return refuse_type(reader, "pre_tokenizer", part, "none where a Replace makes ▁");
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        level->mark = strcmp(known[i].scheme, name) == 0 ? known[i].mark : level->mark;
    }
    if (level->mark == MARK_NONE) {
        return hf_refuse(reader, "pre_tokenizer.prepend_scheme", scheme, "always, first or never");
    }
    level->split.family = flag(part, "split", true) ? SPLIT_MARKS : SPLIT_NONE;
    return hf_check_keys(reader, "pre_tokenizer", part, keys);
}

// Files made from SentencePiece models start from characters and split at spaces at most.
static bool read_character_pre_tokenizer(HfReader *reader, json_t *pre_tokenizer) {
    reader->level->characters = true;
    reader->level->split = (SplitRule){SPLIT_NONE, 0, false, false};
    if (is_type(pre_tokenizer, "Metaspace")) {
        return read_metaspace(reader, pre_tokenizer);
    }
    // A Split at spaces finds none where they are ▁ by then.
    const bool idle =
        json_is_null(pre_tokenizer) || pre_tokenizer == NULL ||
        (is_type(pre_tokenizer, "Split") && holds_text(pre_tokenizer, "pattern", " "));
    return (idle && reader->level->mark != MARK_NONE) ||
           hf_refuse(reader, "pre_tokenizer", pre_tokenizer,
                     "ByteLevel, Metaspace, or ▁ for spaces");
}

bool hf_read_pre_tokenizer(HfReader *reader, json_t *pre_tokenizer) {
    PreTokenizer seen = {0};
    const bool marked = reader->level->mark != MARK_NONE && !is_type(pre_tokenizer, "ByteLevel") &&
                        !is_type(pre_tokenizer, "Sequence");
    if (marked || pre_tokenizer == NULL || json_is_null(pre_tokenizer) ||
        is_type(pre_tokenizer, "Metaspace")) {
        return read_character_pre_tokenizer(reader, pre_tokenizer);
    }
    const bool is_sequence = is_type(pre_tokenizer, "Sequence");
    const json_t *parts = json_object_get(pre_tokenizer, "pretokenizers");
    const size_t n_parts = is_sequence ? json_array_size(parts) : 1;
    for (size_t i = 0; i < n_parts; i++) {
        json_t *part = is_sequence ? json_array_get(parts, i) : pre_tokenizer;
        if (!read_pre_tokenizer(reader, part, &seen)) {
            return false;
        }
    }
    return seen.has_bytes || hf_refuse(reader, "pre_tokenizer",
                                       json_object_get(pre_tokenizer, "type"), "ByteLevel in it");
}

// ---- what follows the merges

// Special tokens around the text are the caller's to add here; offsets are not kept.
bool hf_check_post_processor(const HfReader *reader, const json_t *post_processor) {
    static const char *const known[] = {"ByteLevel", "TemplateProcessing", "RobertaProcessing",
                                        "BertProcessing"};
    if (post_processor == NULL || json_is_null(post_processor)) {
        return true;
    }
    const json_t *parts = json_object_get(post_processor, "processors");
    bool is_sequence = is_type(post_processor, "Sequence") && json_is_array(parts);
    size_t n_parts = is_sequence ? json_array_size(parts) : 1;
    for (size_t i = 0; i < n_parts; i++) {
        const json_t *part = is_sequence ? json_array_get(parts, i) : post_processor;
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            found = found || is_type(part, known[k]);
        }
        if (!found) {
            return refuse_type(
                reader, "post_processor", part,
                "ByteLevel, TemplateProcessing, RobertaProcessing or BertProcessing");
        }
    }
    return true;
}

// One step that undoes the ▁; it may take a space off the start.
static bool read_mark_decoder(HfReader *reader, const json_t *part) {
    if (is_type(part, "Metaspace")) {
        reader->level->strip_space = reader->level->mark != MARK_SPACES;
        return true;
    }
    if (is_type(part, "Strip")) {
        const json_t *start = json_object_get(part, "start");
        const json_t *stop = json_object_get(part, "stop");
        reader->level->strip_space = json_integer_value(start) == 1;
        return (holds_text(part, "content", " ") && json_integer_value(start) <= 1 &&
                json_integer_value(stop) == 0) ||
               hf_refuse(reader, "decoder", part, "a Strip of one space at the start");
    }
    const bool replaces = is_type(part, "Replace") && holds_text(part, "pattern", SPACE_MARK) &&
                          holds_text(part, "content", " ");
    return replaces || is_type(part, "ByteFallback") || is_type(part, "Fuse") ||
           hf_refuse(reader, "decoder", part,
                     "Metaspace, or Replace, ByteFallback, Fuse and Strip");
}

bool hf_read_decoder(HfReader *reader, const json_t *decoder) {
    if (decoder == NULL || json_is_null(decoder)) {
        return true;
    }
    const json_t *parts = json_object_get(decoder, "decoders");
    const bool is_sequence = is_type(decoder, "Sequence") && json_is_array(parts);
    const size_t n_parts = is_sequence ? json_array_size(parts) : 1;
    for (size_t i = 0; i < n_parts; i++) {
        const json_t *part = is_sequence ? json_array_get(parts, i) : decoder;
        if (reader->level->characters ? !read_mark_decoder(reader, part)
                                      : !is_type(part, "ByteLevel") &&
                                            !refuse_type(reader, "decoder", part, "ByteLevel")) {
            return false;
        }
    }
    return true;
}
