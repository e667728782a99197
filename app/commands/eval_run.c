// eval_run.c - how well a model says what a text says next, as `attend eval` was told.
#include "app/commands/eval_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/encode_note.h"
#include "app/model_options.h"
#include "engine/models/family.h"
#include "engine/models/text_marks.h"

enum { DEFAULT_LENGTH = 256 };

typedef struct Eval {
    const EvalSettings *settings;
    EvalResult *result;
    Translator translator; // of a language model: only its model and device
    ModelTape window;      // of `length` tokens, kept; built when first needed
    int length;
    TokenIds ids; // of a language model: not looked at yet
} Eval;

static bool run_tape(Eval *eval, ModelTape *built, const int32_t *ids, int n_labels, Error *err) {
    tape_set_ids(&built->tape, built->nodes.tokens, ids);
    tape_set_ids(&built->tape, built->nodes.labels, ids + 1);
    tape_run(&built->tape);
    int pad_id = eval->translator.named.model.config.pad_id;
    int count = (int)text_marks_count_labels(ids + 1, (size_t)n_labels, pad_id);
    eval->result->loss_sum += (double)*tape_values(&built->tape, built->nodes.loss) * count;
    eval->result->n_labels += count;
    return tape_check(&built->tape, err);
}

static bool build_tape(Eval *eval, ModelTape *built, int T, int S, Error *err) {
    return model_tape_build(built, &eval->translator.named.model, TAPE_INFER,
                            eval->translator.device, (BatchShape){1, T, S}, TAPE_LOSS, err) &&
           tape_allocate(&built->tape, err);
}

// ---- language models: windows side by side; the last token of one is the first of the next

static bool run_window(Eval *eval, const int32_t *ids, int T, Error *err) {
    if (T == eval->length) {
        if (eval->window.tape.n_nodes == 0 && !build_tape(eval, &eval->window, T, 0, err)) {
            return false;
        }
        return run_tape(eval, &eval->window, ids, T, err);
    }
    ModelTape built;
    bool ok = build_tape(eval, &built, T, 0, err) && run_tape(eval, &built, ids, T, err);
    model_tape_free(&built);
    return ok;
}

static bool run_whole_windows(Eval *eval, Error *err) {
    size_t at = 0;
    size_t length = (size_t)eval->length;
    while (eval->ids.count - at > length) {
        if (!run_window(eval, eval->ids.ids + at, eval->length, err)) {
            return false;
        }
        at += length;
    }
    eval->ids.count -= at;
    memmove(eval->ids.ids, eval->ids.ids + at, eval->ids.count * sizeof *eval->ids.ids);
    return true;
}

// Marked as the trainer marks a text.
static bool take_text(Eval *eval, const TextItem *item, Error *err) {
    const NamedModel *named = &eval->translator.named;
    const Tokenizer *tokenizer = &named->tokenizer;
    const TextMarks marks = text_marks_learned(&named->model.config, tokenizer, true);
    if (item->begins && marks.bos_id >= 0) {
        token_ids_append(&eval->ids, marks.bos_id);
    }
    EncodeReport report = {0};
    if (!tokenizer_encode(tokenizer, item->text, item->length, &eval->ids, &report, err)) {
        return false;
    }
    encode_report_add(&eval->translator.report, &report);
    if (item->ends && marks.eos_id >= 0) {
        token_ids_append(&eval->ids, marks.eos_id);
    }
    return run_whole_windows(eval, err);
}

// ---- pairs

static bool encode_side(Eval *eval, const char *text, size_t length, TokenIds *ids, Error *err) {
    char *copy = strndup(text, length);
    bool ok = copy != NULL &&
              translator_encode(&eval->translator, copy, ids, &eval->translator.report, err);
    free(copy);
    return ok;
}

static bool add_bleu(Eval *eval, const TokenIds *source, const TextItem *item, Error *err) {
    TranslateSettings settings = {.beam = eval->settings->beam, .alpha = eval->settings->alpha};
    Decoding decoding;
    if (!translator_decode(&eval->translator, &settings, source, &decoding, err)) {
        return false;
    }
    char *text = NULL;
    char *reference = strndup(item->target, item->target_length);
    bool ok = reference != NULL && translator_text(&eval->translator, decoding.best, &text, err);
    if (ok) {
        bleu_add(&eval->result->bleu, text, reference);
        eval->result->n_exact += strcmp(text, reference) == 0;
    }
    free(text);
    free(reference);
    decode_free(&decoding);
    return ok;
}

static bool take_pair(Eval *eval, const TextItem *item, Error *err) {
    TokenIds source = {0};
    TokenIds target = {0};
    ModelTape built = {.nodes = {.source = NULL}};
    bool ok = encode_side(eval, item->text, item->length, &source, err) &&
              encode_side(eval, item->target, item->target_length, &target, err) &&
              build_tape(eval, &built, (int)target.count - 1, (int)source.count, err);
    if (ok) {
        tape_set_ids(&built.tape, built.nodes.source, source.ids);
        ok = run_tape(eval, &built, target.ids, (int)target.count - 1, err) &&
             (!eval->settings->has_bleu || add_bleu(eval, &source, item, err));
    }
    model_tape_free(&built);
    token_ids_free(&source);
    token_ids_free(&target);
    return ok;
}

