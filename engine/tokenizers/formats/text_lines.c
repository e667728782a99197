// text_lines.c - our own readable text file: one line a setting, one line a piece.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/tokenizer_private.h"

static const char FIRST_LINE[] = "attend tokenizer 1";
static const char *const KIND_NAMES[] = {"normal", "unknown", "control", "user", "byte", "unused"};
enum { N_KINDS = sizeof KIND_NAMES / sizeof KIND_NAMES[0] };

void tokenizer_write_lines(const Tokenizer *tokenizer, Buffer *lines) {
    const TokenizerMethods *methods = tokenizer->detail->methods;
    buffer_format(lines, "%s\nkind %s\nunknown %d\nbos %d\neos %d\npad %d\n", FIRST_LINE,
                  methods->name, tokenizer->unknown_id, tokenizer->bos_id, tokenizer->eos_id,
                  tokenizer->pad_id);
    buffer_append_text(lines, tokenizer->special_as_text ? "special_as_text yes\n" : "");
    methods->save(tokenizer, lines);
    buffer_format(lines, "pieces %d\n", tokenizer->n_pieces);
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        buffer_format(lines, "%s %.9g ", KIND_NAMES[piece->kind], (double)piece->score);
        tokenizer_escape(lines, piece->bytes, (size_t)piece->length);
        buffer_append(lines, "\n", 1);
    }
}

// Reads on line by line, cutting the text with NULs.
typedef struct LineReader {
    const char *path;
    char *next;
    char *end;
    int line;
} LineReader;

static char *next_line(LineReader *reader) {
    if (reader->next >= reader->end) {
        return NULL;
    }
    char *line = reader->next;
    char *newline = memchr(line, '\n', (size_t)(reader->end - line));
    if (newline == NULL) {
        newline = reader->end;
    }
    *newline = '\0';
    reader->next = newline + 1;
    reader->line++;
    if (newline > line && newline[-1] == '\r') {
        newline[-1] = '\0';
    }
    return line;
}

static bool read_int(const char *value, long lowest, long highest, int *number) {
    char *end = NULL;
    errno = 0;
    const long found = strtol(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || found < lowest || found > highest) {
        return false;
    }
    *number = (int)found;
    return true;
}

static bool read_piece(Tokenizer *tokenizer, const LineReader *reader, char *line, Buffer *bytes,
                       Error *err) {
    char *score_text = strchr(line, ' ');
    char *piece_text = score_text == NULL ? NULL : strchr(score_text + 1, ' ');
    if (piece_text == NULL) {
        return error_set(err, "%s:%d: expected \"kind score piece\", found \"%.60s\"", reader->path,
                         reader->line, line);
    }
    *score_text++ = '\0';
    *piece_text++ = '\0';
    int kind = 0;
    while (kind < N_KINDS && strcmp(line, KIND_NAMES[kind]) != 0) {
        kind++;
    }
    if (kind == N_KINDS) {
        return error_set(err,
                         "%s:%d: expected normal, unknown, control, user, byte or unused, found "
                         "\"%.40s\"",
                         reader->path, reader->line, line);
    }
    char *end = NULL;
    const float score = strtof(score_text, &end);
    if (end == score_text || *end != '\0') {
        return error_set(err, "%s:%d: expected a score, found \"%.40s\"", reader->path,
                         reader->line, score_text);
    }
    bytes->length = 0;
    buffer_append(bytes, "", 0);
    if (!tokenizer_unescape(bytes, piece_text, strlen(piece_text))) {
        return error_set(err, "%s:%d: expected an escaped piece, found \"%.60s\"", reader->path,
                         reader->line, piece_text);
    }
    tokenizer_append_piece(tokenizer, bytes->bytes, bytes->length, score, (PieceKind)kind);
    return true;
}

static bool read_pieces(Tokenizer *tokenizer, LineReader *reader, int n_pieces, Error *err) {
    Buffer bytes = {0};
    bool ok = true;
    for (int i = 0; i < n_pieces && ok; i++) {
        char *line = next_line(reader);
        ok = line != NULL
                 ? read_piece(tokenizer, reader, line, &bytes, err)
                 : error_set(err, "%s: ends after %d of %d pieces", reader->path, i, n_pieces);
    }
    buffer_free(&bytes);
    const char *rest = ok ? next_line(reader) : NULL;
    if (rest != NULL) {
        ok = error_set(err, "%s:%d: expected the end after %d pieces, found \"%.40s\"",
                       reader->path, reader->line, n_pieces, rest);
    }
    return ok;
}

static const TokenizerMethods *methods_of(TokenizerKind kind) {
    switch (kind) {
    case TOKENIZER_WORDS:
        return &WORDS_METHODS;
    case TOKENIZER_SENTENCEPIECE:
        return &SENTENCEPIECE_METHODS;
    case TOKENIZER_BYTE_LEVEL:
        return &BYTE_LEVEL_METHODS;
    }
    assert(false);
    return NULL;
}

