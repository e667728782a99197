// byte_level_make.c - what follows from the pieces and merges of a byte-level tokenizer: its
// tables.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/byte_level/byte_level.h"

bool byte_level_reserve_merges(ByteLevel *level, size_t n_merges, Error *err) {
    if (n_merges > INT32_MAX / 2) {
        return error_set(err, "%zu merges, expected fewer than 2^30", n_merges);
    }
    level->merges = memory_resize(NULL, (n_merges + 1) * sizeof *level->merges);
    return true;
}

bool byte_level_add_merge(Tokenizer *tokenizer, const char *left, size_t left_length,
                          const char *right, size_t right_length, const char *where, int line,
                          Error *err) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    char whole[1024];
    char shown[96];
    if (left_length == 0 || right_length == 0) {
        return error_set(err, "%s:%d: a merge with an empty half, expected two pieces", where,
                         line);
    }
    if (left_length + right_length > sizeof whole) {
        return error_set(err, "%s:%d: a merge of %zu bytes, expected at most %zu", where, line,
                         left_length + right_length, sizeof whole);
    }
    const size_t n_prefix = strlen(level->prefix);
    if (right_length <= n_prefix || memcmp(right, level->prefix, n_prefix) != 0) {
        tokenizer_clean(right, right_length, shown, sizeof shown);
        return error_set(err, "%s:%d: the merge takes \"%s\" second, expected %s before it", where,
                         line, shown, level->prefix);
    }
    memcpy(whole, left, left_length);
    memcpy(whole + left_length, right + n_prefix, right_length - n_prefix);
    const struct {
        const char *bytes;
        size_t length;
    } parts[3] = {
        {left, left_length}, {right, right_length}, {whole, left_length + right_length - n_prefix}};
    int32_t ids[3];
    for (int i = 0; i < 3; i++) {
        ids[i] = byte_level_find_mergeable(tokenizer, parts[i].bytes, parts[i].length);
        if (ids[i] < 0) {
            tokenizer_clean(parts[i].bytes, parts[i].length, shown, sizeof shown);
            return error_set(err, "%s:%d: the merge %s \"%s\", which is not in the vocabulary",
                             where, line, i == 2 ? "makes" : "takes", shown);
        }
    }
    level->merges[level->n_merges++] = (MergeRule){ids[0], ids[1], ids[2]};
    return true;
}

// ---- pairs

static bool make_pairs_from_merges(ByteLevel *level, Error *err) {
    if (!merge_pairs_init(&level->pairs, (size_t)level->n_merges, 2, err)) {
        return false;
    }
    for (int rank = 0; rank < level->n_merges; rank++) {
        MergeRule merge = level->merges[rank];
        merge_pairs_put(&level->pairs, merge.left, merge.right, rank, merge.id);
    }
    return true;
}

// The token that bytes are, -1: none. A byte that is none may be merged all the same, as long as
// what comes of it is one: it has an id behind the vocabulary.
static int find_symbol(const Tokenizer *tokenizer, const char *bytes, size_t length) {
    const int id = byte_level_find_mergeable(tokenizer, bytes, length);
    return id < 0 && length == 1 ? tokenizer->n_pieces + (uint8_t)bytes[0] : id;
}

// Every way to cut a token into two tokens is a pair: any of them may meet while a word is merged.
static bool make_pairs_from_ranks(const Tokenizer *tokenizer, Error *err) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    MergeRule *found = NULL;
    size_t n_found = 0;
    size_t capacity = 0;
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        size_t length = piece->kind == PIECE_NORMAL ? (size_t)piece->length : 0;
        for (size_t cut = 1; cut < length; cut++) {
            int left = find_symbol(tokenizer, piece->bytes, cut);
            int right = left < 0 ? -1 : find_symbol(tokenizer, piece->bytes + cut, length - cut);
            if (right < 0) {
                continue;
            }
            if (n_found == capacity) {
                capacity = capacity == 0 ? 4096 : 2 * capacity;
                found = memory_resize(found, capacity * sizeof *found);
            }
            found[n_found++] = (MergeRule){left, right, id};
        }
    }
    bool ok = merge_pairs_init(&level->pairs, n_found, 2, err);
    for (size_t i = 0; i < n_found && ok; i++) {
        merge_pairs_put(&level->pairs, found[i].left, found[i].right, found[i].id, found[i].id);
    }
    free(found);
    return ok;
}

// ---- kinds and roles

// Pieces of single bytes, or those that stand for a byte of a character without a piece.
static bool find_byte_ids(Tokenizer *tokenizer, Error *err) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    int n_expected = 0;
    for (int byte = 0; byte < 256; byte++) {
        char text[8] = {(char)byte};
        if (!level->characters) {
            level->byte_ids[byte] = level->by_rank ? find_symbol(tokenizer, text, 1)
                                                   : byte_level_find_mergeable(tokenizer, text, 1);
            continue;
        }
        snprintf(text, sizeof text, "<0x%02X>", (unsigned)byte);
        const int id = level->byte_fallback ? tokenizer_find(tokenizer, text, strlen(text)) : -1;
        level->byte_ids[byte] = id;
        if (id >= 0) {
            tokenizer->pieces[id].kind = PIECE_BYTE;
            n_expected++;
        }
    }
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        n_expected -= tokenizer->pieces[id].kind == PIECE_BYTE;
    }
    return n_expected == 0 ||
           error_set(err, "a byte piece is none of <0x00> to <0xFF>, or is there "
                          "twice, or byte_fallback is off; expected each once");
}

