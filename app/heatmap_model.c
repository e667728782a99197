// heatmap_model.c - opens the model and runs the input that a heatmap is to show.
#include "app/heatmap_model.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "engine/file.h"
#include "engine/tokenizer.h"
#include "kernels/cpu.h"

// The ids of every item of a batch.
typedef struct Items {
    TokenIds items[INPUT_MAX_ITEMS];
    int n_items;
} Items;

static void items_free(Items *items) {
    for (int i = 0; i < items->n_items; i++) {
        token_ids_free(&items->items[i]);
    }
}

// "1,5,4;1,3,6": commas between ids, semicolons between items.
static bool items_parse(Items *items, const char *text, const char *option, int vocab_size,
                        Error *err) {
    const char *at = text;
    items->n_items = 1;
    for (;;) {
        char *after = NULL;
        errno = 0;
        long id = strtol(at, &after, 10);
        if (after == at) {
            return error_set(err,
                             "%s \"%s\": expected ids with \",\" between them and \";\" between "
                             "items, such as \"1,5,4;1,3,6\"",
                             option, text);
        }
        if (errno != 0 || id < 0 || id >= vocab_size) {
            return error_set(err, "%s: %.*s is outside of the vocabulary, whose ids are 0 to %d",
                             option, (int)(after - at), at, vocab_size - 1);
        }
        token_ids_append(&items->items[items->n_items - 1], (int32_t)id);
        at = after + strspn(after, " ");
        if (*at == '\0') {
            return true;
        }
        if (*at != ',' && *at != ';') {
            return error_set(err, "%s \"%s\": expected \",\" or \";\" before \"%s\"", option, text,
                             at);
        }
        if (*at == ';' && items->n_items == INPUT_MAX_ITEMS) {
            return error_set(err, "%s: at most %d items can be given", option, INPUT_MAX_ITEMS);
        }
        items->n_items += *at == ';';
        at++;
    }
}

static bool items_encode(Items *items, const Tokenizer *tokenizer, const ModelConfig *config,
                         const char *const *texts, int n_texts, Error *err) {
    items->n_items = n_texts;
    for (int i = 0; i < n_texts; i++) {
        TokenIds *ids = &items->items[i];
        if (tokenizer->kind == TOKENIZER_WORDS && config->bos_id >= 0) {
            token_ids_append(ids, config->bos_id);
        }
        if (!tokenizer_encode(tokenizer, texts[i], strlen(texts[i]), ids, NULL, err)) {
            return false;
        }
        for (size_t j = 0; j < ids->count; j++) {
            if (ids->ids[j] >= config->vocab_size) {
                return error_set(err,
                                 "the tokenizer gives id %d, the model's vocabulary ends at %d",
                                 (int)ids->ids[j], config->vocab_size - 1);
            }
        }
    }
    return true;
}

// Shorter items are filled up on the right with padding, where the family has it.
static bool items_pad(Items *items, const ModelConfig *config, Error *err) {
    size_t longest = 0;
    for (int i = 0; i < items->n_items; i++) {
        longest = items->items[i].count > longest ? items->items[i].count : longest;
    }
    for (int i = 0; i < items->n_items; i++) {
        TokenIds *ids = &items->items[i];
        if (longest == 0 || longest > INT_MAX / INPUT_MAX_ITEMS) {
            return error_set(err, "the input is empty or too long");
        }
        if (ids->count < longest && config->family != FAMILY_ENCODER_DECODER) {
            return error_set(err,
                             "item %d has %zu tokens and another %zu: this family has no padding, "
                             "items must be of one length",
                             i, ids->count, longest);
        }
        while (ids->count < longest) {
            token_ids_append(ids, config->pad_id);
        }
    }
    return true;
}

static bool read_side(Items *items, const InputOptions *options, bool is_target,
                      const Tokenizer *tokenizer, const ModelConfig *config, Error *err) {
    const char *ids = is_target ? options->target_ids : options->ids;
    int n_texts = is_target ? options->n_targets : options->n_inputs;
    const char *const *texts = is_target ? options->targets : options->inputs;
    if (ids != NULL) {
        const char *option = is_target ? "--target-ids" : "--ids";
        return items_parse(items, ids, option, config->vocab_size, err) &&
               items_pad(items, config, err);
    }
    if (n_texts > 0 && tokenizer->n_pieces == 0) {
        return error_set(err,
                         "%s: there is no tokenizer in it, so that text cannot be read; give "
                         "ids with %s",
                         options->model, is_target ? "--target-ids" : "--ids");
    }
    return items_encode(items, tokenizer, config, texts, n_texts, err) &&
           items_pad(items, config, err);
}

// The ids of all items, one after the other, without the first or last few of each.
static int32_t *flat_ids(Arena *arena, const Items *items, int first, int count) {
    int32_t *ids = arena_allocate(arena, (size_t)items->n_items * (size_t)count * sizeof *ids);
    for (int i = 0; i < items->n_items; i++) {
        memcpy(ids + (size_t)i * (size_t)count, items->items[i].ids + first,
               (size_t)count * sizeof *ids);
    }
    return ids;
}

static const char *token_text(Arena *arena, const Tokenizer *tokenizer, int id) {
    if (id >= tokenizer->n_pieces) {
        return arena_format(arena, "%d", id);
    }
    char text[256];
    tokenizer_piece_text(tokenizer, id, text, sizeof text);
    return arena_text(arena, text);
}

static const char *const *token_texts(Arena *arena, const Tokenizer *tokenizer, const int32_t *ids,
                                      int n) {
    const char **texts = arena_allocate(arena, (size_t)n * sizeof *texts);
    for (int i = 0; i < n; i++) {
        texts[i] = token_text(arena, tokenizer, ids[i]);
    }
    return texts;
}

