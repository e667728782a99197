// hf_pipeline.c - the parts of tokenizer.json that prepare text before it is merged.
#include <string.h>

#include "engine/hf_tokenizer.h"

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

// ---- normalizer

static bool read_one_normalizer(HfReader *reader, json_t *part) {
    static const struct {
        const char *type;
        ByteNormalizer normalizer;
    } known[] = {
        {"NFC", BYTE_NORMALIZER_NFC},
        {"NFD", BYTE_NORMALIZER_NFD},
        {"NFKC", BYTE_NORMALIZER_NFKC},
        {"NFKD", BYTE_NORMALIZER_NFKD},
    };
    static const char *const keys[] = {"type", NULL};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is_type(part, known[i].type)) {
            reader->level->normalizer = known[i].normalizer;
            return hf_check_keys(reader, "normalizer", part, keys);
        }
    }
    return refuse_type(reader, "normalizer", part, "null, NFC, NFD, NFKC or NFKD");
}

bool hf_read_normalizer(HfReader *reader, json_t *normalizer) {
    if (normalizer == NULL || json_is_null(normalizer)) {
        return true;
    }
    if (!is_type(normalizer, "Sequence")) {
        return read_one_normalizer(reader, normalizer);
    }
    const json_t *parts = json_object_get(normalizer, "normalizers");
    if (!json_is_array(parts) || json_array_size(parts) > 1) {
        return hf_refuse(reader, "normalizer.normalizers", parts, "at most one");
    }
    return json_array_size(parts) == 0 || read_one_normalizer(reader, json_array_get(parts, 0));
}

// ---- pre_tokenizer: [Digits,] [Split,] ByteLevel

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

bool hf_read_pre_tokenizer(HfReader *reader, json_t *pre_tokenizer) {
    PreTokenizer seen = {0};
    if (!is_type(pre_tokenizer, "Sequence")) {
        if (!read_pre_tokenizer(reader, pre_tokenizer, &seen)) {
            return false;
        }
    } else {
        const json_t *parts = json_object_get(pre_tokenizer, "pretokenizers");
        for (size_t i = 0; i < json_array_size(parts); i++) {
            if (!read_pre_tokenizer(reader, json_array_get(parts, i), &seen)) {
                return false;
            }
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

bool hf_check_decoder(const HfReader *reader, const json_t *decoder) {
    if (decoder == NULL || json_is_null(decoder)) {
        return true;
    }
    const json_t *parts = json_object_get(decoder, "decoders");
    if (is_type(decoder, "Sequence") && json_array_size(parts) == 1) {
        decoder = json_array_get(parts, 0);
    }
    return is_type(decoder, "ByteLevel") || refuse_type(reader, "decoder", decoder, "ByteLevel");
}
