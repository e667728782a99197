// learn_tokens.c - a text on its way into tokens, one merge after the other.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn_actions.h"

enum { MOST_BYTES = 1024 };

void learn_forget_merges(Learn *learn) {
    arena_free(&learn->merges.arena);
    free(learn->merges.steps);
    learn->merges = (Merges){.n = 0};
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

bool act_tokens(Learn *learn, const Command *command, Error *err) {
    const NamedModel *named = &learn->playground.opened->named;
    if (named->tokenizer.n_pieces == 0) {
        return reply_fail(&learn->reply, err, TEXT_NO_TOKENIZER, named->name, NULL);
    }
    if (command->rest[0] == '\0') {
        reply_ask(&learn->reply, "tokens ");
        return true;
    }
    // A lesson writes the text in quotes.
    const char *start = command->rest;
    size_t length = strlen(start);
    if (length > MOST_BYTES) { // each merge keeps a row of pieces
        return error_set(err, "tokens: expected a text of at most %d bytes, found %zu", MOST_BYTES,
                         length);
    }
    if (length >= 2 && start[0] == '"' && start[length - 1] == '"') {
        start++;
        length -= 2;
    }
    learn_forget_merges(learn);
    TokenIds ids = {0};
    bool ok = tokenizer_encode_watched(&named->tokenizer, start, length, &ids, watch,
                                       &learn->merges, err);
    if (ok) {
        append_end(&learn->merges, &named->tokenizer, &ids);
        learn->merges.n_shown = 1;
        reply_show(&learn->reply, VIEW_OF_MERGES);
    }
    token_ids_free(&ids);
    return ok;
}

bool learn_step_merges(Learn *learn, int direction) {
    Merges *merges = &learn->merges;
    int to = merges->n_shown + direction;
    if (to < 1 || to > merges->n) {
        return false;
    }
    merges->n_shown = to;
    if (to == merges->n) {
        char count[16];
        snprintf(count, sizeof count, "%d", merges->steps[to - 1].n_pieces);
        reply_say(&learn->reply, TEXT_TOKENS_DONE, count, NULL);
    }
    return true;
}

bool act_step(Learn *learn, const Command *command, Error *err) {
    bool is_back = command->id == COMMAND_BACK;
    bool is_one = command->id == COMMAND_NEXT || is_back;
    if (is_one && learn->merges.n > 0 && learn_step_merges(learn, is_back ? -1 : 1)) {
        return true;
    }
    learn_forget_merges(learn);
    return cursor_do_step(&learn->cursor, command, err);
}

bool act_go(Learn *learn, const Command *command, Error *err) {
    learn_forget_merges(learn);
    return cursor_do_go(&learn->cursor, command, err);
}
