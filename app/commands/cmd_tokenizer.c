// cmd_tokenizer.c - `attend tokenizer train`: learns a vocabulary from a text, and shows how.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/options.h"
#include "app/output_check.h"
#include "app/output.h"
#include "engine/base/buffer.h"
#include "engine/base/plural.h"
#include "engine/tokenizers/sentencepiece/sentencepiece_train.h"
#include "engine/tokenizers/tokenizer.h"

typedef struct TokenizerTraining {
    SentencePieceOptions train;
    OptionList data;
    OptionList control_symbols;
    OptionList user_symbols;
    const char *normalization;
    const char *model_type;
    const char *output;
    const char *model_prefix;
    bool steps;
    bool help;
} TokenizerTraining;

enum { MOST_TRAIN_OPTIONS = 48 };

static size_t list_options(TokenizerTraining *command, // NOLINT(readability-function-size): a table
                           Option *options) {
    SentencePieceOptions *train = &command->train;
    const Option all[] = {
        {"data", 0, OPTION_LIST, &command->data,
         "text files, one sentence a line (also: operands, -)"},
        {"input", 0, OPTION_LIST, &command->data, NULL},
        {"output", 'o', OPTION_TEXT, &command->output,
         "FILE.model (SentencePiece) or FILE.tokenizer (text)"},
        {"model-prefix", 0, OPTION_TEXT, &command->model_prefix, NULL},
        {"model-type", 0, OPTION_TEXT, &command->model_type, NULL},
        {"vocab-size", 0, OPTION_INT, &train->vocab_size, "pieces in all (8000)"},
        {"character-coverage", 0, OPTION_REAL, &train->character_coverage,
         "part of the text whose characters get pieces (0.9995)"},
        {"max-sentence-length", 0, OPTION_INT, &train->max_sentence_bytes,
         "longer lines are left out, in bytes (4192)"},
        {"max-sentencepiece-length", 0, OPTION_INT, &train->max_piece_length,
         "longest piece, in characters (16)"},
        {"treat-whitespace-as-suffix", 0, OPTION_FLAG, &train->whitespace_as_suffix,
         "▁ at the end of a word (no)"},
        {"split-digits", 0, OPTION_FLAG, &train->split_digits, "every digit is a piece (no)"},
        {"split-by-number", 0, OPTION_FLAG, &train->split_by_number,
         "no piece of digits and letters (yes)"},
        {"split-by-unicode-script", 0, OPTION_FLAG, &train->split_by_script,
         "no piece of two scripts (yes)"},
        {"split-by-whitespace", 0, OPTION_FLAG, &train->split_by_whitespace,
         "no piece reaches over a space (yes)"},
        {"allow-whitespace-only-pieces", 0, OPTION_FLAG, &train->whitespace_only_pieces,
         "pieces of several spaces (no)"},
        {"add-dummy-prefix", 0, OPTION_FLAG, &train->add_dummy_prefix,
         "a space before the first word (yes)"},
        {"remove-extra-whitespaces", 0, OPTION_FLAG, &train->remove_extra_whitespaces,
         "one space between words, none at the ends (yes)"},
        {"normalization", 0, OPTION_TEXT, &command->normalization,
         "nmt_nfkc (default) or identity"},
        {"normalization-rule-name", 0, OPTION_TEXT, &command->normalization, NULL},
        {"byte-fallback", 0, OPTION_FLAG, &train->byte_fallback,
         "spell unknown characters as bytes (no)"},
        {"user-defined-symbols", 0, OPTION_LIST, &command->user_symbols,
         "texts that are always one piece"},
        {"control-symbols", 0, OPTION_LIST, &command->control_symbols,
         "pieces that no text is encoded as"},
        {"required-chars", 0, OPTION_TEXT, &train->required_chars,
         "characters that get pieces whatever the coverage is"},
        {"unk-id", 0, OPTION_INT, &train->unknown_id, "id of <unk> (0)"},
        {"bos-id", 0, OPTION_INT, &train->bos_id, "id of <s> (1), -1: none"},
        {"eos-id", 0, OPTION_INT, &train->eos_id, "id of </s> (2), -1: none"},
        {"pad-id", 0, OPTION_INT, &train->pad_id, "id of <pad> (-1: none)"},
        {"unk-piece", 0, OPTION_TEXT, &train->unknown_piece, "text of the unknown piece (<unk>)"},
        {"bos-piece", 0, OPTION_TEXT, &train->bos_piece, ""},
        {"eos-piece", 0, OPTION_TEXT, &train->eos_piece, ""},
        {"pad-piece", 0, OPTION_TEXT, &train->pad_piece, ""},
        {"threads", 0, OPTION_INT, &train->n_threads,
         "number of threads, without effect on the result (all cores)"},
        {"num-threads", 0, OPTION_INT, &train->n_threads, NULL},
        {"steps", 0, OPTION_FLAG, &command->steps,
         "show the best pairs of each merge, and why one won"},
        {"help", 'h', OPTION_FLAG, &command->help, "show this"},
    };
    _Static_assert(sizeof all / sizeof all[0] <= MOST_TRAIN_OPTIONS, "room for all options");
    memcpy(options, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static bool finish_options(TokenizerTraining *command, int n_operands, char **operands,
                           Error *err) {
    for (int i = 0; i < n_operands; i++) {
        command->data.texts = memory_resize(command->data.texts,
                                            (size_t)(command->data.n_texts + 1) * sizeof(char *));
        command->data.texts[command->data.n_texts++] = strdup(operands[i]);
    }
    if (command->data.n_texts == 0) {
        return error_set(err, "expected --data FILE, the text to learn from");
    }
    if (command->output == NULL) {
        return error_set(err, "expected -o FILE, where the tokenizer goes");
    }
    if (strcmp(command->model_type, "bpe") != 0) {
        return error_set(err, "--model-type: expected bpe, found \"%.40s\"", command->model_type);
    }
    const bool is_identity = strcmp(command->normalization, "identity") == 0;
    if (!is_identity && strcmp(command->normalization, "nmt_nfkc") != 0) {
        return error_set(err, "--normalization: expected nmt_nfkc or identity, found \"%.40s\"",
                         command->normalization);
    }
    SentencePieceOptions *train = &command->train;
    if (train->n_threads < 1 || train->vocab_size < 1) {
        const bool is_threads = train->n_threads < 1;
        return error_set(err, "--%s: expected 1 or more, found %d",
                         is_threads ? "threads" : "vocab-size",
                         is_threads ? train->n_threads : train->vocab_size);
    }
    train->nfkc = !is_identity;
    train->control_symbols = (const char *const *)command->control_symbols.texts;
    train->n_control_symbols = command->control_symbols.n_texts;
    train->user_symbols = (const char *const *)command->user_symbols.texts;
    train->n_user_symbols = command->user_symbols.n_texts;
    return true;
}

static bool load_data(const TokenizerTraining *command, Buffer *text, Error *err) {
    for (int i = 0; i < command->data.n_texts; i++) {
        if (!output_check(command->output, command->data.texts[i], err) ||
            !buffer_load(text, command->data.texts[i], err)) {
            return false;
        }
        if (i + 1 < command->data.n_texts && text->length > 0 &&
            text->bytes[text->length - 1] != '\n') {
            buffer_append(text, "\n", 1);
        }
    }
    if (text->length == 0) {
        return error_set(err, "%s: is empty, expected text to learn from", command->data.texts[0]);
    }
    return true;
}

static void print_step(void *context, const LearnedMerge *step) {
    (void)context;
    const MergeCandidate *won = &step->candidates[0];
    output_print("%5d  %s + %s -> %s  %llu time%s", step->number, won->left, won->right, won->piece,
                 (unsigned long long)won->count, plural((long long)won->count));
    if (step->n_candidates > 1) {
        switch (step->reason) {
        case MERGE_BY_COUNT:
            output_text(", more often than");
            break;
        case MERGE_BY_LENGTH:
            output_text(", fewer characters than");
            break;
        case MERGE_BY_ORDER:
            output_text(", earlier in the order of bytes than");
            break;
        }
    }
    for (int i = 1; i < step->n_candidates; i++) {
        const MergeCandidate *other = &step->candidates[i];
        output_print("%s %s + %s (%llu)", i > 1 ? "," : "", other->left, other->right,
                     (unsigned long long)other->count);
    }
    output_text("\n");
}

static void say(size_t count, const char *what) {
    if (count > 0) {
        output_say("attend: %s: %zu", what, count);
    }
}

static void report_training(const TokenizerTraining *command, const SentencePieceReport *report,
                            const Tokenizer *tokenizer) {
    say(report->n_too_long,
        "lines longer than --max-sentence-length (raise it to take them), left out");
    say(report->n_reserved, "lines with U+2585, which stands for the unknown, left out");
    say(report->n_nul, "NUL characters, which no piece holds");
    say(report->n_invalid_bytes, "bytes that are not UTF-8, each read as U+FFFD");
    if (report->clamped) {
        output_say("attend: this text gives fewer than %d pieces; the vocabulary has the most that "
                   "it gives, %d",
                   command->train.vocab_size, report->maximum);
    }
    output_say(
        "attend: %s: %d piece%s, of which %d merge%s and %d character%s, from %zu line%s with "
        "%zu different word%s",
        command->output, tokenizer->n_pieces, plural(tokenizer->n_pieces), report->n_merges,
        plural(report->n_merges), report->n_characters, plural(report->n_characters),
        report->n_sentences, plural((long long)report->n_sentences), report->n_words,
        plural((long long)report->n_words));
}

static int run_training(const TokenizerTraining *command) {
    Error err = {0};
    Buffer text = {0};
    Tokenizer tokenizer = {0};
    SentencePieceReport report = {0};
    bool ok = load_data(command, &text, &err) &&
              sentencepiece_train(&tokenizer, text.bytes, text.length, &command->train, &report,
                                  command->steps ? print_step : NULL, NULL, &err);
    buffer_free(&text);
    ok = ok && tokenizer_save(&tokenizer, command->output, &err);
    if (ok) {
        report_training(command, &report, &tokenizer);
    } else {
        const char *advice = report.n_too_long > 0 && report.n_words == 0
                                 ? "; --max-sentence-length N takes longer ones"
                                 : "";
        output_say("attend tokenizer train: %s%s", err.text, advice);
    }
    tokenizer_free(&tokenizer);
    return ok ? APP_OK : APP_FAILED;
}

static int train_command(int argc, char **argv) {
    const long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    TokenizerTraining command = {.normalization = "nmt_nfkc", .model_type = "bpe"};
    sentencepiece_options_init(&command.train);
    command.train.n_threads = n_cores < 1 ? 1 : (int)n_cores;
    Option options[MOST_TRAIN_OPTIONS];
    const size_t n_options = list_options(&command, options);
    Error err = {0};
    int first_operand = 0;
    int status = APP_USAGE;
    bool ok = options_read(argc, argv, options, n_options, &first_operand, NULL, &err);
    if (ok && command.help) {
        output_text(
            "usage: attend tokenizer train --data FILE --vocab-size N -o FILE [OPTION...]\n\n"
            "Learns byte-pair encoding over characters, as spm_train --model_type=bpe does.\n\n");
        options_print(options, n_options);
        status = APP_OK;
    } else if (ok && finish_options(&command, argc - first_operand, argv + first_operand, &err)) {
        status = run_training(&command);
    } else {
        output_say("attend tokenizer train: %s", err.text);
    }
    option_list_free(&command.data);
    option_list_free(&command.control_symbols);
    option_list_free(&command.user_symbols);
    return status;
}

int app_tokenizer(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], "train") == 0) {
        return train_command(argc - 1, argv + 1);
    }
    if (argc >= 2 && argv[1][0] != '-') {
        output_say("attend tokenizer: \"%s\": expected train", argv[1]);
    }
    const bool asked = argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    static const char USAGE[] =
        "usage: attend tokenizer train --data FILE --vocab-size N -o FILE [OPTION...]";
    if (asked) {
        output_print("%s\n", USAGE);
    } else {
        output_say("%s", USAGE);
    }
    return asked ? APP_OK : APP_USAGE;
}