// ---- the whole

static bool fail_at(const Eval *eval, const TextItem *item, const Error *reason, Error *err) {
    const char *path = eval->settings->source.path;
    return item->line > 0
               ? error_set(err, "%s:%lld: %.400s", path, (long long)item->line, reason->text)
               : error_set(err, "%s: text %lld: %.400s", path, (long long)eval->result->n_texts,
                           reason->text);
}

// As many tokens at a time as it learned from: places behind them it has not seen.
static bool choose_length(Eval *eval, Error *err) {
    const NamedModel *named = &eval->translator.named;
    const int n_positions = named->model.config.n_positions;
    const int given = eval->settings->length;
    eval->length = given > 0                   ? given
                   : named->trained_length > 0 ? named->trained_length
                   : n_positions > 0           ? n_positions
                                               : DEFAULT_LENGTH;
    eval->result->length = eval->length;
    return n_positions == 0 || eval->length <= n_positions ||
           error_set(err, "--length: expected 1 to %d, the model's positions, found %d",
                     n_positions, eval->length);
}

static bool read_all(Eval *eval, TextReader *reader, Error *err) {
    bool are_pairs = eval->settings->source.format == TEXT_PAIRS;
    bool found = true;
    while (found) {
        TextItem item;
        if (!text_reader_next(reader, &item, &found, err)) {
            return false;
        }
        int limit = eval->settings->limit;
        if (!found || (limit > 0 && item.begins && eval->result->n_texts == limit)) {
            break;
        }
        eval->result->n_texts += item.begins;
        Error reason = {""};
        if (!(are_pairs ? take_pair(eval, &item, &reason) : take_text(eval, &item, &reason))) {
            return fail_at(eval, &item, &reason, err);
        }
    }
    int left = (int)eval->ids.count - 1;
    return left < 1 || run_window(eval, eval->ids.ids, left, err);
}

static bool open_model(Eval *eval, Error *err) {
    const EvalSettings *settings = eval->settings;
    bool are_pairs = settings->source.format == TEXT_PAIRS;
    Translator *translator = &eval->translator;
    if (are_pairs) {
        TranslateSettings open = {.choice = settings->choice};
        if (!translator_open(translator, &open, err)) {
            return false;
        }
    } else if (!model_choice_open(&settings->choice, &translator->named, err)) {
        return false;
    }
    ModelConfig *config = &translator->named.model.config;
    eval->result->label_smoothing = (double)config->label_smoothing;
    config->label_smoothing = 0.0F;
    if (!are_pairs && !choose_length(eval, err)) {
        return false;
    }
    if (!family_check_writes(config, settings->choice.model, err)) {
        return false;
    }
    if (!are_pairs && config_has_two_sides(config)) {
        return error_set(err,
                         "%s translates: expected data of pairs, a line each, source, tab, "
                         "target (a .tsv file, or --data-format tsv)",
                         settings->choice.model);
    }
    if (translator->named.tokenizer.n_pieces == 0) {
        return error_set(err, "%s has no tokenizer, which the data needs; --tokenizer T brings one",
                         settings->choice.model);
    }
    return true;
}

static bool load_model(Eval *eval, Error *err) {
    const EvalSettings *settings = eval->settings;
    Translator *translator = &eval->translator;
    if (settings->source.format == TEXT_PAIRS) {
        TranslateSettings load = {.choice = settings->choice};
        return translator_load(translator, &load, err);
    }
    if (!model_choice_load(&settings->choice, &translator->named, &translator->device, err)) {
        return false;
    }
    model_say_notes(&translator->named, settings->choice.untrained, settings->choice.has_seed);
    return true;
}

bool eval_run(EvalResult *result, const EvalSettings *settings, Error *err) {
    *result = (EvalResult){.n_texts = 0};
    result->has_bleu = settings->has_bleu && settings->source.format == TEXT_PAIRS;
    Eval eval = {.settings = settings, .result = result};
    TextReader reader = {.is_open = false};
    bool ok = open_model(&eval, err) && text_reader_open(&reader, &settings->source, err) &&
              load_model(&eval, err) && read_all(&eval, &reader, err);
    encode_note_say(&eval.translator.report, &eval.translator.named.tokenizer);
    if (ok && result->n_labels == 0) {
        ok = error_set(err, "%s: too little to look at: expected at least two tokens",
                       settings->source.path);
    }
    if (ok && !isfinite(result->loss_sum)) {
        ok = model_refuse_loss(settings->choice.model, err);
    }
    text_reader_close(&reader);
    token_ids_free(&eval.ids);
    model_tape_free(&eval.window);
    translator_close(&eval.translator);
    return ok;
}
