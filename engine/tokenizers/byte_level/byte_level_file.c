// byte_level_file.c - a byte-level tokenizer in our text file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/byte_level/byte_level.h"

static const char *const NORMALIZERS[] = {"none", "nfc", "nfd", "nfkc", "nfkd"};
enum { N_NORMALIZERS = sizeof NORMALIZERS / sizeof NORMALIZERS[0] };
static const char *const MARKS[] = {"none", "spaces", "always", "missing", "first", "never"};
enum { N_MARKS = sizeof MARKS / sizeof MARKS[0] };
static const SplitRule EACH_DIGIT = {SPLIT_DIGITS, 1, false, false};

typedef struct LevelFlag {
    const char *name;
    bool *value;
    bool if_set; // written only then: such files, and their hashes, are older than the flag
} LevelFlag;
enum { N_FLAGS = 9 };

static void level_flags(Tokenizer *tokenizer, LevelFlag flags[N_FLAGS]) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    const LevelFlag all[N_FLAGS] = {
        {"prefix_space", &level->prefix_space, false},
        {"whole_words", &level->whole_words, false},
        {"by_rank", &level->by_rank, false},
        {"characters", &level->characters, false},
        {"byte_fallback", &level->byte_fallback, false},
        {"fuse_unknown", &level->fuse_unknown, false},
        {"strip_space", &level->strip_space, false},
        {"join_pieces", &level->join_pieces, true},
        {"lowercase", &level->lowercase, true},
    };
    memcpy(flags, all, sizeof all);
}

// ---- options of tokens that the text may name

typedef struct TokenFlag {
    const char *name;
    bool *value;
} TokenFlag;
enum { N_TOKEN_FLAGS = 5 };

static void token_flags(AddedToken *token, TokenFlag flags[N_TOKEN_FLAGS]) {
    flags[0] = (TokenFlag){"special", &token->is_special};
    flags[1] = (TokenFlag){"single_word", &token->single_word};
    flags[2] = (TokenFlag){"takes_left", &token->takes_left};
    flags[3] = (TokenFlag){"takes_right", &token->takes_right};
    flags[4] = (TokenFlag){"normalized", &token->in_normalized};
}

static void save_token(const AddedToken *token, Buffer *lines) {
    AddedToken copy = *token;
    TokenFlag flags[N_TOKEN_FLAGS];
    token_flags(&copy, flags);
    buffer_format(lines, "added %d", token->id);
    for (int i = 0; i < N_TOKEN_FLAGS; i++) {
        buffer_append_text(lines, *flags[i].value ? " " : "");
        buffer_append_text(lines, *flags[i].value ? flags[i].name : "");
    }
    buffer_append_text(lines, "\n");
}

static bool read_token(const Tokenizer *tokenizer, const char *value) {
    char *at = NULL;
    const long id = strtol(value, &at, 10);
    if (at == value || id < 0 || id >= tokenizer->n_pieces) {
        return false;
    }
    AddedToken token = {.id = (int32_t)id};
    TokenFlag flags[N_TOKEN_FLAGS];
    token_flags(&token, flags);
    while (*at == ' ') {
        at++;
        const size_t length = strcspn(at, " ");
        bool is_known = false;
        for (int i = 0; i < N_TOKEN_FLAGS; i++) {
            if (strlen(flags[i].name) == length && memcmp(flags[i].name, at, length) == 0) {
                *flags[i].value = true;
                is_known = true;
            }
        }
        if (!is_known) {
            return false;
        }
        at += length;
    }
    byte_level_add_token(tokenizer->detail->of.byte_level, &token);
    return *at == '\0';
}

// ---- writing

static bool isolates_digits(const ByteLevel *level) {
    return level->n_before > 0 && level->before[0].family == SPLIT_DIGITS &&
           level->before[0].max_digits == 1;
}

static void save_affix(const char *name, const char *affix, Buffer *lines) {
    if (affix[0] != '\0') {
        buffer_format(lines, "%s ", name);
        tokenizer_escape(lines, affix, strlen(affix));
        buffer_append_text(lines, "\n");
    }
}

static void save_options(Tokenizer *tokenizer, Buffer *lines) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    buffer_format(lines, "split %s\nnormalizer %s\nmark %s\nisolate_digits %s\n",
                  byte_split_name(&level->split), NORMALIZERS[level->normalizer],
                  MARKS[level->mark], isolates_digits(level) ? "yes" : "no");
    LevelFlag flags[N_FLAGS];
    level_flags(tokenizer, flags);
    for (int i = 0; i < N_FLAGS; i++) {
        if (*flags[i].value || !flags[i].if_set) {
            buffer_format(lines, "%s %s\n", flags[i].name, *flags[i].value ? "yes" : "no");
        }
    }
    for (int i = isolates_digits(level) ? 1 : 0; i < level->n_before; i++) {
        buffer_format(lines, "before %s\n", byte_split_name(&level->before[i]));
    }
    save_affix("prefix", level->prefix, lines);
    save_affix("suffix", level->suffix, lines);
    for (int i = 0; i < level->n_tokens; i++) {
        save_token(&level->tokens[i], lines);
    }
}

