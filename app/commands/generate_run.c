// generate_run.c - prompts that are gone on with, as `attend generate` was told.
#include "app/commands/generate_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/prompt_input.h"
#include "app/encode_note.h"
#include "app/model_options.h"
#include "app/output.h"
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/plural.h"
#include "engine/generation/stop_text.h"
#include "engine/models/family.h"
#include "engine/models/text_marks.h"
#include "engine/tokenizers/token_stream.h"
#include "engine/devices/device.h"

enum { EXPLAIN_CANDIDATES = 12 };

// One prompt and what follows it.
typedef struct Text {
    TokenIds ids; // the prompt's, then the new ones
    int n_prompt;
    int room; // new ones that may come
    bool is_done;
    TokenStream stream;
    StopText stop;
    Buffer output; // not printed yet
} Text;

typedef struct Run {
    const GenerateSettings *settings;
    NamedModel named;
    Device *device;
    QuantizedWeights weights;
    const QuantizedWeights *used_weights; // NULL: float32
    Sampler sampler;
    Text *texts;
    int n_texts;
    int end_id; // -1: there is none
    int n_new;  // of all texts
    double seconds;
    EncodeReport report; // of the prompts
} Run;

// ---- prompts

static void print_some(Text *text, bool is_live) {
    if (is_live && text->output.length > 0) {
        generate_print_text(text->output.bytes, text->output.length);
        text->output.length = 0;
    }
}

static bool start_text(Run *run, Text *text, Error *err) {
    const GenerateSettings *settings = run->settings;
    const ModelConfig *config = &run->named.model.config;
    const Tokenizer *tokenizer = &run->named.tokenizer;
    text->n_prompt = (int)text->ids.count;
    text->stop.strings = (const char *const *)(void *)settings->stops.texts;
    text->stop.n_strings = settings->stops.n_texts;
    for (int i = 0; i < text->n_prompt; i++) {
        int32_t id = text->ids.ids[i];
        if (id < 0 || id >= config->vocab_size) {
            return error_set(err, "the prompt's id %d is outside the vocabulary, expected 0 to %d",
                             id, config->vocab_size - 1);
        }
        if (tokenizer->n_pieces > 0 &&
            !token_stream_append(&text->stream, tokenizer, id, &text->output, err)) {
            return false;
        }
    }
    if (settings->hides_prompt) { // it was read all the same: whether a space comes next follows
        text->output.length = 0;
    }
    text->room = settings->n_tokens;
    if (config->n_positions > 0 && text->n_prompt > config->n_positions) {
        return error_set(err, "a prompt of %d token%s is longer than the model's %d position%s",
                         text->n_prompt, plural(text->n_prompt), config->n_positions,
                         plural(config->n_positions));
    }
    if (text->n_prompt > ATTENTION_MAX_KEYS - text->room) {
        return error_set(err,
                         "a prompt of %d token%s and %d new ones: expected %d together at most",
                         text->n_prompt, plural(text->n_prompt), text->room, ATTENTION_MAX_KEYS);
    }
    if (config->n_positions > 0 && text->room > config->n_positions - text->n_prompt + 1) {
        text->room = config->n_positions - text->n_prompt + 1;
    }
    return true;
}

static bool read_prompt(Run *run, ItemList *items, const char *prompt, Error *err) {
    const Tokenizer *tokenizer = &run->named.tokenizer;
    if (!batch_has_tokenizer(&run->named, "--prompt-ids", err) ||
        !item_list_read_text(items, &run->named, prompt, &run->report, err)) {
        return false;
    }
    TokenIds *ids = &items->items[items->count - 1];
    int start = text_marks_before_prompt(tokenizer, ids->count, ids->count > 0 ? ids->ids[0] : -1);
    if (start >= 0) {
        token_ids_append(ids, start);
        memmove(ids->ids + 1, ids->ids, (ids->count - 1) * sizeof *ids->ids);
        ids->ids[0] = start;
    }
    return ids->count > 0 ||
           error_set(err, "the prompt is empty: expected at least one token, as this model has no "
                          "token that begins a text");
}

static bool read_prompts(Run *run, Error *err) {
    const GenerateSettings *settings = run->settings;
    ItemList items = {0};
    bool ok = true;
    for (int i = 0; ok && i < settings->prompts.n_texts; i++) {
        const char *prompt = settings->prompts.texts[i];
        Buffer input = {0};
        if (strcmp(prompt, "-") == 0) {
            ok = prompt_input_read(&input, err);
            prompt = input.length > 0 ? input.bytes : "";
        }
        ok = ok && read_prompt(run, &items, prompt, err);
        buffer_free(&input);
    }
    for (int i = 0; ok && i < settings->prompt_ids.n_texts; i++) {
        ok = item_list_read_ids(&items, settings->prompt_ids.texts[i], "--prompt-ids", err);
    }
    run->texts = calloc((size_t)items.count + 1, sizeof *run->texts);
    if (ok && run->texts == NULL) {
        ok = error_set(err, "out of memory");
    }
    for (int i = 0; ok && run->texts != NULL && i < items.count; i++) {
        Text *text = &run->texts[run->n_texts++];
        text->ids = items.items[i];
        items.items[i] = (TokenIds){0};
        ok = start_text(run, text, err);
    }
    item_list_free(&items);
    return ok;
}

