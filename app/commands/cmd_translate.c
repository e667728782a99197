// cmd_translate.c - `attend translate`: a sentence into the encoder, its translation out of a beam.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "engine/playground/batch.h"
#include "app/commands/generate_run.h"
#include "app/commands/translate_run.h"
#include "app/encode_note.h"
#include "app/output.h"
#include "engine/base/plural.h"

enum { MOST_OPTIONS = 20, MOST_BEAM = 256 };

typedef struct TranslateCommand {
    TranslateSettings settings;
    OptionList source_ids;
    int n_failed;     // lines
    const char *what; // a text or a line, and which one
    int number;
    bool explain, prints_ids, help;
} TranslateCommand;

static size_t list_options(TranslateCommand *command, Option *options) {
    TranslateSettings *settings = &command->settings;
    const Option all[] = {
        MODEL_CHOICE_MODEL(&settings->choice),
        {"beam", 'b', OPTION_INT, &settings->beam, "beam width (default 1: greedy)"},
        {"length-penalty", 'a', OPTION_REAL, &settings->alpha,
         "A in score = log p / ((5 + length) / 6)^A (default 0.6)"},
        {"max-length", 'n', OPTION_INT, &settings->max_length,
         "at most this many tokens (default: twice those of the source, plus 8)"},
        {"source-ids", 0, OPTION_TEXTS, &command->source_ids, "sentences as ids, \"1,5,4;1,3,6\""},
        {"ids", 0, OPTION_FLAG, &command->prints_ids, "print ids instead of text"},
        {"explain", 'e', OPTION_FLAG, &command->explain, "show the beam after every step"},
        MODEL_CHOICE_WEIGHTS(&settings->choice),
        MODEL_CHOICE_OTHERS(&settings->choice, "seed of the initial weights"),
        {"help", 'h', OPTION_FLAG, &command->help, "show this"},
    };
    _Static_assert(sizeof all / sizeof all[0] <= MOST_OPTIONS, "room for all options");
    memcpy(options, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static void print_help(const Option *options, size_t n_options) {
    output_text("usage: attend translate --model M TEXT... [OPTION...]\n\n"
                "Each TEXT is one sentence; \"-\" reads them from standard input, one a line;\n"
                "a line that cannot be translated is named and left empty.\n\n");
    options_print(options, n_options);
}

static bool check(TranslateCommand *command, Error *err) {
    TranslateSettings *settings = &command->settings;
    if (!model_choice_check(&settings->choice, err)) {
        return false;
    }
    if (settings->beam < 1 || settings->beam > MOST_BEAM) {
        return error_set(err, "--beam: expected a whole number from 1 to %d, found %d", MOST_BEAM,
                         settings->beam);
    }
    if (!(fabs(settings->alpha) <= 100.0)) {
        return error_set(err, "--length-penalty: expected a number from -100 to 100, found %g",
                         settings->alpha);
    }
    return settings->max_length >= 0 ||
           error_set(err, "--max-length: expected a whole number from 0");
}

// Of one beginning the penalty changes the score alone, which --explain prints.
static bool check_effects(const TranslateCommand *command, const Option *options, size_t n_options,
                          uint64_t given, Error *err) {
    const IdleOption idle = {"length-penalty", command->settings.beam == 1 && !command->explain,
                             "--beam 1, which keeps one beginning"};
    return options_refuse_given(options, n_options, given, &idle, 1, err);
}

// ---- what is printed

static void print_token(const Translator *translator, int32_t id) {
    const Tokenizer *tokenizer = &translator->named.tokenizer;
    char piece[64];
    if (id < tokenizer->n_pieces) {
        tokenizer_piece_text(tokenizer, id, piece, sizeof piece);
    } else {
        snprintf(piece, sizeof piece, "%d", id);
    }
    output_print(" %s", piece);
}

static void print_tokens(const Translator *translator, const Hypothesis *hypothesis) {
    for (int i = 0; i < hypothesis->n_ids; i++) {
        print_token(translator, hypothesis->ids[i]);
    }
}

// What ranked below the beam's width after the steps before.
static void explain_dropped(const Translator *translator, const BeamStep *beam,
                            const BeamStep *before) {
    for (int i = 0; i < beam->n_dropped; i++) {
        const BeamDropped *dropped = &beam->dropped[i];
        output_print("  %5d %12.6f %12.6f ", beam->n_hypotheses + i + 1, dropped->log_probability,
                     dropped->score);
        print_tokens(translator, &before->hypotheses[dropped->parent]);
        if (dropped->id >= 0) {
            print_token(translator, dropped->id);
        }
        output_text("  (dropped)\n");
    }
}

static void explain_beam(const Translator *translator, const Decoding *decoding, double alpha) {
    output_print("score = log p / ((5 + length) / 6)^%g, length without the start token\n", alpha);
    if (decoding->left_out >= 0) {
        output_text("left out:");
        print_token(translator, decoding->left_out);
        output_text(" is padding: it is never chosen\n");
    }
    for (int step = 0; step < decoding->n_steps; step++) {
        output_print("\nstep %d\n  %5s %12s %12s  tokens\n", step, "rank", "log p", "score");
        const BeamStep *beam = &decoding->steps[step];
        for (int i = 0; i < beam->n_hypotheses; i++) {
            const Hypothesis *hypothesis = &beam->hypotheses[i];
            output_print("  %5d %12.6f %12.6f ", i + 1, hypothesis->log_probability,
                         hypothesis->score);
            print_tokens(translator, hypothesis);
            output_print("%s\n", hypothesis->is_finished ? "  (ended)" : "");
        }
        explain_dropped(translator, beam, beam - (step > 0)); // the first has none
    }
    output_text("\n");
}

static bool print_best(const Translator *translator, const Hypothesis *best, bool prints_ids,
                       Error *err) {
    if (prints_ids || translator->named.tokenizer.n_pieces == 0) {
        for (int i = 0; i < best->n_ids; i++) {
            output_print("%s%d", i == 0 ? "" : ",", best->ids[i]);
        }
        output_text("\n");
        return true;
    }
    char *text = NULL;
    bool ok = translator_text(translator, best, &text, err);
    if (ok) {
        generate_print_text(text, strlen(text));
        output_text("\n");
    }
    free(text);
    return ok;
}

static void say_limit(const TranslateCommand *command, int n_new) {
    output_flush();
    output_say("attend translate: %s %d ends at the limit of %d token%s, before its end",
               command->what, command->number, n_new, plural(n_new));
}

static bool translate_ids(Translator *translator, const TranslateCommand *command,
                          const TokenIds *ids, Error *err) {
    Decoding decoding;
    if (!translator_decode(translator, &command->settings, ids, &decoding, err)) {
        return false;
    }
    if (command->explain) {
        explain_beam(translator, &decoding, command->settings.alpha);
    }
    bool ok = print_best(translator, decoding.best, command->prints_ids, err);
    if (ok && translator_is_cut(translator, ids, decoding.best)) {
        say_limit(command, decoding.best->n_ids - 1);
    }
    decode_free(&decoding);
    return ok;
}

static bool translate_text(Translator *translator, const TranslateCommand *command,
                           const char *text, Error *err) {
    TokenIds ids = {0};
    bool ok = translator_encode(translator, text, &ids, &translator->report, err) &&
              translate_ids(translator, command, &ids, err);
    token_ids_free(&ids);
    return ok;
}

// One of several that cannot be translated is named and left empty; the others follow all the same.
static void translate_one(Translator *translator, TranslateCommand *command, const char *what,
                          int number, const char *text) {
    Error err = {""};
    command->what = what;
    command->number = number;
    if (!translate_text(translator, command, text, &err)) {
        output_text("\n");
        output_say("attend translate: %s %d: %s", what, number, err.text);
        command->n_failed++;
    }
    output_flush();
}

static void translate_lines(Translator *translator, TranslateCommand *command) {
    char *line = NULL;
    size_t capacity = 0;
    for (int number = 1; getline(&line, &capacity, stdin) >= 0; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0') {
            output_text("\n"); // so that lines stay side by side
            continue;
        }
        translate_one(translator, command, "line", number, line);
    }
    free(line);
}

static bool translate_all(Translator *translator, TranslateCommand *command, char **texts,
                          int n_texts, Error *err) {
    ItemList items = {0};
    bool ok = true;
    for (int i = 0; ok && i < command->source_ids.n_texts; i++) {
        ok = item_list_read_ids(&items, command->source_ids.texts[i], "--source-ids", err);
    }
    command->what = "text";
    for (int i = 0; ok && i < items.count; i++) {
        command->number = i + 1;
        ok = translate_ids(translator, command, &items.items[i], err);
    }
    item_list_free(&items);
    for (int i = 0; ok && i < n_texts; i++) {
        if (strcmp(texts[i], "-") == 0) {
            translate_lines(translator, command);
        } else if (n_texts > 1) {
            translate_one(translator, command, "text", i + 1, texts[i]);
        } else {
            command->number = 1;
            ok = translate_text(translator, command, texts[i], err);
        }
    }
    return ok;
}

// What needs no weights: that there is a tokenizer, that the ids are ids, and that a text that
// comes alone can be encoded.
static bool check_texts(const Translator *translator, const TranslateCommand *command, char **texts,
                        int n_texts, Error *err) {
    ItemList items = {0};
    TokenIds ids = {0};
    bool ok = n_texts == 0 || batch_has_tokenizer(&translator->named, "--source-ids", err);
    for (int i = 0; ok && i < command->source_ids.n_texts; i++) {
        ok = item_list_read_ids(&items, command->source_ids.texts[i], "--source-ids", err);
    }
    if (ok && n_texts == 1 && strcmp(texts[0], "-") != 0) {
        ok = translator_encode(translator, texts[0], &ids, NULL, err);
    }
    item_list_free(&items);
    token_ids_free(&ids);
    return ok;
}

static int run(TranslateCommand *command, int argc, char **argv, Error *err) {
    Option options[MOST_OPTIONS];
    size_t n_options = list_options(command, options);
    uint64_t given = 0;
    int first = 0;
    bool ok = options_read(argc, argv, options, n_options, &first, &given, err);
    if (ok && command->help) {
        print_help(options, n_options);
        return APP_OK;
    }
    command->settings.choice.has_seed = options_has(options, n_options, given, "seed");
    ok = ok && check(command, err) && check_effects(command, options, n_options, given, err);
    if (ok && first == argc && command->source_ids.n_texts == 0) {
        ok = error_set(err, "no text: expected a sentence, or \"-\" for standard input");
    }
    if (!ok) {
        return app_wrong("translate", err);
    }
    Translator translator;
    ok = translator_open(&translator, &command->settings, err);
    if (ok) {
        ok = check_texts(&translator, command, argv + first, argc - first, err) &&
             translator_load(&translator, &command->settings, err) &&
             translate_all(&translator, command, argv + first, argc - first, err);
        encode_note_say(&translator.report, &translator.named.tokenizer);
        translator_close(&translator);
    }
    if (!ok) {
        return app_failed("translate", err);
    }
    return command->n_failed == 0 ? APP_OK : APP_FAILED;
}

int app_translate(int argc, char **argv) {
    TranslateCommand command = {.settings = {.beam = 1, .alpha = 0.6}};
    Error err = {""};
    int status = run(&command, argc, argv, &err);
    option_list_free(&command.source_ids);
    return status;
}
