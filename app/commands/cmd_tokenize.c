// cmd_tokenize.c - `attend tokenize`: a text's pieces and ids, its merges one by one, and back
// again.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "app/app.h"
#include "app/encode_note.h"
#include "app/model_choice.h"
#include "app/options.h"
#include "app/commands/token_print.h"
#include "app/output.h"
#include "engine/base/buffer.h"
#include "engine/tokenizers/tokenizer.h"

typedef struct TokenizeCommand {
    const char *tokenizer;
    const char *format;
    const char *input;
    TokenizerChoice texts;
    bool steps, decode, whole, help;
} TokenizeCommand;

enum { MOST_TOKENIZE_OPTIONS = 16 };

static size_t list_options(TokenizeCommand *command, Option *options) {
    const Option all[] = {
        {"tokenizer", 't', OPTION_TEXT, &command->tokenizer,
         ".tokenizer, .model, tokenizer.json, vocab.json, .bpe, or their folder"},
        {"model", 0, OPTION_TEXT, &command->tokenizer, NULL},
        {"format", 'f', OPTION_TEXT, &command->format, "both (default), pieces or ids"},
        {"output-format", 0, OPTION_TEXT, &command->format, NULL},
        {"input", 'i', OPTION_TEXT, &command->input, "read this file (-: standard input)"},
        TEXT_OPTIONS(&command->texts),
        {"steps", 's', OPTION_FLAG, &command->steps, "show each merge, in order"},
        {"decode", 'd', OPTION_FLAG, &command->decode, "decode: from ids to text"},
        {"whole", 'w', OPTION_FLAG, &command->whole,
         "read a file as one text, line ends included (default: byte-level tokenizers only)"},
        {"help", 'h', OPTION_FLAG, &command->help, "show this"},
    };
    _Static_assert(sizeof all / sizeof all[0] <= MOST_TOKENIZE_OPTIONS, "room for all options");
    memcpy(options, all, sizeof all);
    return sizeof all / sizeof all[0];
}

// ---- from text to ids

static bool encode_one(const TokenizeCommand *command, const Tokenizer *tokenizer, const char *text,
                       size_t length, TokenPrinter *printer, EncodeReport *totals, Error *err) {
    TokenIds ids = {0};
    EncodeReport report = {0};
    bool ok = true;
    if (command->steps) {
        token_print_start_steps(printer);
        ok =
            tokenizer_encode_watched(tokenizer, text, length, &ids, token_print_step, printer, err);
        ids.count = 0;
    }
    ok = ok && tokenizer_encode(tokenizer, text, length, &ids, &report, err);
    if (ok) {
        encode_report_add(totals, &report);
        token_print_ids(printer, &ids);
    }
    token_ids_free(&ids);
    return ok;
}

static bool encode_lines(const TokenizeCommand *command, const Tokenizer *tokenizer,
                         const Buffer *text, TokenPrinter *printer, EncodeReport *totals,
                         Error *err) {
    for (size_t start = 0; start < text->length;) {
        const char *newline = memchr(text->bytes + start, '\n', text->length - start);
        const size_t end = newline == NULL ? text->length : (size_t)(newline - text->bytes);
        if (!encode_one(command, tokenizer, text->bytes + start, end - start, printer, totals,
                        err)) {
            return false;
        }
        start = end + 1;
    }
    return true;
}

static bool encode(const TokenizeCommand *command, const Tokenizer *tokenizer, const Buffer *text,
                   bool is_file, TokenPrinter *printer, Error *err) {
    EncodeReport totals = {0};
    const bool whole = !is_file || command->whole || tokenizer->kind == TOKENIZER_BYTE_LEVEL;
    const bool ok =
        whole ? encode_one(command, tokenizer, text->bytes, text->length, printer, &totals, err)
              : encode_lines(command, tokenizer, text, printer, &totals, err);
    if (ok && is_file && text->length == 0) {
        output_say("attend: the input is empty: no tokens");
    }
    encode_note_say(&totals, tokenizer);
    return ok;
}

// ---- from ids to text

static bool read_ids(const char *line, size_t length, TokenIds *ids, Error *err) {
    for (size_t i = 0; i < length;) {
        if (strchr(" \t\r,;", line[i]) != NULL) {
            i++;
            continue;
        }
        long id = 0;
        const size_t start = i;
        while (i < length && line[i] >= '0' && line[i] <= '9' && id < INT32_MAX / 10) {
            id = 10 * id + (line[i++] - '0');
        }
        if (i == start || (i < length && strchr(" \t\r,;", line[i]) == NULL)) {
            char *found = strndup(line + start, length - start);
            error_set(err, "expected ids, whole numbers from 0 on, found \"%.40s\"",
                      found == NULL ? "" : found);
            free(found);
            return false;
        }
        token_ids_append(ids, (int32_t)id);
    }
    return true;
}