static void keep_tokens(HeatmapModel *opened, const Tokenizer *tokenizer, int item) {
    const ModelNodes *nodes = &opened->built.nodes;
    int V = opened->model.config.vocab_size;
    HeatmapTokens *tokens = &opened->tokens;
    Arena *arena = &opened->arena;
    tokens->n_tokens = nodes->tokens->shape.sizes[1];
    tokens->tokens = token_texts(arena, tokenizer, nodes->tokens->ids + item * tokens->n_tokens,
                                 tokens->n_tokens);
    if (nodes->source != NULL) {
        tokens->n_source = nodes->source->shape.sizes[1];
        tokens->source = token_texts(arena, tokenizer, nodes->source->ids + item * tokens->n_source,
                                     tokens->n_source);
    }
    if (tokenizer->n_pieces > 0 && V <= 4096) {
        int32_t *all = arena_allocate(arena, (size_t)V * sizeof *all);
        for (int i = 0; i < V; i++) {
            all[i] = i;
        }
        tokens->vocabulary = token_texts(arena, tokenizer, all, V);
        tokens->n_vocabulary = V;
    }
}

// Two sides: the decoder reads the target without its last token, the labels are the target without
// its first. One side: the labels are the ids shifted by one; the last position has none.
static bool run(HeatmapModel *opened, const InputOptions *options, Items *input, Items *target,
                Error *err) {
    Model *model = &opened->model;
    bool has_source = config_has_two_sides(&model->config);
    Items *tokens = has_source ? target : input;
    int T = (int)tokens->items[0].count;
    bool has_labels = has_source ? T > 1 : true;
    int n_tokens = has_source && has_labels ? T - 1 : T;
    BatchShape shape = {tokens->n_items, n_tokens, has_source ? (int)input->items[0].count : 0};
    TapeParts parts = options->wants_gradients ? TAPE_GRADIENTS
                      : has_labels             ? TAPE_LOSS
                                               : TAPE_LOGITS;
    if (options->wants_gradients && !has_labels) {
        return error_set(err, "gradients need a target: give it with --target or --target-ids");
    }
    if (!model_tape_build(&opened->built, model, TAPE_WATCH, &CPU_BACKEND, opened->device, shape,
                          parts, err) ||
        !tape_allocate(&opened->built.tape, err)) {
        return false;
    }
    const ModelNodes *nodes = &opened->built.nodes;
    tape_set_ids(nodes->tokens, flat_ids(&opened->arena, tokens, 0, n_tokens));
    if (has_source) {
        tape_set_ids(nodes->source, flat_ids(&opened->arena, input, 0, shape.S));
    }
    if (nodes->labels != NULL) {
        for (int i = 0; !has_source && i < tokens->n_items; i++) {
            token_ids_append(&tokens->items[i], -1);
        }
        tape_set_ids(nodes->labels, flat_ids(&opened->arena, tokens, 1, n_tokens));
    }
    tape_run(&opened->built.tape);
    return true;
}

static bool read_and_run(HeatmapModel *opened, const InputOptions *options,
                         const Tokenizer *tokenizer, Error *err) {
    const ModelConfig *config = &opened->model.config;
    Items input = {0};
    Items target = {0};
    bool ok = read_side(&input, options, false, tokenizer, config, err);
    if (ok && config_has_two_sides(config)) {
        bool has_target = options->target_ids != NULL || options->n_targets > 0;
        if (has_target) {
            ok = read_side(&target, options, true, tokenizer, config, err);
        } else {
            // Without one the decoder has read nothing but its start.
            target.n_items = input.n_items;
            for (int i = 0; i < input.n_items; i++) {
                token_ids_append(&target.items[i], config->bos_id >= 0 ? config->bos_id : 0);
            }
        }
        if (ok && target.n_items != input.n_items) {
            ok = error_set(err, "there are %d inputs and %d targets, one of each is needed",
                           input.n_items, target.n_items);
        }
    }
    if (ok && options->item >= input.n_items) {
        ok = error_set(err, "--item %d: there are %d items, counted from 0", options->item,
                       input.n_items);
    }
    ok = ok && run(opened, options, &input, &target, err);
    if (ok) {
        keep_tokens(opened, tokenizer, options->item);
    }
    items_free(&input);
    items_free(&target);
    return ok;
}

bool heatmap_model_open(HeatmapModel *opened, const InputOptions *options, Error *err) {
    *opened = (HeatmapModel){0};
    if (!file_is_folder(options->model)) {
        return error_set(err, "%s: expected a folder with config.json and model.safetensors",
                         options->model);
    }
    if (!model_load(&opened->model, options->model, err)) {
        return false;
    }
    if (options->is_untrained) {
        params_initialize(&opened->model.params, options->seed);
    }
    opened->device = cpu_open(options->n_threads);
    if (opened->device == NULL) {
        return error_set(err, "out of memory for %d threads", options->n_threads);
    }
    Tokenizer tokenizer = {0};
    bool needs_tokenizer = options->n_inputs + options->n_targets > 0;
    Error lack = {0};
    if (!tokenizer_load(&tokenizer, options->model, &lack)) {
        tokenizer = (Tokenizer){0};
        if (needs_tokenizer) {
            return error_set(err, "%s", lack.text);
        }
    }
    bool ok = read_and_run(opened, options, &tokenizer, err);
    tokenizer_free(&tokenizer);
    return ok;
}

void heatmap_model_close(HeatmapModel *opened) {
    model_tape_free(&opened->built);
    model_free(&opened->model);
    if (opened->device != NULL) {
        cpu_close(opened->device);
    }
    arena_free(&opened->arena);
    *opened = (HeatmapModel){0};
}