// Of pieces that are written by their place only their merges tell the width. They need not agree:
// where ## is the prefix, ##a may be an a within a word, or the merge of #, ### and ##a.
static bool find_widths_by_merges(ByteLevel *level) {
    bool is_one = true;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < level->n_merges; i++) {
            const MergeRule *merge = &level->merges[i];
            const int width = level->widths[merge->left] + level->widths[merge->right];
            is_one = is_one && (round == 0 || level->widths[merge->id] == width);
            level->widths[merge->id] = (uint16_t)(width < UINT16_MAX ? width : UINT16_MAX);
        }
    }
    return is_one;
}

static void find_widths(const Tokenizer *tokenizer) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    const bool has_affix = byte_level_has_affix(level);
    const int n_symbols = tokenizer->n_pieces + 256; // with the bytes that are no token
    level->widths = memory_resize(NULL, (size_t)n_symbols * sizeof *level->widths);
    for (int id = 0; id < n_symbols; id++) {
        const bool is_one = has_affix || id >= tokenizer->n_pieces;
        level->widths[id] = is_one ? 1 : byte_level_width(tokenizer, id);
    }
    level->varying_widths = has_affix && !find_widths_by_merges(level);
}

// <|endoftext|>, [PAD]: how special pieces are written.
static bool is_bracketed(const Piece *piece) {
    const char first = piece->length > 2 ? piece->bytes[0] : '\0';
    const char last = piece->length > 2 ? piece->bytes[piece->length - 1] : '\0';
    return (first == '<' && last == '>') || (first == '[' && last == ']');
}

static void mark_controls(Tokenizer *tokenizer) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    bool *made = memory_resize(NULL, (size_t)tokenizer->n_pieces + 1);
    memset(made, 0, (size_t)tokenizer->n_pieces + 1);
    for (int i = 0; i < level->n_merges; i++) {
        made[level->merges[i].id] = true;
    }
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        Piece *piece = &tokenizer->pieces[id];
        if (piece->kind == PIECE_NORMAL && !made[id] && is_bracketed(piece)) {
            piece->kind = PIECE_CONTROL;
        }
    }
    free(made);
}

void byte_level_find_roles(Tokenizer *tokenizer) {
    static const struct {
        const char *name;
        bool begins, ends, pads, unknown;
    } names[] = {
        {"<|begin_of_text|>", true, false, false, false},
        {"<|startoftext|>", true, false, false, false},
        {"<s>", true, false, false, false},
        {"<|end_of_text|>", false, true, false, false},
        {"</s>", false, true, false, false},
        {"<|endoftext|>", true, true, false, false},
        {"<pad>", false, false, true, false},
        {"<unk>", false, false, false, true},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int id = tokenizer_find(tokenizer, names[i].name, strlen(names[i].name));
        if (id < 0 || tokenizer->pieces[id].kind == PIECE_NORMAL) {
            continue;
        }
        int *const roles[] = {&tokenizer->bos_id, &tokenizer->eos_id, &tokenizer->pad_id,
                              &tokenizer->unknown_id};
        const bool has[] = {names[i].begins, names[i].ends, names[i].pads, names[i].unknown};
        for (int role = 0; role < 4; role++) {
            if (has[role] && *roles[role] < 0) {
                *roles[role] = id;
            }
        }
    }
    if (tokenizer->unknown_id >= 0) {
        tokenizer->pieces[tokenizer->unknown_id].kind = PIECE_UNKNOWN;
    }
}

// ---- words

// Whether merging the bytes of a piece gives that piece again, as it does in every tokenizer that
// was trained; one that was edited may hold pieces that nothing becomes.
static bool makes_itself(const Tokenizer *tokenizer, const Piece *piece, int id) {
    int32_t ids[BYTE_MERGE_SHORT];
    Spelling spelling = {.ids = ids};
    byte_level_spell(tokenizer, piece->bytes, (size_t)piece->length, &spelling);
    const MergePairs *pairs = &tokenizer->detail->of.byte_level->pairs;
    return spelling.n_unknown == 0 && byte_merge_short(pairs, ids, (int)spelling.n_symbols) == 1 &&
           ids[0] == id;
}

// The merge that makes each piece, -1: a single byte, or a piece that is made in another way than
// by its halves (settled as is_regular finds it so).
typedef struct MadeBy {
    int32_t *merge;
    bool *regular; // merging its bytes makes its halves first, each alone, and then the piece
} MadeBy;

enum { SPINE_MOST = 16 };

