// cmd_eval.c - `attend eval`: loss and perplexity of a model on data; BLEU of its translations.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/commands/eval_run.h"
#include "app/options.h"
#include "app/output.h"
#include "engine/base/plural.h"

enum { MOST_OPTIONS = 24 };

typedef struct EvalCommand {
    EvalSettings settings;
    const char *format, *output;
    bool paragraphs, json, help;
} EvalCommand;

static size_t list_options(EvalCommand *command, Option *options) {
    EvalSettings *settings = &command->settings;
    const Option all[] = {
        MODEL_CHOICE_MODEL(&settings->choice),
        {"data", 'd', OPTION_TEXT, &settings->source.path,
         "text, .jsonl with a text field, or .tsv: source, tab, target (-: standard input); "
         "translate: new pairs of toy-translate's grammar"},
        {"data-format", 0, OPTION_TEXT, &command->format,
         "text, jsonl or tsv, where the name does not say"},
        {"separator", 0, OPTION_TEXT, &settings->source.separator,
         "what separates texts (default <|endoftext|>)"},
        {"paragraphs", 0, OPTION_FLAG, &command->paragraphs, "a blank line also separates texts"},
        {"field", 0, OPTION_TEXT, &settings->source.field,
         "the field of JSONL that holds the text (default text)"},
        {"length", 'l', OPTION_INT, &settings->length,
         "tokens in a window (default: as in the training run, where that is known, else the "
         "model's positions, else 256)"},
        {"limit", 'n', OPTION_INT, &settings->limit, "read at most this many texts or pairs"},
        {"bleu", 0, OPTION_FLAG, &settings->has_bleu,
         "translate pairs and compare with the references (default)"},
        {"beam", 'b', OPTION_INT, &settings->beam,
         "beam width of the translations (default 1: greedy)"},
        {"length-penalty", 'a', OPTION_REAL, &settings->alpha,
         "length penalty of the beam (default 0.6)"},
        {"format", 'f', OPTION_TEXT, &command->output, "text (default) or json"},
        MODEL_CHOICE_OTHERS(&settings->choice, "seed of the initial weights"),
        {"help", 'h', OPTION_FLAG, &command->help, "show this"},
    };
    _Static_assert(sizeof all / sizeof all[0] <= MOST_OPTIONS, "room for all options");
    memcpy(options, all, sizeof all);
    return sizeof all / sizeof all[0];
}

// Data that is made is looked at where no run has learned from it.
static bool choose_source(EvalCommand *command, Error *err) {
    TextSource *source = &command->settings.source;
    source->paragraphs = command->paragraphs;
    bool ok = text_source_choose(source, "--data-format", command->format, err);
    if (ok && source->made != NULL && source->made->n_unseen > 0) {
        source->first_made = source->made->n_pairs;
        source->n_made = source->made->n_unseen;
    }
    return ok;
}

static bool check(EvalCommand *command, Error *err) {
    EvalSettings *settings = &command->settings;
    if (!model_choice_check(&settings->choice, err)) {
        return false;
    }
    if (settings->source.path == NULL) {
        return error_set(err, "--data: expected a file");
    }
    if (settings->length < 0 || settings->limit < 0) {
        return error_set(err, "--length and --limit: expected whole numbers from 0");
    }
    if (settings->beam < 1 || settings->beam > 256) {
        return error_set(err, "--beam: expected a whole number from 1 to 256, found %d",
                         settings->beam);
    }
    command->json = command->output != NULL && strcmp(command->output, "json") == 0;
    if (command->output != NULL && !command->json && strcmp(command->output, "text") != 0) {
        return error_set(
            err,
            "--format: expected text or json, how to print, found \"%.40s\"; --data-format says "
            "what the data is",
            command->output);
    }
    return choose_source(command, err);
}

static bool check_effects(const EvalCommand *command, const Option *options, size_t n_options,
                          uint64_t given, Error *err) {
    static const char *const NAMES[] = {"plain text", "pairs", "JSONL"}; // by TextFormat
    const EvalSettings *settings = &command->settings;
    TextFormat format = settings->source.format;
    bool are_pairs = format == TEXT_PAIRS;
    const char *data = NAMES[format];
    const char *decoder = are_pairs ? "pairs with --no-bleu" : data;
    bool decodes = are_pairs && settings->has_bleu;
    const IdleOption idle[] = {
        {"separator", format != TEXT_PLAIN, data},
        {"paragraphs", format != TEXT_PLAIN, data},
        {"field", format != TEXT_JSONL, data},
        {"length", are_pairs, data},
        {"bleu", !are_pairs, data},
        {"beam", !decodes, decoder},
        {"length-penalty", !decodes, decoder},
        {"length-penalty", settings->beam == 1, "--beam 1, which keeps one beginning"},
    };
    return options_refuse_given(options, n_options, given, idle, sizeof idle / sizeof idle[0], err);
}

