// words.c - the words kind: a small vocabulary of whole words, as the toy of the lessons has it.
#include <stdio.h>
#include <string.h>

#include "engine/tokenizers/tokenizer_private.h"

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// The next word of text from *start; its end, or `length` with *start == length where there is
// none.
static size_t next_word(const char *text, size_t length, size_t *start) {
    while (*start < length && is_space(text[*start])) {
        (*start)++;
    }
    size_t end = *start;
    while (end < length && !is_space(text[end])) {
        end++;
    }
    return end;
}

static bool unknown_word(const Tokenizer *tokenizer, const char *word, size_t length, Error *err) {
    enum { LISTED_BYTES = 200 };
    char shown[64];
    tokenizer_clean(word, length, shown, sizeof shown);
    Buffer known = {0};
    int n_left = 0;
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        if (tokenizer->pieces[id].kind != PIECE_NORMAL) {
            continue;
        }
        char text[64];
        tokenizer_piece_text(tokenizer, id, text, sizeof text);
        bool has_room = n_left == 0 && known.length + strlen(text) < LISTED_BYTES;
        n_left += !has_room;
        if (has_room) {
            buffer_format(&known, "%s%s", known.length == 0 ? "" : " ", text);
        }
    }
    char more[64] = "";
    if (n_left > 0) {
        snprintf(more, sizeof more, " and %d more, which `attend inspect` lists", n_left);
    }
    error_set(err, "the word \"%s\" is not known; the words are: %s%s", shown,
              known.length == 0 ? "(none)" : known.bytes, more);
    buffer_free(&known);
    return false;
}

static bool words_encode(const Tokenizer *tokenizer, const char *text, size_t length, TokenIds *ids,
                         EncodeReport *report, MergeWatcher watcher, void *context, Error *err) {
    (void)watcher; // words are not merged from anything
    (void)context;
    size_t start = 0;
    for (size_t end = next_word(text, length, &start); end > start;
         end = next_word(text, length, &start)) {
        size_t word_length = end - start;
        int id = tokenizer_find(tokenizer, text + start, word_length);
        const PieceKind kind = id < 0 ? PIECE_UNKNOWN : tokenizer->pieces[id].kind;
        if (kind != PIECE_NORMAL && (kind != PIECE_CONTROL || tokenizer->special_as_text)) {
            id = tokenizer->unknown_id;
            if (id < 0) {
                return unknown_word(tokenizer, text + start, word_length, err);
            }
            if (report != NULL && report->n_unknown++ == 0) {
                tokenizer_clean(text + start, word_length, report->first_unknown,
                                sizeof report->first_unknown);
            }
        }
        token_ids_append(ids, id);
        start = end;
    }
    return true;
}

static bool words_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buffer *text,
                         Error *err) {
    (void)err;
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const Piece *piece = &tokenizer->pieces[ids[i]];
        if (piece->kind == PIECE_CONTROL) {
            continue;
        }
        buffer_append(text, " ", first ? 0 : 1);
        buffer_append(text, piece->bytes, (size_t)piece->length);
        first = false;
    }
    return true;
}

static void words_save(const Tokenizer *tokenizer, Buffer *lines) {
    (void)tokenizer; // pieces and roles are all there is
    (void)lines;
}

static bool words_load(Tokenizer *tokenizer, const TokenizerSettings *settings, Error *err) {
    (void)tokenizer;
    if (settings->n_settings > 0) {
        const TokenizerSetting *first = &settings->settings[0];
        return error_set(err, "%s:%d: expected the pieces, found \"%.40s\"", settings->path,
                         first->line, first->name);
    }
    return true;
}

static void words_free(Tokenizer *tokenizer) {
    (void)tokenizer;
}

const TokenizerMethods WORDS_METHODS = {
    .name = "words",
    .encode = words_encode,
    .decode = words_decode,
    .save = words_save,
    .load = words_load,
    .free = words_free,
};

static void give_role(Tokenizer *tokenizer, int id) {
    const struct {
        const char *word;
        int *id;
        PieceKind kind;
    } roles[] = {
        {"<pad>", &tokenizer->pad_id, PIECE_CONTROL},
        {"<s>", &tokenizer->bos_id, PIECE_CONTROL},
        {"</s>", &tokenizer->eos_id, PIECE_CONTROL},
        {"<unk>", &tokenizer->unknown_id, PIECE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (strcmp(tokenizer->pieces[id].bytes, roles[i].word) == 0) {
            *roles[i].id = id;
            tokenizer->pieces[id].kind = roles[i].kind;
        }
    }
}

bool tokenizer_init_words(Tokenizer *tokenizer, const char *const *words, int n_words, Error *err) {
    tokenizer_start(tokenizer, TOKENIZER_WORDS, &WORDS_METHODS);
    for (int i = 0; i < n_words; i++) {
        size_t length = strlen(words[i]);
        size_t start = 0;
        if (length == 0 || next_word(words[i], length, &start) != length || start != 0) {
            return error_set(err, "word %d is \"%.40s\", expected one word without spaces", i,
                             words[i]);
        }
        give_role(tokenizer, tokenizer_append_piece(tokenizer, words[i], length, 0, PIECE_NORMAL));
    }
    return tokenizer_index_pieces(tokenizer, err);
}