static bool decode(const Tokenizer *tokenizer, const Buffer *text, Error *err) {
    const bool by_line = tokenizer->kind != TOKENIZER_BYTE_LEVEL;
    TokenIds ids = {0};
    bool ok = true;
    for (size_t start = 0; ok && start < text->length;) {
        const char *newline = memchr(text->bytes + start, '\n', text->length - start);
        const size_t end = newline == NULL ? text->length : (size_t)(newline - text->bytes);
        ok = read_ids(text->bytes + start, end - start, &ids, err);
        start = end + 1;
        if (ok && (by_line || start >= text->length)) {
            char *decoded = NULL;
            size_t length = 0;
            ok = tokenizer_decode(tokenizer, ids.ids, ids.count, &decoded, &length, err);
            if (ok) {
                output_bytes(decoded, length);
                if (by_line || isatty(STDOUT_FILENO)) {
                    output_text("\n");
                }
            }
            free(decoded);
            ids.count = 0;
        }
    }
    token_ids_free(&ids);
    return ok;
}

// ---- the command

static bool read_texts(const TokenizeCommand *command, int n_operands, char **operands,
                       Buffer *text, bool *is_file, Error *err) {
    const char *path = command->input;
    if (path == NULL && n_operands == 1 && strcmp(operands[0], "-") == 0) {
        path = "-";
    }
    *is_file = path != NULL || n_operands == 0;
    if (*is_file) {
        return buffer_load(text, path == NULL ? "-" : path, err);
    }
    for (int i = 0; i < n_operands; i++) {
        if (i > 0) {
            buffer_append(text, " ", 1);
        }
        buffer_append_text(text, operands[i]);
    }
    return true;
}

static int run(const TokenizeCommand *command, int n_operands, char **operands) {
    Error err = {0};
    Tokenizer tokenizer = {0};
    Buffer text = {0};
    bool is_file = false;
    bool ok = tokenizer_load(&tokenizer, command->tokenizer, &err) &&
              tokenizer_choose(&tokenizer, &command->texts, &err) &&
              read_texts(command, n_operands, operands, &text, &is_file, &err);
    if (ok) {
        output_say_lines("attend", tokenizer_notes(&tokenizer));
    }
    if (ok && command->decode) {
        ok = decode(&tokenizer, &text, &err);
    } else if (ok) {
        if (command->steps && tokenizer.kind == TOKENIZER_WORDS) {
            output_say("attend: --steps has no effect: a tokenizer of whole words merges nothing");
        }
        TokenPrinter printer = {.tokenizer = &tokenizer};
        token_print_init(&printer, command->format);
        ok = encode(command, &tokenizer, &text, is_file, &printer, &err);
    }
    if (!ok) {
        output_say("attend tokenize: %s", err.text);
    }
    buffer_free(&text);
    tokenizer_free(&tokenizer);
    return ok ? APP_OK : APP_FAILED;
}

static bool check_effects(const TokenizeCommand *command, bool is_text, const Option *options,
                          size_t n_options, uint64_t given, Error *err) {
    const char *ids = "--decode";
    const IdleOption idle[] = {
        {"format", command->decode, ids},
        {"output-format", command->decode, ids},
        {"special", command->decode, ids},
        {"pattern", command->decode, ids},
        {"steps", command->decode, ids},
        {"whole", command->decode, ids},
        {"whole", is_text, "a text that is an argument"},
    };
    return options_refuse_given(options, n_options, given, idle, sizeof idle / sizeof idle[0], err);
}

int app_tokenize(int argc, char **argv) {
    setlocale(LC_CTYPE, "");
    TokenizeCommand command = {.format = "both"};
    Option options[MOST_TOKENIZE_OPTIONS];
    const size_t n_options = list_options(&command, options);
    Error err = {0};
    uint64_t given = 0;
    int first_operand = 0;
    bool ok = options_read(argc, argv, options, n_options, &first_operand, &given, &err);
    if (ok && command.help) {
        output_text(
            "usage: attend tokenize --tokenizer T [TEXT|-] [OPTION...]\n\n"
            "Prints the pieces of a text and their ids. A special token that the text spells out,\n"
            "such as <|endoftext|>, is that token, unless --special text says otherwise.\n\n");
        options_print(options, n_options);
        return APP_OK;
    }
    if (ok && command.tokenizer == NULL) {
        ok = error_set(&err, "expected --tokenizer FILE");
    }
    if (ok && command.input != NULL && first_operand < argc) {
        ok = error_set(&err, "\"%.40s\" and --input: expected one of the two", argv[first_operand]);
    }
    if (ok && !token_print_knows(command.format)) {
        ok = error_set(&err, "--format: expected both, pieces or ids, found \"%.40s\"",
                       command.format);
    }
    bool is_text = first_operand < argc && strcmp(argv[first_operand], "-") != 0;
    ok = ok && tokenizer_choice_check(&command.texts, &err) &&
         check_effects(&command, is_text, options, n_options, given, &err);
    if (!ok) {
        output_say("attend tokenize: %s", err.text);
        return APP_USAGE;
    }
    return run(&command, argc - first_operand, argv + first_operand);
}
