// playground_decode.c - other ids over the same model: a text of one's own, and decoding.
#include <stdlib.h>
#include <string.h>

#include "engine/playground/playground_private.h"
#include "engine/generation/decode.h"
#include "kernels/random.h"
#include "engine/playground/view_sampling.h"

// One change: these ids in the place of those that are there.
static bool change_ids(Playground *playground, const Batch *batch, const char *text,
                       bool is_decoding, Error *err) {
    Kept *kept = playground_keep(playground, err);
    if (kept == NULL) {
        Batch refused = *batch;
        batch_free(&refused);
        return false;
    }
    kept->batch = *batch;
    kept->text = text;
    kept->is_decoding = is_decoding;
    return playground_push(playground, CHANGE_IDS, kept, err) != NULL &&
           playground_carry_out(playground, err);
}

// The ids of a text as it is typed, words or numbers; NULL: those that the model was opened with.
static bool make_batch(const Playground *playground, Batch *batch, const char *text, Error *err) {
    ModelInput typed = {.n_inputs = 1, .inputs = {text}};
    if (text != NULL && text[0] != '\0' && strspn(text, "0123456789,; ") == strlen(text)) {
        typed = (ModelInput){.ids = text};
    }
    const ModelInput *input = text != NULL ? &typed : &playground->input;
    return model_input_batch(batch, &playground->opened->named, input, err);
}

bool playground_input(Playground *playground, const char *text, Error *err) {
    Batch batch = {0};
    return make_batch(playground, &batch, text, err) &&
           change_ids(playground, &batch, arena_text(&playground->arena, text), false, err);
}

static int32_t *copy_ids(const int32_t *ids, int count, int capacity) {
    int32_t *copy = calloc((size_t)capacity + 1, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, ids, (size_t)count * sizeof *copy);
    }
    return copy;
}

// One item, its target no longer than n_tokens, without labels.
static bool make_tokens(const Batch *now, Batch *batch, int item, int n_tokens, int32_t appended,
                        Error *err) {
    BatchShape shape = now->shape;
    const int32_t *tokens = now->tokens + (size_t)item * (size_t)shape.T;
    *batch = (Batch){.shape = {1, n_tokens, shape.S}};
    bool is_longer = n_tokens > shape.T;
    batch->tokens = copy_ids(tokens, is_longer ? shape.T : n_tokens, n_tokens);
    if (now->source != NULL) {
        batch->source = copy_ids(now->source + (size_t)item * (size_t)shape.S, shape.S, shape.S);
    }
    if (batch->tokens == NULL || (now->source != NULL && batch->source == NULL)) {
        batch_free(batch);
        return error_set(err, "out of memory");
    }
    if (is_longer) {
        batch->tokens[n_tokens - 1] = appended;
    }
    return true;
}

static bool start_decode(Playground *playground, int item, Error *err) {
    const Batch *now = &playground->opened->batch;
    Batch batch;
    bool has_source = now->source != NULL;
    if (!make_tokens(now, &batch, item, has_source ? 1 : now->shape.T, 0, err) ||
        !change_ids(playground, &batch, playground->text, true, err)) {
        return false;
    }
    playground->item = item;
    return true;
}

// The token comes behind the others: within the change that began with the first of them, or as
// one of its own.
static bool append_token(Playground *playground, int32_t token, bool is_within, Error *err) {
    OpenModel *opened = playground->opened;
    Batch batch;
    if (!make_tokens(&opened->batch, &batch, 0, opened->batch.shape.T + 1, token, err)) {
        return false;
    }
    if (!is_within) {
        return change_ids(playground, &batch, playground->text, true, err);
    }
    Batch first = opened->batch;
    opened->batch = batch;
    if (playground_rebuild(playground, err)) {
        batch_free(&first);
        return true;
    }
    opened->batch = first;
    batch_free(&batch);
    return false;
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
    bool is_first = !playground->is_decoding;
    if (is_first && !start_decode(playground, item, err)) {
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
    if (!append_token(playground, next, is_first, err)) {
        return false;
    }
    *token = next;
    return true;
}

bool playground_end_decode(Playground *playground, Error *err) {
    Batch batch = {0};
    return !playground->is_decoding ||
           (make_batch(playground, &batch, playground->text, err) &&
            change_ids(playground, &batch, playground->text, false, err));
}
