// training_batch.c - what the playground's model learns from, batch by batch.
#include "engine/playground/training_batch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/playground/batch.h"

enum { MOST_PAIRS = 64 }; // of a batch

TrainingSource training_source_find(const OpenModel *opened) {
    TrainingSource source = {.lr = opened->lr > 0.0F ? opened->lr : 1e-2F};
    Preset preset = {0};
    Error unknown = {""};
    if (preset_load(&preset, opened->named.name, &unknown)) {
        source.lr = preset.training.optimizer.lr;
        source.length = preset.training.length;
        source.made = made_data_find(preset.data);
        source.moves = source.made != NULL && source.made->n_pairs > MOST_PAIRS;
    }
    preset_free(&preset);
    return source;
}

// ---- pairs that are made

// One side of a pair as an item of the list. The first one is padded to the batch's length, so that
// all batches have one shape.
static bool take_side(ItemList *items, const OpenModel *opened, const char *text, int length,
                      Error *err) {
    if (!item_list_read_text(items, &opened->named, text, NULL, err)) {
        return false;
    }
    TokenIds *ids = &items->items[items->count - 1];
    while (items->count == 1 && ids->count < (size_t)length) {
        token_ids_append(ids, opened->named.model.config.pad_id);
    }
    return true;
}

static bool take_pair(ItemList *sources, ItemList *targets, const OpenModel *opened,
                      const TrainingSource *source, uint64_t number, Error *err) {
    Buffer line = {0};
    source->made->append(number, &line);
    char *tab = strchr(line.bytes, '\t');
    tab[0] = '\0';
    tab[1 + strcspn(tab + 1, "\n")] = '\0';
    // The decoder gets its target without the last token.
    int more = source->made->has_end ? 1 : 0;
    bool ok = take_side(sources, opened, line.bytes, source->length, err) &&
              take_side(targets, opened, tab + 1, source->length + more, err);
    buffer_free(&line);
    return ok;
}

bool training_batch_pairs(Batch *batch, const TrainingSource *source, const OpenModel *opened,
                          const uint64_t *numbers, int n, Error *err) {
    ItemList sources = {0};
    ItemList targets = {0};
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        ok = take_pair(&sources, &targets, opened, source, numbers[i], err);
    }
    ok = ok && batch_make(batch, &opened->named, &sources, &targets, true, err);
    item_list_free(&sources);
    item_list_free(&targets);
    return ok;
}

// ---- what is shown

static int32_t *copy_of(const int32_t *ids, int B, int T) {
    size_t size_bytes = (size_t)B * (size_t)T * sizeof *ids;
    int32_t *copy = ids == NULL ? NULL : malloc(size_bytes);
    if (copy != NULL) {
        memcpy(copy, ids, size_bytes);
    }
    return copy;
}

bool training_batch_make(Batch *batch, const TrainingSource *source, const OpenModel *opened,
                         int step, Error *err) {
    if (source->made != NULL) {
        uint64_t numbers[MOST_PAIRS];
        uint64_t n_all = source->made->n_pairs;
        int n = n_all > MOST_PAIRS ? MOST_PAIRS : (int)n_all;
        for (int i = 0; i < n; i++) {
            numbers[i] = ((uint64_t)step * (uint64_t)n + (uint64_t)i) % n_all;
        }
        return training_batch_pairs(batch, source, opened, numbers, n, err);
    }
    const Batch *shown = &opened->batch;
    if (shown->labels == NULL) {
        return error_set(err, "there is no target to learn: expected --target in `open`");
    }
    BatchShape shape = shown->shape;
    *batch = (Batch){.source = copy_of(shown->source, shape.B, shape.S),
                     .tokens = copy_of(shown->tokens, shape.B, shape.T),
                     .labels = copy_of(shown->labels, shape.B, shape.T),
                     .shape = shape};
    return (batch->tokens != NULL && batch->labels != NULL) || error_set(err, "out of memory");
}