static void print_text(const EvalResult *result) {
    double loss = result->loss_sum / (double)result->n_labels;
    output_print("loss        %.6f nats a token", loss);
    if (result->label_smoothing > 0.0) {
        output_print(", without the label smoothing of %g that was used in training",
                     result->label_smoothing);
    }
    output_print("\nperplexity  %.4f\ntokens      %lld in %lld text%s", exp(loss),
                 (long long)result->n_labels, (long long)result->n_texts, plural(result->n_texts));
    if (result->length > 0) {
        output_print(", %d at a time", result->length);
    }
    output_text("\n");
    if (result->has_bleu) {
        const Bleu *bleu = &result->bleu;
        output_print(
            "BLEU        %.2f = 100 * BP %.4f * (p1 %.4f * p2 %.4f * p3 %.4f * p4 %.4f)^(1/4); "
            "%lld word%s, reference %lld\n",
            100.0 * bleu_score(bleu), bleu_brevity(bleu), bleu_precision(bleu, 1),
            bleu_precision(bleu, 2), bleu_precision(bleu, 3), bleu_precision(bleu, 4),
            (long long)bleu->candidate_words, plural(bleu->candidate_words),
            (long long)bleu->reference_words);
        output_print("exact       %lld of %lld translations are the reference itself\n",
                     (long long)result->n_exact, (long long)result->n_texts);
    }
}

// What is not finite stands in quotes, as JSON has no number for it.
static void put_number(const char *key, double value) {
    const char *quote = isfinite(value) ? "" : "\"";
    output_print("%s%s%.9g%s", key, quote, value, quote);
}

static void print_json(const EvalResult *result) {
    double loss = result->loss_sum / (double)result->n_labels;
    put_number("{\"loss\": ", loss);
    put_number(", \"perplexity\": ", exp(loss));
    output_print(", \"tokens\": %lld, \"texts\": %lld", (long long)result->n_labels,
                 (long long)result->n_texts);
    if (result->has_bleu) {
        const Bleu *bleu = &result->bleu;
        output_print(
            ", \"bleu\": %.9g, \"brevity_penalty\": %.9g, \"precisions\": [%.9g, %.9g, %.9g, "
            "%.9g], \"exact\": %lld",
            100.0 * bleu_score(bleu), bleu_brevity(bleu), bleu_precision(bleu, 1),
            bleu_precision(bleu, 2), bleu_precision(bleu, 3), bleu_precision(bleu, 4),
            (long long)result->n_exact);
    }
    output_text("}\n");
}

int app_eval(int argc, char **argv) {
    EvalCommand command = {.settings = {.beam = 1, .alpha = 0.6, .has_bleu = true}};
    Option options[MOST_OPTIONS];
    size_t n_options = list_options(&command, options);
    uint64_t given = 0;
    int first = 0;
    Error err = {""};
    bool ok = options_read(argc, argv, options, n_options, &first, &given, &err);
    if (ok && command.help) {
        output_text(
            "usage: attend eval --model M --data F [OPTION...]\n\n"
            "Loss (mean, natural logarithm) and perplexity of the next token; of pairs also "
            "BLEU-4.\nTexts are cut into windows of --length tokens, side by side.\n\n");
        options_print(options, n_options);
        return APP_OK;
    }
    if (ok && first < argc) {
        ok = error_set(&err, "expected options only, found \"%.60s\"", argv[first]);
    }
    command.settings.choice.has_seed = options_has(options, n_options, given, "seed");
    if (!ok || !check(&command, &err) ||
        !check_effects(&command, options, n_options, given, &err)) {
        return app_wrong("eval", &err);
    }
    EvalResult result;
    if (!eval_run(&result, &command.settings, &err)) {
        return app_failed("eval", &err);
    }
    if (command.json) {
        print_json(&result);
    } else {
        print_text(&result);
    }
    return APP_OK;
}
