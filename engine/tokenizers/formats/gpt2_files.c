// gpt2_files.c - reads GPT-2's vocab.json with merges.txt, and tiktoken's rank files.
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/byte_level/byte_level.h"
#include "engine/tokenizers/byte_level/byte_map.h"
#include "engine/tokenizers/formats/gpt2_config.h"

// The line at *start, without its end, and *start behind it; NULL where the file ends.
static const char *next_line(const Buffer *file, size_t *start, size_t *length) {
    if (*start >= file->length) {
        return NULL;
    }
    const char *text = file->bytes + *start;
    const char *newline = memchr(text, '\n', file->length - *start);
    *length = newline == NULL ? file->length - *start : (size_t)(newline - text);
    *start += *length + 1;
    *length -= *length > 0 && text[*length - 1] == '\r';
    return text;
}

// ---- merges.txt: "Ġ t" a line, the earlier the lower the rank

static bool read_merge_line(Tokenizer *tokenizer, const char *text, size_t length, const char *path,
                            int line, Error *err) {
    char left[512];
    char right[512];
    const char *space = memchr(text, ' ', length);
    size_t left_length = space == NULL ? length : (size_t)(space - text);
    size_t right_length = space == NULL ? 0 : length - left_length - 1;
    if (left_length == 0 || right_length == 0 || memchr(space + 1, ' ', right_length) != NULL ||
        left_length > sizeof left || right_length > sizeof right) {
        char shown[64];
        tokenizer_clean(text, length, shown, sizeof shown);
        return error_set(err, "%s:%d: expected two pieces with a space between, found \"%s\"", path,
                         line, shown);
    }
    long left_bytes = byte_map_undo(text, left_length, left);
    long right_bytes = byte_map_undo(space + 1, right_length, right);
    if (left_bytes < 0 || right_bytes < 0) {
        return error_set(err, "%s:%d: expected characters of GPT-2's byte map only", path, line);
    }
    return byte_level_add_merge(tokenizer, left, (size_t)left_bytes, right, (size_t)right_bytes,
                                path, line, err);
}

// Pieces that end words are written so in CLIP's and GPT-1's files, which do not say it nor how
// their text is split.
static bool ends_words(const char *text, size_t length) {
    return length >= 4 && memcmp(text + length - 4, "</w>", 4) == 0;
}

static size_t count_lines(const Buffer *file) {
    size_t n_lines = 1;
    for (size_t i = 0; i < file->length; i++) {
        n_lines += file->bytes[i] == '\n';
    }
    return n_lines;
}

static bool load_merges(Tokenizer *tokenizer, const char *path, Error *err) {
    Buffer file = {0};
    bool ok = buffer_load(&file, path, err) &&
              byte_level_reserve_merges(tokenizer->detail->of.byte_level, count_lines(&file), err);
    int line = 0;
    int n_ends = 0;
    size_t start = 0;
    size_t length = 0;
    for (const char *text; ok && (text = next_line(&file, &start, &length)) != NULL;) {
        line++;
        n_ends += ends_words(text, length);
        bool version = line == 1 && length >= 8 && memcmp(text, "#version", 8) == 0;
        if (length > 0 && !version) {
            ok = read_merge_line(tokenizer, text, length, path, line, err);
        }
    }
    buffer_free(&file);
    if (ok && n_ends > line / 10) {
        return error_set(err,
                         "%s: %d merges end in </w>, and the file does not say how its text is "
                         "split; expected a tokenizer.json",
                         path, n_ends);
    }
    return ok;
}

bool gpt2_files_load(Tokenizer *tokenizer, const char *vocab_path, const char *merges_path,
                     Error *err) {
    json_t *config = NULL;
    Vocab vocab = {0};
    bool ok =
        byte_level_start(tokenizer, err) && gpt2_config_open(&config, vocab_path, tokenizer, err) &&
        gpt2_config_add(config, tokenizer, &vocab, err) &&
        vocab_json_load(tokenizer, &vocab, vocab_path, err) &&
        tokenizer_index_pieces(tokenizer, err) && load_merges(tokenizer, merges_path, err) &&
        gpt2_config_find_roles(config, tokenizer, err) && byte_level_finish(tokenizer, false, err);
    vocab_free(&vocab);
    json_decref(config);
    return ok;
}

// ---- rank files: base64, a space, the rank

// The file does not say how its text is split nor which special tokens it goes with: its size does.
typedef struct KnownRanks {
    size_t n_ranks;
    const char *split;
    const char
        *ends; // <|endoftext|> or what stands for it; others are not needed to read or write text
    int ends_id;
} KnownRanks;

