// byte_split_rules.c - the patterns that split text, as tokenizer.json spells them, and their
// names.
#include "engine/tokenizers/byte_level/byte_split.h"

#include <string.h>

typedef struct NamedRule {
    const char *name;
    SplitRule rule;
} NamedRule;

static const NamedRule RULES[] = {
    {"none", {SPLIT_NONE, 0, false, false}},     {"marks", {SPLIT_MARKS, 0, false, false}},
    {"gpt2", {SPLIT_GPT2, 0, false, false}},     {"cl100k", {SPLIT_CL100K, 3, false, true}},
    {"llama3", {SPLIT_CL100K, 3, false, false}}, {"qwen2", {SPLIT_CL100K, 1, false, false}},
    {"o200k", {SPLIT_O200K, 3, false, false}},   {"tekken", {SPLIT_O200K, 1, true, false}},
    {"digits", {SPLIT_DIGITS, 1, false, false}}, {"numbers", {SPLIT_DIGITS, 0, false, false}},
    {"spaces", {SPLIT_SPACES, 0, false, false}}, {"words", {SPLIT_WORDS, 0, false, false}},
    {"signs", {SPLIT_SIGNS, 0, false, false}},   {"clip", {SPLIT_CLIP, 0, false, false}},
};
enum { N_RULES = sizeof RULES / sizeof RULES[0] };

// The pieces that the spellings are put together from.
#define SHORT_FORMS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define LETTERS "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+"
#define CAPITALS "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define SMALLS "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define CASED(short_forms)                                                                         \
    "[^\\r\\n\\p{L}\\p{N}]?" CAPITALS "*" SMALLS "+" short_forms                                   \
    "|[^\\r\\n\\p{L}\\p{N}]?" CAPITALS "+" SMALLS "*" short_forms
#define SPACES "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

typedef struct Spelling {
    const char *pattern;
    const char *name;
} Spelling;

static const Spelling SPELLINGS[] = {
    {"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", "gpt2"},
    {"'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", "gpt2"},
    {"'(?:[sdmt]|ll|ve|re)| ?\\p{L}++| ?\\p{N}++| ?[^\\s\\p{L}\\p{N}]++|\\s++$|\\s+(?!\\S)|\\s",
     "gpt2"},
    {"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+"
     "| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s",
     "cl100k"},
    {SHORT_FORMS "|" LETTERS "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*" SPACES, "llama3"},
    {SHORT_FORMS "|" LETTERS "|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*" SPACES, "qwen2"},
    {CASED(SHORT_FORMS "?") "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" SPACES, "o200k"},
    {"'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+", "clip"},
    {CASED("") "|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" SPACES, "tekken"},
};

bool byte_split_find(const char *pattern, SplitRule *rule) {
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof SPELLINGS[0]; i++) {
        if (strcmp(SPELLINGS[i].pattern, pattern) == 0) {
            return byte_split_named(SPELLINGS[i].name, rule);
        }
    }
    return false;
}

const char *byte_split_pattern(const SplitRule *rule) {
    const char *name = byte_split_name(rule);
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof SPELLINGS[0]; i++) {
        if (strcmp(SPELLINGS[i].name, name) == 0) {
            return SPELLINGS[i].pattern;
        }
    }
    return NULL;
}

static bool same(const SplitRule *a, const SplitRule *b) {
    return a->family == b->family && a->max_digits == b->max_digits &&
           a->no_contractions == b->no_contractions && a->whole_end == b->whole_end;
}

const char *byte_split_name(const SplitRule *rule) {
    for (int i = 0; i < N_RULES; i++) {
        if (same(&RULES[i].rule, rule)) {
            return RULES[i].name;
        }
    }
    return "unknown";
}

bool byte_split_named(const char *name, SplitRule *rule) {
    for (int i = 0; i < N_RULES; i++) {
        if (strcmp(RULES[i].name, name) == 0) {
            *rule = RULES[i].rule;
            return true;
        }
    }
    return false;
}