// ---- going on

// The token joins the text; what it makes certain is printed or kept.
static bool take_token(Run *run, Text *text, int32_t id, bool is_live, Error *err) {
    const Tokenizer *tokenizer = &run->named.tokenizer;
    run->n_new++;
    text->room--;
    const bool ends = model_ends_with(&run->named.model, run->end_id, id);
    text->is_done = ends || text->room <= 0;
    if (ends) {
        return true;
    }
    token_ids_append(&text->ids, id);
    if (tokenizer->n_pieces == 0) {
        return true;
    }
    Buffer piece = {0};
    bool ok = token_stream_append(&text->stream, tokenizer, id, &piece, err);
    stop_text_append(&text->stop, piece.bytes, piece.length, &text->output);
    buffer_free(&piece);
    text->is_done = text->is_done || text->stop.is_stopped;
    print_some(text, is_live);
    return ok;
}

static bool draw_tokens(Run *run, Text *texts, int n, const float *logits, bool is_live,
                        Error *err) {
    bool explains = run->settings->explain;
    int V = run->named.model.config.vocab_size;
    for (int i = 0; i < n; i++) {
        Text *text = &texts[i];
        if (text->is_done) {
            continue;
        }
        int n_new = (int)text->ids.count - text->n_prompt;
        const float *row = logits + (size_t)i * (size_t)V;
        if (!sampling_check_logits(row, V, -1, err)) {
            return false;
        }
        int32_t id = sampler_draw(&run->sampler, row, text->ids.ids, (int)text->ids.count,
                                  (uint64_t)n_new, explains ? EXPLAIN_CANDIDATES : 0);
        if (explains) {
            generate_explain_draw(&run->sampler, &run->named.tokenizer,
                                  run->n_texts > 1 ? (int)(text - run->texts) : -1, n_new);
        }
        if (!take_token(run, text, id, is_live, err)) {
            return false;
        }
    }
    return true;
}

static bool all_done(const Text *texts, int n) {
    for (int i = 0; i < n; i++) {
        if (!texts[i].is_done) {
            return false;
        }
    }
    return true;
}

static bool go_on(Run *run, Generator *generator, Text *texts, int n, Error *err) {
    bool is_live = run->n_texts == 1 && !run->settings->explain && !run->settings->prints_ids;
    for (int i = 0; i < n; i++) {
        texts[i].is_done = texts[i].room <= 0;
        if (!generator_read(generator, i, texts[i].ids.ids, texts[i].n_prompt - 1, err)) {
            return false;
        }
        print_some(&texts[i], is_live);
    }
    while (!all_done(texts, n)) {
        int32_t tokens[GENERATOR_FEW_ROWS];
        for (int i = 0; i < n; i++) {
            tokens[i] = texts[i].is_done ? -1 : texts[i].ids.ids[texts[i].ids.count - 1];
        }
        const float *logits = NULL;
        if (!generator_step(generator, tokens, &logits, err) ||
            !draw_tokens(run, texts, n, logits, is_live, err)) {
            return false;
        }
    }
    return true;
}

// Texts are treated a few at a time: so each gets what it would get alone.
static bool run_group(Run *run, Text *texts, int n, Error *err) {
    int capacity = 1;
    for (int i = 0; i < n; i++) {
        int needed = texts[i].n_prompt + (texts[i].room > 0 ? texts[i].room - 1 : 0);
        capacity = needed > capacity ? needed : capacity;
    }
    GeneratorConfig config = {
        .mode = TAPE_INFER, .n_rows = n, .capacity = capacity, .weights = run->used_weights};
    Generator generator;
    if (!generator_open(&generator, &run->named.model, run->device, &config, err)) {
        return false;
    }
    double begin = clock_seconds();
    bool ok = go_on(run, &generator, texts, n, err);
    run->seconds += clock_seconds() - begin;
    generator_close(&generator);
    return ok;
}

static bool make_weights(Run *run, Error *err) {
    const GenerateSettings *settings = run->settings;
    const Text *text = &run->texts[0];
    if (settings->choice.weights == WEIGHT_F32) {
        return true;
    }
    run->used_weights = &run->weights;
    return generate_weights_make(&run->weights, &run->named.model, run->device,
                                 settings->choice.weights, text->ids.ids, text->n_prompt, err);
}

// ---- the whole

