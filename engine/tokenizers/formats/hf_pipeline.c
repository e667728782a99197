// hf_pipeline.c - the parts of tokenizer.json that prepare text before it is merged.
#include <string.h>

#include "engine/tokenizers/formats/hf_tokenizer.h"

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
    if (reader->level->normalizer != BYTE_NORMALIZER_NONE || reader->level->mark != MARK_NONE ||
        reader->level->lowercase) {
        return refuse_type(reader, "normalizer", part, "one normal form, and first");
    }
    reader->level->normalizer = form;
    return hf_check_keys(reader, "normalizer", part, keys);
}

// "Prepend ▁" and "Replace space by ▁", in either order, as files made from SentencePiece models
// have; or "Replace white space by one space", as CLIP's has.
static bool read_marks(HfReader *reader, json_t *part) {
    static const char *const prepend_keys[] = {"type", "prepend", NULL};
    static const char *const replace_keys[] = {"type", "pattern", "content", NULL};
    if (is_type(part, "Prepend")) {
        reader->has_prepend = true;
        return (holds_text(part, "prepend", SPACE_MARK) ||
                hf_refuse(reader, "normalizer.prepend", json_object_get(part, "prepend"), "▁")) &&
               hf_check_keys(reader, "normalizer", part, prepend_keys);
    }
    const json_t *regex = json_object_get(json_object_get(part, "pattern"), "Regex");
    if (json_is_string(regex) && strcmp(json_string_value(regex), "\\s+") == 0 &&
        holds_text(part, "content", " ")) {
        reader->squeezes_space = true;
        return hf_check_keys(reader, "normalizer", part, replace_keys);
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
    if (is_type(part, "Lowercase")) {
        static const char *const keys[] = {"type", NULL};
        reader->level->lowercase = true;
        return hf_check_keys(reader, "normalizer", part, keys);
    }
    if (is_type(part, "Prepend") || is_type(part, "Replace")) {
        return read_marks(reader, part);
    }
    return refuse_type(reader, "normalizer", part,
                       "null, NFC, NFD, NFKC, NFKD, Lowercase, or Prepend and Replace of ▁");
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

// ---- pre_tokenizer: splits, one in the pieces of the other, and ByteLevel at last; or Metaspace;
// or none, after ▁ for spaces

typedef struct PreTokenizer {
    SplitRule rules[MOST_SPLITS]; // n_rules
    int n_rules;
    bool has_bytes;
} PreTokenizer;

static bool append_rule(const HfReader *reader, const json_t *part, PreTokenizer *seen,
                        SplitFamily family, int max_digits) {
    if (seen->n_rules == MOST_SPLITS) {
        return refuse_type(reader, "pre_tokenizer", part, "at most four splits");
    }
    seen->rules[seen->n_rules++] = (SplitRule){family, max_digits, false, false};
    return true;
}

static bool read_digits(const HfReader *reader, json_t *part, PreTokenizer *seen) {
    static const char *const keys[] = {"type", "individual_digits", NULL};
    return append_rule(reader, part, seen, SPLIT_DIGITS, flag(part, "individual_digits", false)) &&
           hf_check_keys(reader, "pre_tokenizer", part, keys);
}

static bool read_punctuation(const HfReader *reader, json_t *part, PreTokenizer *seen) {
    static const char *const keys[] = {"type", "behavior", NULL};
    const json_t *behavior = json_object_get(part, "behavior");
    if (behavior != NULL && !holds_text(part, "behavior", "Isolated")) {
        return hf_refuse(reader, "pre_tokenizer.behavior", behavior, "Isolated");
    }
    return append_rule(reader, part, seen, SPLIT_SIGNS, 0) &&
           hf_check_keys(reader, "pre_tokenizer", part, keys);
}

// A pattern that matches all of the text splits alike where each match is apart and where all
// between the matches is removed; one that leaves out white space is known in the second form only.
static bool read_split(const HfReader *reader, json_t *part, PreTokenizer *seen) {
    static const char *const keys[] = {"type", "pattern", "behavior", "invert", NULL};
    const json_t *regex = json_object_get(json_object_get(part, "pattern"), "Regex");
    const bool inverted = flag(part, "invert", false);
    SplitRule rule = {SPLIT_NONE, 0, false, false};
    if (!json_is_string(regex) || !byte_split_find(json_string_value(regex), &rule)) {
        return hf_refuse(reader, "pre_tokenizer.pattern",
                         regex == NULL ? json_object_get(part, "pattern") : regex,
                         "the pattern of GPT-2, cl100k, o200k, Llama 3, Qwen 2, Tekken or CLIP");
    }
    const bool isolates = holds_text(part, "behavior", "Isolated") && !inverted;
    const bool removes = holds_text(part, "behavior", "Removed") && inverted;
    if (!removes && (!isolates || byte_split_drops_spaces(&rule))) {
        return hf_refuse(reader, "pre_tokenizer.behavior", json_object_get(part, "behavior"),
                         byte_split_drops_spaces(&rule) ? "Removed, inverted"
                                                        : "Isolated, not inverted");
    }
    if (!append_rule(reader, part, seen, SPLIT_NONE, 0)) {
        return false;
    }
    seen->rules[seen->n_rules - 1] = rule;
    return hf_check_keys(reader, "pre_tokenizer", part, keys);
}

static bool read_bytes(HfReader *reader, json_t *part, PreTokenizer *seen) {
    static const char *const keys[] = {"type", "add_prefix_space", "trim_offsets", "use_regex",
                                       NULL};
    if (reader->level->mark != MARK_NONE) {
        return refuse_type(reader, "pre_tokenizer", part, "none where spaces become ▁");
    }
    const bool prefix = flag(part, "add_prefix_space", true);
    if (prefix && seen->n_rules > 0) {
        return hf_refuse(reader, "pre_tokenizer.add_prefix_space",
                         json_object_get(part, "add_prefix_space"), "false after a split");
    }
    reader->level->prefix_space = prefix;
    seen->has_bytes = true;
    return (!flag(part, "use_regex", true) || append_rule(reader, part, seen, SPLIT_GPT2, 0)) &&
           hf_check_keys(reader, "pre_tokenizer", part, keys);
}

static bool read_pre_tokenizer(HfReader *reader, json_t *part, PreTokenizer *seen) {
    static const char *const keys[] = {"type", NULL};
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
    if (is_type(part, "Punctuation")) {
        return read_punctuation(reader, part, seen);
    }
    if (is_type(part, "Whitespace")) {
        return append_rule(reader, part, seen, SPLIT_WORDS, 0) &&
               hf_check_keys(reader, "pre_tokenizer", part, keys);
    }
    const bool is_bert = is_type(part, "BertPreTokenizer");
    if (is_bert || is_type(part, "WhitespaceSplit")) {
        return append_rule(reader, part, seen, SPLIT_SPACES, 0) &&
               (!is_bert || append_rule(reader, part, seen, SPLIT_SIGNS, 0)) &&
               hf_check_keys(reader, "pre_tokenizer", part, keys);
    }
    return refuse_type(reader, "pre_tokenizer", part,
                       "ByteLevel, Whitespace, WhitespaceSplit, Punctuation, BertPreTokenizer, "
                       "Digits or a Split, or Metaspace alone");
}

static bool read_metaspace(HfReader *reader, json_t *part) {
    static const char *const keys[] = {"type",  "replacement",    "str_rep", "add_prefix_space",
                                       "split", "prepend_scheme", NULL};
    static const struct {
        const char *scheme;
        SpaceMark mark;
    } known[] = {{"always", MARK_MISSING}, {"first", MARK_FIRST}, {"never", MARK_NEVER}};
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

// The last rule splits into words, those before it into the texts that it splits.
static void take_rules(ByteLevel *level, const PreTokenizer *seen) {
    level->n_before = seen->n_rules > 0 ? seen->n_rules - 1 : 0;
    for (int i = 0; i < level->n_before; i++) {
        level->before[i] = seen->rules[i];
    }
    level->split = seen->n_rules > 0 ? seen->rules[seen->n_rules - 1]
                                     : (SplitRule){SPLIT_NONE, 0, false, false};
    level->characters = !seen->has_bytes;
}

bool hf_read_pre_tokenizer(HfReader *reader, json_t *pre_tokenizer) {
    PreTokenizer seen = {0};
    const bool marked = reader->level->mark != MARK_NONE && !is_type(pre_tokenizer, "ByteLevel") &&
                        !is_type(pre_tokenizer, "Sequence");
    if (marked || pre_tokenizer == NULL || json_is_null(pre_tokenizer) ||
        is_type(pre_tokenizer, "Metaspace")) {
        if (reader->squeezes_space) {
            return hf_refuse(reader, "pre_tokenizer", pre_tokenizer,
                             "a split that leaves out white space");
        }
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
    take_rules(reader->level, &seen);
    if (reader->squeezes_space && !(seen.n_rules > 0 && byte_split_drops_spaces(&seen.rules[0]))) {
        return refuse_type(reader, "pre_tokenizer", pre_tokenizer,
                           "a first split that leaves out white space, of which the normalizer "
                           "makes single spaces");
    }
    return n_parts > 0 || hf_refuse(reader, "pre_tokenizer.pretokenizers", parts, "a list");
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
        reader->level->strip_space =
            reader->level->mark != MARK_SPACES && reader->level->mark != MARK_NEVER;
        return true;
    }
    if (is_type(part, "BPEDecoder")) {
        return holds_text(part, "suffix", reader->level->suffix) ||
               hf_refuse(reader, "decoder.suffix", json_object_get(part, "suffix"),
                         "the model's end_of_word_suffix");
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
                     "BPEDecoder, Metaspace, or Replace, ByteFallback, Fuse and Strip");
}

bool hf_read_decoder(HfReader *reader, const json_t *decoder) {
    ByteLevel *level = reader->level;
    if (decoder == NULL || json_is_null(decoder)) {
        level->join_pieces =
            level->characters && level->mark == MARK_NONE && level->suffix[0] == '\0';
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