static bool start_by_name(Tokenizer *tokenizer, const LineReader *reader, const char *line,
                          Error *err) {
    static const TokenizerKind KINDS[] = {TOKENIZER_WORDS, TOKENIZER_SENTENCEPIECE,
                                          TOKENIZER_BYTE_LEVEL};
    const char *name = line != NULL && strncmp(line, "kind ", 5) == 0 ? line + 5 : "";
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        tokenizer_start(tokenizer, KINDS[i], methods_of(KINDS[i]));
        if (strcmp(tokenizer->detail->methods->name, name) == 0) {
            return true;
        }
        tokenizer_free(tokenizer);
    }
    return error_set(err,
                     "%s:%d: expected \"kind words\", \"kind sentencepiece\" or \"kind "
                     "byte-level\", found \"%.40s\"",
                     reader->path, reader->line, line == NULL ? "" : line);
}

static bool read_role(LineReader *reader, const char *name, int *id, Error *err) {
    const char *line = next_line(reader);
    const size_t length = strlen(name);
    if (line == NULL || strncmp(line, name, length) != 0 || line[length] != ' ' ||
        !read_int(line + length + 1, -1, INT32_MAX, id)) {
        return error_set(err, "%s:%d: expected \"%s\" and an id or -1, found \"%.40s\"",
                         reader->path, reader->line, name, line == NULL ? "" : line);
    }
    return true;
}

static bool read_roles(Tokenizer *tokenizer, LineReader *reader, Error *err) {
    return read_role(reader, "unknown", &tokenizer->unknown_id, err) &&
           read_role(reader, "bos", &tokenizer->bos_id, err) &&
           read_role(reader, "eos", &tokenizer->eos_id, err) &&
           read_role(reader, "pad", &tokenizer->pad_id, err);
}

static bool check_roles(const Tokenizer *tokenizer, const char *path, Error *err) {
    const int roles[] = {tokenizer->unknown_id, tokenizer->bos_id, tokenizer->eos_id,
                         tokenizer->pad_id};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (roles[i] >= tokenizer->n_pieces) {
            return error_set(err, "%s: names id %d, but has %d pieces", path, roles[i],
                             tokenizer->n_pieces);
        }
    }
    return true;
}

// The one setting of all kinds; older files say the opposite, "special_in_text".
static bool is_special_rule(Tokenizer *tokenizer, const char *name, const char *value) {
    const bool is_older = strcmp(name, "special_in_text") == 0;
    const bool yes = strcmp(value, "yes") == 0;
    if ((!is_older && strcmp(name, "special_as_text") != 0) || (!yes && strcmp(value, "no") != 0)) {
        return false;
    }
    tokenizer->special_as_text = yes != is_older;
    return true;
}

// Collects the kind's lines up to "pieces N", whose N it gives. *list is the caller's, also when it
// fails.
static bool read_settings(Tokenizer *tokenizer, LineReader *reader, TokenizerSetting **list,
                          int *n_settings, int *n_pieces, Error *err) {
    int capacity = 0;
    for (char *line; (line = next_line(reader)) != NULL;) {
        char *space = strchr(line, ' ');
        if (space != NULL) {
            *space = '\0';
        }
        const char *value = space == NULL ? "" : space + 1;
        if (is_special_rule(tokenizer, line, value)) {
            continue;
        }
        if (strcmp(line, "pieces") == 0) {
            return read_int(value, 0, INT32_MAX - 1, n_pieces) ||
                   error_set(err, "%s:%d: expected the number of pieces, found \"%.40s\"",
                             reader->path, reader->line, value);
        }
        if (*n_settings == capacity) {
            capacity = capacity == 0 ? 64 : 2 * capacity;
            *list = memory_resize(*list, (size_t)capacity * sizeof **list);
        }
        (*list)[(*n_settings)++] =
            (TokenizerSetting){.name = line, .value = value, .line = reader->line};
    }
    return error_set(err, "%s: expected a line \"pieces N\"", reader->path);
}

bool tokenizer_read_lines(Tokenizer *tokenizer, const char *path, Buffer *text, Error *err) {
    LineReader reader = {.path = path, .next = text->bytes, .end = text->bytes + text->length};
    const char *first = next_line(&reader);
    if (first == NULL || strcmp(first, FIRST_LINE) != 0) {
        return error_set(err, "%s:1: expected \"%s\", found \"%.40s\"", path, FIRST_LINE,
                         first == NULL ? "" : first);
    }
    TokenizerSetting *list = NULL;
    int n_settings = 0;
    int n_pieces = 0;
    bool ok = start_by_name(tokenizer, &reader, next_line(&reader), err) &&
              read_roles(tokenizer, &reader, err) &&
              read_settings(tokenizer, &reader, &list, &n_settings, &n_pieces, err) &&
              read_pieces(tokenizer, &reader, n_pieces, err) && check_roles(tokenizer, path, err);
    if (ok) {
        Error twice = {0}; // whether a piece may stand twice is the kind's to judge
        tokenizer_index_pieces(tokenizer, &twice);
        const TokenizerSettings settings = {
            .path = path, .settings = list, .n_settings = n_settings};
        ok = tokenizer->detail->methods->load(tokenizer, &settings, err);
    }
    free(list);
    return ok;
}

void tokenizer_hash(const Tokenizer *tokenizer, char text[17]) {
    Buffer lines = {0};
    tokenizer_write_lines(tokenizer, &lines);
    const uint64_t hash = tokenizer_hash_bytes(lines.bytes, lines.length);
    buffer_free(&lines);
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}