static const KnownRanks KNOWN[] = {
    {50256, "gpt2", "<|endoftext|>", 50256},     // r50k_base
    {50280, "gpt2", "<|endoftext|>", 50256},     // p50k_base, which leaves 50256 free
    {100256, "cl100k", "<|endoftext|>", 100257}, // cl100k_base
    {199998, "o200k", "<|endoftext|>", 199999},  // o200k_base
    {128000, "llama3", "<|end_of_text|>", 128001}, {151643, "qwen2", "<|endoftext|>", 151643},
};

static int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Undoes base64 of length characters into bytes, which holds as many; -1: it is none.
static long undo_base64(const char *text, size_t length, char *bytes) {
    if (length == 0 || length % 4 != 0) {
        return -1;
    }
    size_t padding =
        (text[length - 1] == '=') + (size_t)(text[length - 1] == '=' && text[length - 2] == '=');
    long n_bytes = 0;
    uint32_t bits = 0;
    int n_bits = 0;
    for (size_t i = 0; i + padding < length; i++) {
        int value = base64_value(text[i]);
        if (value < 0) {
            return -1;
        }
        bits = bits << 6 | (uint32_t)value;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            bytes[n_bytes++] = (char)(bits >> n_bits);
        }
    }
    return n_bytes;
}

static bool read_rank_line(Vocab *vocab, const char *text, size_t length, const char *path,
                           int line, Error *err) {
    char bytes[512];
    const char *space = memchr(text, ' ', length);
    size_t n_base64 = space == NULL ? 0 : (size_t)(space - text);
    long n_bytes = n_base64 <= sizeof bytes ? undo_base64(text, n_base64, bytes) : -1;
    long long rank = -1;
    for (size_t i = n_base64 + 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || rank > INT32_MAX) {
            rank = -1;
            break;
        }
        rank = (rank < 0 ? 0 : rank * 10) + (text[i] - '0');
    }
    if (n_bytes < 0 || rank < 0) {
        char shown[64];
        tokenizer_clean(text, length, shown, sizeof shown);
        return error_set(err, "%s:%d: expected base64, a space and a rank, found \"%s\"", path,
                         line, shown);
    }
    return vocab_put(vocab, bytes, (size_t)n_bytes, false, rank, PIECE_NORMAL) ||
           error_set(err, "%s:%d: expected each rank once and below 2^24, found %lld", path, line,
                     rank);
}

static bool read_ranks(Vocab *vocab, const char *path, Error *err) {
    Buffer file = {0};
    bool ok = buffer_load(&file, path, err);
    int line = 0;
    size_t start = 0;
    size_t length = 0;
    for (const char *text; ok && (text = next_line(&file, &start, &length)) != NULL;) {
        line++;
        ok = length == 0 || read_rank_line(vocab, text, length, path, line, err);
    }
    buffer_free(&file);
    return ok;
}

// How a rank file of this size splits its text. A small one is somebody's own and splits as GPT-2
// does.
static bool find_split(ByteLevel *level, Vocab *vocab, const char *path, bool *is_assumed,
                       Error *err) {
    size_t n_ranks = vocab->n_taken;
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
        if (KNOWN[i].n_ranks == n_ranks) {
            return byte_split_named(KNOWN[i].split, &level->split) &&
                   (vocab_put(vocab, KNOWN[i].ends, strlen(KNOWN[i].ends), false, KNOWN[i].ends_id,
                              PIECE_CONTROL) ||
                    error_set(err, "%s: rank %d is taken, expected it free for %s", path,
                              KNOWN[i].ends_id, KNOWN[i].ends));
        }
    }
    *is_assumed = n_ranks < KNOWN[0].n_ranks;
    return *is_assumed ||
           error_set(err,
                     "%s: %zu ranks, and the file does not say how its text is split; expected "
                     "fewer than 50256, or 50256, 50280, 100256, 128000, 151643 or 199998",
                     path, n_ranks);
}

bool gpt2_files_load_ranks(Tokenizer *tokenizer, const char *path, Error *err) {
    Vocab vocab = {0};
    bool ok = byte_level_start(tokenizer, err) && read_ranks(&vocab, path, err);
    if (ok) {
        ByteLevel *level = tokenizer->detail->of.byte_level;
        level->by_rank = true;
        level->whole_words = true;
        ok = find_split(level, &vocab, path, &tokenizer->assumes_pattern, err) &&
             vocab_append_all(&vocab, tokenizer, path, err) &&
             tokenizer_index_pieces(tokenizer, err);
    }
    vocab_free(&vocab);
    if (!ok) {
        return false;
    }
    byte_level_find_roles(tokenizer);
    return byte_level_finish(tokenizer, true, err);
}
