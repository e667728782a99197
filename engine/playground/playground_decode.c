// playground_decode.c - other ids over the same model: a text of one's own, and decoding.
#include <stdlib.h>
#include <string.h>

#include "engine/playground/playground_private.h"
#include "engine/generation/decode.h"
#include "engine/models/family.h"
#include "engine/models/text_marks.h"

bool playground_change_ids(Playground *playground, const Batch *batch, PlaygroundText text,
                           Error *err) {
    Kept *kept = playground_keep(playground, err);
    if (kept == NULL) {
        Batch refused = *batch;
        batch_free(&refused);
        return false;
    }
    kept->batch = *batch;
    kept->text = text;
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
           playground_change_ids(playground, &batch,
                                 (PlaygroundText){.typed = playground_keep_text(playground, text)},
                                 err);
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
    int n_given = now->source != NULL ? 1 : now->shape.T;
    PlaygroundText text = {
        .typed = playground->text.typed, .is_decoding = true, .item = item, .n_given = n_given};
    Batch batch;
    return make_tokens(now, &batch, item, n_given, 0, err) &&
           playground_change_ids(playground, &batch, text, err);
}

static int32_t token_of(const SamplingDraw *draw) {
    return draw->made.candidates[draw->made.chosen].id;
}

// The token comes behind the others: within the change that began with the first of them, or as
// one of its own.
static bool append_token(Playground *playground, const SamplingDraw *draw, bool is_within,
                         Error *err) {
    OpenModel *opened = playground->opened;
    Batch batch;
    PlaygroundText text = playground->text;
    text.draws = draw;
    if (!make_tokens(&opened->batch, &batch, 0, opened->batch.shape.T + 1, token_of(draw), err)) {
        return false;
    }
    if (!is_within) {
        return playground_change_ids(playground, &batch, text, err);
    }
    Batch first = opened->batch;
    opened->batch = batch;
    if (playground_rebuild(playground, err)) {
        playground->text = text;
        batch_free(&first);
        return true;
    }
    opened->batch = first;
    batch_free(&batch);
    return false;
}

bool playground_sample(Playground *playground, const SamplingConfig *sampling, Error *err) {
    if (!sampling_check(sampling, err)) {
        return false;
    }
    playground->sampling = *sampling;
    playground_follow_seed(playground);
    return true;
}

static bool choose(Playground *playground, const Node *logits, const SamplingDraw **draw,
                   Error *err) {
    const Batch *batch = &playground->opened->batch;
    int V = shape_width(&logits->shape);
    size_t last = shape_rows(&logits->shape) - 1;
    Sampler sampler;
    if (!sampler_init(&sampler, &playground->sampling, V, err)) {
        return false;
    }
    int T = batch->shape.T;
    uint64_t step = (uint64_t)(T - playground->text.n_given);
    sampler.left_out = playground->opened->named.model.config.pad_id;
    const float *row = tape_values(&playground->opened->built.tape, logits) + last * (size_t)V;
    bool ok = sampling_check_logits(row, V, sampler.left_out, err);
    if (ok) {
        sampler_draw(&sampler, row, batch->tokens, T, step, SAMPLING_SHOWN);
        *draw = sampling_keep(&playground->arena, &sampler, T - 1, playground->text.draws);
    }
    sampler_free(&sampler);
    return ok;
}

static bool has_ended(const OpenModel *opened) {
    const Batch *batch = &opened->batch;
    const ModelConfig *config = &opened->named.model.config;
    int T = batch->shape.T;
    int end_id = text_marks_end(config, &opened->named.tokenizer, !opened->named.copies);
    bool is_full = batch->source != NULL && T > decode_longest(batch->shape.S, end_id);
    bool is_long = config->n_positions > 0 && T >= config->n_positions;
    return is_full || is_long ||
           model_ends_with(&opened->named.model, end_id, batch->tokens[T - 1]);
}

int playground_next_draw(const Playground *playground) {
    const PlaygroundText *text = &playground->text;
    bool goes_on = text->is_decoding && !has_ended(playground->opened);
    return goes_on ? playground->opened->batch.shape.T - text->n_given : -1;
}

// What the token after those that stand there is chosen by; NULL: decoding has ended.
static bool next_token(Playground *playground, const SamplingDraw **draw, Error *err) {
    *draw = NULL;
    if (has_ended(playground->opened)) {
        return true;
    }
    Node *logits = playground->opened->built.nodes.logits;
    return stepper_require(&playground->stepper, logits, err) &&
           choose(playground, logits, draw, err);
}

bool playground_decode(Playground *playground, int item, int32_t *token, Error *err) {
    *token = -1;
    bool is_first = !playground->text.is_decoding;
    const NamedModel *named = &playground->opened->named;
    if (!family_check_writes(&named->model.config, named->name, err)) {
        return false;
    }
    if (is_first && !start_decode(playground, item, err)) {
        return false;
    }
    const SamplingDraw *draw = NULL;
    bool ok = next_token(playground, &draw, err) &&
              (draw == NULL || append_token(playground, draw, is_first, err));
    if (!ok && is_first) {
        playground_drop_change(playground);
    }
    *token = ok && draw != NULL ? token_of(draw) : -1;
    return ok;
}

bool playground_search(Playground *playground, int item, int width, Error *err) {
    OpenModel *opened = playground->opened;
    const Batch *batch = &opened->batch;
    const ModelConfig *config = &opened->named.model.config;
    int end_id = text_marks_end(config, &opened->named.tokenizer, !opened->named.copies);
    BeamConfig beam = {.progress = playground->progress,
                       .width = width,
                       .max_length = decode_longest(batch->shape.S, end_id),
                       .end_id = end_id};
    Decoding decoding = {.n_steps = 0};
    const int32_t *source = batch->source + (size_t)item * (size_t)batch->shape.S;
    if (!decode_beam(&decoding, &opened->named.model, opened->device, source, batch->shape.S, &beam,
                     err)) {
        return false;
    }
    decode_free(&playground->beam);
    playground->beam = decoding;
    return true;
}

bool playground_end_decode(Playground *playground, Error *err) {
    Batch batch = {0};
    PlaygroundText text = {.typed = playground->text.typed};
    return !playground->text.is_decoding || (make_batch(playground, &batch, text.typed, err) &&
                                             playground_change_ids(playground, &batch, text, err));
}
