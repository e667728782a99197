// tokenizer_choice.c - what a person says of how texts are read: special tokens, and the pattern of
// a rank file.
#include <string.h>

#include "engine/tokenizers/byte_level/byte_level.h"

// Patterns that rank files are made with.
static const char *const PATTERNS[] = {"gpt2", "cl100k", "o200k", "llama3", "qwen2", "tekken"};

static bool is_pattern(const char *name) {
    for (size_t i = 0; i < sizeof PATTERNS / sizeof PATTERNS[0]; i++) {
        if (strcmp(PATTERNS[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool tokenizer_choice_check(const TokenizerChoice *choice, Error *err) {
    if (choice->special != NULL && strcmp(choice->special, "token") != 0 &&
        strcmp(choice->special, "text") != 0) {
        return error_set(err, "--special: expected token or text, found \"%.40s\"",
                         choice->special);
    }
    return choice->pattern == NULL || is_pattern(choice->pattern) ||
           error_set(err,
                     "--pattern: expected gpt2, cl100k, o200k, llama3, qwen2 or tekken, found "
                     "\"%.40s\"",
                     choice->pattern);
}

static bool choose_pattern(Tokenizer *tokenizer, const char *name, Error *err) {
    if (tokenizer->kind != TOKENIZER_BYTE_LEVEL) {
        return error_set(err, "--pattern: expected a rank file, which does not say how text is "
                              "split; this tokenizer is of another kind");
    }
    SplitRule *split = &tokenizer->detail->of.byte_level->split;
    const char *own = byte_split_name(split);
    if (!tokenizer->assumes_pattern && (own == NULL || strcmp(own, name) != 0)) {
        return error_set(err, "--pattern %s: the tokenizer's file says how text is split%s%s", name,
                         own == NULL ? "" : ": as ", own == NULL ? "" : own);
    }
    tokenizer->assumes_pattern = false;
    return byte_split_named(name, split);
}

bool tokenizer_choose(Tokenizer *tokenizer, const TokenizerChoice *choice, Error *err) {
    if (!tokenizer_choice_check(choice, err)) {
        return false;
    }
    if (choice->special != NULL) {
        tokenizer->special_as_text = strcmp(choice->special, "text") == 0;
    }
    if (choice->pattern != NULL && !choose_pattern(tokenizer, choice->pattern, err)) {
        return false;
    }
    if (tokenizer->assumes_pattern) {
        buffer_append_text(&tokenizer->detail->note,
                           "tokenizer: its file does not say how text is split: as GPT-2's is; "
                           "--pattern P chooses another way\n");
    }
    return true;
}
