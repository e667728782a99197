// sentencepiece_tables.c - which symbols merge into which, from the pieces of a vocabulary.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/sentencepiece/sentencepiece.h"

// Most pairs that are looked for are not there: few slots are taken.
enum { PAIRS_SHARE = 3 };

static bool merges(const Piece *piece) {
    return piece->kind == PIECE_NORMAL || piece->kind == PIECE_USER;
}

static void set_char(MergeTables *tables, int32_t code, int32_t symbol) {
    int32_t **page = &tables->chars[code >> 8];
    if (*page == NULL) {
        *page = memory_resize(NULL, 256 * sizeof **page);
        memset(*page, 0xff, 256 * sizeof **page);
    }
    (*page)[code & 255] = symbol;
}

// Every character of every piece is a symbol: a piece of its own or a number after them.
static void number_chars(MergeTables *tables, const Tokenizer *tokenizer) {
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        const size_t length = (size_t)piece->length;
        if (piece->kind == PIECE_BYTE || length == 0) {
            continue;
        }
        for (size_t i = 0, n = 0; i < length; i += n) {
            const int32_t code = utf8_next(piece->bytes + i, length - i, &n);
            if (code < 0 || merge_tables_char(tables, code) >= 0) {
                continue;
            }
            const int found = tokenizer_find(tokenizer, piece->bytes + i, n);
            if (found >= 0 && merges(&tokenizer->pieces[found])) {
                set_char(tables, code, found);
            } else if (merges(piece)) { // never a control piece's own character
                set_char(tables, code, tables->n_symbols++);
            }
        }
    }
}

static int32_t symbol_of(const MergeTables *tables, const Tokenizer *tokenizer, const char *bytes,
                         size_t length) {
    size_t n = 0;
    const int32_t code = utf8_next(bytes, length, &n);
    if (code >= 0 && n == length) {
        return merge_tables_char(tables, code);
    }
    const int id = tokenizer_find(tokenizer, bytes, length);
    return id >= 0 && merges(&tokenizer->pieces[id]) ? id : -1;
}

static size_t count_splits(const Tokenizer *tokenizer) {
    size_t n = 0;
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        n += merges(&tokenizer->pieces[id]) ? (size_t)tokenizer->pieces[id].length : 0;
    }
    return n;
}

static void set_neighbours(MergeTables *tables, int32_t left, int32_t right) {
    const uint64_t bit = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * 0x9e3779b97f4a7c15U >>
                         tables->neighbours_shift;
    tables->neighbours[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

static void add_splits(MergeTables *tables, const Tokenizer *tokenizer, int id) {
    const Piece *piece = &tokenizer->pieces[id];
    const size_t length = (size_t)piece->length;
    int32_t before = -1;
    for (size_t i = 0, n = 0; i < length; i += n) {
        const int32_t code = utf8_next(piece->bytes + i, length - i, &n);
        const int32_t symbol = code < 0 ? -1 : merge_tables_char(tables, code);
        if (i > 0) {
            if (before >= 0 && symbol >= 0) {
                set_neighbours(tables, before, symbol);
            }
            const int32_t left = symbol_of(tables, tokenizer, piece->bytes, i);
            const int32_t right = symbol_of(tables, tokenizer, piece->bytes + i, length - i);
            if (left >= 0 && right >= 0) {
                merge_pairs_put(&tables->pairs, left, right, tables->ranks[id], id);
            }
        }
        before = symbol;
    }
}

typedef struct Scored {
    float score;
    int id;
} Scored;

static int compare_scores(const void *a, const void *b) {
    const Scored *left = a;
    const Scored *right = b;
    return (left->score < right->score) - (left->score > right->score);
}

static void rank_pieces(MergeTables *tables, const Tokenizer *tokenizer) {
    const size_t n = (size_t)tokenizer->n_pieces;
    Scored *scored = memory_resize(NULL, n * sizeof *scored);
    for (size_t i = 0; i < n; i++) {
        scored[i] = (Scored){tokenizer->pieces[i].score, (int)i};
    }
    if (n > 0) {
        qsort(scored, n, sizeof *scored, compare_scores);
    }
    int32_t rank = -1;
    for (size_t i = 0; i < n; i++) {
        rank += i == 0 || scored[i].score < scored[i - 1].score;
        tables->ranks[scored[i].id] = rank;
    }
    free(scored);
}

static void fill_ascii(MergeTables *tables) {
    for (int left = 0; left < 128; left++) {
        tables->ascii[left] = merge_tables_char(tables, left);
    }
    for (int left = 0; left < 128; left++) {
        for (int right = 0; right < 128; right++) {
            tables->ascii_neighbours[left][right] =
                tables->ascii[left] >= 0 && tables->ascii[right] >= 0 &&
                merge_tables_neighbours(tables, tables->ascii[left], tables->ascii[right]);
        }
    }
}

bool merge_tables_init(MergeTables *tables, const Tokenizer *tokenizer, Error *err) {
    *tables = (MergeTables){.n_symbols = tokenizer->n_pieces, .n_pieces = tokenizer->n_pieces};
    number_chars(tables, tokenizer);
    tables->ranks = memory_resize(NULL, (size_t)tokenizer->n_pieces * sizeof *tables->ranks);
    rank_pieces(tables, tokenizer);
    const size_t n_splits = count_splits(tokenizer);
    if (!merge_pairs_init(&tables->pairs, n_splits, PAIRS_SHARE, err)) {
        return false;
    }
    tables->neighbours_shift = 64 - 14;
    while (tables->neighbours_shift > 64 - 22 && n_splits * 8 >> (64 - tables->neighbours_shift)) {
        tables->neighbours_shift--;
    }
    const size_t words = (size_t)1 << (64 - tables->neighbours_shift - 6);
    tables->neighbours = memory_resize(NULL, words * sizeof *tables->neighbours);
    memset(tables->neighbours, 0, words * sizeof *tables->neighbours);
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        if (merges(&tokenizer->pieces[id])) {
            add_splits(tables, tokenizer, id);
        }
    }
    fill_ascii(tables);
    return merge_pairs_fit(&tables->pairs, PAIRS_SHARE, err);
}

void merge_tables_free(MergeTables *tables) {
    for (int i = 0; i < MERGE_CHAR_PAGES; i++) {
        free(tables->chars[i]);
    }
    free(tables->ranks);
    merge_pairs_free(&tables->pairs);
    free(tables->neighbours);
    *tables = (MergeTables){0};
}
