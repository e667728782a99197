// playground_decode.c - other ids over the same model: a text of one's own, and decoding.
#include <stdlib.h>
#include <string.h>

#include "app/batch.h"
#include "app/learn/playground_private.h"
#include "engine/generation/decode.h"
#include "kernels/random.h"
#include "views/screen/view_sampling.h"

// The design's rules for targets and padding hold here as on the command line.
static bool make_batch(const Playground *playground, Batch *batch, const ItemList *sources,
                       const ItemList *targets, Error *err) {
    return batch_make(batch, &playground->opened->named, sources, targets, false, err);
}

static bool use_batch(Playground *playground, const Batch *batch, Error *err) {
    Batch old = playground->opened->batch;
    playground->opened->batch = *batch;
    // Numbers that were set belong to the ids of before.
    playground->n_done = 0;
    playground->n_changes = 0;
    if (playground_rebuild(playground, err)) {
        batch_free(&old);
        return true;
    }
    Batch refused = playground->opened->batch;
    playground->opened->batch = old;
    batch_free(&refused);
    return false;
}

bool playground_input(Playground *playground, const char *text, Error *err) {
    ItemList sources = {0};
    ItemList targets = {0};
    Batch batch = {0};
    bool is_ids = text[0] != '\0' && strspn(text, "0123456789,; ") == strlen(text);
    bool ok = is_ids ? item_list_read_ids(&sources, text, "input", err)
                     : item_list_read_text(&sources, &playground->opened->named, text, err);
    ok = ok && make_batch(playground, &batch, &sources, &targets, err) &&
         use_batch(playground, &batch, err);
    item_list_free(&sources);
    if (ok) {
        playground->is_decoding = false;
    }
    return ok;
}

static int32_t *copy_ids(const int32_t *ids, int count, int capacity) {
    int32_t *copy = calloc((size_t)capacity + 1, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, ids, (size_t)count * sizeof *copy);
    }
    return copy;
}

// One item, its target no longer than n_tokens, without labels.
static bool use_tokens(Playground *playground, int item, int n_tokens, int32_t appended,
                       Error *err) {
    const Batch *now = &playground->opened->batch;
    BatchShape shape = now->shape;
    const int32_t *tokens = now->tokens + (size_t)item * (size_t)shape.T;
    Batch batch = {.shape = {1, n_tokens, shape.S}};
    bool is_longer = n_tokens > shape.T;
    batch.tokens = copy_ids(tokens, is_longer ? shape.T : n_tokens, n_tokens);
    if (now->source != NULL) {
        batch.source = copy_ids(now->source + (size_t)item * (size_t)shape.S, shape.S, shape.S);
    }
    if (batch.tokens == NULL || (now->source != NULL && batch.source == NULL)) {
        batch_free(&batch);
        return error_set(err, "out of memory");
    }
    if (is_longer) {
        batch.tokens[n_tokens - 1] = appended;
    }
    return use_batch(playground, &batch, err);
}

static bool start_decode(Playground *playground, int item, Error *err) {
    bool has_source = playground->opened->batch.source != NULL;
    int n_tokens = has_source ? 1 : playground->opened->batch.shape.T;
    if (!use_tokens(playground, item, n_tokens, 0, err)) {
        return false;
    }
    playground->is_decoding = true;
    playground->item = item;
    return true;
}

// u is a function of the seed and of how long the text is: the same draw comes again.
static int32_t choose(const Playground *playground, const Node *logits, ViewSampling *options) {
    enum { PURPOSE_DECODE = 77 };
    int V = shape_width(&logits->shape);
    size_t last = shape_rows(&logits->shape) - 1;
    const float *row = logits->data + last * (size_t)V;
    if (options != NULL) {
        options->has_draw = options->temperature > 0.0F;
        options->u = (double)random_uniform(playground->opened->named.model.seed, PURPOSE_DECODE,
                                            (uint64_t)last, 0);
    }
    Sampling sampling;
    sampling_make(&sampling, row, V, options);
    return sampling.chosen < 0 ? 0 : sampling.candidates[sampling.chosen].id;
}

bool playground_decode(Playground *playground, int item, ViewSampling *sampling, int32_t *token,
                       Error *err) {
    *token = -1;
    if (!playground->is_decoding && !start_decode(playground, item, err)) {
        return false;
    }
    const Batch *batch = &playground->opened->batch;
    const NamedModel *named = &playground->opened->named;
    const ModelConfig *config = &named->model.config;
    int T = batch->shape.T;
    int end_id = named->copies ? -1 : config->eos_id;
    bool is_full = batch->source != NULL && T > decode_longest(batch->shape.S, end_id);
    bool is_long = config->n_positions > 0 && T >= config->n_positions;
    if (is_full || is_long || (end_id >= 0 && batch->tokens[T - 1] == end_id)) {
        return true;
    }
    Node *logits = playground->opened->built.nodes.logits;
    stepper_require(&playground->stepper, logits);
    int32_t next = choose(playground, logits, sampling);
    if (!use_tokens(playground, 0, T + 1, next, err)) {
        return false;
    }
    *token = next;
    return true;
}

bool playground_end_decode(Playground *playground, Error *err) {
    if (!playground->is_decoding) {
        return true;
    }
    ItemList sources = {0};
    ItemList targets = {0};
    Batch batch = {0};
    const ModelInput *input = &playground->input;
    bool ok = true;
    if (input->ids != NULL) {
        ok = item_list_read_ids(&sources, input->ids, "ids", err);
    }
    for (int i = 0; ok && i < input->n_inputs; i++) {
        ok = item_list_read_text(&sources, &playground->opened->named, input->inputs[i], err);
    }
    if (ok && input->target_ids != NULL) {
        ok = item_list_read_ids(&targets, input->target_ids, "target-ids", err);
    }
    ok = ok && make_batch(playground, &batch, &sources, &targets, err) &&
         use_batch(playground, &batch, err);
    item_list_free(&sources);
    item_list_free(&targets);
    playground->is_decoding = playground->is_decoding && !ok;
    return ok;
}
