// heatmap_input.c - a heatmap of what an open model's tape holds: the tokens at its axes, its
// title.
#include "app/commands/heatmap_input.h"

#include <string.h>

enum { VOCABULARY_SHOWN = 4096 }; // names at an axis; a longer one has numbers

static const char *const *token_texts(Arena *arena, const OpenModel *opened, const int32_t *ids,
                                      int n) {
    const char **texts = arena_allocate(arena, (size_t)n * sizeof *texts);
    for (int i = 0; i < n; i++) {
        char text[256];
        texts[i] = arena_text(arena, model_input_token(opened, ids[i], text, sizeof text));
    }
    return texts;
}

// What is to be written after each token of an item: its label where there are labels, else the
// token that follows it.
static const char *const *next_texts(Arena *arena, const OpenModel *opened, int item) {
    const Batch *batch = &opened->batch;
    int T = batch->shape.T;
    const size_t first = (size_t)item * (size_t)T;
    if (batch->labels != NULL) {
        return token_texts(arena, opened, batch->labels + first, T);
    }
    const char **texts = arena_allocate(arena, (size_t)T * sizeof *texts);
    const char *const *following = token_texts(arena, opened, batch->tokens + first + 1, T - 1);
    for (int i = 0; i < T; i++) {
        texts[i] = i + 1 < T ? following[i] : "";
    }
    return texts;
}

// What stands at the axes: the tokens of one item of the batch.
static HeatmapTokens tokens_of(Arena *arena, const OpenModel *opened, int item) {
    const Batch *batch = &opened->batch;
    HeatmapTokens tokens = {.n_tokens = batch->shape.T};
    size_t place = (size_t)item;
    tokens.tokens =
        token_texts(arena, opened, batch->tokens + place * (size_t)batch->shape.T, batch->shape.T);
    tokens.next = next_texts(arena, opened, item);
    if (batch->source != NULL) {
        tokens.n_source = batch->shape.S;
        tokens.source = token_texts(arena, opened, batch->source + place * (size_t)batch->shape.S,
                                    batch->shape.S);
    }
    int V = opened->named.model.config.vocab_size;
    if (V <= VOCABULARY_SHOWN) {
        int32_t *all = arena_allocate(arena, (size_t)V * sizeof *all);
        for (int i = 0; i < V; i++) {
            all[i] = i;
        }
        tokens.vocabulary = token_texts(arena, opened, all, V);
        tokens.n_vocabulary = V;
    }
    return tokens;
}

// The last part of a path: "models/toy-copy/" is toy-copy.
static const char *model_name(Arena *arena, const char *path) {
    char *name = arena_text(arena, path);
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/') {
        name[--length] = '\0';
    }
    const char *slash = strrchr(name, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : name;
}

bool heatmap_input_prepare(Heatmap *heatmap, Arena *arena, const OpenModel *opened,
                           const HeatmapQuery *query, int *n_other, Error *err) {
    int n_items = opened->batch.shape.B;
    if (query->item >= n_items) {
        return error_set(err, "batch item %d: there are %d, counted from 0", query->item, n_items);
    }
    heatmap->model = model_name(arena, opened->named.name);
    heatmap->note = n_items > 1 ? arena_format(arena, "batch item %d", query->item) : NULL;
    HeatmapTokens tokens = tokens_of(arena, opened, query->item);
    return heatmap_prepare(heatmap, arena, &opened->built.tape, query, &tokens, n_other, err);
}
