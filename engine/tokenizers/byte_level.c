// byte_level.c - byte-pair encoding over bytes, as GPT-2 does it: made, shown, decoded, saved.
#include "engine/tokenizers/byte_level.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/byte_map.h"

bool byte_level_start(Tokenizer *tokenizer, Error *err) {
    tokenizer_start(tokenizer, TOKENIZER_BYTE_LEVEL);
    ByteLevel *level = calloc(1, sizeof *level);
    if (level == NULL) {
        return error_set(err, "no memory for a tokenizer");
    }
    level->split.family = SPLIT_GPT2;
    tokenizer->detail->of.byte_level = level;
    return true;
}

static void level_free(Tokenizer *tokenizer) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    if (level == NULL) {
        return;
    }
    free(level->merges);
    free(level->user_ids);
    free(level->widths);
    pair_table_free(&level->pairs);
    word_table_free(&level->words);
    free(level);
    tokenizer->detail->of.byte_level = NULL;
}

static bool level_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buffer *text,
                         Error *err) {
    (void)err;
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    Buffer out = {0};
    buffer_append(&out, "", 0);
    for (size_t i = 0; i < count; i++) {
        const Piece *piece = &tokenizer->pieces[ids[i]];
        if (piece->kind == PIECE_CONTROL || piece->kind == PIECE_UNUSED) {
            continue;
        }
        if (piece->kind == PIECE_BYTE) {
            const char byte = (char)strtol(piece->bytes + 1, NULL, 16); // <0xE4>
            buffer_append(&out, &byte, 1);
        } else if (level->mark != MARK_NONE) {
            byte_level_unmark_spaces(piece->bytes, (size_t)piece->length, &out);
        } else {
            buffer_append(&out, piece->bytes, (size_t)piece->length);
        }
    }
    const size_t skipped = level->strip_space && out.length > 0 && out.bytes[0] == ' ' ? 1 : 0;
    buffer_append(text, out.bytes + skipped, out.length - skipped);
    buffer_free(&out);
    return true;
}

// Spaces and control codes as GPT-2's vocabulary writes them, Ġ and Ċ; all else as it reads.
static void level_piece_text(const Tokenizer *tokenizer, int id, char *text, size_t size) {
    const Piece *piece = &tokenizer->pieces[id];
    if (tokenizer->detail->of.byte_level->characters) {
        const bool is_byte = piece->kind == PIECE_BYTE;
        const char byte = is_byte ? (char)strtol(piece->bytes + 1, NULL, 16) : '\0';
        tokenizer_clean(is_byte ? &byte : piece->bytes, is_byte ? 1 : (size_t)piece->length, text,
                        size);
        return;
    }
    Buffer mapped = {0};
    buffer_append(&mapped, "", 0);
    for (int i = 0; i < piece->length; i++) {
        uint8_t byte = (uint8_t)piece->bytes[i];
        int32_t character = byte < 0x80 ? byte_map_character(byte) : byte;
        char two[2] = {(char)(0xC0 | character >> 6), (char)(0x80 | (character & 0x3F))};
        bool moved = byte < 0x80 && character != byte;
        buffer_append(&mapped, moved ? two : &piece->bytes[i], moved ? 2 : 1);
    }
    tokenizer_clean(mapped.bytes, mapped.length, text, size);
    buffer_free(&mapped);
}

// ---- our text file

static const char *const NORMALIZERS[] = {"none", "nfc", "nfd", "nfkc", "nfkd"};
enum { N_NORMALIZERS = sizeof NORMALIZERS / sizeof NORMALIZERS[0] };
static const char *const MARKS[] = {"none", "spaces", "always", "missing", "first"};
enum { N_MARKS = sizeof MARKS / sizeof MARKS[0] };

typedef struct LevelFlag {
    const char *name;
    bool *value;
} LevelFlag;
enum { N_FLAGS = 8 };

static void level_flags(ByteLevel *level, LevelFlag flags[N_FLAGS]) {
    flags[0] = (LevelFlag){"isolate_digits", &level->isolate_digits};
    flags[1] = (LevelFlag){"prefix_space", &level->prefix_space};
    flags[2] = (LevelFlag){"whole_words", &level->whole_words};
    flags[3] = (LevelFlag){"by_rank", &level->by_rank};
    flags[4] = (LevelFlag){"characters", &level->characters};
    flags[5] = (LevelFlag){"byte_fallback", &level->byte_fallback};
    flags[6] = (LevelFlag){"fuse_unknown", &level->fuse_unknown};
    flags[7] = (LevelFlag){"strip_space", &level->strip_space};
}

static void level_save(const Tokenizer *tokenizer, Buffer *lines) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    buffer_format(lines, "split %s\nnormalizer %s\nmark %s\n", byte_split_name(&level->split),
                  NORMALIZERS[level->normalizer], MARKS[level->mark]);
    LevelFlag flags[N_FLAGS];
    level_flags(level, flags);
    for (int i = 0; i < N_FLAGS; i++) {
        buffer_format(lines, "%s %s\n", flags[i].name, *flags[i].value ? "yes" : "no");
    }
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

// Any setting but a merge. False without a sentence: the name or its value is none of ours.
static bool read_option(ByteLevel *level, const TokenizerSetting *setting) {
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
    LevelFlag flags[N_FLAGS];
    level_flags(level, flags);
    bool yes = strcmp(setting->value, "yes") == 0;
    for (int i = 0; i < N_FLAGS; i++) {
        if (strcmp(setting->name, flags[i].name) == 0) {
            *flags[i].value = yes;
            return yes || strcmp(setting->value, "no") == 0;
        }
    }
    return false;
}

static bool level_load(Tokenizer *tokenizer, const TokenizerSettings *settings, Error *err) {
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
        } else if (!read_option(level, setting)) {
            ok = error_set(
                err, "%s:%d: expected a setting of a byte-level tokenizer, found \"%.40s %.40s\"",
                settings->path, setting->line, setting->name, setting->value);
        }
    }
    buffer_free(&left);
    buffer_free(&right);
    return ok && byte_level_finish(tokenizer, true, err);
}

const TokenizerMethods BYTE_LEVEL_METHODS = {
    .name = "byte-level",
    .encode = byte_level_encode,
    .decode = level_decode,
    .piece_text = level_piece_text,
    .save = level_save,
    .load = level_load,
    .free = level_free,
};