// The pieces that stand at one end of a piece while it is put together, the whole one first; the
// last of a left half (side 1), the first of a right half (side 0). Their number, 0 where there are
// too many.
static int spine_of(const ByteLevel *level, const MadeBy *made, int32_t id, int side,
                    int32_t spine[SPINE_MOST]) {
    int n = 0;
    for (; n < SPINE_MOST; n++) {
        spine[n] = id;
        if (made->merge[id] < 0) {
            return n + 1;
        }
        const MergeRule *merge = &level->merges[made->merge[id]];
        id = side == 0 ? merge->left : merge->right;
    }
    return 0;
}

// A cheap way to see that a piece makes itself: both halves do so in their turn, and at no time do
// the two pieces on the two sides of the cut merge before they are merged with their inner
// neighbours.
static bool is_regular(const ByteLevel *level, const MadeBy *made, int id) {
    const int32_t last = made->merge[id];
    const MergeRule merge = level->merges[last];
    const MergePair *whole = merge_pairs_find(&level->pairs, merge.left, merge.right);
    if (whole->rank != last || !made->regular[merge.left] || !made->regular[merge.right] ||
        made->merge[merge.left] > last || made->merge[merge.right] > last) {
        return false;
    }
    int32_t lefts[SPINE_MOST] = {0};
    int32_t rights[SPINE_MOST] = {0};
    int left = spine_of(level, made, merge.left, 1, lefts) - 1;
    int right = spine_of(level, made, merge.right, 0, rights) - 1;
    if (left < 0 || right < 0) {
        return false;
    }
    while (left > 0 || right > 0) {
        const int32_t left_ends = left > 0 ? made->merge[lefts[left - 1]] : last;
        const int32_t right_ends = right > 0 ? made->merge[rights[right - 1]] : last;
        const MergePair *across = merge_pairs_find(&level->pairs, lefts[left], rights[right]);
        // Of equal ranks the leftmost is first: the left neighbour's merge, then this, then the
        // right's.
        if (across != NULL && across->rank < left_ends && across->rank <= right_ends) {
            return false;
        }
        if (left_ends <= right_ends) {
            left--;
        } else {
            right--;
        }
    }
    return true;
}

static MadeBy made_by_init(const Tokenizer *tokenizer) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    size_t n_pieces = (size_t)tokenizer->n_pieces;
    MadeBy made = {memory_resize(NULL, (n_pieces + 1) * sizeof(int32_t)),
                   memory_resize(NULL, n_pieces + 1)};
    memset(made.merge, 0xFF, (n_pieces + 1) * sizeof(int32_t));
    memset(made.regular, 0, n_pieces + 1);
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        made.regular[id] =
            level->widths[id] == 1 &&
            byte_level_find_mergeable(tokenizer, piece->bytes, (size_t)piece->length) == id;
    }
    for (int rank = 0; rank < level->n_merges; rank++) { // halves come before what they make
        const int id = level->merges[rank].id;
        if (made.merge[id] < 0 && !made.regular[id]) {
            made.merge[id] = rank;
            made.regular[id] = is_regular(level, &made, id);
        }
    }
    return made;
}

static void note_neighbours(ByteLevel *level, const Piece *piece) {
    for (int i = 0; i + 1 < piece->length; i++) {
        uint8_t next = (uint8_t)piece->bytes[i + 1];
        level->joined[(uint8_t)piece->bytes[i]][next / 64] |= UINT64_C(1) << next % 64;
    }
}

static bool make_words(const Tokenizer *tokenizer, Error *err) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    if (!word_table_init(&level->words, (size_t)tokenizer->n_pieces, err)) {
        return false;
    }
    if (byte_level_has_affix(level) && !level->whole_words) {
        return true; // a piece is no word as it reads: each word is merged, or remembered
    }
    MadeBy made = made_by_init(tokenizer);
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        size_t length = (size_t)piece->length;
        if (piece->kind != PIECE_NORMAL && piece->kind != PIECE_USER) {
            continue;
        }
        note_neighbours(level, piece);
        if (piece->kind == PIECE_NORMAL && length > 0 && length <= WORD_KEY_BYTES &&
            (level->whole_words || made.regular[id] || makes_itself(tokenizer, piece, id))) {
            word_table_put(&level->words, word_key(piece->bytes, length, length), id);
        }
    }
    free(made.merge);
    free(made.regular);
    return true;
}

bool byte_level_finish(Tokenizer *tokenizer, bool kinds_by_file, Error *err) {
    ByteLevel *level = tokenizer->detail->of.byte_level;
    if (!kinds_by_file) {
        mark_controls(tokenizer);
        byte_level_find_roles(tokenizer);
    }
    bool ok =
        level->by_rank ? make_pairs_from_ranks(tokenizer, err) : make_pairs_from_merges(level, err);
    if (!ok) {
        return false;
    }
    if (!find_byte_ids(tokenizer, err)) {
        return false;
    }
    find_widths(tokenizer);
    return byte_level_make_added(tokenizer, err) && make_words(tokenizer, err);
}