void byte_level_save(const Tokenizer *tokenizer, Buffer *lines) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    Tokenizer copy = *tokenizer;
    save_options(&copy, lines);
    for (int i = 0; i < level->n_merges; i++) {
        const Piece *left = &tokenizer->pieces[level->merges[i].left];
        const Piece *right = &tokenizer->pieces[level->merges[i].right];
        buffer_append_text(lines, "merge ");
        tokenizer_escape(lines, left->bytes, (size_t)left->length);
        buffer_append_text(lines, " ");
        tokenizer_escape(lines, right->bytes, (size_t)right->length);
        buffer_append_text(lines, "\n");
    }
}

// ---- reading

static bool read_merge(Tokenizer *tokenizer, const TokenizerSettings *settings,
                       const TokenizerSetting *setting, Buffer *left, Buffer *right, Error *err) {
    const char *space = strchr(setting->value, ' ');
    left->length = 0;
    right->length = 0;
    if (space == NULL ||
        !tokenizer_unescape(left, setting->value, (size_t)(space - setting->value)) ||
        !tokenizer_unescape(right, space + 1, strlen(space + 1))) {
        return error_set(err, "%s:%d: expected two escaped pieces, found \"%.60s\"", settings->path,
                         setting->line, setting->value);
    }
    return byte_level_add_merge(tokenizer, left->bytes, left->length, right->bytes, right->length,
                                settings->path, setting->line, err);
}

static int find_name(const char *const *names, int n_names, const char *name) {
    for (int i = 0; i < n_names; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_before(ByteLevel *level, const char *name) {
    return level->n_before < MOST_SPLITS - 1 &&
           byte_split_named(name, &level->before[level->n_before++]);
}

static bool read_affix(const char *value, char affix[AFFIX_BYTES]) {
    Buffer bytes = {0};
    buffer_append(&bytes, "", 0);
    const bool ok = tokenizer_unescape(&bytes, value, strlen(value)) && bytes.length > 0 &&
                    bytes.length < AFFIX_BYTES && strlen(bytes.bytes) == bytes.length;
    if (ok) {
        memcpy(affix, bytes.bytes, bytes.length + 1);
    }
    buffer_free(&bytes);
    return ok;
}

static bool read_flag(Tokenizer *tokenizer, const TokenizerSetting *setting) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    const bool yes = strcmp(setting->value, "yes") == 0;
    LevelFlag flags[N_FLAGS];
    level_flags(tokenizer, flags);
    bool is_known = strcmp(setting->name, "isolate_digits") == 0;
    if (is_known && yes) {
        level->before[0] = EACH_DIGIT;
        level->n_before = 1;
    }
    for (int i = 0; i < N_FLAGS; i++) {
        if (strcmp(setting->name, flags[i].name) == 0) {
            *flags[i].value = yes;
            is_known = true;
        }
    }
    return is_known && (yes || strcmp(setting->value, "no") == 0);
}

// Any setting but a merge. False without a sentence: the name or its value is none of ours.
static bool read_option(Tokenizer *tokenizer, const TokenizerSetting *setting) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    if (strcmp(setting->name, "split") == 0) {
        return byte_split_named(setting->value, &level->split);
    }
    if (strcmp(setting->name, "normalizer") == 0) {
        const int found = find_name(NORMALIZERS, N_NORMALIZERS, setting->value);
        level->normalizer = (ByteNormalizer)(found < 0 ? 0 : found);
        return found >= 0;
    }
    if (strcmp(setting->name, "mark") == 0) {
        const int found = find_name(MARKS, N_MARKS, setting->value);
        level->mark = (SpaceMark)(found < 0 ? 0 : found);
        return found >= 0;
    }
    if (strcmp(setting->name, "before") == 0) {
        return read_before(level, setting->value);
    }
    if (strcmp(setting->name, "prefix") == 0) {
        return read_affix(setting->value, level->prefix);
    }
    if (strcmp(setting->name, "suffix") == 0) {
        return read_affix(setting->value, level->suffix);
    }
    if (strcmp(setting->name, "added") == 0) {
        return read_token(tokenizer, setting->value);
    }
    return read_flag(tokenizer, setting);
}

bool byte_level_load(Tokenizer *tokenizer, const TokenizerSettings *settings, Error *err) {
    ByteLevel *level = calloc(1, sizeof *level);
    if (level == NULL) {
        return error_set(err, "no memory for a tokenizer");
    }
    tokenizer->detail->of.byte_level = level;
    bool ok = byte_level_reserve_merges(level, (size_t)settings->n_settings, err);
    Buffer left = {0};
    Buffer right = {0};
    for (int i = 0; i < settings->n_settings && ok; i++) {
        const TokenizerSetting *setting = &settings->settings[i];
        if (strcmp(setting->name, "merge") == 0) {
            ok = read_merge(tokenizer, settings, setting, &left, &right, err);
        } else if (!read_option(tokenizer, setting)) {
            ok = error_set(
                err, "%s:%d: expected a setting of a byte-level tokenizer, found \"%.40s %.40s\"",
                settings->path, setting->line, setting->name, setting->value);
        }
    }
    buffer_free(&left);
    buffer_free(&right);
    return ok && byte_level_finish(tokenizer, true, err);
}