static void print_ids(const Text *text, bool hides_prompt) {
    size_t first = hides_prompt ? (size_t)text->n_prompt : 0;
    for (size_t i = first; i < text->ids.count; i++) {
        output_print("%s%d", i == first ? "" : ",", text->ids.ids[i]);
    }
    output_text("\n");
}

// A text that could not have all its tokens: said, so that nobody looks for a fault.
static void say_full(const Run *run, const Text *text) {
    int n_positions = run->named.model.config.n_positions;
    int n_new = (int)text->ids.count - text->n_prompt;
    if (n_positions > 0 && n_new < run->settings->n_tokens && (int)text->ids.count > n_positions) {
        output_say("attend generate: text %d ends with the model's %d position%s",
                   (int)(text - run->texts), n_positions, plural(n_positions));
    }
}

// A table of places has numbers for all of them, but those behind its texts were never learned.
static void say_beyond(const Run *run) {
    const NamedModel *named = &run->named;
    const int trained = named->trained_length;
    bool goes_beyond = false;
    if (trained == 0 || named->model.config.n_positions <= trained) {
        return;
    }
    for (int i = 0; i < run->n_texts; i++) {
        goes_beyond = goes_beyond || (int)run->texts[i].ids.count > trained + 1;
    }
    if (goes_beyond) {
        output_say("attend generate: %s was trained on %d token%s at a time: it has not learned to "
                   "continue longer texts",
                   named->name, trained, plural(trained));
    }
}

static void finish_text(const Run *run, Text *text) {
    Buffer rest = {0};
    token_stream_finish(&text->stream, &rest);
    stop_text_append(&text->stop, rest.bytes, rest.length, &text->output);
    stop_text_finish(&text->stop, &text->output);
    buffer_free(&rest);
    if (run->settings->prints_ids || run->named.tokenizer.n_pieces == 0) {
        print_ids(text, run->settings->hides_prompt);
        say_full(run, text);
        return;
    }
    if (text->output.length > 0) {
        generate_print_text(text->output.bytes, text->output.length);
    }
    output_text("\n");
    output_flush();
    say_full(run, text);
}

static bool open_run(Run *run, Error *err) {
    const GenerateSettings *settings = run->settings;
    if (!model_choice_open(&settings->choice, &run->named, err)) {
        return false;
    }
    const ModelConfig *config = &run->named.model.config;
    const Tokenizer *tokenizer = &run->named.tokenizer;
    if (config_has_two_sides(config)) {
        return error_set(err,
                         "%s translates: expected a language model here; `attend translate` "
                         "runs it",
                         settings->choice.model);
    }
    if (!family_check_writes(config, settings->choice.model, err)) {
        return false;
    }
    run->end_id = text_marks_end(config, tokenizer, true);
    bool is_padded = tokenizer->n_pieces > 0 && tokenizer->n_pieces < config->vocab_size;
    int n_known = is_padded ? tokenizer->n_pieces : config->vocab_size;
    bool ok = sampler_init(&run->sampler, &settings->sampling, n_known, err) &&
              read_prompts(run, err) &&
              model_choice_load(&settings->choice, &run->named, &run->device, err) &&
              make_weights(run, err);
    if (ok) {
        model_say_notes(&run->named, settings->choice.untrained,
                        settings->choice.has_seed && settings->sampling.temperature == 0.0);
        encode_note_say(&run->report, tokenizer);
    }
    return ok;
}

static void close_run(Run *run) {
    for (int i = 0; i < run->n_texts; i++) {
        token_ids_free(&run->texts[i].ids);
        buffer_free(&run->texts[i].stop.held);
        buffer_free(&run->texts[i].output);
    }
    free(run->texts);
    sampler_free(&run->sampler);
    quantized_free(&run->weights);
    preset_close(&run->named);
    device_close(run->device);
}

bool generate_run(const GenerateSettings *settings, Error *err) {
    Run run = {.settings = settings};
    bool ok = open_run(&run, err);
    if (ok && settings->explain) {
        generate_explain_formulas(&settings->sampling);
    }
    for (int i = 0; ok && i < run.n_texts; i += GENERATOR_FEW_ROWS) {
        int left = run.n_texts - i;
        int n = left < GENERATOR_FEW_ROWS ? left : GENERATOR_FEW_ROWS;
        ok = run_group(&run, run.texts + i, n, err);
        for (int k = i; ok && k < i + n; k++) {
            finish_text(&run, &run.texts[k]);
        }
    }
    if (ok) {
        say_beyond(&run);
    }
    if (ok && settings->says_speed && run.seconds > 0.0) {
        output_say("attend generate: %d token%s in %.3f s, %.1f tokens/s", run.n_new,
                   plural(run.n_new), run.seconds, run.n_new / run.seconds);
    }
    close_run(&run);
    return ok;
}
