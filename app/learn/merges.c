// merges.c - a text on its way into tokens, one merge after the other.
#include "app/learn/merges.h"

#include <stdlib.h>
#include <string.h>

void merges_forget(Merges *merges) {
    arena_free(&merges->arena);
    free(merges->steps);
    *merges = (Merges){.n = 0};
}

static ViewMerge *append(Merges *merges) {
    if (merges->n == merges->capacity) {
        int capacity = merges->capacity == 0 ? 32 : 2 * merges->capacity;
        ViewMerge *steps = realloc(merges->steps, (size_t)capacity * sizeof *steps);
        if (steps == NULL) {
            return NULL;
        }
        merges->steps = steps;
        merges->capacity = capacity;
    }
    merges->steps[merges->n] = (ViewMerge){.rank = -1, .left = -1};
    return &merges->steps[merges->n++];
}

static const int *copy_starts(Merges *merges, const int *starts, int n, int without) {
    int *copy = arena_allocate(&merges->arena, ((size_t)n + 1) * sizeof *copy);
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (i != without) {
            copy[count++] = starts[i];
        }
    }
    return copy;
}

static void watch(void *context, const MergeStep *step) {
    Merges *merges = context;
    ViewMerge *merge = append(merges);
    if (merge == NULL) {
        return;
    }
    const ViewMerge *last = merges->n > 1 ? merge - 1 : NULL;
    bool is_same = last != NULL && last->text_length == step->text_length &&
                   memcmp(last->text, step->text, (size_t)step->text_length) == 0;
    merge->text =
        is_same ? last->text : arena_format(&merges->arena, "%.*s", step->text_length, step->text);
    merge->text_length = step->text_length;
    merge->starts = copy_starts(merges, step->starts, step->n_pieces, -1);
    merge->n_pieces = step->n_pieces;
    merge->rank = step->rank;
    for (int i = 0; i < step->n_pieces; i++) {
        merge->left = step->starts[i] == step->left_start ? i : merge->left;
    }
}

// The row after the last merge; where nothing was merged, the pieces as they are.
static void append_end(Merges *merges, const Tokenizer *tokenizer, const TokenIds *ids) {
    if (merges->n > 0) {
        ViewMerge last = merges->steps[merges->n - 1];
        ViewMerge *end = append(merges);
        if (end != NULL) {
            end->text = last.text;
            end->text_length = last.text_length;
            end->starts = copy_starts(merges, last.starts, last.n_pieces, last.left + 1);
            end->n_pieces = last.n_pieces - 1;
        }
        return;
    }
    ViewMerge *end = append(merges);
    int *starts = arena_allocate(&merges->arena, (ids->count + 1) * sizeof *starts);
    char *text = arena_allocate(&merges->arena, 64 * (ids->count + 1));
    size_t length = 0;
    for (size_t i = 0; i < ids->count; i++) {
        starts[i] = (int)length;
        tokenizer_piece_text(tokenizer, ids->ids[i], text + length, 64);
        length += strlen(text + length);
    }
    if (end != NULL) {
        *end = (ViewMerge){.text = text,
                           .text_length = (int)length,
                           .n_pieces = (int)ids->count,
                           .starts = starts,
                           .left = -1,
                           .rank = -1};
    }
}

bool merges_cut(Merges *merges, const Tokenizer *tokenizer, const char *text, size_t length,
                Error *err) {
    merges_forget(merges);
    TokenIds ids = {0};
    bool ok = tokenizer_encode_watched(tokenizer, text, length, &ids, watch, merges, err);
    if (ok) {
        append_end(merges, tokenizer, &ids);
        merges->n_shown = 1;
    }
    token_ids_free(&ids);
    return ok;
}

bool merges_step(Merges *merges, int direction) {
    int to = merges->n_shown + direction;
    if (to < 1 || to > merges->n) {
        return false;
    }
    merges->n_shown = to;
    return true;
}
